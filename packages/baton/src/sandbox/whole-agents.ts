import { BatonError } from '@batonpass/contract/errors'
import { AgentName } from '@batonpass/contract/event'
import { SessionId } from '@batonpass/contract/ids'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import { z } from 'zod'
import type { DecodedEvent } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Mount } from '../ports/sandbox.ts'
import { sessionId } from '../session/id.ts'
import type { SessionSettings } from './access/access.ts'
import type { Sandboxes } from './sandboxes.ts'

/** What is kept about an agent that runs in the sandbox as a whole, for the next daemon. */
const WholeAgent = z.object({
  /** Names its sandbox. */
  name: z.string().regex(/^agent_[0-9a-z]+$/),
  agent: AgentName,
  /** The project's root and where the agent works, without links. */
  worktree: z.string(),
  /** The servers of its model, in the syntax of `sandbox.hosts`. */
  hosts: z.array(z.string()),
  /** Of the environment that it was started with, what names registries and proxies. */
  env: z.record(z.string(), z.string()),
  /** Folders with transcripts: as the agent sees them, and where they are. */
  transcripts: z.array(z.object({ inside: z.string(), outside: z.string() })),
  startedAt: z.number(),
  pid: z.number().optional(),
  place: z.string().optional(),
  /** Its sessions, the newest last. */
  sessions: z.array(SessionId),
})
export type WholeAgent = z.infer<typeof WholeAgent>

export interface WholeAgentOrder {
  agent: AgentName
  argv: readonly string[]
  worktree: string
  cwd: string
  path: string
  hosts: readonly string[]
  /** What only this agent sees. */
  shown(
    name: string,
    home: string,
  ): Promise<{
    mounts: readonly Mount[]
    /** Texts of files in its private home folder, by their path below it. */
    files: ReadonlyMap<string, string>
    transcripts: WholeAgent['transcripts']
  }>
  /** Variables that are set inside although their names look like secrets: a placeholder for the agent's login. */
  environment: Readonly<Record<string, string>>
  env: Readonly<Record<string, string>>
}

export interface WholeAgentParts {
  sandboxes: Pick<Sandboxes, 'openAgent' | 'end'>
  settingsFor(name: string, worktree: string): Promise<SessionSettings>
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
  /** Listens for the agent's hooks; gives what the sandbox shows of it. */
  listenHooks(name: string): Promise<{ mounts: readonly Mount[]; environment: Record<string, string> }>
  closeHooks(name: string): Promise<void>
  isKnown(session: SessionId): Promise<boolean>
  /** A path without links; undefined if there is nothing. */
  realpath(path: string): string | undefined
  clock: Clock
  ids: Ids
  fault(during: string, cause: unknown): void
}

/** An agent's program must have been started within this time. */
const START_MS = 2 * 60_000
/** A new conversation begins with each handoff. */
const MOST_SESSIONS = 500

/** Agents that run in the sandbox as a whole, each in one of its own. */
export class WholeAgents {
  readonly #parts: WholeAgentParts
  readonly #agents = new Map<string, WholeAgent>()
  #saving: Promise<void> = Promise.resolve()

  constructor(parts: WholeAgentParts) {
    this.#parts = parts
  }

  /** Prepares an agent. What it returns is started in place of the agent's program. */
  async start(
    order: WholeAgentOrder,
  ): Promise<{ program: string; args: readonly string[]; agent: WholeAgent }> {
    const { ids, clock } = this.#parts
    const { agent, worktree, hosts, env } = order
    const name = `agent_${ids.id(20)}`
    const made: WholeAgent = {
      ...{ name, agent, worktree, hosts: [...hosts], env: { ...env }, transcripts: [], sessions: [] },
      startedAt: clock.now(),
    }
    this.#agents.set(name, made)
    try {
      const hooks = await this.#parts.listenHooks(name)
      const sandbox = await this.#open(made)
      const shown = await order.shown(name, sandbox.home)
      for (const [path, text] of shown.files) await sandbox.writeHome(path, text)
      made.transcripts = shown.transcripts
      const prepared = await sandbox.prepareProgram({
        argv: order.argv,
        worktree,
        cwd: order.cwd,
        path: order.path,
        mounts: [...shown.mounts, ...hooks.mounts],
        environment: { ...order.environment, ...hooks.environment },
      })
      if (!prepared.ok) throw new BatonError('missing_tool', prepared.reason)
      await this.#save()
      return { ...prepared.prepared, agent: made }
    } catch (cause) {
      await this.end(name)
      throw cause instanceof BatonError
        ? cause
        : new BatonError('missing_tool', cause instanceof Error ? cause.message : String(cause), {
            remedy: 'See `baton doctor`, or run the agent without --sandbox.',
            cause,
          })
    }
  }

  /** Where the agent runs, once it does. */
  async started(name: string, { pid, place }: Pick<WholeAgent, 'pid' | 'place'>): Promise<void> {
    const agent = this.#agents.get(name)
    if (!agent) return
    agent.pid = pid
    agent.place = place
    await this.#save()
  }

  /** Sandboxes of agents that this or a previous daemon started. */
  names(): string[] {
    return [...this.#agents.keys()]
  }

  find(name: string): WholeAgent | undefined {
    return this.#agents.get(name)
  }

  /** The session of a sandbox: its agent's newest, or the name itself. */
  sessionOf(name: string): string {
    return this.#agents.get(name)?.sessions.at(-1) ?? name
  }

  /**
   * An event as far as it may count. Any process inside may have sent it, so it is about a session that this agent began, in
   * this project; a transcript is one of this agent's; a prompt is not taken for a person's.
   */
  async admit(name: string, event: DecodedEvent): Promise<DecodedEvent> {
    const agent = this.#agents.get(name)
    if (!agent) throw new BatonError('not_allowed', 'This sandbox has ended')
    await this.admitSession(agent, event.nativeSession)
    const { cwd, transcript, ...rest } = event
    const own = transcript === undefined ? undefined : this.#transcript(agent, transcript)
    return {
      ...rest,
      ...(event.type === 'PromptSubmitted' ? { automatic: true } : {}),
      cwd: cwd !== undefined && isBelow(cwd, agent.worktree) ? cwd : agent.worktree,
      ...(own === undefined ? {} : { transcript: own }),
    } as DecodedEvent
  }

  /** Takes a session as the agent's own if it is new. The agent inside chooses its id, so it may name any other. */
  async admitSession(agent: WholeAgent, nativeSession: string): Promise<void> {
    const session = sessionId(agent.agent, nativeSession)
    if (agent.sessions.includes(session)) return
    if (agent.sessions.length >= MOST_SESSIONS || (await this.#parts.isKnown(session)))
      throw new BatonError('not_allowed', 'This session does not belong to the agent in this sandbox')
    agent.sessions.push(session)
    await this.#save()
  }

  /** At the daemon's start, before other sandboxes end: takes over those that still run. */
  async load(): Promise<string[]> {
    const kept = z.array(WholeAgent).safeParse(parseJson(await this.#parts.load()))
    for (const agent of kept.success ? kept.data : []) this.#agents.set(agent.name, agent)
    return this.names()
  }

  /** Listens again for agents of a previous daemon. */
  async resume(): Promise<void> {
    for (const agent of [...this.#agents.values()])
      await this.refresh(agent.name).catch(async cause => {
        this.#parts.fault('taking over an agent in the sandbox', cause)
        await this.end(agent.name)
      })
  }

  /** Applies what a person opened to the agent since it started. */
  async refresh(name: string): Promise<void> {
    const agent = this.#agents.get(name)
    if (!agent) return
    await this.#parts.listenHooks(name)
    await this.#open(agent)
  }

  /** Ends the sandboxes of agents that are gone. */
  async tick(): Promise<void> {
    for (const agent of [...this.#agents.values()]) {
      if (this.#parts.clock.now() - agent.startedAt < START_MS && agent.sessions.length === 0) continue
      const sandbox = await this.#open(agent).catch(() => undefined)
      if (!sandbox || !(await sandbox.hasProcesses())) await this.end(agent.name)
    }
  }

  async end(name: string): Promise<void> {
    if (!this.#agents.delete(name)) return
    await this.#save()
    await this.#parts
      .closeHooks(name)
      .catch(cause => this.#parts.fault('closing the hooks of an agent', cause))
    await this.#parts.sandboxes.end(name)
  }

  async #open({ name, worktree, hosts }: WholeAgent) {
    const settings = await this.#parts.settingsFor(name, worktree)
    const all = { ...settings, hosts: [...settings.hosts, ...hosts] }
    return this.#parts.sandboxes.openAgent(name, { worktree, settings: all })
  }

  /** Where a transcript really is. A link inside must not lead elsewhere. */
  #transcript({ transcripts }: WholeAgent, path: string): string | undefined {
    const found = transcripts.find(({ inside }) => isBelow(path, inside))
    if (!found) return undefined
    const place = found.outside + path.slice(found.inside.length)
    const [real, folder] = [place, found.outside].map(each => this.#parts.realpath(each))
    // One that does not exist yet is read later, when its next event is admitted.
    if (real === undefined) return place
    return folder !== undefined && isInside(real, folder) ? real : undefined
  }

  #save(): Promise<void> {
    this.#saving = this.#saving.then(
      () => this.#parts.save(JSON.stringify([...this.#agents.values()])),
      () => this.#parts.save(JSON.stringify([...this.#agents.values()])),
    )
    return this.#saving
  }
}

const isBelow = (path: string, folder: string): boolean =>
  isInside(path, folder) && !path.split('/').includes('..')

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '[]')
  } catch {
    return []
  }
}
