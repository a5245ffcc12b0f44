import { programName } from '@batonpass/shell-verdict/shell/program'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import type { Guarded } from '../paths/protected.ts'

/** Sub-commands by which a person answers, trusts, configures or stops. An agent that could use them needs no permission. */
const CLOSED = new Set([
  'allow',
  'deny',
  'answer',
  'trust',
  'untrust',
  'down',
  'stop',
  'restart',
  'up',
  'start',
  'daemon',
  'uninstall',
  'install',
  'init',
  'import',
  'forget',
  'learn',
  'login',
  'telegram',
  'hook',
  'upgrade',
  'update',
  'release',
  'serve',
  'resume',
  'pause',
  'unpause',
  'config-set',
  'run',
  'chat',
  'kill',
  'attach',
  'watch',
  'unwatch',
  'dashboard',
  'shadow',
])

const OWN_NAMES = /^(baton|batonpass)(@[\w.^~-]+)?$/
const OWN_PATHS =
  /(^|\/)(baton|batonpass)(@[^/]*)?(\/(dist|bin|src)\/[\w./-]*)?$|(^|\/)(batonpass|baton)\/dist\/|(^|\/)\.baton\//

/** Why this command would let the agent answer for the person, or undefined. */
export function ownHazard(command: SimpleCommand, guarded: Guarded): string | undefined {
  const texts = command.words.map(word => word.value ?? word.prefix)
  const program = programName(texts[0] ?? '')
  const at = texts.findIndex(
    (text, index) =>
      (index === 0 || startsPrograms(program)) &&
      (OWN_NAMES.test(basename(text)) || (index > 0 && OWN_PATHS.test(text))),
  )
  if (at !== -1 && (at > 0 || OWN_NAMES.test(basename(texts[0] ?? '')))) {
    const rest = command.words.slice(at + 1)
    const unknown = rest.find(word => word.value === undefined)
    const sub = rest.map(word => word.value ?? '').find(text => text !== '' && !text.startsWith('-'))
    if (sub !== undefined && CLOSED.has(sub)) return `baton ${sub} is for the person, not for an agent`
    // An agent that starts another one could let it do what it may not do itself.
    if (sub === 'handoff' && rest.some(word => /^--to(?:=|$)/.test(word.value ?? word.prefix)))
      return 'baton handoff --to is for the person, not for an agent'
    // The user's instructions are among the facts.
    if (
      /^handoffs?$/.test(sub ?? '') &&
      rest.some(word => word.value === 'facts') &&
      rest.some(word => /^(?:remove|edit)$/.test(word.value ?? ''))
    )
      return 'changing the facts of a handoff is for the person, not for an agent'
    if (
      sub === 'config' &&
      rest.length > 1 &&
      rest.some(word => /^(set|unset|edit|get-secret)$/.test(word.value ?? ''))
    )
      return 'Baton’s configuration is for the person'
    if (unknown) return 'a baton command that is only known when it runs'
  }
  if (/^(kill|pkill|killall|skill|systemctl|launchctl|service|tmux|pgrep|lsof|fuser)$/.test(program)) {
    if (/^(pgrep|lsof|fuser|tmux)$/.test(program) && !texts.includes('-k')) return undefined
    if (texts.slice(1).some(text => /(^|[^a-z])baton(pass|d)?([^a-z]|$)/i.test(text)))
      return 'stops Baton’s daemon'
    if (texts.slice(1).some(text => guarded.pids.includes(Number(text.replace(/^-/, '')))))
      return 'stops Baton’s daemon'
  }
  return undefined
}

/** `kill $(pgrep baton)`: the number only shows when it runs, the name is written out. */
export function killsByName(programs: readonly string[], source: string): boolean {
  return (
    programs.some(program => /^(kill|pkill|killall|skill)$/.test(program)) &&
    /(^|[^a-z])baton(pass|d)?([^a-z]|$)/i.test(source)
  )
}

/** Programs whose argument may be the script of another program. */
function startsPrograms(program: string): boolean {
  return /^(node|nodejs|bun|deno|tsx|ts-node|npx|bunx|pnpm|yarn|npm|sudo|env)$/.test(program)
}

function basename(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1)
}

/** A request to the daemon itself. Whatever the host is called, it may stand for this machine. */
export function ownAddress(address: string, guarded: Guarded): string | undefined {
  const [, port] =
    /^(?:[a-z][\w+.-]*:\/\/)?(?:[^/?#]*@)?(?:\[[^\]]*\]|[^:/?#]*):0*(\d+)(?:[/?#]|$)/i.exec(address) ?? []
  return port !== undefined && guarded.ports.includes(Number(port)) ? 'the daemon’s own port' : undefined
}
