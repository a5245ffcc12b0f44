import { findJqHazard } from '../../languages/jq.ts'
import { findSqlHazard } from '../../languages/sql.ts'
import { literalWord, type Word } from '../../shell/word.ts'
import { becomes, flagValue, harmless, has } from './outcome.ts'
import type { Check } from './use.ts'

const FTP_READS =
  /^[-+]?\s*(NLST|LIST|STAT|SIZE|PASV|EPSV|CDUP|CWD|PWD|MDTM|TYPE|NOOP|HELP|SYST|FEAT|MODE|STRU|REST)\b/i

const curl: Check = use => {
  const { result } = use
  if (result.kind === 'unlisted') return
  const method = flagValue(use, '-X', '--request')
  if (has(use, '-X', '--request') && !/^(GET|HEAD|OPTIONS|TRACE)$/i.test(method ?? ''))
    becomes(use, 'remote', `sends ${method ?? 'an unknown method'}`)
  const sendsFile = (file: Word) => {
    result.reads.push(file)
    becomes(use, 'remote', 'sends a file')
  }
  for (const used of use.parsed.flags) {
    if (used.flag?.names.includes('-Q') && !FTP_READS.test(used.value?.value ?? ''))
      becomes(use, 'remote', 'sends an FTP command')
    // A data flag with -G only lengthens the address, but may still carry a file out.
    if (used.flag?.names.includes('-b') || used.flag?.names.includes('-H')) {
      if (used.value?.value === undefined) becomes(use, 'unlisted', 'sends a header only known when it runs')
      else if (used.value.value.startsWith('@')) sendsFile(literalWord(used.value.value.slice(1)))
    }
    if (used.flag?.names.includes('-w') && used.value?.value?.startsWith('@'))
      result.reads.push(literalWord(used.value.value.slice(1)))
    if (used.flag?.names.includes('-b') && used.value?.value && !used.value.value.includes('='))
      sendsFile(used.value)
    if (used.flag?.names.includes('--proxy-header') && used.value?.value?.startsWith('@'))
      sendsFile(literalWord(used.value.value.slice(1)))
    if (used.flag?.names.includes('--url-query') && used.value?.value?.includes('@'))
      becomes(use, 'remote', 'sends a file')
    if (used.flag?.names.includes('-w') && used.value?.value?.includes('%output{'))
      becomes(use, 'write', 'writes to a file')
    if (used.flag?.names.includes('--key') || used.flag?.names.includes('-E')) result.sends = true
  }
  for (const word of addressesOf(use)) {
    const text = word.value ?? word.prefix
    if (/^file:/i.test(text)) result.reads.push(literalWord(text.replace(/^file:(\/\/[^/]*)?/i, '')))
    else if (!PLAIN_ADDRESS.test(text)) becomes(use, 'remote', 'uses a protocol that can do more than fetch')
    // curl makes several addresses of `{a,b}` and `[1-9]`, also in the protocol.
    if (!has(use, '-g', '--globoff') && /[{[]/.test(text.replace(/\/\/\[[\da-f:.]+\]/i, '')))
      becomes(use, 'unlisted', 'has an address that means several')
    if (word.value === undefined && has(use, '-O', '--remote-name'))
      becomes(use, 'unlisted', 'writes to a file only known when it runs')
  }
  // They change where a request goes, whatever its address says.
  if (
    has(use, '--proto-default', '--connect-to', '--resolve', '--doh-url', '--dns-servers', '--request-target')
  )
    becomes(use, 'unlisted', 'has a flag that sends the request elsewhere')
  if (has(use, '-O', '--remote-name', '--remote-name-all')) {
    if (has(use, '-J', '--remote-header-name')) result.writes.push(literalWord('./(named by the server)'))
    for (const word of addressesOf(use))
      result.writes.push(literalWord(`./${(word.value ?? '').split(/[?#]/)[0]?.split('/').pop() ?? ''}`))
  }
}

/** An http address, or a name that curl takes for one. */
const PLAIN_ADDRESS =
  /^(?:(?:https?|ftps?):\/\/|(?![a-z][a-z0-9+.-]*:\/\/)(?!(?:dict|ldap|imap|smtp|pop3)\.)[^:@]*(?::\d+)?(?:[/?#]|$))/i

const addressesOf = (use: Parameters<Check>[0]): Word[] => [
  ...use.parsed.positionals,
  ...use.parsed.flags.flatMap(({ flag, value }) => (flag?.names.includes('--url') && value ? [value] : [])),
]

/** What wget sends along with a request. */
const SENT = /--(header|user-agent)\b/

const wget: Check = use => {
  if (use.result.kind !== 'write') return
  const out = flagValue(use, '-O', '--output-document')
  if (has(use, '--spider', '-h', '--help', '-V', '--version') || out === '-' || out === '/dev/null') {
    if (
      use.parsed.flags.some(
        ({ flag, value }) => value?.value === undefined && SENT.test(flag?.names.join(' ') ?? ''),
      )
    )
      becomes(use, 'unlisted', 'sends a header only known when it runs')
    else if (use.result.writes.length === 0 && use.parsed.uncertain.length === 0)
      harmless(use, 'asks without saving')
  } else if (!has(use, '-O', '--output-document', '-P', '--directory-prefix') && !use.result.unknownFlags) {
    for (const word of use.parsed.positionals) {
      const name = savedName(word.value)
      if (name === undefined) return becomes(use, 'unlisted', 'writes to a file only known when it runs')
      use.result.writes.push(literalWord(`./${name}`))
    }
  }
}

/** What wget calls the file of an address, with its query; undefined where it would be another name. */
function savedName(address: string | undefined): string | undefined {
  const [plain = '', query] = address?.replace(/#.*$/s, '').split(/\?(.*)/s) ?? []
  const [, path = ''] = plain.replace(/^[a-z]+:\/\//i, '').split(/\/(.*)/s)
  const name = path.slice(path.lastIndexOf('/') + 1) || 'index.html'
  const full = query === undefined ? name : `${name}?${query.replaceAll('/', '%2F')}`
  return address === undefined || /%|^\.{1,2}$/.test(name) ? undefined : full
}

/** `--input FILE` and `-F key=@FILE` carry a file out, whatever the request asks for; `-` is standard input. */
function sentFiles(use: Parameters<Check>[0]): Word[] {
  return use.parsed.flags.flatMap(({ flag, value }) => {
    if (flag?.names.includes('--input')) return value && value.value !== '-' ? [value] : []
    const file = flag?.names.includes('--field') ? /^[^=]*=@(.+)$/s.exec(value?.value ?? '')?.[1] : undefined
    return file === undefined || file === '-' ? [] : [literalWord(file)]
  })
}

/** gh's jq knows the environment, in which its token is. */
const ghShows: Check = use => {
  for (const { flag, value } of use.parsed.flags) {
    if (!flag?.names.includes('--jq') || !value) continue
    const hazard =
      value.value === undefined ? 'the jq program is only known when it runs' : findJqHazard(value.value)
    if (hazard) becomes(use, 'unlisted', hazard)
  }
}

const ghApi: Check = use => {
  ghShows(use)
  const address = use.parsed.positionals[0]?.value ?? ''
  if (/^(?:https?:)?\/\//i.test(address) && !/^https:\/\/api\.github\.com\//.test(address))
    return becomes(use, 'remote', 'asks another host')
  const sent = sentFiles(use)
  use.result.reads.push(...sent)
  for (const { flag, value } of use.parsed.flags)
    if (flag?.names.includes('--hostname') && value) use.result.hosts.push(value)
  if (sent.length > 0 || has(use, '--hostname')) {
    use.result.sends = true
    return becomes(use, 'remote', sent.length > 0 ? 'sends a file' : 'asks another host')
  }
  const method = has(use, '-X', '--method') ? flagValue(use, '-X', '--method')?.toUpperCase() : undefined
  const fields = has(use, '-f', '--raw-field', '-F', '--field', '--input')
  if (use.parsed.positionals[0]?.value === 'graphql') {
    const query = use.parsed.flags
      .map(used => used.value?.value ?? '')
      .find(value => value.startsWith('query='))
      ?.slice(6)
      .trim()
    if (query && /^(query\b|\{)/.test(query) && !/\bmutation\b|^@/.test(query)) return
    return becomes(use, 'remote', 'sends a query that may change something')
  }
  if (method === 'DELETE' && /^\/?repos\/[^/]+\/[^/]+\/?$/.test(use.parsed.positionals[0]?.value ?? ''))
    becomes(use, 'demolish', 'deletes a repository')
  else if (method !== undefined && method !== 'GET' && method !== 'HEAD')
    becomes(use, 'remote', `sends ${method}`)
  else if (has(use, '-X', '--method') && method === undefined)
    becomes(use, 'unlisted', 'sends a method only known when it runs')
  else if (fields && method === undefined) becomes(use, 'remote', 'sends fields, so the method is POST')
  if (has(use, '-F', '--field') && use.parsed.flags.some(used => used.value?.value?.includes('=@')))
    becomes(use, 'remote', 'sends a file')
}

const aws: Check = use => {
  for (const word of use.args) {
    const file = /^(?:[\w-]+=)?fileb?:\/\/(.*)$/s.exec(word.value ?? '')?.[1]
    if (file !== undefined) use.result.reads.push(literalWord(file))
  }
  const [service, operation] = use.result.path
  if (service === 's3' && operation === 'rm' && use.args.some(word => word.value === '--recursive'))
    becomes(use, 'demolish', 'deletes every object below a prefix')
  if (service === 'athena' && operation === 'start-query-execution') {
    const sql = flagValue(use, '--query-string')
    if (sql !== undefined && findSqlHazard(sql, 'generic') === undefined)
      becomes(use, 'read', 'runs a query that only reads')
  }
  if (
    use.args.some(word => word.value === undefined && word.many) &&
    use.result.kind === 'read' &&
    service === 'ssm'
  ) {
    becomes(use, 'unlisted', 'has an argument only known when it runs')
  }
}

const IP_SHOWS = /^(s|sh|sho|show|l|li|lis|list|ls|lst|get|help)$/

const ip: Check = use => {
  const [object, action] = use.parsed.positionals.map(word => word.value)
  const unsure =
    use.parsed.uncertain.length > 0 || use.parsed.positionals.some(word => word.value === undefined)
  if (has(use, '-b', '-batch', '-B', '-force') || unsure || use.parsed.strange.length > 0)
    return becomes(use, 'unlisted', 'has a flag or argument that is not known')
  if (object === undefined) return harmless(use, 'prints help')
  if (/^mo(n|ni|nit|nito|nitor)?$/.test(object)) return harmless(use, 'watches changes')
  if (/^netns$|^net$/.test(object) && /^(pids|identify|monitor)$/.test(action ?? ''))
    return harmless(use, 'shows name spaces')
  const nested = /^(xfrm|mptcp|sr|ioam)$/.test(object) ? use.parsed.positionals[2]?.value : action
  if (action === undefined || IP_SHOWS.test(nested ?? 'show')) return harmless(use, 'shows the network')
  becomes(use, 'system', 'changes the network')
}

export const NETWORK_CHECKS: Readonly<Record<string, Check>> = {
  curl,
  wget,
  'gh-api': ghApi,
  'gh-shows': ghShows,
  // `@FILE` sends what is in the file.
  az: use => {
    const file = use.args.find(word => /^(?:[\w-]+=)?@./s.test(word.value ?? ''))
    if (!file) return
    use.result.reads.push(literalWord((file.value ?? '').replace(/^[^@]*@/, '')))
    becomes(use, 'remote', 'sends a file')
  },
  aws,
  ip,
  'ssh-keygen': use => {
    if (has(use, '-l', '-lf', '-F') && !has(use, '-y')) harmless(use, 'shows a fingerprint')
  },
  // What it reads is sent to the host.
  's-client': use => {
    const fed = use.command.redirections.some(({ operator, target }) =>
      operator.startsWith('<') ? target?.value !== '/dev/null' : false,
    )
    const piped = use.command.via.at(-1) === 'pipe'
    if (fed || (piped && use.command.upstream.length > 0)) becomes(use, 'remote', 'sends what it is given')
  },
  'auth0-api': use => {
    const words = use.parsed.positionals.map(word => word.value ?? '?')
    const method = /^(get|post|put|patch|delete)$/i.test(words[0] ?? '')
      ? (words[0] ?? '').toLowerCase()
      : 'get'
    if (method !== 'get' || has(use, '-d', '--data') || use.parsed.uncertain.length > 0)
      becomes(use, 'remote', 'sends data')
  },
}
