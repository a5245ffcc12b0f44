import { readFileSync } from 'node:fs'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { stateFolder } from '../config/state-folder.ts'
import type { AgentProfile } from '../ports/agent.ts'
import { compile } from './compile.ts'
import { hookSeconds, hookSilence, SILENCE_SECONDS } from './deadline.ts'
import { DAEMON_FLAGS, DAEMON_MEMORY, KEPT_ENVIRONMENT } from './spawn.ts'

/** How a hook process reaches the daemon, the fastest first. `c` needs a compiler, `node` works wherever Baton does. */
export const TRANSPORTS = ['c', 'perl', 'curl', 'node'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** What people read. */
export const TRANSPORT_LABELS: Readonly<Record<Transport, string>> = {
  c: 'compiled C program',
  perl: 'Perl script',
  curl: 'shell script with curl',
  node: 'Node script',
}

export interface LauncherPlaces {
  home: string
  node: string
  cli: string
  daemon: string
  agents: readonly AgentProfile[]
  /** How long a hook that may wait for a person is allowed to take. */
  waitSeconds: number
}

/** The one stable file that hook settings name. Undefined: this machine cannot make it. */
export function makeLauncher(transport: Transport, places: LauncherPlaces): Buffer | undefined {
  if (transport === 'c') return compile(cSource(places), stateFolder(places.home).launcher)
  return Buffer.from(transport === 'perl' ? perl(places) : shell(places, transport === 'curl' ? 'curl' : ''))
}

/** The text of the status line's program, which is next to the launcher. */
export const statusLineText = ({ home }: Pick<LauncherPlaces, 'home'>): string =>
  fill('status-line.sh', { HOME: home.replaceAll("'", `'\\''`) })

interface Answer {
  agent: string
  event: string
  seconds: number
  /** Seconds without a byte after which the daemon counts as hung. */
  silence: number
  safe: string
  /** The safe answer in a mode in which no one would see an ask. */
  unseen: string
  /** No opinion: the agent does as it would without Baton. */
  aside: string
  /** The same, and the person reads how to clean up. Equal to `aside` where the agent shows no notice. */
  removed: string
}

const REMOVED_NOTICE =
  'Baton was removed, but its hooks are still installed. Baton no longer decides anything. Remove the hooks with `npx batonpass uninstall`, or install Baton again with `npm install -g batonpass`.'

function answers({ agents, waitSeconds }: LauncherPlaces): Answer[] {
  return agents.flatMap(agent =>
    agent.hooks.map(({ event }) => ({
      agent: agent.name,
      event,
      seconds: hookSeconds(agent, event, waitSeconds),
      silence: hookSilence(agent, event),
      safe: JSON.stringify(agent.encode(agent.safe(event, 'default'), event)),
      unseen: JSON.stringify(agent.encode(agent.safe(event, 'bypass'), event)),
      aside: JSON.stringify(agent.encode({}, event)),
      removed: JSON.stringify(agent.encode({ notice: REMOVED_NOTICE }, event)),
    })),
  )
}

/** The agent's own names of the modes in which an ask would be waved through. */
function unseenModes(agent: AgentProfile): string[] {
  const asks = agent.hooks.map(({ event }) => event)
  return Object.entries(agent.modes)
    .filter(([, mode]) =>
      asks.some(event => {
        const decision = agent.safe(event, mode).permission?.decision
        return decision === 'deny' && agent.safe(event, 'default').permission?.decision !== 'deny'
      }),
    )
    .map(([native]) => native)
}

function perl(places: LauncherPlaces): string {
  const quoted = (text: string) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  const byAgent = places.agents.map(agent => {
    const rows = answers({ ...places, agents: [agent] }).map(
      a =>
        `        '${quoted(a.event)}' => [${[a.safe, a.unseen, a.aside, a.removed].map(text => `'${quoted(text)}'`).join(', ')}],`,
    )
    return `    '${agent.name}' => {\n${rows.join('\n')}\n    },`
  })
  const unseen = places.agents.flatMap(agent => {
    const modes = unseenModes(agent)
    return modes.length > 0 ? [`    '${agent.name}' => '${modes.map(quoted).join('|')}',`] : []
  })
  const seconds = answers(places)
    .filter(a => a.seconds !== 10)
    .map(a => `    '${a.agent}/${quoted(a.event)}' => [${a.seconds}, ${a.silence}],`)
  return fill('launcher.pl', {
    PROTOCOL: String(PROTOCOL),
    SILENCE: String(SILENCE_SECONDS),
    HOME: quoted(places.home),
    NODE: quoted(places.node),
    CLI: quoted(places.cli),
    DAEMON: quoted(places.daemon),
    KEPT: KEPT_ENVIRONMENT,
    FLAGS: DAEMON_FLAGS.map(flag => `'${quoted(flag)}'`).join(', '),
    MEMORY: Object.entries(DAEMON_MEMORY)
      .map(pair => pair.map(word => `'${quoted(word)}'`).join(' => '))
      .join(', '),
    SECONDS: seconds.join('\n'),
    ANSWERS: byAgent.join('\n'),
    UNSEEN: unseen.join('\n'),
  })
}

function cSource(places: LauncherPlaces): string {
  const rows = answers(places).map(
    a =>
      `    {${[a.agent, a.event].map(cText).join(', ')}, ${a.seconds}, ${a.silence}, ${[a.safe, a.unseen, a.aside, a.removed].map(cText).join(', ')}},`,
  )
  const unseen = places.agents.flatMap(agent =>
    unseenModes(agent).map(mode => `    {${cText(agent.name)}, ${cText(mode)}},`),
  )
  return fill('launcher.c', {
    PROTOCOL: String(PROTOCOL),
    SILENCE: String(SILENCE_SECONDS),
    HOME: cText(places.home),
    NODE: cText(places.node),
    CLI: cText(places.cli),
    DAEMON: cText(places.daemon),
    // POSIX expressions know no groups that are not captured.
    KEPT: cText(`^(${KEPT_ENVIRONMENT.replaceAll('(?:', '(')})$`),
    FLAGS: DAEMON_FLAGS.map(cText).join(', '),
    MEMORY: Object.entries(DAEMON_MEMORY)
      .map(pair => `{${pair.map(cText).join(', ')}}`)
      .join(', '),
    HOOKS: rows.join('\n'),
    UNSEEN: unseen.join('\n'),
  })
}

/** A string of C, every byte that is not a plain letter or sign written as its number. */
const cText = (text: string): string =>
  `"${Buffer.from(text)
    .toString('latin1')
    .replace(/[^ -~]|["\\?]/g, byte => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`

function shell(places: LauncherPlaces, curl: string): string {
  const quoted = (text: string) => text.replaceAll("'", `'\\''`)
  const rows = answers(places).map(
    a =>
      `    ${a.agent}/${a.event}) limit=${a.seconds} silence=${a.silence} safe='${quoted(a.safe)}' unseen='${quoted(a.unseen)}' aside='${quoted(a.aside)}' removed='${quoted(a.removed)}' ;;`,
  )
  const modes = [...new Set(places.agents.flatMap(unseenModes))]
  const unseen = modes.flatMap(mode => [
    `*'"permission_mode":"${mode}"'*`,
    `*'"permission_mode": "${mode}"'*`,
  ])
  return fill('launcher.sh', {
    PROTOCOL: String(PROTOCOL),
    SILENCE: String(SILENCE_SECONDS),
    CURL: curl,
    HOME: quoted(places.home),
    NODE: quoted(places.node),
    CLI: quoted(places.cli),
    ANSWERS: rows.join('\n'),
    UNSEEN: unseen.length > 0 ? `    ${unseen.join(' | ')}) safe=$unseen ;;` : '    "") ;;',
  })
}

function fill(template: string, values: Record<string, string>): string {
  const text = readFileSync(new URL(`./${template}`, import.meta.url), 'utf8')
  // A function as replacement: values may hold `$&` and the like.
  return text.replace(/@@([A-Z]+)@@/g, (_, name: string) => values[name] ?? '')
}

/** A stable way to run `baton` for those who cannot know where it is installed, such as a plugin. */
export const ownProgramText = ({ node, cli }: Pick<LauncherPlaces, 'node' | 'cli'>): string =>
  `#!/bin/sh\nexec ${quoted(node)} ${quoted(cli)} "$@"\n`

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
