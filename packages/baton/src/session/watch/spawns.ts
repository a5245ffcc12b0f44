import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import { SpawnId } from '@batonpass/contract/ids'
import type { Spawn } from '@batonpass/contract/watch'
import type { Driver, ToolServer } from '../../ports/driver.ts'
import type { Launch } from '../../ports/launch.ts'
import { sessionId } from '../id.ts'
import type { WatchParts } from './parts.ts'
import { type Subject, subjects } from './subjects.ts'

export interface RunOrder {
  agent: AgentName
  driver: Driver['kind']
  launch: Launch
  cwd: string
  /** The worktree's root. */
  project: string
  /** Typed once the agent waits for input, if the program did not accept it as an argument. */
  prompt?: string | undefined
  title?: string | undefined
  env: Readonly<Record<string, string>>
  where?: string | undefined
  tools?: ToolServer | undefined
}

export interface Revival {
  place: string
  agent: AgentName
  nativeSession?: string | undefined
  pid?: number | undefined
  /** Why the agent could not be restarted. */
  why?: string | undefined
}

/** Agents that Baton started or adopted. Stored before anything else happens, so that a crash loses none. */
export class Spawns {
  readonly #parts: WatchParts

  constructor(parts: WatchParts) {
    this.#parts = parts
  }

  async start(order: RunOrder): Promise<Spawn> {
    const driver = this.#parts.drivers.find(({ kind }) => kind === order.driver)
    if (!driver)
      throw new BatonError(
        'missing_tool',
        `Sessions cannot be ${order.driver === 'acp' ? 'hosted' : 'run in tmux'} here`,
        {
          remedy: `Run it ${order.driver === 'acp' ? 'with --tmux' : 'with --hosted'}, or see \`baton doctor\`.`,
        },
      )
    const id = SpawnId.parse(`spn_${this.#parts.ids.id(20)}`)
    const title = order.title ?? titleOf(order.project, id)
    const { agent, launch, cwd, env, where, tools } = order
    const started = await driver.start({ agent, launch, cwd, title, env, where, tools })
    const born = started.pid === undefined ? undefined : await this.#parts.processes.born(started.pid)
    const spawn: Spawn = {
      ...{ id, kind: 'run' as const, project: order.project, agent },
      session: started.nativeSession ? sessionId(agent, started.nativeSession) : null,
      place: started.place,
      pid: started.pid ?? null,
      born: born ?? null,
      title,
      ...this.#begun(),
    }
    this.#parts.store.putSpawn(spawn)
    await this.#journal(spawn, 'started')
    if (order.prompt !== undefined) await this.#type(driver, spawn, order.prompt)
    return spawn
  }

  /** Records that the next daemon restarted a hosted agent, or why it could not. */
  async revived({ place, agent, nativeSession, pid, why }: Revival): Promise<void> {
    const [spawn] = this.#parts.store
      .spawns({ kinds: ['run'] })
      .filter(each => each.place === place && each.ended_at === null)
    if (!spawn) return
    const born = pid === undefined ? undefined : await this.#parts.processes.born(pid)
    const next: Spawn = {
      ...spawn,
      session: nativeSession === undefined ? spawn.session : sessionId(agent, nativeSession),
      pid: pid ?? null,
      born: born ?? null,
      status: why === undefined ? 'running' : 'failed',
      ended_at: why === undefined ? null : this.#now(),
    }
    this.#parts.store.putSpawn(next)
    await this.#journal(next, why === undefined ? 'revived' : 'ended', why)
  }

  /** Starts watching what already runs at a place. Doing it twice has no effect. */
  async adopt(place: string, agent: AgentName | undefined): Promise<Spawn> {
    const driver = this.#parts.drivers.find(one => one.reaches(place))
    if (!driver) throw new BatonError('usage', 'Baton cannot watch that place', { remedy: PANES })
    const [known] = (await this.#open()).filter(({ spawn }) => spawn?.place === place)
    if (known?.spawn) return known.spawn
    const session = (await this.#parts.liveSessions())
      .filter(({ pane }) => pane === place)
      .sort((a, b) => b.lastSeenAt.localeCompare(a.lastSeenAt))[0]
    const who = agent ?? session?.agent ?? 'claude-code'
    const { state, pid } = await driver.readScreen(place, who)
    if (state === 'gone' || state === 'dead')
      throw new BatonError('not_found', `Nothing is running at ${place}`, { remedy: PANES })
    const born = pid === undefined ? undefined : await this.#parts.processes.born(pid)
    const id = SpawnId.parse(`spn_${this.#parts.ids.id(20)}`)
    const project = session?.project ?? null
    const spawn: Spawn = {
      ...{ id, kind: 'watch' as const, session: session?.id ?? null, project, agent: who, place },
      pid: pid ?? null,
      born: born ?? null,
      title: place.split(' ')[0] ?? place,
      ...this.#begun(),
    }
    this.#parts.store.putSpawn(spawn)
    await this.#journal(spawn, 'watched')
    return spawn
  }

  async release(name: string): Promise<Spawn> {
    const { spawn } = await this.find(name)
    if (spawn?.kind !== 'watch')
      throw new BatonError('not_allowed', `${name} was not adopted with \`baton watch\``, {
        remedy: 'See `baton watch --list`.',
      })
    return this.#end(spawn, 'unwatched')
  }

  /** Ends an agent, but only one that Baton started. */
  async kill(name: string): Promise<Spawn> {
    const { spawn, place } = await this.find(name)
    if (spawn?.kind !== 'run' || spawn.place === null)
      throw new BatonError('not_allowed', `Baton did not start ${name}, so it does not end it either`, {
        remedy: place ? `End it yourself in its terminal: ${place}` : 'End it yourself in its terminal.',
      })
    const { place: at } = spawn
    const driver = this.#parts.drivers.find(one => one.reaches(at))
    const look = await driver?.readScreen(at, spawn.agent)
    // tmux may have reused the pane number, so compare the process.
    const same = driver?.kind !== 'tmux' || spawn.pid === null || look?.pid === spawn.pid
    const gone = look === undefined || look.state === 'gone'
    if (!gone && !(same && (await driver?.kill(at))))
      throw new BatonError('not_allowed', `The process at ${at} is not the one that Baton started there`, {
        remedy: 'End it yourself in its terminal.',
      })
    return this.#end(spawn, 'killed')
  }

  /** Finds a subject by the agent's own id, Baton's id, the title or the place. A unique prefix is enough. */
  async find(name: string): Promise<Subject> {
    const all = await this.#open()
    const exact = all.filter(one => namesOf(one).includes(name))
    const found =
      exact.length > 0 || name === ''
        ? exact
        : all.filter(one => namesOf(one).some(word => word.startsWith(name)))
    const [only] = found
    if (only && found.length === 1) return only
    throw new BatonError(
      'not_found',
      found.length > 1 ? `More than one session matches ${name}` : `No watched session is named ${name}`,
      {
        remedy: 'See `baton ps`.',
      },
    )
  }

  async #open(): Promise<Subject[]> {
    return subjects(await this.#parts.liveSessions(), this.#parts.store.spawns({ kinds: ['run', 'watch'] }))
  }

  #begun() {
    return { status: 'running' as const, started_at: this.#now(), ended_at: null }
  }

  async #end(spawn: Spawn, what: 'unwatched' | 'killed'): Promise<Spawn> {
    const ended: Spawn = { ...spawn, status: 'completed', ended_at: this.#now() }
    this.#parts.store.putSpawn(ended)
    await this.#journal(ended, what)
    return ended
  }

  async #type(driver: Driver, { place, agent }: Spawn, prompt: string): Promise<void> {
    if (place === null) return
    const typed = await driver.type(place, prompt, agent)
    if (typed !== 'taken')
      throw new BatonError('timed_out', `The agent started, but did not take the prompt (${typed})`, {
        remedy: 'See `baton ps` and `baton attach`.',
      })
  }

  #journal(
    spawn: Spawn,
    what: 'started' | 'revived' | 'watched' | 'unwatched' | 'killed' | 'ended',
    detail?: string,
  ): Promise<void> {
    const [id] = subjects([], [{ ...spawn, ended_at: null }]).map(subject => spawn.session ?? subject.id)
    if (!id) return Promise.resolve()
    return this.#parts.journal(
      { id, agent: spawn.agent, project: spawn.project ?? undefined },
      {
        kind: 'spawn',
        what,
        spawn: spawn.id,
        title: spawn.title,
        ...(spawn.place ? { place: spawn.place } : {}),
        ...(detail === undefined ? {} : { detail }),
      },
    )
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}

const PANES = 'Name a tmux pane, such as %5 or work:1.0 (see `tmux list-panes -a`).'

const namesOf = ({ id, session, spawn, place }: Subject): string[] =>
  [session?.nativeSession, id, spawn?.id, spawn?.title, place, place?.split(' ')[0]].filter(
    (name): name is string => typeof name === 'string' && name !== '',
  )

/** A short display name: the folder's name and a few unique letters. */
const titleOf = (project: string, id: SpawnId): string =>
  `${
    project
      .split('/')
      .at(-1)
      ?.replaceAll(/[^\w-]+/g, '-')
      .slice(0, 40) || 'baton'
  }-${id.slice(4, 8)}`
