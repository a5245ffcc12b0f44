import type { ReleasedAction, ReleasedBy } from '@batonpass/contract/permission'

/** Whether commands can be contained on this machine, found out by really containing one. */
export type SandboxStatus = SandboxAvailable | SandboxUnavailable

export interface SandboxAvailable {
  available: true
  /** The program behind the port and its version, such as `bubblewrap 0.8.0`. */
  program: string
  capabilities: SandboxCapabilities
}

export interface SandboxUnavailable {
  available: false
  code: SandboxProblem
  /** What happened, in one sentence. */
  reason: string
  /** What the user can do about it. */
  remedy: string
}

export const SANDBOX_PROBLEMS = [
  'unsupported-system',
  'program-missing',
  'program-too-old',
  'apparmor',
  'container-seccomp',
  'container-proc',
  'namespaces-disabled',
  'not-enforced',
  'failed',
] as const
export type SandboxProblem = (typeof SANDBOX_PROBLEMS)[number]

/** What a session's sandbox can do. The boundary is the same with and without each of them. */
export interface SandboxCapabilities {
  /** Loopback inside is not the host's. */
  privateLoopback: boolean
  /** A server that one call starts answers in the next call of the same session. */
  sharedLoopback: boolean
  /** `cmd &` survives its call and ends with the session's sandbox. */
  backgroundProcesses: boolean
}

/** Something that a contained command finds at `path`. A later mount covers an earlier one. */
export type Mount =
  /** A file or folder of the host. `source` has no links in it. */
  | { kind: 'read-only' | 'writable'; path: string; source: string }
  /** A folder of the host that commands may change for their own session: the host's stays as it is. */
  | { kind: 'layered'; path: string; source: string }
  /** An empty file or folder in place of what the host has there; not writable. */
  | { kind: 'hidden-file' | 'hidden-folder'; path: string }
  /** An empty folder that lasts for one call. */
  | { kind: 'fresh-folder'; path: string }
  | { kind: 'link'; path: string; target: string }

/** All that a contained command sees and may do. Pure data: see `sandbox/plan.ts`. */
export interface SandboxPlan {
  mounts: readonly Mount[]
  cwd: string
  /** Variables that are set inside. Those of the caller's environment pass a filter first. */
  environment: Readonly<Record<string, string>>
}

export const SANDBOX_SHELLS = ['bash', 'zsh', 'sh'] as const
/** The shells whose syntax an agent's command may have. */
export type SandboxShell = (typeof SANDBOX_SHELLS)[number]

/** What of a prepared command may leave the sandbox: each action once, after a person's yes or by a rule of theirs. */
export interface Release {
  actions: readonly ReleasedAction[]
  /** It was decided before the command runs, so no dialog has to open. */
  isGranted: boolean
  /** Milliseconds since the epoch. */
  untilMs: number
}

/** A command that is ready to run once. */
export interface PreparedCommand {
  /** The one-time id that the box takes. */
  id: string
  /** What the agent runs instead of its own command: the box, then the folder where the command ended. */
  text: string
}

/** Whether a text has the form of a prepared command, for what only shows commands: nothing is decided by it. */
export const looksPrepared = (text: string): boolean =>
  /^(?:# [^\n]*\n)?'[^\n]*\/sandbox\/box' [0-9a-z]+/.test(text)

/** A program that is ready to run once: start this in its place. */
export interface PreparedProgram {
  id: string
  program: string
  args: readonly string[]
}

/** A prepared command, found again by its text. */
export interface FoundRequest {
  id: string
  /** The agent's own command. */
  text: string
  /** A box has run it, or runs it. */
  isTaken: boolean
}

export interface ContainedRun {
  /** Undefined when a signal ended it. */
  code: number | undefined
  stdout: string
  stderr: string
}

/** A session's private folders on the host. They last as long as its sandbox. */
export interface PrivateFolders {
  /** Becomes the home folder inside. */
  home: string
  /** Becomes `/tmp` and `/var/tmp` inside. */
  temp: string
  /** Becomes `/run` inside. */
  run: string
  /** Where protected files that appeared inside are moved. Not visible inside. */
  aside: string
}

export interface SandboxSession {
  readonly folders: PrivateFolders
  /** Writes the one-time request for a shell command of the agent. */
  prepare(command: {
    shell: SandboxShell
    text: string
    plan: SandboxPlan
    /** The agent's shell ends with the command: what runs instead is short. */
    freshShell?: boolean | undefined
    /** What may leave. The text that the agent runs then begins with the command as a comment, for a person to read. */
    release?: Release | undefined
  }): Promise<PreparedCommand>
  /** Writes the one-time request for a program that runs inside as a whole, such as an agent. */
  prepareProgram(argv: readonly string[], plan: SandboxPlan): Promise<PreparedProgram>
  /** Removes a request: after its command ended, or because it may not run after all. */
  discard(id: string): Promise<void>
  /** Whether a command of this session is running, in the foreground or the background. */
  hasProcesses(): Promise<boolean>
  /** Runs a program of Baton's own in this session's sandbox. */
  run(
    plan: SandboxPlan,
    argv: readonly string[],
    options?: { input?: string; timeoutMs?: number; signal?: AbortSignal },
  ): Promise<ContainedRun>
  /** Moves host paths into `folders.aside`, by a process that sees only what the plan shows. Returns what it moved. */
  moveAside(plan: SandboxPlan, paths: readonly string[]): Promise<MovedPath[]>
  /**
   * Listens on the sandbox's private loopback, in this process. If the port is taken: on another one, or not at all with
   * `exact`. Undefined where each call has a loopback of its own.
   */
  listenInside(
    port: number,
    accept: (connection: NodeJS.ReadWriteStream) => void,
    options?: { exact?: boolean },
  ): Promise<{ port: number } | undefined>
  /** Ports on which commands listen inside; none where each call has a loopback of its own. */
  listeners(): Promise<number[]>
  /** Hands a connection of the host, of which nothing was read, to a server inside. */
  connectInside(port: number, connection: NodeJS.ReadWriteStream): void
  /** Puts a file into the private home folder, unless it exists. Follows no link on the way. */
  writeHome(path: string, text: string): Promise<void>
  /** A text that is kept with the session's sandbox, for the next daemon. */
  remember(text: string): Promise<void>
  remembered(): Promise<string | undefined>
  /** Ends all processes inside and removes the private folders, except `aside` if something is in it. */
  end(): Promise<void>
}

export interface MovedPath {
  path: string
  /** Where it is now, on the host. */
  movedTo: string
}

/** Runs commands so that they see and change only what a plan lists. */
export interface Sandbox {
  probe(): Promise<SandboxStatus>
  /** Starts the session's sandbox, or takes over the one that a previous daemon started. */
  open(session: string): Promise<SandboxSession>
  /** The request behind what an agent runs instead of its own command; undefined if the text is not exactly that. */
  findPrepared(session: string, text: string): Promise<FoundRequest | undefined>
  /** The agent's dialog shows a prepared command. False if nothing in it waits for a person's yes. */
  dialogOpened(session: string, id: string): Promise<boolean>
  /**
   * Whose yes covers an action of a command that runs: a person's, or where `byRule` is true a rule's. Each yes counts once. It is
   * in Baton's state folder, so it outlives a daemon that is killed.
   */
  takeRelease(
    session: string,
    isSame: (action: ReleasedAction) => boolean,
    nowMs: number,
    byRule: boolean,
  ): Promise<ReleasedBy | undefined>
  /** Ends the sandbox of a session, if it has one. */
  end(session: string): Promise<void>
  /** Ends sandboxes of sessions that are not live, such as those a killed daemon left. Returns their sessions. */
  endAllExcept(live: ReadonlySet<string>): Promise<string[]>
}

/** What a path of the host is. */
export interface PathFact {
  kind: 'file' | 'folder' | 'other'
  /** The path without links. */
  real: string
  /** Where the path itself points, if it is a link. */
  target?: string | undefined
}

/** What a scan of a worktree found: something protected, or a repository. */
export interface FoundPath {
  /** Below the worktree, with `/`. */
  path: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** Why it was reported. `repository` is a folder with git's files in it: a `.git` folder or a bare repository. */
  role: 'named' | 'git-file' | 'repository'
  /** Tells a moved file from a new one. */
  inode: string
}

/** The parts of the file system that the sandbox's plan depends on. */
export interface SandboxFiles {
  /** The facts about those paths that exist. */
  look(paths: readonly string[]): Promise<ReadonlyMap<string, PathFact>>
  /** Everything below `root` whose name `isNamed` accepts, and all repositories. Remembers folders that did not change. */
  scan(root: string, isNamed: (path: string) => boolean): Promise<FoundPath[]>
  /** A short text file; undefined if it is missing, too long or not a file. Follows no link. */
  readShort(path: string): Promise<string | undefined>
  /** Names in a folder; empty if there is none. */
  names(folder: string): Promise<{ name: string; kind: FoundPath['kind']; executable: boolean }[]>
}

/** Which variables of the caller's environment stay outside the sandbox. Compared without case. */
export interface HiddenVariables {
  /** Anywhere in the name. */
  readonly words: readonly string[]
  /** At the start of the name. */
  readonly prefixes: readonly string[]
  readonly suffixes: readonly string[]
  readonly names: readonly string[]
  /** Kept, although a word above occurs in the name. */
  readonly kept: readonly string[]
  /** Beginnings of values that are secrets, whatever the name. */
  readonly values: readonly string[]
}

/** The first process of a sandbox did not start, or not in time. Another try may succeed. */
export class SandboxNotStarted extends Error {}
