import type { AgentEvent, AgentName, PermissionMode } from '@batonpass/contract/event'
import type { HookSource } from '@batonpass/contract/hook'
import type { Reaction } from '@batonpass/contract/reaction'
import type { Launches } from './launch.ts'
import type { SandboxShell } from './sandbox.ts'
import type { AgentTerminal } from './terminal.ts'
import type { TranscriptReader, Transcripts } from './transcript.ts'

type WithoutStamp<E> = E extends unknown ? Omit<E, 'id' | 'at' | 'session' | 'agent'> : never
/** An event before the daemon adds its id, its time and Baton's session id. */
export type DecodedEvent = WithoutStamp<AgentEvent>

/**
 * What an adapter made of a payload: Baton's event with the agent's own name for it (`encode` needs that name),
 * or a hook that Baton ignores and answers with `{}`.
 */
export type Decoded = { event: DecodedEvent; nativeEvent: string } | { ignored: string }

/** Where hooks are installed. `local` is the project's private, git-ignored settings. */
export type InstallScope = Exclude<HookSource, 'manual' | 'plugin'>

export interface InstallTarget {
  scope: InstallScope
  /** The worktree root, for project and local scope. */
  project: string
  home: string
  /** The user's environment variables: some agents read the location of their settings from one. */
  env?: Readonly<Record<string, string | undefined>>
  /** The launcher that hook settings point to. */
  launcher: string
  /** The timeout of a hook that may wait for a person. */
  waitSeconds: number
  /** Whether the agent's status line, if it has one, should show how full the context is. */
  statusLine?: boolean | undefined
}

/** One settings file before and after the change. The caller writes it, not the adapter. */
export interface FileChange {
  path: string
  before: string | undefined
  /** `undefined`: the file held only what Baton wrote, so it is deleted. */
  after: string | undefined
}

/** The settings files that contain Baton's hooks. */
export interface HookFiles {
  /** Their usual names, relative to the home folder or a project. */
  readonly names: readonly string[]
  /** Files that an environment variable moved: a path below `from` counts as if it were below `to`. */
  readonly moved: readonly { file: string; from: string; to: string }[]
}

/** What code without access to the adapters must know about an agent. A script collects it into `@batonpass/contract/agents`. */
export interface AgentEntry {
  title: string
  /** A two-letter form of the title, for lists. */
  letters: string
  /** The names of its executables. A process below one of them is never a person. */
  programs: readonly string[]
  /**
   * Patterns of the variables with which it finds its folder and logs in. The daemon keeps them for its own calls to the
   * agent. Variables of a running session do not belong here.
   */
  env: readonly string[]
}

/** What a hook client must know about an agent. Loaded at each hook call, so it contains no readers or installers. */
export interface AgentProfile {
  readonly name: AgentName
  /** Other names people type, e.g. `claude`. */
  readonly aliases: readonly string[]
  readonly title: string
  /** Programs on PATH that show that the agent is installed. */
  readonly programs: readonly string[]
  /** The scopes whose settings can contain hooks. */
  readonly scopes: readonly InstallScope[]
  /** The agent's own event names that Baton hooks, and how. */
  readonly hooks: readonly HookPoint[]
  /** The agent's own names of its permission modes, as in the `permission_mode` field of its payloads. */
  readonly modes: Readonly<Record<string, PermissionMode>>
  /** The agent shows a hook's ask only on its own screen; without a screen it would wait indefinitely. */
  readonly asksOnScreen?: true
  /**
   * The answer to the agent on stdout. Always valid JSON; `{}` for an empty reaction. `onScreen`: Baton just saw the agent's
   * screen; only relevant with `asksOnScreen`. `payload`: what the hook received, which some answers have to repeat.
   */
  encode(
    reaction: Reaction,
    nativeEvent: string,
    onScreen?: boolean,
    payload?: unknown,
  ): Record<string, unknown>
  /** The safe answer when the daemon cannot be reached. */
  safe(nativeEvent: string, mode: PermissionMode | undefined): Reaction
}

/**
 * One coding agent: the only code that knows its JSON.
 * Pure: bytes in, values out; files are read and written by the caller.
 */
export interface AgentAdapter extends AgentProfile {
  /** `payload` is parsed JSON of unknown shape; `event` is the name from the hook's arguments, if any. Throws BatonError payload_invalid. */
  decode(payload: unknown, event: string | undefined): Decoded
  /** The changes to settings files that install the hooks. `read` returns a file's text or undefined. */
  install(target: InstallTarget, read: (path: string) => string | undefined): FileChange[]
  uninstall(
    target: Omit<InstallTarget, 'launcher' | 'waitSeconds'>,
    read: (path: string) => string | undefined,
  ): FileChange[]
  /**
   * Whether the settings of that scope contain Baton's hooks. `exposed`: they include hooks of an older version that send
   * events to a port which another program may have taken.
   */
  installed(
    target: Omit<InstallTarget, 'launcher' | 'waitSeconds'>,
    read: (path: string) => string | undefined,
  ): 'no' | 'yes' | 'stale' | 'exposed'
}

/** Everything Baton knows about one agent; each folder in adapters/agents exports one. */
export interface Agent {
  readonly adapter: AgentAdapter
  readonly capabilities: Capabilities
  /** Absent: Baton cannot read the transcripts, so handoffs rely on git alone. */
  readonly reader?: TranscriptReader
  /** Where the agent stores transcripts. Absent: Baton finds them only through the hooks. */
  transcriptFiles?(place: Pick<InstallTarget, 'home' | 'env'>): TranscriptFiles
  /** Token usage of each reply for budgets, and the end of the conversation for the supervisor. */
  readonly transcripts?: Transcripts
  /** Absent: Baton cannot start this agent. */
  readonly launches?: Launches
  /** What the transcript contains once a call is written there, for an agent whose hooks are told only a part of it. */
  callMark?(toolUseId: string): string
  /** Absent: Baton does not run this agent's commands in the sandbox. */
  readonly sandboxing?: AgentSandboxing
  /** Its login for a single answer in the sandbox, which stays outside; or why it cannot. Absent: it never can. */
  readonly outsideLogin?: AgentContainment['outsideLogin']
  /** Absent: Baton does not run this agent in the sandbox as a whole. */
  readonly containment?: AgentContainment
  /** Absent: Baton watches this agent in a terminal but does not type into it. */
  readonly terminal?: AgentTerminal
  /** What prevents installed hooks from running on this machine, according to the agent's own files. */
  obstacles?(
    place: Pick<InstallTarget, 'home' | 'env'>,
    read: (path: string) => string | undefined,
  ): readonly Caution[]
  /** Hooks of other systems next to Baton's, in all scopes. */
  foreignHooks?(
    place: Pick<InstallTarget, 'home' | 'env' | 'project'>,
    read: (path: string) => string | undefined,
  ): readonly ForeignHooks[]
}

/** Hooks of another system that does the same work as Baton, in one of the agent's settings files. */
export interface ForeignHooks {
  system: string
  /** What happens while both run: completes "As long as both run, …". */
  effect: string
  path: string
  /** The file without these hooks. */
  change: FileChange
}

/** How an agent's commands get into the sandbox. */
export interface AgentSandboxing {
  /** The tool whose `command` a hook may replace. */
  readonly tool: string
  /** The permission modes in which that works without a question; `any` for an agent that does not report its mode. */
  readonly modes: readonly PermissionMode[] | 'any'
  /** Each command has a shell of its own: its folder and its functions end with it. */
  readonly freshShell?: true
  /**
   * The permission modes in which the agent would run the command itself without a question if it dropped the
   * replacement. So Baton first finds out whether it does. Absent: there is none.
   */
  readonly mustProve?: AgentSandboxing['modes']
  /** How `baton init` can find that out by itself. Absent: a harmless command of the agent has to show it. */
  readonly trial?: RewriteTrial
  /** The permission modes in which the agent itself judges what Baton leaves to it, and may refuse it. */
  readonly ownJudge?: readonly PermissionMode[]
  /** The shell with which the agent runs commands. */
  shellOf(env: RulePlace['env'], has: (program: string) => boolean): SandboxShell
  /** Why the agent must see a command's own text, such as a rule of the user in the agent's settings. */
  whyOwnText(command: string, place: RulePlace): string | undefined
  /**
   * A rule in the agent's settings that surely asks about a command, where the agent's dialog can ask about the replacement
   * as well. `whyOwnText` names all others; absent: all of them.
   */
  whyAsk?(command: string, place: RulePlace): string | undefined
  /** The agent's own sandbox, if it is on and the command stays in it: then that one counts. */
  ownSandbox?(place: RulePlace): AgentOwnSandbox | undefined
}

/** How an agent's program runs once without a login: an empty home, and a scripted reply in place of its model. */
export interface RewriteTrial {
  readonly args: readonly string[]
  env(place: { home: string; url: string }): Readonly<Record<string, string>>
  /** Files of the home folder; `answer` is what the hook says, and `answerVariable` names the variable that holds its path. */
  files(hook: { replacement: string; answerVariable: string }): Readonly<Record<string, string>>
  /** What the model answers: first a call of this command, then a last word. */
  reply(request: { path: string; body: object; command: string }): { type: string; text: string }
}

/** A sandbox that is part of an agent. */
export interface AgentOwnSandbox {
  /** Such as `Codex's own sandbox (workspace-write)`. */
  name: string
  /** Baton's broker and proxy answer inside. */
  hasNetwork?: true
  /** What the model is told about a command that needs a remote or a registry. Absent: the text of the command decides. */
  withoutNetwork?: string
}

/** What an agent needs to run in the sandbox as a whole: the servers of its model and its own login, nothing else. */
export interface AgentContainment {
  /** What it sees of its own folder, without logins. A later entry covers an earlier one. */
  files(place: ContainmentFiles): readonly OwnFile[]
  /** Tried also where it is hosted over the Agent Client Protocol. */
  readonly hosted?: true
  /** Arguments without which it cannot work inside. */
  readonly args?: readonly string[]
  /** The agent's login, which stays outside; or why it cannot. */
  outsideLogin(place: LoginPlace, use: LoginUse): OutsideLogin | { reason: string }
}

/** What runs inside with the login: one answer, which must not outlast it, or the agent itself, which renews it. */
export interface LoginUse {
  for: 'answer' | 'agent'
  /** Milliseconds since the epoch. */
  now(): number
}

/** A login that Baton's proxy adds to requests outside. The agent inside has a placeholder for it. */
export interface OutsideLogin {
  /** The server of the model, such as `https://api.example.com`. */
  server: string
  /** Read again for each request: tokens are renewed. Undefined: the request is sent without a login. */
  headers: LoginHeaders
  /** The placeholder, and the agent's other variables about its model. */
  environment: Readonly<Record<string, string>>
  /** The variables that decided about the login. */
  variables: readonly string[]
  /** What the agent finds in place of the files with its login. */
  files: readonly OwnFile[]
  renewal?: LoginRenewal | undefined
}

/** The login for a request, as headers. `path` has no query. */
export type LoginHeaders = (request: {
  method: string
  path: string
}) => Readonly<Record<string, string>> | undefined

/** How an agent renews its login from inside, where it has only a placeholder for the token that renews. */
export interface LoginRenewal {
  /** Where it sends the request, which is the only one that passes there. */
  server: string
  path: string
  /** What to send in place of the agent's request; or the answer, if the login was renewed already. */
  exchange(request: string): { send: string } | { answer: string }
  /** Keeps the renewed login outside. Returns the answer for the agent, with placeholders. */
  keep(answer: string): string
}

/** Where an agent's own files are. */
export interface ContainmentFiles {
  home: string
  /** The environment that the user starts the agent with. */
  env: Readonly<Record<string, string | undefined>>
  /** The worktree's root, without links. */
  project: string
  read(path: string): string | undefined
  /** Whether a variable may be a secret, which stays outside. */
  isSecret(name: string, value: string): boolean
}

/** Where an agent's login is. */
export type LoginPlace = Pick<ContainmentFiles, 'home' | 'env' | 'read'>

/** A file or folder of an agent. */
export type OwnFile =
  /** The user's own, at its place, if it exists. Only what the agent must change is `writable`, such as tokens that it renews. */
  | { kind: 'read-only' | 'writable'; path: string }
  /** The user's own folder, made if it is absent. */
  | { kind: 'writable-folder'; path: string }
  /** In place of the user's own file, which has secrets in it. */
  | { kind: 'read-only-text'; path: string; text: string }
  /** Its own folder: starts empty, and ends with the sandbox. */
  | { kind: 'private-folder'; path: string }
  /** A file that is the sandbox's own and starts with this text. */
  | { kind: 'private'; path: string; text: string }
  /** Where the agent writes transcripts that only its sandbox keeps. */
  | { kind: 'private-transcripts'; path: string }

/** Where an agent's own rules are. */
export interface RulePlace {
  home: string
  /** Of the agent's process, as far as Baton can read them. */
  env: Readonly<Record<string, string | undefined>>
  args: readonly string[]
  project: string
  cwd: string
  /** The agent's id of the call. */
  toolUseId: string | undefined
  read(path: string): string | undefined
  /** The names in a folder; none if it is absent. */
  names(folder: string): string[]
  /** The last line of the session's transcript that contains a text. */
  lastInTranscript(text: string): string | undefined
}

/** Files whose name matches, the given number of folder levels below `folder`. */
export interface TranscriptFiles {
  folder: string
  levels: number
  name: RegExp
}

export interface Caution {
  what: string
  fix: string
  /** `obstacles` checks whether this applies to the machine. */
  checked?: true
}

/** The capabilities in the order of the table in docs/agents.md. */
export const CAPABILITY_NAMES = [
  'allow',
  'deny',
  'ask',
  'dialog',
  'sandbox',
  'whole',
  'question',
  'plan',
  'form',
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

/** The capabilities' labels for display. */
export const CAPABILITY_LABELS: Readonly<Record<CapabilityName, string>> = {
  allow: 'allow',
  deny: 'deny with a reason',
  ask: 'ask the person',
  dialog: 'ask in its own dialog',
  sandbox: 'commands in the sandbox',
  whole: 'whole agent in the sandbox',
  question: 'asks a question',
  plan: 'plan approval',
  form: 'MCP form',
  continue: 'continue after a stop',
  inject: 'context at the start (handoff)',
  context: 'context size',
  evidence: 'transcript as evidence',
  ends: 'why a session or turn ended',
  limits: 'resume after a usage limit',
  resume: 'resume',
  headless: 'without a terminal',
  acp: 'hosted over ACP',
  terminal: 'typed into in tmux',
}

/** `yes`, or a sentence about what is limited or missing and why. */
export type CapabilitySupport = 'yes' | { partly: string } | { missing: string }

/** What an agent can do with Baton. `baton doctor` and docs/agents.md show these texts. */
export interface Capabilities {
  readonly offers: Readonly<Record<CapabilityName, CapabilitySupport>>
  /** What a person must do or know before the agent works as expected. */
  readonly cautions: readonly Caution[]
  /** How it was tried, for example with which version. Follows the word “Tried”. */
  readonly tried: string
}

export interface HookPoint {
  /** The agent's own event name. */
  event: string
  /** The hook may wait for a person. */
  waits?: boolean
  /** The timeout of the call in seconds; 10 by default. */
  seconds?: number
  /** The agent stops, and continues only if it is told to. */
  isStop?: boolean
  matcher?: string
}
