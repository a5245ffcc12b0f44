import type { OutsideLogin } from '../../ports/agent.ts'
import { type HostRule, READ_METHODS } from '../../ports/network.ts'

/** Whether the hosts of the settings include the server of an address, which has `http` where it names no scheme. */
export function answersHost(hosts: readonly string[], address: string): boolean {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`)
  const [wanted] = url && /^https?:$/.test(url.protocol) ? rulesFromSettings([url.origin]) : []
  return wanted !== undefined && rulesFromSettings(hosts).some(rule => nameOf(rule) === nameOf(wanted))
}

const nameOf = ({ scheme, host, port }: HostRule): string => `${scheme} ${host} ${port}`

/**
 * All rules of a session; the first for a server counts. What a person allowed on request adds methods to the user's own
 * hosts, and nothing to registries: those stay read-only.
 */
export function combineRules(
  own: readonly HostRule[],
  registries: readonly HostRule[],
  requested: readonly HostRule[],
): HostRule[] {
  const closed = new Set(registries.map(nameOf))
  const combined = new Map<string, HostRule>()
  for (const rule of [...own, ...requested.filter(each => !closed.has(nameOf(each)))]) {
    const known = combined.get(nameOf(rule)) ?? rule
    const methods =
      known.methods && rule.methods ? [...new Set([...known.methods, ...rule.methods])] : undefined
    combined.set(nameOf(rule), { ...known, methods, isExtendable: !closed.has(nameOf(rule)) })
  }
  return [...combined.values(), ...registries]
}

/** Rules with a login that stays outside, for its server alone, and for the one where it is renewed. */
export function withLogin(
  rules: readonly HostRule[],
  login: Pick<OutsideLogin, 'server' | 'headers' | 'renewal'> | undefined,
): HostRule[] {
  if (!login) return [...rules]
  const [server, renewal] = [login.server, login.renewal?.server].map(named =>
    named === undefined ? undefined : rulesFromSettings([named]).map(nameOf)[0],
  )
  return rules.map(rule => {
    if (nameOf(rule) === server) return { ...rule, login: login.headers }
    return nameOf(rule) === renewal ? { ...rule, renewal: login.renewal } : rule
  })
}

/** The servers that an agent needs for its model, in the syntax of `sandbox.hosts`. */
export const hostsOfLogin = ({ server, renewal }: Pick<OutsideLogin, 'server' | 'renewal'>): string[] => [
  `* ${server}`,
  ...(renewal ? [`POST ${renewal.server}`] : []),
]

/** Rules for hosts that commands requested: a name must not lead into a private network, an address says where it leads. */
export const rulesFromRequests = (hosts: readonly string[]): HostRule[] =>
  rulesFromSettings(hosts).map(rule => ({ ...rule, isUsers: /^[\d.]+$|:/.test(rule.host) }))

/** Rules from `sandbox.hosts`: `[METHODS ][http://]HOST[:PORT]`. Without methods only reads pass. */
export function rulesFromSettings(hosts: readonly string[]): HostRule[] {
  return hosts.flatMap(text => {
    const [, methods, address = ''] = /^(?:(\S+) )?(\S+)$/.exec(text) ?? []
    const url = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`)
    if (!url) return []
    const scheme = url.protocol === 'http:' ? 'http' : 'https'
    return [
      {
        scheme,
        host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: url.port === '' ? (scheme === 'https' ? 443 : 80) : Number(url.port),
        methods: methods === undefined ? READ_METHODS : methods === '*' ? undefined : allowedMethods(methods),
        isUsers: true,
      },
    ]
  })
}

function allowedMethods(text: string): string[] {
  const named = text.toUpperCase().split(',')
  return named.includes('GET') ? [...named, 'HEAD'] : named
}
