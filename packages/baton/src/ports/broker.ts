import type { Mount } from './sandbox.ts'

/** The name of the program inside that git calls for a signature. */
export const SIGN_PROGRAM = 'baton-sign'

/** A command in the sandbox that wants something done outside. Everything it says is hostile. */
export interface BrokerCall {
  program: string
  argv: readonly string[]
  cwd: string
  /** Aborts when the command inside is gone. */
  readonly signal: AbortSignal
  out(chunk: Uint8Array): void
  err(text: string | Uint8Array): void
  /** Has the program inside do something; resolves with what it answers. */
  order(order: InsideOrder): Promise<unknown>
  /** Sends a file to the program inside. */
  send(path: string): Promise<void>
}

/** What the daemon can have the program inside do, with the rights of the sandbox. */
export type InsideOrder =
  /** Runs the real git with the call's own arguments; answers with its exit code. */
  | { do: 'own' }
  /** Runs the real git with these arguments, its output visible; answers with its exit code. */
  | { do: 'git'; args: readonly string[] }
  /** Describes the repository at the call's folder. */
  | { do: 'describe' }
  /** Runs the hook before a push; answers with its exit code. */
  | { do: 'pre-push'; remote: string; url: string; updates: readonly PushUpdate[] }
  /** Takes the packs that follow, then sets refs and FETCH_HEAD; answers with an exit code. */
  | { do: 'take'; packs: number; updates: readonly RefUpdate[]; fetchHead: string | undefined }
  /** Reads a text file; answers with its text. */
  | { do: 'read'; path: string }
  /** Runs a shell command at the top of the repository, its output visible; answers with its exit code. */
  | { do: 'shell'; text: string }

export interface PushUpdate {
  source: string
  sourceId: string
  target: string
  /** What the remote had, as far as known. */
  targetId: string
}

export interface RefUpdate {
  ref: string
  /** Undefined: the ref is deleted. */
  id: string | undefined
}

/** Listens for the commands of one session. */
export interface BrokerListener {
  /** What the sandbox has to show: the shims, their program, and the socket. */
  readonly mounts: readonly Mount[]
  close(): Promise<void>
}

export interface BrokerSockets {
  /** Answers each call with an exit code. */
  listen(session: string, answer: (call: BrokerCall) => Promise<number>): Promise<BrokerListener>
  /** A text kept for the session's broker, out of reach from inside. */
  remember(session: string, text: string): Promise<void>
  remembered(session: string): Promise<string | undefined>
  /** Removes what belongs to a session that is over. */
  forget(session: string): Promise<void>
  forgetAllExcept(live: ReadonlySet<string>): Promise<void>
}

/** A remote as it was before the session's first command. */
export interface RecordedRemote {
  name: string
  url: string
  pushUrl: string
  /** Which branches a fetch brings, and where to. */
  fetch: readonly string[]
}

/** What Baton knows about a repository from before the first command of a session in it. */
export interface RecordedRepository {
  /** Without links. */
  worktree: string
  /** The repository's own objects, its configuration file and the objects it borrows. */
  objects: string
  configFile: string
  alternates: string
  remotes: readonly RecordedRemote[]
}

/** A mirror repository for one call: it has the refs that the program inside reported and borrows the project's objects. */
export interface MirrorRequest {
  repository: RecordedRepository
  refs: readonly { ref: string; id: string }[]
  head: string | undefined
  shallow: readonly string[]
  /** `branch.NAME.remote` and `branch.NAME.merge` of the current branch, `push.default` and the like. */
  settings: readonly (readonly [string, string])[]
}

export interface Mirror {
  /** Runs git in the mirror, with the user's own login. */
  run(args: readonly string[], streams: Pick<BrokerCall, 'out' | 'err' | 'signal'>): Promise<number>
  /** The id of a commit or tag; undefined if there is none. */
  resolve(name: string): Promise<string | undefined>
  refs(): Promise<{ ref: string; id: string }[]>
  /** Files with the objects that a fetch brought. */
  packs(): Promise<string[]>
  fetchHead(): Promise<string | undefined>
  remove(): Promise<void>
}

/** Steps of a command of Baton's that happen in the sandbox although the command runs outside. */
export interface InsideSteps {
  /** Runs a shell command, its output visible; resolves with its exit code. */
  check(text: string): Promise<number>
  /** Pushes a branch of the session's repository through the broker; resolves with what git said. */
  push(branch: string, force: boolean): Promise<{ code: number; text: string }>
}

/** What the broker does outside. */
export interface OutsideWork {
  /** Reads the repository of a worktree. Undefined: there is none, or none that the broker can work with. */
  recordRepository(worktree: string): Promise<RecordedRepository | undefined>
  mirror(session: string, request: MirrorRequest): Promise<Mirror>
  /** Records in the project's configuration which branch a branch follows. Says why not, if it cannot. */
  setUpstream(
    repository: RecordedRepository,
    branch: string,
    remote: string,
    merge: string,
  ): Promise<string | undefined>
  /** Signs a text as git would sign a commit, with the user's own key and settings. */
  sign(session: string, text: string): Promise<{ signature: string } | { error: string }>
  /** Runs gh in an empty folder, with the user's own login. */
  runGh(
    session: string,
    args: readonly string[],
    input: string,
    streams: Pick<BrokerCall, 'out' | 'err' | 'signal'>,
  ): Promise<number>
  /** Runs one of Baton's own commands in a folder, as the session that asks. */
  runBaton(
    session: string,
    args: readonly string[],
    around: { folder: string; input: string; inside: InsideSteps },
    streams: Pick<BrokerCall, 'out' | 'err' | 'signal'>,
  ): Promise<number>
}
