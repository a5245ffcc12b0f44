import type { AgentName } from '@batonpass/contract/event'
import type { Session } from '@batonpass/contract/session'
import type { Driver, TypeResult } from '../../ports/driver.ts'
import { openingPrompt } from '../packs/paw/opening-prompt.ts'
import type { StagePorts } from './ports.ts'
import type { DueStage } from './stage-memory.ts'

/** How long the agent may take to be ready for its next prompt, and the new session to report. */
const READY_MS = 60_000
const FRESH_MS = 15_000
const LOOK_MS = 250
/** A pass that was not heard of for so long after it began has failed. */
const HEARD_MS = 120_000
const MAX_TRIES = 3

const keyOf = ({ project, workId }: Pick<DueStage, 'project' | 'workId'>): string => `${project}\0${workId}`

/** Brings a stage to its fresh session: at the same place, at a new one, or into a person's hands. */
export class StageStarter {
  readonly #ports: StagePorts
  readonly #under = new Set<string>()
  readonly #fresh = new Map<string, () => void>()

  constructor(ports: StagePorts) {
    this.#ports = ports
  }

  /** Whether a stage can go on without a person who starts it. */
  async canBegin(from: Session | undefined): Promise<boolean> {
    return this.#ports.start !== undefined || this.#reachable(from) !== undefined
  }

  /** What is due begins now, in the background; nothing waits for it. */
  begin(pass: DueStage): void {
    const key = keyOf(pass)
    if (this.#under.has(key)) return
    this.#under.add(key)
    void this.#carryOut(pass)
      .catch(async cause => {
        this.#ports.fault('beginning a stage', cause)
        await this.#failed(pass, cause instanceof Error ? cause.message : String(cause))
      })
      .catch(cause => this.#ports.fault('beginning a stage', cause))
      .finally(() => this.#under.delete(key))
  }

  /** Takes up what a daemon that was killed left behind, and gives up on what nobody heard of. */
  async tick(): Promise<void> {
    const { memory, now } = this.#ports
    for (const { project, workId } of await memory.passes()) {
      // Read again: what came before it in the list may have taken long.
      const pass = await memory.pass(project, workId)
      if (!pass || this.#under.has(keyOf(pass))) continue
      if (pass.state === 'due') this.begin(pass)
      else if (pass.state === 'begun' && now() - pass.at > HEARD_MS)
        await this.#failed(pass, 'the fresh session did not report')
      else if (pass.state === 'called' && now() - pass.at > 24 * 3_600_000) await memory.drop(pass)
    }
  }

  /** A session began at a place: who cleared it may type now. */
  sessionStarted(place: string | undefined): void {
    if (place !== undefined) this.#fresh.get(place)?.()
  }

  #reachable(session: Session | undefined): { place: string; driver: Driver } | undefined {
    const place = session?.pane
    if (place === undefined || session?.endedAt !== undefined) return undefined
    const driver = this.#ports.driverAt(place)
    return driver && { place, driver }
  }

  async #carryOut(pass: DueStage): Promise<void> {
    const { memory, session: find, now } = this.#ports
    const from = pass.from && (await find(pass.from))
    const prompt = openingPrompt(pass)
    const spot = this.#reachable(from)
    if (from) await this.#document(from, pass, spot?.place)
    if (spot && from) {
      await memory.keep({ ...pass, state: 'begun', place: spot.place, at: now() })
      const typed = await this.#afresh(spot.driver, spot.place, from.agent, prompt)
      if (typed === 'taken') return this.#said(pass, from, 'passed', `at ${spot.place}`)
      if (typed !== 'gone') return this.#again(pass, `the prompt could not be typed (${typed})`)
    }
    if (!this.#ports.start) {
      const command = this.#ports.commandFor(from?.agent ?? 'claude-code', pass.project, prompt)
      return this.#failed(pass, `there is no place to begin it. Run: ${command}`)
    }
    await memory.keep({ ...pass, state: 'begun', at: now() })
    const { place, attach } = await this.#ports.start({
      agent: from?.agent ?? 'claude-code',
      project: pass.project,
      title: `baton-${pass.workId.slice(0, 30)}-${pass.stage}${pass.phase ? `-${pass.phase}` : ''}-${now().toString(36).slice(-4)}`,
      prompt,
      beside: from?.pane,
    })
    await memory.keep({ ...pass, state: 'begun', place, at: now() })
    await this.#said(pass, from, 'passed', attach)
    await this.#ports.announce(pass.project, `▶ ${pass.workId}: ${pass.target} has begun. ${attach}`)
  }

  /** A handoff document is a help and no condition: without one the files of the work item still say everything. */
  async #document(
    from: Session,
    { target, instruction }: DueStage,
    place: string | undefined,
  ): Promise<void> {
    const focus = instruction ? `${target}: ${instruction}` : target
    await this.#ports.handOff?.(from, { stage: target, focus, place }).catch(cause => {
      this.#ports.fault('writing the handoff of a stage', cause)
    })
  }

  /** A fresh conversation at the same place, and the prompt into it. */
  async #afresh(driver: Driver, place: string, agent: AgentName, prompt: string): Promise<TypeResult> {
    const ready = await this.#waits(driver, place, agent)
    if (ready !== 'taken') return ready
    const started = new Promise<void>(resolve => this.#fresh.set(place, resolve))
    try {
      const cleared = await driver.clear(place, agent)
      if (cleared !== 'taken') return cleared
      if (!driver.startsWithPrompt?.(agent)) await Promise.race([started, this.#pause(FRESH_MS)])
    } finally {
      this.#fresh.delete(place)
    }
    const free = await this.#waits(driver, place, agent)
    return free === 'taken' ? driver.type(place, prompt, agent) : free
  }

  async #waits(driver: Driver, place: string, agent: AgentName): Promise<TypeResult> {
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

  async #again(pass: DueStage, why: string): Promise<void> {
    const tries = pass.tries + 1
    if (tries >= MAX_TRIES) return this.#failed(pass, why)
    await this.#ports.memory.keep({ ...pass, state: 'due', tries, at: this.#ports.now() })
  }

  async #failed(pass: DueStage, why: string): Promise<void> {
    const from = pass.from && (await this.#ports.session(pass.from))
    await this.#ports.memory.drop(pass)
    await this.#said(pass, from, 'failed', why)
    const command = this.#ports.commandFor(from?.agent ?? 'claude-code', pass.project, openingPrompt(pass))
    await this.#ports.announce(
      pass.project,
      `🔔 ${pass.workId}: ${pass.target} did not begin: ${why}${why.includes('Run: ') ? '' : `\nBegin it yourself: ${command}`}`,
    )
  }

  async #said(
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
