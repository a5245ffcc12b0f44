import type { Config } from '@batonpass/contract/config'
import type { SessionId } from '@batonpass/contract/ids'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { HealthEntry } from '@batonpass/contract/watch'
import type { Clock } from '../../ports/clock.ts'
import type { Driver } from '../../ports/driver.ts'
import type { IsPaused } from '../../ports/is-paused.ts'
import { readJsonFile } from '../../ports/json-files.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import type { Timers } from '../../ports/timers.ts'
import { decideHungTurn, HungTurn, isCurrent, readTurn } from './decide-hung-turn.ts'

/** Work that continues without a person: a workflow, a claim or staged work in auto mode. */
export interface UnattendedJob {
  /** Such as `issue-to-impl #42`. */
  name: string
  /** Ends it, because its agent does not answer. */
  end(reason: string): Promise<void>
}

/** A session as Baton observes it. */
export interface ObservedSession {
  session?: Session | undefined
  state: string
  activeAt: number
}

export interface HungTurnPorts {
  observe(): Promise<readonly ObservedSession[]>
  jobOf(session: Session): Promise<UnattendedJob | undefined>
  /** The latest events and reactions of a session, oldest first. */
  entries(session: SessionId): Promise<readonly Entry[]>
  driverAt(place: string): Driver | undefined
  /** Whether a question of the session is open, or a handoff of it is running. */
  isBusy(session: SessionId): Promise<boolean>
  /** Moves the work to a fresh session at the same place, without asking the hung one. */
  handOff(session: Session): Promise<void>
  config(project: string): Promise<Pick<Config, 'handsoff'>>
  journal(session: Session, entry: HealthEntry): Promise<void>
  files: Pick<SmallFiles, 'read' | 'write' | 'remove'>
  stateDir: string
  clock: Pick<Clock, 'now'>
  timers: Timers
  paused?: IsPaused | undefined
  fault(during: string, cause: unknown): void
}

/** How long an interrupted agent may take to wait for input again. */
const READY_MS = 20_000
const LOOK_MS = 250

/** Acts on turns that hang: first Escape and a prompt, then a fresh session, then the end of the job. */
export class HungTurns {
  readonly #ports: HungTurnPorts

  constructor(ports: HungTurnPorts) {
    this.#ports = ports
  }

  /** Called every few seconds. */
  async tick(): Promise<void> {
    for (const observed of await this.#ports.observe()) {
      const { session, state } = observed
      if (!session?.pane || !session.project || (state !== 'working' && state !== 'stalled')) continue
      await this.#check(session, session.pane, session.project, observed.activeAt).catch(cause =>
        this.#ports.fault('looking for a hung turn', cause),
      )
    }
  }

  /** The fresh session of hung work knows that it is one. */
  async carryOver(from: SessionId, to: SessionId): Promise<boolean> {
    const known = await this.#read(from)
    if (known?.step !== 'fresh') return false
    await this.#write({ ...known, session: to, at: this.#ports.clock.now() })
    await this.#ports.files.remove(this.#ports.stateDir, nameOf(from))
    return true
  }

  async #check(session: Session, place: string, project: string, activeAt: number): Promise<void> {
    const { clock, config, paused, driverAt } = this.#ports
    const limitMs = (await config(project)).handsoff.hung_sec * 1000
    const now = clock.now()
    if (limitMs === 0 || now - activeAt < limitMs || paused?.({ session: session.id, project })) return
    const driver = driverAt(place)
    const job = driver && (await this.#ports.jobOf(session))
    if (!job || (await this.#ports.isBusy(session.id))) return
    const turn = readTurn(await this.#ports.entries(session.id))
    const found = await this.#read(session.id)
    // Look at the screen itself last: the observation may be some seconds old.
    const isWorking = (await driver.readScreen(place, session.agent)).state === 'working'
    const action = decideHungTurn({ now, limitMs, isWorking, activeAt, turn, known: found })
    if (!action) return
    const fresh = isCurrent(found, turn) ? found.fresh : 0
    const seconds = Math.round((now - activeAt) / 1000)
    const silence = `no output for ${seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} seconds`}, and no tool is running`
    const act = ACTIONS[action]
    // Stored first: a daemon that is killed now does not do it again.
    const next = { session: session.id, step: act.step, at: now, fresh: fresh + (action === 'fresh' ? 1 : 0) }
    await this.#write(next)
    await this.#ports.journal(session, {
      kind: 'health',
      check: 'stall',
      status: action === 'give-up' ? 'critical' : 'warning',
      message: `${job.name}: ${silence}`,
      action: act.words,
    })
    if (action === 'nudge') return this.#nudge(session, place, driver, job.name, silence)
    await driver.interrupt(place, session.agent)
    if (action === 'fresh') {
      try {
        return await this.#ports.handOff(session)
      } catch (cause) {
        this.#ports.fault('handing over a session that hangs', cause)
        await this.#write({ ...next, step: 'given-up' })
      }
    }
    await job.end(`the agent stopped answering: ${silence}, also after Baton interrupted it`)
  }

  async #nudge(
    { id, agent, project = '' }: Session,
    place: string,
    driver: Driver,
    job: string,
    silence: string,
  ): Promise<void> {
    await driver.interrupt(place, agent)
    for (let waited = 0; waited <= READY_MS; waited += LOOK_MS) {
      const { state } = await driver.readScreen(place, agent)
      // A person has come back, or the agent asks something: they continue.
      if (state !== 'waiting' && state !== 'working' && state !== 'unknown') return
      if (state === 'waiting') break
      await new Promise<void>(resolve => this.#ports.timers.after(LOOK_MS, resolve))
    }
    if (this.#ports.paused?.({ session: id, project })) return
    await driver.type(place, nudgeText(job, silence), agent)
  }

  #read(session: SessionId): Promise<HungTurn | undefined> {
    return readJsonFile(this.#ports.files, this.#ports.stateDir, nameOf(session), HungTurn)
  }

  async #write(hung: HungTurn): Promise<void> {
    await this.#ports.files.write(this.#ports.stateDir, nameOf(hung.session), JSON.stringify(hung))
  }
}

const ACTIONS = {
  nudge: { step: 'nudged', words: 'interrupted the turn and told the agent to continue' },
  fresh: { step: 'fresh', words: 'moves the work to a fresh session' },
  'give-up': { step: 'given-up', words: 'interrupted the turn and ended the job' },
} as const

const nudgeText = (job: string, silence: string): string =>
  `This is an automatic prompt from Baton (${job}): your turn hung (${silence}), so Baton interrupted it. Continue where you were interrupted. Do not start over.`

const nameOf = (session: string): string => `hung-turns/${session}.json`
