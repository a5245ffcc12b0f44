import type { AgentName } from '@batonpass/contract/event'
import type { Session } from '@batonpass/contract/session'
import type { Driver, TypeResult } from '../../ports/driver.ts'
import { openingPrompt } from '../packs/paw/opening-prompt.ts'
import type { StagePorts } from './ports.ts'
import type { DueStage } from './stage-memory.ts'

/** How long the agent may take to be ready for its next prompt, and the new session to report its start. */
const READY_MS = 60_000
const FRESH_MS = 15_000
const LOOK_MS = 250
/** A stage whose session does not report within this time has failed to start. */
const REPORT_TIMEOUT_MS = 120_000
const MAX_ATTEMPTS = 3

const keyOf = ({ project, workId }: Pick<DueStage, 'project' | 'workId'>): string => `${project}\0${workId}`

/** Starts the next stage: in the same terminal, in a new one, or by asking a person to. */
export class StageStarter {
  readonly #ports: StagePorts
  readonly #starting = new Set<string>()
  readonly #onSessionStart = new Map<string, () => void>()

  constructor(ports: StagePorts) {
    this.#ports = ports
  }

  /** Whether Baton can start a stage without a person. */
  async canBegin(from: Session | undefined): Promise<boolean> {
    return this.#ports.start !== undefined || this.#reachable(from) !== undefined
  }

  /** Starts a due stage. Never rejects: resolves with the reason if the stage did not start. */
  begin(pass: DueStage): Promise<string | undefined> {
    const key = keyOf(pass)
    // A due stage of a paused project stays due: the tick after the pause starts it.
    if (this.#starting.has(key) || this.#isPaused(pass)) return Promise.resolve(undefined)
    this.#starting.add(key)
    return this.#startStage(pass)
      .catch(async cause => {
        this.#ports.fault('starting a stage', cause)
        const why = cause instanceof Error ? cause.message : String(cause)
        await this.#fail(pass, why)
        return why
      })
      .catch(cause => {
        this.#ports.fault('starting a stage', cause)
        return cause instanceof Error ? cause.message : String(cause)
      })
      .finally(() => this.#starting.delete(key))
  }

  /** Resumes what a killed daemon left unfinished, and fails stages that never reported. */
  async tick(): Promise<void> {
    const { memory, now } = this.#ports
    for (const { project, workId } of await memory.passes()) {
      // Read it again: the stages before it in the list may have taken a while.
      const pass = await memory.pass(project, workId)
      if (!pass || this.#starting.has(keyOf(pass))) continue
      if (this.#isPaused(pass)) continue
      if (pass.state === 'due') void this.begin(pass)
      else if (pass.state === 'begun' && now() - pass.at > REPORT_TIMEOUT_MS)
        await this.#fail(pass, 'the new session did not report')
      else if (pass.state === 'called' && now() - pass.at > 24 * 3_600_000) await memory.drop(pass)
    }
  }

  #isPaused({ project, from }: DueStage): boolean {
    return this.#ports.paused?.({ project, session: from }) ?? false
  }

  /** A session started at a place: the stage that cleared it can now type its prompt. */
  sessionStarted(place: string | undefined): void {
    if (place !== undefined) this.#onSessionStart.get(place)?.()
  }

  #reachable(session: Session | undefined): { place: string; driver: Driver } | undefined {
    const place = session?.pane
    if (place === undefined || session?.endedAt !== undefined) return undefined
    const driver = this.#ports.driverAt(place)
    return driver && { place, driver }
  }

  /** Why Baton cannot start an agent for a stage after this session, as far as that is known beforehand. */
  obstacle(from: Session | undefined): string | undefined {
    return this.#reachable(from)
      ? undefined
      : this.#ports.obstacle?.(from?.agent ?? 'claude-code', from?.pane)
  }

  async #startStage(pass: DueStage): Promise<string | undefined> {
    const { memory, session: find, now } = this.#ports
    const from = pass.from && (await find(pass.from))
    const prompt = openingPrompt(pass)
    const spot = this.#reachable(from)
    if (from) await this.#writeHandoff(from, pass, spot?.place)
    if (spot && from) {
      await memory.keep({ ...pass, state: 'begun', place: spot.place, at: now() })
      const typed = await this.#startInPlace(pass, spot, from.agent, prompt)
      if (typed === 'taken') {
        await this.#journal(pass, from, 'passed', `at ${spot.place}`)
        return undefined
      }
      if (typed !== 'gone') {
        await this.#retry(pass, `Baton could not type the prompt (${typed})`)
        return undefined
      }
    }
    if (!this.#ports.start) {
      const command = this.#ports.commandFor(from?.agent ?? 'claude-code', pass.project, prompt)
      const why = `Baton has no terminal to start it in. Run: ${command}`
      await this.#fail(pass, why)
      return why
    }
    await memory.keep({ ...pass, state: 'begun', at: now() })
    const { place, attach } = await this.#ports.start({
      agent: from?.agent ?? 'claude-code',
      project: pass.project,
      title: `baton-${pass.workId.slice(0, 30)}-${pass.stage}${pass.phase ? `-${pass.phase}` : ''}-${now().toString(36).slice(-4)}`,
      prompt,
      nextTo: from?.pane,
    })
    if (!(await this.#hasReported(pass))) await memory.keep({ ...pass, state: 'begun', place, at: now() })
    await this.#journal(pass, from, 'passed', attach)
    await this.#ports.announce(pass.project, `▶ ${pass.workId}: ${pass.target} has started. ${attach}`)
    return undefined
  }

  /** Writes a handoff document. It is optional: the files of the work item contain everything the stage needs. */
  async #writeHandoff(
    from: Session,
    { target, instruction }: DueStage,
    place: string | undefined,
  ): Promise<void> {
    const focus = instruction ? `${target}: ${instruction}` : target
    await this.#ports.handOff?.(from, { stage: target, focus, place }).catch(cause => {
      this.#ports.fault('writing the handoff of a stage', cause)
    })
  }

  /** Clears the conversation at the same place and types the prompt into the new one. */
  async #startInPlace(
    pass: DueStage,
    { place, driver }: { place: string; driver: Driver },
    agent: AgentName,
    prompt: string,
  ): Promise<TypeResult> {
    const ready = await this.#waitUntilReady(driver, place, agent)
    if (ready !== 'taken') return ready
    if (this.#isPaused(pass)) return 'busy'
    const started = new Promise<void>(resolve => this.#onSessionStart.set(place, resolve))
    try {
      const cleared = await driver.clear(place, agent)
      if (cleared !== 'taken') return cleared
      if (!driver.startsWithPrompt?.(agent)) await Promise.race([started, this.#pause(FRESH_MS)])
    } finally {
      this.#onSessionStart.delete(place)
    }
    const free = await this.#waitUntilReady(driver, place, agent)
    return free === 'taken' ? driver.type(place, prompt, agent) : free
  }

  async #waitUntilReady(driver: Driver, place: string, agent: AgentName): Promise<TypeResult> {
    for (let waited = 0; waited <= READY_MS; waited += LOOK_MS) {
      const { state } = await driver.readScreen(place, agent)
      if (state === 'waiting') return 'taken'
      if (state === 'gone' || state === 'dead') return 'gone'
      await this.#pause(LOOK_MS)
    }
    return 'busy'
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => this.#ports.timers.after(ms, resolve))
  }

  /** Whether the new session has sent the prompt of the stage meanwhile: then the stage is no longer due. */
  async #hasReported({ project, workId }: DueStage): Promise<boolean> {
    return (await this.#ports.memory.pass(project, workId)) === undefined
  }

  async #retry(pass: DueStage, why: string): Promise<void> {
    if (await this.#hasReported(pass)) return
    const tries = this.#isPaused(pass) ? pass.tries : pass.tries + 1
    if (tries >= MAX_ATTEMPTS) return this.#fail(pass, why)
    await this.#ports.memory.keep({ ...pass, state: 'due', tries, at: this.#ports.now() })
  }

  async #fail(pass: DueStage, why: string): Promise<void> {
    const from = pass.from && (await this.#ports.session(pass.from))
    await this.#ports.memory.drop(pass)
    await this.#journal(pass, from, 'failed', why)
    const command = this.#ports.commandFor(from?.agent ?? 'claude-code', pass.project, openingPrompt(pass))
    await this.#ports.announce(
      pass.project,
      `🔔 ${pass.workId}: ${pass.target} did not start: ${why}${why.includes('Run: ') ? '' : `\nStart it yourself: ${command}`}`,
    )
  }

  async #journal(
    pass: DueStage,
    session: Session | undefined,
    what: 'passed' | 'failed',
    detail: string,
  ): Promise<void> {
    const { project, workId, stage, phase, target } = pass
    await this.#ports.journal(
      { project, session },
      { kind: 'stage', what, workId, stage, agent: target, detail, ...(phase ? { phase } : {}) },
    )
  }
}
