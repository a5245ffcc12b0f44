import { lookup } from 'node:dns/promises'
import { join } from 'node:path'
import { SessionId } from '@batonpass/contract/ids'
import { hostFiles } from '../adapters/bubblewrap/files.ts'
import { viewHost } from '../adapters/bubblewrap/probe.ts'
import { bubblewrapSandbox } from '../adapters/bubblewrap/sandbox.ts'
import { readCommitter, readGitFolder, signsCommits } from '../adapters/git/committer.ts'
import { loopbackForwards } from '../adapters/proxy/loopback-forwards.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { realpath } from '../adapters/system/realpath.ts'
import type { Asks } from '../ask/asks.ts'
import type { SandboxLink } from '../permission/sandbox-link.ts'
import type { Blocked, Target } from '../ports/network.ts'
import type { Reactor } from '../ports/reactor.ts'
import { HIDDEN_VARIABLES } from '../sandbox/environment.ts'
import { sandboxReactor, UntoldReports } from '../sandbox/reactor.ts'
import { Sandboxes } from '../sandbox/sandboxes.ts'
import { composeAccess } from './access.ts'
import { processReader } from './agent-place.ts'
import { type BrokerLinks, composeBroker } from './broker.ts'
import type { Ground } from './ground.ts'
import { composeInsideCalls } from './inside-calls.ts'
import type { InsideCalls } from './model.ts'
import { composeNetwork } from './network.ts'
import { newEntry } from './new-entry.ts'
import { composeRewrites, type Rewrites } from './rewrites.ts'
import { composeSandboxLink } from './sandbox-link.ts'
import { type ComposedWholeAgents, composeWholeAgents } from './whole-agents.ts'

export interface ComposedSandbox extends Pick<Rewrites, 'off' | 'restore'> {
  sandboxes: Sandboxes
  link: SandboxLink
  reactor: Reactor
  /** Agents that run in the sandbox as a whole. */
  whole: ComposedWholeAgents
  /** Agents that answer one question in the sandbox. */
  insideCalls: InsideCalls
  /** Ends everything but whole agents, which run on in their terminals. */
  endAll(): Promise<void>
  /** Once, when the daemon starts. */
  start(live: ReadonlySet<string>): Promise<void>
  /** Stops listening; the next daemon takes over. */
  close(): Promise<void>
}

/** Builds what runs agents' commands in the sandbox. */
export function composeSandbox(
  ground: Ground,
  links: Pick<BrokerLinks, 'intake' | 'brokerEnded' | 'ownProgram'> & {
    asks: Asks
    port(): number | undefined
    /** The folder of Baton's own program. */
    programFolder: string | undefined
    /** Folders that a clone of the fleet borrows objects from. */
    borrowedBy(project: string): Promise<readonly string[]>
  },
): ComposedSandbox {
  const { env, home, stateDir, sessions, write, fault } = ground
  const processOf = processReader()
  const ownPorts = () => [links.port() ?? 0]
  const access = composeAccess(ground, { asks: links.asks, ownPorts, borrowedBy: links.borrowedBy })
  const whole = composeWholeAgents(ground, {
    sandboxes: () => sandboxes,
    settingsFor: async (name, worktree) =>
      access.settingsFor(sessionOf(name), { config: await ground.configFor(worktree), project: worktree }),
    programFolder: links.programFolder,
  })
  /** The session behind a sandbox: a whole agent's has a name of its own. */
  const sessionOf = (name: string) => whole.agents.sessionOf(name)
  const broker = composeBroker(ground, {
    ...links,
    sessionOf,
    async requestAccess(name, wanted, signal) {
      if (whole.agents.find(name) && wanted.kind === 'path') return { isGranted: false, line: FIXED_PATHS }
      const isRegistry = (target: Target) => network.isRegistry(name, target)
      const answer = await access.request(sessionOf(name), wanted, signal, isRegistry)
      if (answer.isGranted) await whole.agents.refresh(name)
      return answer
    },
    async signer(session, project) {
      const { sandbox } = await ground.configFor((await sessions.find(sessionOf(session)))?.project)
      return sandbox.sign_commits && (await signsCommits()) ? readCommitter(project) : undefined
    },
    agentEnvironment: pid => agentEnvironment(pid),
    takeRelease: (session, outgoing, byRule) => sandboxes.takeRelease(session, outgoing, byRule),
  })
  const inside = composeInsideCalls(ground, () => sandboxes)
  const untold = new UntoldReports()
  const blocked = blockedHosts(ground, {
    access,
    untold,
    sessionOf,
    isWhole: name => whole.agents.find(name) !== undefined,
  })
  const agentEnvironment = async (pid: number | undefined) => (await processOf(pid))?.env
  const network = composeNetwork({
    home,
    stateDir,
    environmentOf: async name =>
      whole.agents.find(name)?.env ??
      inside.environmentOf(name) ??
      (await agentEnvironment((await sessions.find(name))?.pid)) ??
      {},
    loginOf: name => inside.loginOf(name) ?? whole.loginOf(name),
    ownPorts,
    grantedHosts: name => access.grantedHosts(sessionOf(name)),
    outlivesDaemon: name => whole.agents.find(name) !== undefined,
    resolve: async host =>
      (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address),
    onBlocked: blocked.report,
    fault,
  })
  const sandboxes = new Sandboxes({
    network: {
      ...network,
      end(name) {
        const session = sessionOf(name)
        blocked.forget(session)
        access.end(session)
        network.end(name)
      },
    },
    sandbox: bubblewrapSandbox({
      folder: join(stateDir, 'sandbox'),
      findProgram: name => onPath(name, env),
      ids: systemIds,
      hidden: HIDDEN_VARIABLES,
      host: viewHost(env),
    }),
    files: hostFiles(),
    broker,
    home,
    state: stateDir,
    identityOf: async (project, { sign_commits }) => {
      const signsIn = sign_commits && (await signsCommits()) ? await readGitFolder(project) : undefined
      return { ...(await readCommitter(project)), ...(signsIn ? { signsIn: realpath(signsIn) } : {}) }
    },
    forwards: loopbackForwards(ownPorts),
    forwarded: (name, ports) => untold.addServers(sessionOf(name), ports),
    async report(name, reports) {
      const session = sessionOf(name)
      if (!SessionId.safeParse(session).success) return
      untold.add(session, reports)
      const moved = reports.map(({ path, why, movedTo }) => ({ path, why, ...(movedTo ? { movedTo } : {}) }))
      await write([newEntry({ kind: 'sandbox', moved }, { session: SessionId.parse(session) })])
    },
    fault,
    clock: systemClock,
  })
  const rewrites = composeRewrites(ground, { sandboxes, untold, processOf })

  return {
    sandboxes,
    reactor: sandboxReactor(sandboxes, untold, fault),
    whole,
    insideCalls: inside.calls,
    endAll: () => sandboxes.endAllExcept(new Set(whole.agents.names())),
    async start(live) {
      const names = await whole.agents.load()
      // With the mode off nothing is started, not even a probe.
      if (ground.machine().config.sandbox.mode === 'off' && names.length === 0) return
      await sandboxes.start(new Set([...live, ...names]))
      await whole.agents.resume()
    },
    close: () => broker.close(),
    off: rewrites.off,
    restore: rewrites.restore,
    link: composeSandboxLink(ground, { sandboxes, access, rewrites, processOf }),
  }
}

const FIXED_PATHS =
  'The whole agent runs in the sandbox, so what it sees is fixed. Ask the user to add the path to sandbox.readable and to start the agent again.'

interface BlockedLinks {
  access: ReturnType<typeof composeAccess>
  untold: UntoldReports
  sessionOf(name: string): string
  isWhole(name: string): boolean
}

/** Tells the agent why a host does not answer, and the journal once for each host. */
function blockedHosts({ write, fault }: Ground, { access, untold, sessionOf, isWhole }: BlockedLinks) {
  const seen = new Map<string, Set<string>>()
  return {
    forget: (session: string) => seen.delete(session),
    report(name: string, blocked: Blocked): string {
      const session = sessionOf(name)
      const { what } = blocked
      // No hook of the agent has told yet which session this is.
      if (!SessionId.safeParse(session).success) return blocked.message
      // A whole agent contacts servers for itself, such as for updates: the user need not be asked.
      const message = access.lineFor(session, blocked, !isWhole(name)) ?? blocked.message
      if (!isWhole(name)) untold.addBlocked(session, message)
      const known = seen.get(session) ?? new Set()
      seen.set(session, known)
      // A command may try again and again.
      if (known.has(what) || known.size >= MOST_BLOCKED) return message
      known.add(what)
      const entry = { kind: 'sandbox' as const, moved: [], blocked: [what] }
      void write([newEntry(entry, { session: SessionId.parse(session) })]).catch(cause =>
        fault('recording a blocked host', cause),
      )
      return message
    },
  }
}

/** Distinct hosts of one session that the journal lists. */
const MOST_BLOCKED = 100
