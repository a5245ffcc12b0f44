import { type HostRule, READ_METHODS } from '../../ports/network.ts'

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
