import { SIGN_PROGRAM } from '../ports/broker.ts'
import type { InsideNetwork } from '../ports/network.ts'
import type {
  FoundPath,
  Mount,
  MovedPath,
  PreparedCommand,
  PreparedProgram,
  Release,
  Sandbox,
  SandboxFiles,
  SandboxPlan,
  SandboxSession,
  SandboxShell,
} from '../ports/sandbox.ts'
import { type GitFolder, type GitLayout, readGitFolders, readGitLayout } from './git-layout.ts'
import { type Memory, parseMemory, printMemory } from './memory.ts'
import { compareScan, type Finding } from './new-protected.ts'
import { isEnvFile, WORKTREES_OF_AGENTS, whyProtected } from './paths.ts'
import { makePlan, pathsToLookAt } from './plan.ts'
import { protect } from './protections.ts'

/** What is the same for all calls of a session. */
export interface SandboxSettings {
  home: string
  /** Baton's state folder. */
  state: string
  readable: readonly string[]
  writable: readonly string[]
  envFiles: 'hidden' | 'visible'
  /** Who commits, from the user's own git configuration. */
  identity: {
    name?: string | undefined
    email?: string | undefined
    /** The git folder of the project, if the user wants commits in it signed. */
    signsIn?: string | undefined
  }
  /** What commands see of the broker. */
  broker?: readonly Mount[] | undefined
  /** Starts the session's way to the network; undefined if it has none. */
  network?: ((session: SandboxSession) => Promise<InsideNetwork | undefined>) | undefined
}

export interface Call {
  shell: SandboxShell
  /** The agent's shell ends with the command. */
  freshShell?: boolean | undefined
  text: string
  /** The session's worktree and the folder the command starts in; absolute. */
  worktree: string
  cwd: string
  /** The PATH of the agent's shell. */
  path: string
  /** What may leave the sandbox. */
  release?: Release | undefined
}

/** An agent that runs inside as a whole. */
export interface ProgramCall extends Omit<Call, 'shell' | 'freshShell' | 'text'> {
  argv: readonly string[]
  /** What only this program sees, such as its own login. */
  mounts: readonly Mount[]
  environment: Readonly<Record<string, string>>
}

/** A program of Baton's own that runs inside to its end. */
export interface OwnCall
  extends Omit<Call, 'shell' | 'freshShell' | 'text' | 'release'>,
    Partial<Pick<ProgramCall, 'mounts' | 'environment'>> {}

export type Prepared =
  | { ok: true; prepared: PreparedCommand; ignored: readonly string[] }
  | { ok: false; reason: string }

/** A protected file that a command made. `movedTo` is missing if it was gone before it could be moved. */
export interface Report extends Finding {
  worktree: string
  movedTo?: string | undefined
}

/** What Baton knows about one worktree of a session. */
interface Worktree {
  root: string
  layout: GitLayout | undefined
  memory: Memory
  lastPlan: SandboxPlan | undefined
}

const isNamed = (path: string): boolean =>
  whyProtected(path) !== undefined || isEnvFile(path) || WORKTREES_OF_AGENTS.includes(path)

/** The sandbox of one session: prepares its commands and notices what they leave behind. */
export class SessionSandbox {
  readonly #files: SandboxFiles
  readonly #session: SandboxSession
  readonly #settings: SandboxSettings
  readonly #network: InsideNetwork | undefined
  readonly #worktrees = new Map<string, Promise<Worktree>>()
  #kept: Promise<Record<string, Memory>>
  #checking: Promise<Report[]> = Promise.resolve([])
  /** Requests that may still run or are running. */
  readonly #outstanding = new Set<string>()
  /** No command can have run since the last check: what is new comes from outside. */
  #isIdle = false

  private constructor(
    files: SandboxFiles,
    session: SandboxSession,
    settings: SandboxSettings,
    network: InsideNetwork | undefined,
  ) {
    this.#network = network
    this.#files = files
    this.#session = session
    this.#settings = settings
    this.#kept = session.remembered().then(parseMemory)
  }

  static async open(
    { sandbox, files }: { sandbox: Sandbox; files: SandboxFiles },
    session: string,
    settings: SandboxSettings,
  ): Promise<SessionSandbox> {
    const opened = await sandbox.open(session)
    await opened.writeHome('.gitconfig', gitIdentity(settings.identity))
    if (settings.identity.signsIn) await opened.writeHome(SIGNING_FILE, SIGNING)
    return new SessionSandbox(files, opened, settings, await settings.network?.(opened))
  }

  /** Makes a command ready to run inside. Refuses where no boundary can be drawn. */
  async prepare(call: Call): Promise<Prepared> {
    const made = await this.#plan(call)
    if (!made.ok) return made
    this.#isIdle = false
    const { broker = [] } = this.#settings
    const plan = this.#withNetwork({ ...made.plan, mounts: [...made.plan.mounts, ...broker] })
    const { shell, freshShell, text, release } = call
    const prepared = await this.#session.prepare({ shell, freshShell, text, plan, release })
    this.#outstanding.add(prepared.id)
    return { ok: true, prepared, ignored: made.ignored }
  }

  /** Makes a whole agent ready to run inside. */
  async prepareProgram({
    argv,
    mounts,
    environment,
    ...call
  }: ProgramCall): Promise<{ ok: true; prepared: PreparedProgram } | { ok: false; reason: string }> {
    const made = await this.#plan(call)
    if (!made.ok) return made
    if (!this.#network) return { ok: false, reason: 'The sandbox has no way to the network here.' }
    this.#isIdle = false
    const { broker = [] } = this.#settings
    const plan = this.#withNetwork({
      ...made.plan,
      mounts: [...made.plan.mounts, ...mounts, ...broker],
      environment: { ...made.plan.environment, ...environment },
    })
    return { ok: true, prepared: await this.#session.prepareProgram(argv, plan) }
  }

  /** Looks after a worktree in which a program runs that a previous daemon started. */
  async watch(worktree: string): Promise<void> {
    if (this.#worktrees.size === 0) await this.#plan({ worktree, cwd: worktree, path: '' })
  }

  /** Puts a file into the private home folder. */
  writeHome(path: string, text: string): Promise<void> {
    return this.#session.writeHome(path, text)
  }

  /** The private home folder, on the host. */
  get home(): string {
    return this.#session.folders.home
  }

  #withNetwork(plan: SandboxPlan): SandboxPlan {
    const { mounts = [], environment = {} } = this.#network ?? {}
    return {
      ...plan,
      mounts: [...plan.mounts, ...mounts],
      environment: { ...plan.environment, ...environment },
    }
  }

  /** Runs a program of Baton's own inside, such as a check of a finished run. */
  async run(
    { mounts = [], environment, ...call }: OwnCall,
    argv: readonly string[],
    options?: Parameters<SandboxSession['run']>[2],
  ): Promise<Awaited<ReturnType<SandboxSession['run']>>> {
    const made = await this.#plan(call)
    if (!made.ok) throw new Error(made.reason)
    this.#isIdle = false
    const plan = this.#withNetwork({
      ...made.plan,
      mounts: [...made.plan.mounts, ...mounts],
      environment: { ...made.plan.environment, ...environment },
    })
    return this.#session.run(plan, argv, options)
  }

  /** After a command ended, or because it may not run after all. */
  async discard(id: string): Promise<void> {
    await this.#session.discard(id)
    this.#outstanding.delete(id)
  }

  /** Whether a command runs, in the foreground or the background: `check` is due from time to time. */
  hasProcesses(): Promise<boolean> {
    return this.#session.hasProcesses()
  }

  /** Ports on which commands listen inside, and how to reach them. */
  listeners(): Promise<number[]> {
    return this.#session.listeners()
  }

  connectInside(port: number, connection: NodeJS.ReadWriteStream): void {
    this.#session.connectInside(port, connection)
  }

  /** Nothing ran since the last check, so there is nothing to look for. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  /** Looks for new protected files in all worktrees of the session and moves them aside. One check at a time. */
  check(): Promise<Report[]> {
    const mine = this.#checking.then(
      () => this.#checkAll(),
      () => this.#checkAll(),
    )
    this.#checking = mine
    return mine
  }

  /** Ends every process inside, checks again and removes the private folders. */
  async end(): Promise<Report[]> {
    const reports = await this.check()
    await this.#session.end()
    return reports
  }

  async #plan(call: Omit<Call, 'shell' | 'freshShell' | 'text' | 'release'>) {
    const { home, state, readable, writable, envFiles } = this.#settings
    const real = (await this.#files.look([call.worktree])).get(call.worktree)?.real ?? call.worktree
    const worktree = await this.#worktree(real)
    const found = await this.#files.scan(real, isNamed)
    if (this.#isIdle) await this.#adopt(worktree, found)
    const protections = protect({
      worktree: real,
      layout: worktree.layout,
      found,
      gitFolders: await this.#gitFolders(worktree, found),
      envFiles,
      madeInside: new Set(worktree.memory.madeInside),
    })
    const policy = {
      worktree: call.worktree,
      cwd: call.cwd,
      home,
      state,
      private: this.#session.folders,
      readable,
      writable,
      programFolders: call.path.split(':').filter(folder => folder.startsWith('/')),
      protections,
    }
    const result = makePlan(policy, await this.#files.look(pathsToLookAt(policy)))
    if (result.ok) worktree.lastPlan = result.plan
    return result
  }

  #worktree(root: string): Promise<Worktree> {
    const found = this.#worktrees.get(root) ?? this.#begin(root)
    this.#worktrees.set(root, found)
    found.catch(() => this.#worktrees.delete(root))
    return found
  }

  /** The state before the first command: what a previous daemon remembered, or what is there now. */
  async #begin(root: string): Promise<Worktree> {
    const kept = (await this.#kept)[root]
    const found = await this.#files.scan(root, isNamed)
    const layout = await readGitLayout(this.#files, root)
    const memory = kept ?? { known: new Map(), madeInside: [], gitFolders: [] }
    const worktree: Worktree = { root, layout, memory, lastPlan: undefined }
    if (!kept) await this.#adopt(worktree, found)
    return worktree
  }

  /** Takes what is in the worktree now for the user's own. */
  async #adopt(worktree: Worktree, found: readonly FoundPath[]): Promise<void> {
    const { root, memory } = worktree
    const isMadeInside = new Set(memory.madeInside)
    const known = found.filter(({ path }) => !isMadeInside.has(path))
    if (memory.known.size > 0 && known.every(({ path, inode }) => memory.known.get(path) === inode)) return
    const gitFolders = await this.#gitFolders(worktree, known)
    worktree.memory = { ...memory, known: new Map(known.map(({ path, inode }) => [path, inode])), gitFolders }
    await this.#remember(root, worktree.memory)
  }

  /** All repositories in reach that no command of this session made. */
  #gitFolders({ root, layout, memory }: Worktree, found: readonly FoundPath[]): Promise<GitFolder[]> {
    return readGitFolders(this.#files, [
      ...found.flatMap(({ path, role, kind }) =>
        role === 'repository' && kind === 'folder' && !memory.madeInside.includes(path)
          ? [`${root}/${path}`]
          : [],
      ),
      ...(layout ? [layout.commonDir, layout.gitDir] : []),
    ])
  }

  async #checkAll(): Promise<Report[]> {
    const isIdle = this.#outstanding.size === 0 && !(await this.#session.hasProcesses())
    const reports: Report[] = []
    for (const pending of this.#worktrees.values()) reports.push(...(await this.#checkOne(await pending)))
    this.#isIdle = isIdle && this.#outstanding.size === 0
    return reports
  }

  async #checkOne(worktree: Worktree): Promise<Report[]> {
    const { root, layout, memory, lastPlan } = worktree
    const found = await this.#files.scan(root, isNamed)
    const compared = await compareScan(this.#files, {
      worktree: root,
      found,
      known: memory.known,
      madeInside: new Set(memory.madeInside),
      layout,
      gitFolders: memory.gitFolders,
    })
    worktree.memory = { ...memory, known: compared.known, madeInside: compared.madeInside }
    await this.#remember(root, worktree.memory)
    if (compared.findings.length === 0 || !lastPlan) return []
    const full = (path: string) => (path.startsWith('/') ? path : `${root}/${path}`)
    const moved = await this.#session.moveAside(
      lastPlan,
      compared.findings.map(({ path }) => full(path)),
    )
    const places = new Map(moved.map((each: MovedPath) => [each.path, each.movedTo]))
    return compared.findings.map(finding => ({
      ...finding,
      worktree: root,
      movedTo: places.get(full(finding.path)),
    }))
  }

  async #remember(root: string, memory: Memory): Promise<void> {
    const all = { ...(await this.#kept), [root]: memory }
    this.#kept = Promise.resolve(all)
    await this.#session.remember(printMemory(all))
  }
}

/** The only settings of the user's git configuration that are visible inside. */
function gitIdentity({ name, email, signsIn }: SandboxSettings['identity']): string {
  const quote = (text: string) => `"${text.replace(/[\r\n\0]/g, ' ').replace(/["\\]/g, '\\$&')}"`
  const lines = [name && `\tname = ${quote(name)}`, email && `\temail = ${quote(email)}`].filter(Boolean)
  // Other repositories, such as those that tests make, stay unsigned.
  const signing = (signsIn ? [signsIn, `${signsIn}/`] : []).map(
    folder => `[includeIf ${quote(`gitdir:${folder}`)}]\n\tpath = ${SIGNING_FILE}\n`,
  )
  return `${lines.length > 0 ? `[user]\n${lines.join('\n')}\n` : ''}${signing.join('')}`
}

const SIGNING_FILE = '.gitconfig-signing'
const SIGNING = `[commit]\n\tgpgsign = true\n[user]\n\tsigningkey = baton\n[gpg]\n\tformat = openpgp\n\tprogram = /.baton/bin/${SIGN_PROGRAM}\n`
