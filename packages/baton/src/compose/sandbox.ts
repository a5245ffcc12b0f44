import { lookup } from 'node:dns/promises'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SessionId } from '@batonpass/contract/ids'
import { agents } from '../adapters/agents/agent-list.ts'
import { hostFiles } from '../adapters/bubblewrap/files.ts'
import { viewHost } from '../adapters/bubblewrap/probe.ts'
import { bubblewrapSandbox } from '../adapters/bubblewrap/sandbox.ts'
import { git } from '../adapters/git/git.ts'
import { gitUnnamedWrites } from '../adapters/git/unnamed-writes.ts'
import { type AgentProcess, readAgentProcess } from '../adapters/system/agent-process.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { containmentPlace } from '../permission/containment.ts'
import { canRunInside, type SandboxLink } from '../permission/run-inside.ts'
import type { DecodedEvent } from '../ports/agent.ts'
import type { ReactionContext, Reactor } from '../ports/reactor.ts'
import { HIDDEN_VARIABLES } from '../sandbox/environment.ts'
import { hasOwnProxy } from '../sandbox/network/inside-environment.ts'
import { sandboxReactor, UntoldReports } from '../sandbox/reactor.ts'
import { Sandboxes } from '../sandbox/sandboxes.ts'
import { type BrokerLinks, composeBroker } from './broker.ts'
import type { Ground } from './ground.ts'
import { composeNetwork } from './network.ts'
import { newEntry } from './new-entry.ts'

export interface ComposedSandbox {
  sandboxes: Sandboxes
  link: SandboxLink
  reactor: Reactor
  /** Stops listening; the next daemon takes over. */
  close(): Promise<void>
  /** An event about a wrapped command, with the agent's own command in it. */
  restore(session: string, event: DecodedEvent): Promise<DecodedEvent>
}

/** Builds what runs agents' commands in the sandbox. */
export function composeSandbox(
  ground: Ground,
  links: Pick<BrokerLinks, 'intake' | 'brokerEnded' | 'ownProgram'> & { port(): number | undefined },
): ComposedSandbox {
  const { env, home, stateDir, sessions, write, fault } = ground
  const processOf = processReader()
  const broker = composeBroker(ground, {
    ...links,
    agentEnvironment: pid => agentEnvironment(pid),
  })
  const untold = new UntoldReports()
  const seen = new Map<string, Set<string>>()
  const agentEnvironment = async (pid: number | undefined) => (await processOf(pid))?.env
  const network = composeNetwork({
    home,
    stateDir,
    environmentOf: async session => (await agentEnvironment((await sessions.find(session))?.pid)) ?? {},
    ownPorts: () => [links.port() ?? 0],
    resolve: async host =>
      (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address),
    onBlocked(session, { what, message }) {
      untold.addBlocked(session, message)
      const known = seen.get(session) ?? new Set()
      seen.set(session, known)
      // A command may try again and again.
      if (known.has(what) || known.size >= MOST_BLOCKED) return
      known.add(what)
      const entry = { kind: 'sandbox' as const, moved: [], blocked: [what] }
      void write([newEntry(entry, { session: SessionId.parse(session) })]).catch(cause =>
        fault('recording a blocked host', cause),
      )
    },
    fault,
  })
  const sandboxes = new Sandboxes({
    network: {
      ...network,
      end(session) {
        seen.delete(session)
        network.end(session)
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
    identityOf: async project => {
      const [name, email] = await Promise.all(
        ['user.name', 'user.email'].map(async key => (await git(project, ['config', '--get', key]))?.trim()),
      )
      return { ...(name ? { name } : {}), ...(email ? { email } : {}) }
    },
    async report(session, reports) {
      untold.add(session, reports)
      const moved = reports.map(({ path, why, movedTo }) => ({ path, why, ...(movedTo ? { movedTo } : {}) }))
      await write([newEntry({ kind: 'sandbox', moved }, { session: SessionId.parse(session) })])
    },
    fault,
    clock: systemClock,
  })
  const hasRegistries = async (pid: number | undefined) => {
    const status = await sandboxes.probe()
    const own = (await agentEnvironment(pid)) ?? {}
    return status.available && status.capabilities.sharedLoopback && !hasOwnProxy(own)
  }
  const sandboxingOf = (agent: string) => agents.find(({ adapter }) => adapter.name === agent)?.sandboxing
  const cwdOf = (event: { cwd?: string | undefined }, { project }: ReactionContext) => event.cwd ?? project

  return {
    sandboxes,
    reactor: sandboxReactor(sandboxes, untold, fault),
    close: () => broker.close(),
    link: {
      takes(event, { config, session, isRewritable, project }) {
        const mode = event.mode ?? session.mode
        return isRewritable === true && canRunInside(event, sandboxingOf(event.agent), mode, project, config)
      },
      async whyUnavailable() {
        const status = await sandboxes.probe()
        return status.available ? undefined : `${status.reason} ${status.remedy}`
      },
      async whyOwnText(event, context) {
        const known = sandboxingOf(event.agent)
        if (!known || event.action.kind !== 'shell') return 'the agent has no sandbox'
        const running = await processOf(context.session.pid)
        return known.whyOwnText(event.action.command, {
          home,
          env: running?.env ?? env,
          args: running?.args ?? [],
          project: context.project,
          cwd: cwdOf(event, context),
          read: readText,
          names,
        })
      },
      place: async (event, context) =>
        containmentPlace(
          {
            worktree: context.project,
            cwd: cwdOf(event, context),
            home,
            broker: context.attended === true ? 'rules' : 'person',
            hasRegistries: await hasRegistries(context.session.pid),
          },
          context.config,
          realpath,
        ),
      ports: { ...gitUnnamedWrites, exists: existsSync },
      async prepare(event, context) {
        const known = sandboxingOf(event.agent)
        if (!known || event.action.kind !== 'shell') return { ok: false, reason: 'This is not a command.' }
        const agentEnv = (await processOf(context.session.pid))?.env ?? env
        const result = await sandboxes.prepare({
          session: event.session,
          worktree: context.project,
          cwd: cwdOf(event, context),
          text: event.action.command,
          shell: known.shellOf(agentEnv, name => onPath(name, agentEnv) !== undefined),
          path: agentEnv.PATH ?? env.PATH ?? '',
          settings: context.config.sandbox,
        })
        return result.ok
          ? { ok: true, id: result.prepared.id, text: result.prepared.text }
          : { ok: false, reason: result.reason }
      },
      discard: (session, id) => sandboxes.discard(session, id),
    },
    async restore(session, event) {
      if (event.type !== 'PermissionAsked' && event.type !== 'ToolFinished') return event
      const { action, input } = event
      if (action.kind !== 'shell' || typeof input !== 'object' || input === null) return event
      const found = await sandboxes.find(session, action.command)
      // A request runs once: one that was taken is no reason to allow anything.
      if (!found || (event.type === 'PermissionAsked' && found.isTaken)) return event
      return {
        ...event,
        input: { ...input, command: found.text },
        action: { ...action, command: found.text },
        sandbox: found.id,
      }
    },
  }
}

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    // A file that is there but cannot be read may hold anything.
    return (cause as NodeJS.ErrnoException).code === 'ENOENT' ||
      (cause as NodeJS.ErrnoException).code === 'ENOTDIR'
      ? undefined
      : 'unreadable'
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => name.endsWith('.json'))
  } catch {
    return []
  }
}

/** Distinct hosts of one session that the journal lists. */
const MOST_BLOCKED = 100
const MOST_PROCESSES = 200

/** Remembers what was read: a process keeps its command line. */
function processReader(): (pid: number | undefined) => Promise<AgentProcess | undefined> {
  const known = new Map<number, Promise<AgentProcess | undefined>>()
  return async pid => {
    if (pid === undefined) return undefined
    if (known.size > MOST_PROCESSES) known.clear()
    const reading = known.get(pid) ?? readAgentProcess(pid)
    known.set(pid, reading)
    const found = await reading
    if (!found) known.delete(pid)
    return found
  }
}
