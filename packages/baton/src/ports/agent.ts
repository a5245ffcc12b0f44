import type { AgentEvent, AgentName, PermissionMode } from '@batonpass/contract/event'
import type { HookSource } from '@batonpass/contract/hook'
import type { Reaction } from '@batonpass/contract/reaction'
import type { Launches } from './launch.ts'
import type { AgentTerminal } from './terminal.ts'
import type { TranscriptReader, Transcripts } from './transcript.ts'

type WithoutStamp<E> = E extends unknown ? Omit<E, 'id' | 'at' | 'session' | 'agent'> : never
/** An event before the daemon has stamped it with id, time and our session id. */
export type DecodedEvent = WithoutStamp<AgentEvent>

/**
 * What an adapter made of a payload: our event with the agent's own name for it (which `encode` wants),
 * or a hook that means nothing to us (answered with `{}`).
 */
export type Decoded = { event: DecodedEvent; nativeEvent: string } | { ignored: string }

/** Where hooks are installed. `local` is the project's private, git-ignored settings. */
export type InstallScope = Exclude<HookSource, 'manual' | 'plugin'>

export interface InstallTarget {
  scope: InstallScope
  /** The worktree root, for project and local scope. */
  project: string
  home: string
  /** The person's variables: some agents keep their settings where one says. */
  env?: Readonly<Record<string, string | undefined>>
  /** The stable launcher that hook settings name. */
  launcher: string
  /** How long a hook that may wait for a person is allowed to take. */
  waitSeconds: number
  /** Whether the agent's status line is to tell how full its context is, where it has one. */
  statusLine?: boolean | undefined
}

/** One settings file before and after; nothing is written by the adapter. */
export interface FileChange {
  path: string
  before: string | undefined
  /** `undefined`: the file held only what Baton wrote and goes away. */
  after: string | undefined
}

/** The files through which the agents ask Baton. */
export interface HookFiles {
  /** Their usual names, below the home or any project. */
  readonly names: readonly string[]
  /** Those that a person's variable has moved: what stands below `from` counts as if it stood below `to`. */
  readonly moved: readonly { file: string; from: string; to: string }[]
}

/** What code that knows no adapter must know of an agent: gathered from the folders into `@batonpass/contract/agents`. */
export interface AgentEntry {
  title: string
  /** The same in two letters, for lists. */
  letters: string
  /** The files it runs as: what runs below one of them is never a person. */
  programs: readonly string[]
  /**
   * The variables (as patterns) by which it finds its folder and logs in: the daemon keeps them for the calls it makes with
   * it. Variables of a running session are none of them.
   */
  env: readonly string[]
}

/** What a hook client must know of an agent: loaded at each call, so it brings nothing that reads or installs. */
export interface AgentProfile {
  readonly name: AgentName
  /** Other names people type, e.g. `claude`. */
  readonly aliases: readonly string[]
  readonly title: string
  /** Programs on PATH that mean it is installed. */
  readonly programs: readonly string[]
  /** Where it keeps settings that can hold hooks. */
  readonly scopes: readonly InstallScope[]
  /** The agent's own event names that Baton hooks, and how. */
  readonly hooks: readonly HookPoint[]
  /** The agent's own names of its permission modes, as they stand in `permission_mode` of its payloads. */
  readonly modes: Readonly<Record<string, PermissionMode>>
  /** It shows a hook's ask on its own screen only: without one it would wait for an answer for ever. */
  readonly asksOnScreen?: true
  /**
   * The agent's answer on stdout. Always valid JSON; `{}` when there is nothing to say. `onScreen`: its screen was seen just
   * now, for one that `asksOnScreen`.
   */
  encode(reaction: Reaction, nativeEvent: string, onScreen?: boolean): Record<string, unknown>
  /** What to answer when no daemon can be asked. */
  safe(nativeEvent: string, mode: PermissionMode | undefined): Reaction
}

/**
 * One coding agent: the only code that knows its JSON.
 * Pure: bytes in, values out; files are read and written by the caller.
 */
export interface AgentAdapter extends AgentProfile {
  /** `payload` is parsed JSON of unknown shape; `event` is the name from the hook's arguments, if any. Throws BatonError payload_invalid. */
  decode(payload: unknown, event: string | undefined): Decoded
  /** The settings files it would change to install its hooks; `read` gives a file's text or undefined. */
  install(target: InstallTarget, read: (path: string) => string | undefined): FileChange[]
  uninstall(
    target: Omit<InstallTarget, 'launcher' | 'waitSeconds'>,
    read: (path: string) => string | undefined,
  ): FileChange[]
  /**
   * Whether Baton's hooks are in the settings of that scope. `exposed`: among them are hooks of an older version that send
   * what the agent does to a port which another program may have taken.
   */
  installed(
    target: Omit<InstallTarget, 'launcher' | 'waitSeconds'>,
    read: (path: string) => string | undefined,
  ): 'no' | 'yes' | 'stale' | 'exposed'
}

/** Everything Baton knows of one agent: what a folder under adapters/agents gives. */
export interface Agent {
  readonly adapter: AgentAdapter
  readonly capabilities: Capabilities
  /** Absent: its transcripts tell nothing, and handoffs rest on git alone. */
  readonly reader?: TranscriptReader
  /** Where it keeps its transcripts. Absent: Baton finds them only through its hooks. */
  transcriptFiles?(place: Pick<InstallTarget, 'home' | 'env'>): TranscriptFiles
  /** What each reply used, for budgets; and the end of the talk, for a supervisor. */
  readonly transcripts?: Transcripts
  /** Absent: Baton cannot start it. */
  readonly launches?: Launches
  /** Absent: it is watched in a terminal, but not typed into. */
  readonly terminal?: AgentTerminal
  /** What keeps installed hooks from running on this machine, as far as the agent's own files tell. */
  obstacles?(
    place: Pick<InstallTarget, 'home' | 'env'>,
    read: (path: string) => string | undefined,
  ): readonly Caution[]
}

/** Files of a name, so many levels of folders below one. */
export interface TranscriptFiles {
  folder: string
  levels: number
  name: RegExp
}

export interface Caution {
  what: string
  fix: string
  /** `obstacles` says whether it holds on this machine. */
  checked?: true
}

/** What people want of an agent under Baton, in the order of the table in docs/agents.md. */
export const CAPABILITY_NAMES = [
  'allow',
  'deny',
  'ask',
  'dialog',
  'continue',
  'inject',
  'context',
  'evidence',
  'ends',
  'limits',
  'resume',
  'headless',
  'acp',
  'terminal',
] as const
export type CapabilityName = (typeof CAPABILITY_NAMES)[number]

/** The same for people. */
export const CAPABILITY_LABELS: Readonly<Record<CapabilityName, string>> = {
  allow: 'allow',
  deny: 'deny with a reason',
  ask: 'ask the person',
  dialog: 'ask in its own dialog',
  continue: 'go on after a stop',
  inject: 'context at the start (handoff)',
  context: 'context size',
  evidence: 'transcript as evidence',
  ends: 'why a session or turn ended',
  limits: 'go on after a usage limit',
  resume: 'resume',
  headless: 'without a terminal',
  acp: 'hosted over ACP',
  terminal: 'typed into in tmux',
}

/** `yes`, or how far it goes and why not further, in a sentence for people. */
export type CapabilitySupport = 'yes' | { partly: string } | { missing: string }

/** What an agent can do under Baton. `doctor` and docs/agents.md say it in these words. */
export interface Capabilities {
  readonly offers: Readonly<Record<CapabilityName, CapabilitySupport>>
  /** What a person must do or know before it works as they expect. */
  readonly cautions: readonly Caution[]
  /** How it was tried, after the word “Tried”: with which version, or how else. */
  readonly tried: string
}

export interface HookPoint {
  /** The agent's own event name. */
  event: string
  /** May wait for a person. */
  waits?: boolean
  /** How many seconds the call may take; 10 unless said. */
  seconds?: number
  matcher?: string
}
