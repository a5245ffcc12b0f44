import { lookup } from 'node:dns/promises'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EventOf } from '@batonpass/contract/event'
import { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { agents } from '../adapters/agents/agent-list.ts'
import { hostFiles } from '../adapters/bubblewrap/files.ts'
import { viewHost } from '../adapters/bubblewrap/probe.ts'
import { bubblewrapSandbox } from '../adapters/bubblewrap/sandbox.ts'
import { readCommitter, readGitFolder, signsCommits } from '../adapters/git/committer.ts'
import { gitUnnamedWrites } from '../adapters/git/unnamed-writes.ts'
import { loopbackForwards } from '../adapters/proxy/loopback-forwards.ts'
import { type AgentProcess, readAgentProcess } from '../adapters/system/agent-process.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { lastLineWith } from '../adapters/system/last-line.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import { containmentPlace } from '../permission/containment.ts'
import { canRunInside, type SandboxLink } from '../permission/run-inside.ts'
import type { DecodedEvent, RulePlace } from '../ports/agent.ts'
import type { ReactionContext, Reactor } from '../ports/reactor.ts'
import { HIDDEN_VARIABLES } from '../sandbox/environment.ts'
import { hasOwnProxy } from '../sandbox/network/inside-environment.ts'
import { sandboxReactor, UntoldReports } from '../sandbox/reactor.ts'
import { type AgentProgram, Replacements, RewriteProofs } from '../sandbox/rewrite-proofs.ts'
import { Sandboxes } from '../sandbox/sandboxes.ts'
import { composeAccess } from './access.ts'
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
  /** Agents whose commands are judged by their text although there is a sandbox, each with the reason. */
  off(): Promise<string[]>
  /** An event about a wrapped command, with the agent's own command in it. */
  restore(session: SessionId, event: DecodedEvent): Promise<DecodedEvent>
}

/** Builds what runs agents' commands in the sandbox. */
export function composeSandbox(
  ground: Ground,
  links: Pick<BrokerLinks, 'intake' | 'brokerEnded' | 'ownProgram'> & {
    asks: Asks
    port(): number | undefined
  },
): ComposedSandbox {
  const { env, home, stateDir, sessions, write, fault } = ground
  const processOf = processReader()
  const ownPorts = () => [links.port() ?? 0]
  const access = composeAccess(ground, { asks: links.asks, ownPorts })
  const broker = composeBroker(ground, {
    ...links,
    requestAccess: access.request,
    async signer(session, project) {
      const { sandbox } = await ground.configFor((await sessions.find(session))?.project)
      return sandbox.sign_commits && (await signsCommits()) ? readCommitter(project) : undefined
    },
    agentEnvironment: pid => agentEnvironment(pid),
  })
  const untold = new UntoldReports()
  const seen = new Map<string, Set<string>>()
  const agentEnvironment = async (pid: number | undefined) => (await processOf(pid))?.env
  const network = composeNetwork({
    home,
    stateDir,
    environmentOf: async session => (await agentEnvironment((await sessions.find(session))?.pid)) ?? {},
    ownPorts,
    grantedHosts: access.grantedHosts,
    resolve: async host =>
      (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address),
    onBlocked(session, blocked) {
      const { what } = blocked
      const message = access.lineFor(session, blocked) ?? blocked.message
      untold.addBlocked(session, message)
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
    fault,
  })
  const sandboxes = new Sandboxes({
    network: {
      ...network,
      end(session) {
        seen.delete(session)
        access.end(session)
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
    identityOf: async (project, { sign_commits }) => {
      const signsIn = sign_commits && (await signsCommits()) ? await readGitFolder(project) : undefined
      return { ...(await readCommitter(project)), ...(signsIn ? { signsIn: realpath(signsIn) } : {}) }
    },
    forwards: loopbackForwards(ownPorts),
    forwarded: (session, ports) => untold.addServers(session, ports),
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
  const replacements = new Replacements()
  const proofs = new RewriteProofs({
    load: async () => readText(join(stateDir, PROOFS)),
    save: async text => void (await systemSmallFiles.write(stateDir, PROOFS, text)),
  })
  const programOf = async (agent: string, session: Pick<Session, 'id' | 'pid'>): Promise<AgentProgram> => ({
    agent,
    program: (await processOf(session.pid))?.program ?? `session ${session.id}`,
  })
  /** The agent ran a command itself that it was handed a replacement for: the user learns it. */
  const recordDropped = async (session: SessionId, of: AgentProgram) => {
    if (!(await proofs.record(of, 'dropped'))) return
    const off = droppedWords(of)
    untold.addNotice(session, `Baton: ${off}`)
    await write([newEntry({ kind: 'sandbox', moved: [], off }, { session })])
  }
  const rulePlace = async (event: ShellRequest, context: ReactionContext): Promise<RulePlace> => {
    const running = await processOf(context.session.pid)
    const transcript = event.transcript ?? context.session.transcript
    return {
      home,
      env: running?.env ?? env,
      args: running?.args ?? [],
      project: context.project,
      cwd: cwdOf(event, context),
      read: readText,
      names,
      lastInTranscript: text => (transcript === undefined ? undefined : lastLineWith(transcript, text)),
    }
  }

  return {
    sandboxes,
    reactor: sandboxReactor(sandboxes, untold, fault),
    close: () => broker.close(),
    off: async () => (await proofs.dropped()).map(droppedWords),
    link: {
      takes(event, { config, session, isRewritable, project }) {
        const mode = event.mode ?? session.mode
        return (
          isRewritable === true &&
          !event.fixed &&
          canRunInside(event, sandboxingOf(event.agent), mode, project, config)
        )
      },
      async whyUnavailable() {
        const status = await sandboxes.probe()
        return status.available ? undefined : `${status.reason} ${status.remedy}`
      },
      async whyOwnText(event, context) {
        const known = sandboxingOf(event.agent)
        if (!known || event.action.kind !== 'shell') return 'the agent has no sandbox'
        return known.whyOwnText(event.action.command, await rulePlace(event, context))
      },
      ownSandbox: async (event, context) =>
        sandboxingOf(event.agent)?.ownSandbox?.(await rulePlace(event, context)),
      async rewriteState(event, { session }) {
        if (!sandboxingOf(event.agent)?.mustProve) return 'proven'
        const of = await programOf(event.agent, session)
        const state = await proofs.stateOf(of)
        if (state !== 'unknown') return state
        // An agent may report the end of a command late, or never.
        for (const { session, text } of replacements.of(of)) {
          if (!(await sandboxes.find(session, text))?.isTaken) continue
          await proofs.record(of, 'proven')
          return 'proven'
        }
        return state
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
          { ...context.config, sandbox: await access.settingsFor(event.session, context) },
          realpath,
        ),
      ports: { ...gitUnnamedWrites, exists: existsSync },
      openedHosts: access.grantedHosts,
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
          freshShell: known.freshShell,
          path: agentEnv.PATH ?? env.PATH ?? '',
          settings: await access.settingsFor(event.session, context),
        })
        if (!result.ok) return { ok: false, reason: result.reason }
        const { id, text } = result.prepared
        if (known.mustProve) {
          const of = await programOf(event.agent, context.session)
          const { session, toolUseId } = event
          replacements.add({ session, id, toolUseId, command: event.action.command, text, of })
        }
        return { ok: true, id, text }
      },
      discard: (session, id) => sandboxes.discard(session, id),
    },
    async restore(session, event) {
      if (event.type === 'SessionEnded') replacements.end(session)
      if (event.type !== 'PermissionAsked' && event.type !== 'ToolFinished' && event.type !== 'ToolRequested')
        return event
      const { action, input, toolUseId } = event
      if (action.kind !== 'shell' || typeof input !== 'object' || input === null) return event
      if (event.type === 'ToolRequested') {
        replacements.forget(session, event)
        // The model repeats what it saw.
        const command = replacements.commandOf(session, action.command)
        if (command === undefined) return event
        return { ...event, input: { ...input, command }, action: { ...action, command } }
      }
      const found = await sandboxes.find(session, action.command)
      if (event.type === 'ToolFinished') {
        const replaced = replacements.take(session, { id: found?.id, toolUseId, command: action.command })
        const ran = replaced && (found ?? (await sandboxes.find(session, replaced.text)))
        if (replaced && ran?.isTaken) await proofs.record(replaced.of, 'proven')
        // It reports its own command, and the one that was to run instead never did.
        else if (replaced && ran && !found) await recordDropped(session, replaced.of)
        if (replaced && ran?.isTaken && !found) return { ...event, sandbox: replaced.id }
      }
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

/** What is known about agents' programs, below the state folder. */
const PROOFS = 'sandbox/rewrites.json'

type ShellRequest = EventOf<'ToolRequested'>

/** Where a command works: agents may name another folder for one command. */
const cwdOf = ({ action, cwd }: ShellRequest, { project }: ReactionContext): string =>
  (action.kind === 'shell' ? action.cwd : undefined) ?? cwd ?? project

const droppedWords = ({ agent, program }: AgentProgram): string => {
  const title = agents.find(({ adapter }) => adapter.name === agent)?.adapter.title ?? agent
  const [path] = program.split(' ')
  return `${title} ran a command itself that Baton had replaced to run it in the sandbox (${path}). Until ${title} is updated, Baton judges its commands by their text.`
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
    return readdirSync(folder)
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
