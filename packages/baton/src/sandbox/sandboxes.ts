import type { ReleasedAction, ReleasedBy } from '@batonpass/contract/permission'
import type { Clock } from '../ports/clock.ts'
import type { ForwardedPort, InsideNetwork, PortForwards } from '../ports/network.ts'
import type {
  ContainedRun,
  FoundRequest,
  Mount,
  Release,
  Sandbox,
  SandboxFiles,
  SandboxSession,
  SandboxShell,
  SandboxStatus,
} from '../ports/sandbox.ts'
import type { SessionSettings } from './access/access.ts'
import type { Broker } from './broker/broker.ts'
import { isSameAction, type OutgoingAction } from './broker/released-actions.ts'
import {
  type OwnCall,
  type Prepared,
  type Report,
  type SandboxSettings,
  SessionSandbox,
} from './session-sandbox.ts'

export interface SandboxesParts {
  sandbox: Sandbox
  files: SandboxFiles
  home: string
  /** Baton's state folder. */
  state: string
  /** Who commits in a project, from the user's own git configuration. */
  identityOf(project: string, settings: SessionSettings): Promise<SandboxSettings['identity']>
  /** Does outside what commands cannot do themselves; absent where there is none. */
  broker?: Pick<Broker, 'open' | 'end' | 'start'> | undefined
  /** The sessions' way to the network; absent where there is none. */
  network?: SandboxNetwork | undefined
  /** Lets servers inside answer on this machine; absent where they need not. */
  forwards?: PortForwards | undefined
  /** Servers that answer on this machine from now on. */
  forwarded?(session: string, ports: readonly ForwardedPort[]): void
  /** Files that commands made and that were moved aside. */
  report(session: string, reports: readonly Report[]): Promise<void>
  fault(during: string, cause: unknown): void
  clock: Clock
}

/** What a session may contact. */
export type NetworkSettings = Pick<SessionSettings, 'hosts' | 'requestedHosts' | 'ports'>

/** Opens and closes the way of sessions to the network. */
export interface SandboxNetwork {
  open(
    session: string,
    sandbox: Pick<SandboxSession, 'listenInside' | 'writeHome'>,
    settings: NetworkSettings,
  ): Promise<InsideNetwork | undefined>
  end(session: string): void
}

/** A sandbox for programs of Baton's own. */
export interface OwnSandbox {
  run(argv: readonly string[], options?: Parameters<SessionSandbox['run']>[2]): Promise<ContainedRun>
  /** Ends every process inside and removes the private folders. */
  end(): Promise<void>
}

export interface SandboxedCall {
  session: string
  worktree: string
  cwd: string
  text: string
  shell: SandboxShell
  freshShell?: boolean | undefined
  /** The PATH of the agent's shell. */
  path: string
  settings: SessionSettings
  /** What may leave the sandbox after a yes. */
  release?: Pick<Release, 'actions' | 'isGranted'> | undefined
}

interface OpenSandbox {
  sandbox: SessionSandbox
  /** Requests that were prepared, with the time; those of commands that continue in the background. */
  prepared: Map<string, { atMs: number; inBackground: boolean; waitsForYes: boolean }>
}

/** A request that no box took within this time will not run: another hook or the person said no. */
const UNUSED_MS = 10 * 60_000
/** How long a person may look at the agent's dialog, and how long a yes given there counts. */
const RELEASE_MS = 2 * 60 * 60_000

/** The sandboxes of all sessions. */
export class Sandboxes {
  readonly #parts: SandboxesParts
  /** By session; `key` identifies the settings with which it was opened. */
  readonly #open = new Map<string, { key: string; opening: Promise<OpenSandbox> }>()
  readonly #ending = new Map<string, Promise<void>>()
  /** Sandboxes of Baton's own programs. */
  readonly #own = new Set<string>()
  #status: SandboxStatus | undefined
  #probing: Promise<SandboxStatus> | undefined
  #starting: Promise<void> | undefined

  constructor(parts: SandboxesParts) {
    this.#parts = parts
  }

  /** Whether commands can be contained here, found out once; again after the user was told to install a program. */
  probe(): Promise<SandboxStatus> {
    if (this.#status?.available === false && this.#status.code === 'program-missing') {
      this.#status = undefined
      this.#probing = undefined
    }
    this.#probing ??= this.#parts.sandbox.probe().then(
      status => {
        this.#status = status
        return status
      },
      cause => {
        this.#probing = undefined
        throw cause
      },
    )
    return this.#probing
  }

  /** Undefined until the first probe has ended; no caller waits for it. */
  async statusNow(): Promise<SandboxStatus | undefined> {
    return this.#status && (await this.probe())
  }

  async prepare(call: SandboxedCall): Promise<Prepared> {
    const status = await this.probe()
    if (!status.available) return { ok: false, reason: `${status.reason} ${status.remedy}` }
    const open = await this.#openFor(call)
    const { shell, freshShell, text, worktree, cwd, path } = call
    const atMs = this.#parts.clock.now()
    const release = call.release && { ...call.release, untilMs: atMs + RELEASE_MS }
    const prepared = await open.sandbox.prepare({ shell, freshShell, text, worktree, cwd, path, release })
    const waitsForYes = release?.isGranted === false
    if (prepared.ok) open.prepared.set(prepared.prepared.id, { atMs, inBackground: false, waitsForYes })
    return prepared
  }

  /**
   * A sandbox without a broker for programs of Baton's own, such as the checks of a proof, in a folder that is thrown away:
   * what they leave behind there is not looked at.
   */
  async openOwn(
    name: string,
    {
      worktree,
      path,
      settings,
      homeFiles = new Map(),
      ...shown
    }: Pick<SandboxedCall, 'worktree' | 'path' | 'settings'> &
      Pick<OwnCall, 'mounts' | 'environment'> & {
        /** Texts of files in its private home folder, by their path below it. */
        homeFiles?: ReadonlyMap<string, string>
      },
  ): Promise<OwnSandbox> {
    const { sandbox, files } = this.#parts
    // Otherwise `start` could take it for one that a killed daemon left.
    await this.#starting
    this.#own.add(name)
    const opened = await SessionSandbox.open({ sandbox, files }, name, {
      ...this.#settingsFor(settings),
      network: session => this.#networkFor(name, session, settings),
    })
    for (const [path, text] of homeFiles) await opened.writeHome(path, text)
    return {
      run: (argv, options) => opened.run({ worktree, cwd: worktree, path, ...shown }, argv, options),
      end: async () => {
        this.#parts.network?.end(name)
        await sandbox.end(name)
        this.#own.delete(name)
      },
    }
  }

  /**
   * The sandbox of a whole agent, under a name of its own: an agent may have several sessions one after the other. Also
   * takes over what a previous daemon started.
   */
  async openAgent(
    name: string,
    { worktree, settings }: Pick<SandboxedCall, 'worktree' | 'settings'>,
  ): Promise<SessionSandbox> {
    const status = await this.probe()
    if (!status.available) throw new Error(`${status.reason} ${status.remedy}`)
    // Otherwise `start` could take it for one that a killed daemon left.
    await this.#starting
    const { sandbox } = await this.#openFor({ session: name, worktree, settings })
    await sandbox.watch(worktree)
    return sandbox
  }

  find(session: string, text: string): Promise<FoundRequest | undefined> {
    return this.#parts.sandbox.findPrepared(session, text)
  }

  /** The agent's dialog shows a prepared command. False if nothing in it waits for a person's yes. */
  dialogOpened(session: string, id: string): Promise<boolean> {
    return this.#parts.sandbox.dialogOpened(session, id)
  }

  /** Who allowed this action of a running command: once. */
  takeRelease(session: string, outgoing: OutgoingAction, byRule: boolean): Promise<ReleasedBy | undefined> {
    const isSame = (action: ReleasedAction) => isSameAction(action, outgoing)
    return this.#parts.sandbox.takeRelease(session, isSame, this.#parts.clock.now(), byRule)
  }

  /** A command ended, or continues in the background: looks for what it left behind. */
  async finished(session: string, id: string, inBackground: boolean): Promise<Report[]> {
    const open = await this.#open.get(session)?.opening
    // A previous daemon prepared it: nothing is known here to compare with until the next command.
    if (!open) return []
    if (inBackground)
      open.prepared.set(id, { atMs: this.#parts.clock.now(), inBackground: true, waitsForYes: false })
    else {
      open.prepared.delete(id)
      await open.sandbox.discard(id)
    }
    return this.#check(session, open)
  }

  /** A prepared command that may not run after all. */
  async discard(session: string, id: string): Promise<void> {
    const open = await this.#open.get(session)?.opening
    open?.prepared.delete(id)
    await open?.sandbox.discard(id)
  }

  async end(session: string): Promise<void> {
    const opening = this.#open.get(session)?.opening
    this.#parts.network?.end(session)
    this.#parts.forwards?.end(session)
    // A previous daemon opened it.
    if (!opening) {
      await this.#parts.broker?.end(session)
      return await this.#parts.sandbox.end(session)
    }
    this.#open.delete(session)
    const ending = opening
      .then(async ({ sandbox }) => {
        await this.#parts.broker?.end(session)
        const reports = await sandbox.end()
        if (reports.length > 0) await this.#parts.report(session, reports)
      })
      .finally(() => this.#ending.delete(session))
    this.#ending.set(
      session,
      ending.catch(() => undefined),
    )
    await ending
  }

  /** Ends what belongs to no live session, such as what a killed daemon left. */
  async endAllExcept(live: ReadonlySet<string>): Promise<void> {
    for (const session of this.#open.keys()) if (!live.has(session)) await this.end(session)
    await this.#parts.sandbox.endAllExcept(live)
  }

  /** Once, when the daemon starts: finds out whether there is a sandbox, and ends what belongs to no live session. */
  start(live: ReadonlySet<string>): Promise<void> {
    const started = this.#start(live)
    this.#starting = started.catch(() => undefined)
    return started
  }

  async #start(live: ReadonlySet<string>): Promise<void> {
    await this.probe()
    await this.endAllExcept(new Set([...live, ...this.#own]))
    await this.#parts.broker?.start(live)
  }

  /** Looks after sessions whose commands run in the background. */
  async tick(): Promise<void> {
    for (const [session, { opening }] of this.#open) {
      const open = await opening.catch(() => undefined)
      if (!open || open.sandbox.isIdle) continue
      await this.#discardEnded(open)
      await this.#check(session, open)
    }
  }

  /** Servers in the session's sandbox that answer on this machine. */
  servers(session: string): ForwardedPort[] {
    return this.#parts.forwards?.list(session) ?? []
  }

  async #check(session: string, { sandbox }: OpenSandbox): Promise<Report[]> {
    const reports = await sandbox.check()
    await this.#forward(session, sandbox).catch(cause => this.#parts.fault('forwarding a port', cause))
    if (reports.length > 0) await this.#parts.report(session, reports)
    return reports
  }

  async #forward(session: string, sandbox: SessionSandbox): Promise<void> {
    const { forwards, forwarded } = this.#parts
    if (!forwards || !this.#open.has(session)) return
    const added = await forwards.update(session, await sandbox.listeners(), (port, connection) =>
      sandbox.connectInside(port, connection),
    )
    if (added.length > 0) forwarded?.(session, added)
  }

  async #discardEnded({ sandbox, prepared }: OpenSandbox): Promise<void> {
    const isBusy = await sandbox.hasProcesses()
    for (const [id, { atMs, inBackground, waitsForYes }] of prepared) {
      const isUnused = this.#parts.clock.now() - atMs > (waitsForYes ? RELEASE_MS : UNUSED_MS)
      if (isBusy || !(inBackground ? this.#parts.clock.now() - atMs > START_MS : isUnused)) continue
      prepared.delete(id)
      await sandbox.discard(id)
    }
  }

  async #openFor({
    session,
    settings,
    worktree,
  }: Pick<SandboxedCall, 'session' | 'settings' | 'worktree'>): Promise<OpenSandbox> {
    await this.#ending.get(session)
    const key = JSON.stringify(settings)
    const known = this.#open.get(session)
    if (known?.key === key) return known.opening
    const opening = this.#openSession(session, settings, worktree)
    this.#open.set(session, { key, opening })
    opening.catch(() => this.#open.delete(session))
    return opening
  }

  async #openSession(session: string, settings: SessionSettings, worktree: string): Promise<OpenSandbox> {
    const { sandbox, files, identityOf } = this.#parts
    const common = this.#settingsFor(settings)
    const opened = await SessionSandbox.open({ sandbox, files }, session, {
      ...common,
      identity: await identityOf(worktree, settings),
      broker: await this.#brokerFor(session, worktree, common.writable),
      network: opened => this.#networkFor(session, opened, settings),
    })
    return { sandbox: opened, prepared: new Map() }
  }

  #settingsFor(settings: SessionSettings): SandboxSettings {
    const { home, state } = this.#parts
    const expand = (path: string) => path.replace(/^~(?=\/)/, home)
    return {
      home,
      state,
      readable: settings.readable.map(expand),
      writable: settings.writable.map(expand),
      envFiles: settings.env_files,
      identity: {},
    }
  }

  /** Without the broker, commands still run: those that need a remote fail. */
  async #brokerFor(
    session: string,
    worktree: string,
    writable: readonly string[],
  ): Promise<readonly Mount[] | undefined> {
    const { broker, files, fault } = this.#parts
    const real = (await files.look([worktree])).get(worktree)?.real ?? worktree
    return broker?.open(session, real, writable).catch(cause => {
      fault('starting the broker', cause)
      return undefined
    })
  }

  /** Without it, commands still run: those that need a host fail. */
  async #networkFor(
    session: string,
    opened: SandboxSession,
    settings: NetworkSettings,
  ): Promise<InsideNetwork | undefined> {
    const { network, fault } = this.#parts
    return network?.open(session, opened, settings).catch(cause => {
      fault('opening the network of a sandbox', cause)
      return undefined
    })
  }
}

/** A command that was sent to the background has started after this time. */
const START_MS = 30_000
