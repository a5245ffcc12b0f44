import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { access, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type Server, Socket } from 'node:net'
import { basename, join } from 'node:path'
import type { Ids } from '../../ports/ids.ts'
import type {
  ContainedRun,
  Mount,
  MovedPath,
  PreparedCommand,
  PreparedProgram,
  PrivateFolders,
  SandboxPlan,
  SandboxSession,
  SandboxShell,
} from '../../ports/sandbox.ts'
import { argumentsFile, bubblewrapArguments, type CommonFiles } from './arguments.ts'
import { commentFor, PROGRAM, withOnlyDescriptors, wrappedCommand } from './box.ts'
import { endOfRun } from './end-of-run.ts'
import { endHolder, type Holder, isRunning, processesInside } from './holder.ts'
import { InsideConnector, listeningPorts } from './inside-ports.ts'
import { Layers } from './layers.ts'
import { listenIn } from './listen-inside.ts'
import type { HostView } from './probe.ts'
import { writeRelease } from './releases.ts'
import { removeTree } from './remove-tree.ts'

/** What all sessions share. */
export interface SessionParts {
  bwrap: string
  nsenter: string
  /** Undefined if this machine has no such program. */
  mount: string | undefined
  box: string
  requests: string
  files: CommonFiles
  /** The compiled filter for system calls; undefined on architectures without one. */
  filterFile: string | undefined
  shells: Record<SandboxShell, string>
  ids: Ids
  host: HostView
}

interface SessionOptions {
  parts: SessionParts
  folder: string
  aside: string
  /** Starts the ids of this session's requests. */
  prefix: string
  /** Undefined where each call has namespaces of its own. */
  holder: Holder | undefined
  restart: () => Promise<Holder>
  onEnd: () => void
}

interface Listening {
  port: number
  accept: (connection: NodeJS.ReadWriteStream) => void
  server: Server
}

const RUN_TIMEOUT_MS = 120_000

export class BubblewrapSession implements SandboxSession {
  readonly folders: PrivateFolders
  readonly #parts: SessionParts
  readonly #options: SessionOptions
  readonly #layers: Layers
  readonly #connector: InsideConnector
  #listening: Listening[] = []
  #holder: Holder | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#parts = options.parts
    this.#holder = options.holder
    this.#connector = new InsideConnector({ nsenter: options.parts.nsenter, node: process.execPath })
    const { folder, parts } = options
    this.#layers = new Layers(join(folder, 'layers'), {
      nsenter: parts.nsenter,
      mount: parts.mount,
      path: parts.host.path,
    })
    this.folders = {
      home: join(folder, 'home'),
      temp: join(folder, 'temp'),
      run: join(folder, 'run'),
      aside: options.aside,
    }
  }

  async makeFolders(): Promise<void> {
    for (const path of Object.values(this.folders)) await mkdir(path, { recursive: true, mode: 0o700 })
  }

  async prepare({
    shell,
    text,
    plan,
    freshShell = false,
    release,
  }: Parameters<SandboxSession['prepare']>[0]): Promise<PreparedCommand> {
    const { shells, box, files } = this.#parts
    const { id, request } = await this.#request(plan, shells[shell], text, [
      ...(shell === 'sh' || freshShell
        ? []
        : [{ kind: 'read-only', path: '/run/baton/prelude', source: files.emptyFile } as const]),
    ])
    if (release) await writeRelease(request, release)
    const comment = release ? commentFor(text) : ''
    return { id, text: `${comment}${wrappedCommand(box, request, id, shell, freshShell)}` }
  }

  async prepareProgram(argv: readonly string[], plan: SandboxPlan): Promise<PreparedProgram> {
    const { id } = await this.#request(plan, PROGRAM, argumentsFile(argv), [])
    return { id, program: this.#parts.box, args: [id] }
  }

  /** Writes a request: what runs, how, and what it sees. */
  async #request(
    plan: SandboxPlan,
    shell: string,
    text: string,
    more: readonly Mount[],
  ): Promise<{ id: string; request: string }> {
    const { requests, filterFile, ids } = this.#parts
    const holder = await this.#runningHolder()
    const id = `${this.#options.prefix}${ids.id(32)}`
    const request = join(requests, id)
    const command = join(request, 'command')
    const folder = join(request, 'folder')
    await mkdir(request, { mode: 0o700 })
    const extra: Mount[] = [
      { kind: 'read-only', path: '/run/baton/command', source: command },
      { kind: 'writable', path: '/run/baton/folder', source: folder },
      ...more,
    ]
    const mounts = await this.#layers.resolve(plan.mounts, holder)
    const how = [holder ? String(holder.pid) : '-', holder?.mark ?? '-', shell, filterFile ?? '-']
    const options = this.#optionsFor({ ...plan, mounts }, holder !== undefined, extra)
    await Promise.all([
      writeFile(command, text, { mode: 0o600 }),
      writeFile(folder, '', { mode: 0o600 }),
      writeFile(join(request, 'how'), `${how.join('\n')}\n`, { mode: 0o600 }),
      writeFile(join(request, 'options'), options, { mode: 0o600 }),
    ])
    return { id, request }
  }

  async discard(id: string): Promise<void> {
    if (!/^[0-9a-z]+$/.test(id) || !id.startsWith(this.#options.prefix)) return
    const request = join(this.#parts.requests, id)
    // Taken first: a box that starts at this moment must not run half of it.
    await writeFile(join(request, 'taken'), '', { flag: 'wx' }).catch(() => undefined)
    await rm(request, { recursive: true, force: true })
  }

  async hasProcesses(): Promise<boolean> {
    if (this.#holder) return (await processesInside(this.#holder)).length > 0
    // With namespaces of its own, a command ends with its call, and its request is discarded then.
    for (const name of await readdir(this.#parts.requests).catch(() => []))
      if (name.startsWith(this.#options.prefix) && (await exists(join(this.#parts.requests, name, 'taken'))))
        return true
    return false
  }

  async run(
    plan: SandboxPlan,
    argv: readonly string[],
    options: { input?: string; timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<ContainedRun> {
    const holder = await this.#runningHolder()
    return this.#run(plan, argv, holder, [], options)
  }

  async moveAside(plan: SandboxPlan, paths: readonly string[]): Promise<MovedPath[]> {
    const batch = this.#parts.ids.id(12)
    const source = join(this.folders.aside, batch)
    await mkdir(source, { recursive: true, mode: 0o700 })
    // In namespaces of its own: the commands that made these files cannot see this process.
    const extra: Mount[] = [{ kind: 'writable', path: '/run/baton/aside', source }]
    const script =
      'n=0; for path; do mkdir "/run/baton/aside/$n"; mv -- "$path" "/run/baton/aside/$n/"; n=$((n + 1)); done'
    await this.#run({ ...plan, cwd: '/' }, ['/bin/sh', '-c', script, 'sh', ...paths], undefined, extra, {})
    const moved: MovedPath[] = []
    for (const [index, path] of paths.entries()) {
      const movedTo = join(source, String(index), basename(path))
      const isThere = (await readdir(join(source, String(index))).catch(() => [])).length > 0
      if (isThere && !(await exists(path))) moved.push({ path, movedTo })
    }
    return moved
  }

  async writeHome(path: string, text: string): Promise<void> {
    const parts = path.split('/').filter(part => part !== '' && part !== '.' && part !== '..')
    let folder = this.folders.home
    for (const part of parts.slice(0, -1)) {
      folder = join(folder, part)
      await mkdir(folder, { mode: 0o700 }).catch(() => undefined)
      // A link that a command left there leads elsewhere.
      if (!(await lstat(folder)).isDirectory()) return
    }
    // Exclusive: a link that a command left there is not followed.
    await writeFile(join(folder, parts.at(-1) ?? ''), text, { flag: 'wx', mode: 0o600 }).catch(error => {
      if (error?.code !== 'EEXIST') throw error
    })
  }

  async listenInside(
    port: number,
    accept: (connection: NodeJS.ReadWriteStream) => void,
    { exact = false }: { exact?: boolean } = {},
  ): Promise<{ port: number } | undefined> {
    const holder = await this.#runningHolder()
    if (!holder) return undefined
    const { nsenter } = this.#parts
    const made = await listenIn({ nsenter, node: process.execPath }, holder, { port, exact }, accept)
    this.#listening.push({ ...made, accept })
    return { port: made.port }
  }

  async listeners(): Promise<number[]> {
    // The number of a process that has ended may be another's now.
    if (!this.#holder || !(await isRunning(this.#holder))) return []
    const own = new Set(this.#listening.map(({ port }) => port))
    return (await listeningPorts(this.#holder.pid)).filter(port => !own.has(port))
  }

  connectInside(port: number, connection: NodeJS.ReadWriteStream): void {
    const holder = this.#holder
    if (!(connection instanceof Socket)) return
    const refuse = () => void connection.destroy()
    connection.on('error', refuse)
    if (!holder) {
      refuse()
      return
    }
    void isRunning(holder).then(
      isThere => (isThere ? this.#connector.connect(holder, port, connection) : refuse()),
      refuse,
    )
  }

  remember(text: string): Promise<void> {
    return writeFile(join(this.#options.folder, 'remembered'), text, { mode: 0o600 })
  }

  remembered(): Promise<string | undefined> {
    return readFile(join(this.#options.folder, 'remembered'), 'utf8').catch(() => undefined)
  }

  async end(): Promise<void> {
    const { folder, prefix, onEnd } = this.#options
    onEnd()
    this.#closeListening()
    this.#connector.close()
    if (this.#holder) await endHolder(this.#holder)
    for (const name of await readdir(this.#parts.requests).catch(() => []))
      if (name.startsWith(prefix)) await removeTree(join(this.#parts.requests, name))
    await removeTree(folder)
    if ((await readdir(this.folders.aside).catch(() => [])).length === 0) await removeTree(this.folders.aside)
  }

  /** A holder ends only by force; its session then continues with a new one. */
  async #runningHolder(): Promise<Holder | undefined> {
    if (this.#holder && !(await isRunning(this.#holder))) {
      this.#holder = await this.#options.restart()
      await this.#listenAgain(this.#holder)
    }
    return this.#holder
  }

  async #listenAgain(holder: Holder): Promise<void> {
    const before = this.#listening
    this.#closeListening()
    for (const { port, accept } of before) {
      const programs = { nsenter: this.#parts.nsenter, node: process.execPath }
      const made = await listenIn(programs, holder, { port, exact: true }, accept)
      this.#listening.push({ ...made, accept })
    }
  }

  #closeListening(): void {
    for (const { server } of this.#listening) server.close()
    this.#listening = []
  }

  #optionsFor(plan: SandboxPlan, shared: boolean, extra: readonly Mount[]): string {
    const { files, filterFile, host } = this.#parts
    return argumentsFile(
      bubblewrapArguments({
        plan,
        namespaces: shared ? 'of-the-session' : 'of-the-call',
        uid: host.uid,
        gid: host.gid,
        files,
        procParts: host.procParts,
        extra,
        hasSeccomp: filterFile !== undefined,
      }),
    )
  }

  async #run(
    plan: SandboxPlan,
    argv: readonly string[],
    holder: Holder | undefined,
    extra: readonly Mount[],
    { input, timeoutMs, signal }: { input?: string; timeoutMs?: number; signal?: AbortSignal },
  ): Promise<ContainedRun> {
    const { bwrap, nsenter, filterFile, ids, host } = this.#parts
    const file = join(this.#options.folder, `options-${ids.id(12)}`)
    const mounts = await this.#layers.resolve(plan.mounts, holder)
    await writeFile(file, this.#optionsFor({ ...plan, mounts }, holder !== undefined, extra), { mode: 0o600 })
    const descriptors = [openSync(file, 'r'), ...(filterFile ? [openSync(filterFile, 'r')] : [])]
    const command = [bwrap, '--args', '3', ...(filterFile ? ['--seccomp', '4'] : []), '--', ...argv]
    const enter = holder
      ? [nsenter, '-t', String(holder.pid), '-U', '-m', '-n', '-p', '-i', '--preserve-credentials', '--']
      : []
    const kept = descriptors.map((_, index) => index + 3)
    const [program = bwrap, ...rest] = withOnlyDescriptors(this.#parts.shells.bash, kept, [
      ...enter,
      ...command,
    ])
    try {
      const child = spawn(program, rest, {
        cwd: '/',
        env: { PATH: host.path, LANG: 'C.UTF-8' },
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe', ...descriptors],
      })
      return await endOfRun(child, {
        input: input ?? '',
        timeoutMs: timeoutMs ?? RUN_TIMEOUT_MS,
        signal,
        // In namespaces of its own, everything ends with the program.
        hasOthers: async () => holder !== undefined && (await processesInside(holder)).length > 0,
      })
    } finally {
      for (const descriptor of descriptors) closeSync(descriptor)
      await rm(file, { force: true })
    }
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
