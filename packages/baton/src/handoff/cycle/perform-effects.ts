import type { Cycle, CycleEntry, Essentials } from '@batonpass/contract/cycle'
import { fingerprintOf } from '../../ask/fingerprint.ts'
import { KeyedQueue } from '../../session/keyed-queue.ts'
import { essentialsOf } from './essentials.ts'
import type { CycleEffect, CycleEvent } from './events.ts'
import type { CyclePorts } from './ports.ts'
import { continuePrompt, requestDocumentPrompt, resumePrompt, stuckCycleQuestion } from './prompts.ts'
import { clearAt, interruptAt, typeAt } from './terminal-actions.ts'

/** How long a person has to decide about a stuck handoff. */
const PERSON_MS = 24 * 60 * 60_000

/** Performs a cycle's effects in the background and reports their outcomes as events. */
export class EffectPerformer {
  readonly #ports: CyclePorts
  readonly #reportEvent: (cycle: Cycle, event: CycleEvent) => void
  readonly #asking = new Map<string, AbortController>()
  readonly #running = new Set<Promise<void>>()
  readonly #queue = new KeyedQueue()

  constructor(ports: CyclePorts, happened: (cycle: Cycle, event: CycleEvent) => void) {
    this.#ports = ports
    this.#reportEvent = happened
  }

  /** Starts performing the effects; their outcomes are reported as events. */
  performEffects(cycle: Cycle, effects: readonly CycleEffect[]): void {
    if (cycle.step !== 'person') this.#stopAsking(cycle)
    const work = this.#performAll(cycle, effects).finally(() => this.#running.delete(work))
    this.#running.add(work)
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async journalCycle(cycle: Cycle, what: CycleEntry['what'], reason?: string): Promise<void> {
    const { journal, fault, clock } = this.#ports
    const { id, step, percent, document, writtenBy, nativeSession, successor } = cycle
    const ended = what === 'completed' || what === 'failed' || what === 'cancelled'
    const entry: CycleEntry = {
      kind: 'cycle',
      what,
      cycle: id,
      step,
      ...(percent === undefined ? {} : { percent }),
      ...(document ? { document } : {}),
      ...(writtenBy ? { writtenBy } : {}),
      from: nativeSession,
      ...(successor ? { to: successor.nativeSession } : {}),
      ...(reason ? { reason } : {}),
      ...(cycle.essentials?.unproven ? { verified: false as const } : {}),
      ...(ended ? { tookMs: Math.max(0, clock.now() - Date.parse(cycle.startedAt)) } : {}),
    }
    await journal(cycle, entry).catch(cause => fault('journaling a cycle', cause))
  }

  notifyUser({ project }: Cycle, text: string): Promise<void> {
    return this.#ports.asks
      .tell({ project, text })
      .catch(cause => this.#ports.fault('notifying about a cycle', cause))
  }

  async readEssentials(project: string, document: string): Promise<Essentials> {
    const read = await this.#ports.read(project, document)
    return essentialsOf(read.document, read.ledger)
  }

  async #performAll(cycle: Cycle, effects: readonly CycleEffect[]): Promise<void> {
    for (const effect of effects) {
      try {
        await this.#perform(cycle, effect)
      } catch (cause) {
        this.#ports.fault(`performing the cycle effect ${effect.do}`, cause)
        this.#reportFailure(cycle, effect, cause)
      }
    }
  }

  async #perform(cycle: Cycle, effect: CycleEffect): Promise<void> {
    const { documents, carryOver, session, clock } = this.#ports
    switch (effect.do) {
      case 'journal':
        if (effect.what === 'failed')
          await this.notifyUser(cycle, `🔔 A handoff in ${cycle.project} failed: ${effect.reason ?? ''}`)
        return
      case 'ask-document': {
        const terminal = this.#terminalOf(cycle)
        if (effect.interrupt && terminal) {
          await this.journalCycle(cycle, 'interrupted', 'the context is nearly full')
          await interruptAt(terminal, cycle)
        }
        return this.#typePrompt(cycle, requestDocumentPrompt(cycle.percent))
      }
      case 'write-document': {
        const known = await session(cycle.session)
        await documents.writeNow({ ...cycle, transcript: known?.transcript }, clock.now())
        // Polling finds the document even if no event reports it.
        return
      }
      case 'clear': {
        const terminal = this.#terminalOf(cycle)
        const why = 'the turn continued after its document was written'
        const onInterrupt = () => this.journalCycle(cycle, 'interrupted', why)
        const outcome = await this.#queue.run(cycle.place, async () =>
          terminal ? clearAt(terminal, cycle, onInterrupt) : 'gone',
        )
        return this.#reportEvent(cycle, { type: 'cleared', outcome })
      }
      case 'resume':
        return this.#typePrompt(cycle, resumePrompt(cycle))
      case 'continue':
        return effect.typed ? this.#typePrompt(cycle, continuePrompt(cycle)) : undefined
      case 'carry-over': {
        const to = await session(cycle.successor?.session ?? '')
        // The handed-off session comes last, because it becomes the parent.
        for (const id of [...cycle.lostSuccessors, cycle.session]) {
          const from = await session(id)
          if (!from || !to || from.id === to.id) continue
          for (const move of carryOver)
            await move(from, to).catch(cause => this.#ports.fault('carrying work over', cause))
        }
        return
      }
      case 'ask-person':
        void this.#askPerson(cycle)
        return
      case 'release-document':
        return documents.release(cycle.project, cycle.place)
      case 'drop-request':
        return documents.drop(cycle)
      case 'ask-again':
        // The reactor that received the answer returns this prompt to the hook.
        return
    }
  }

  /** An effect that throws counts as a failed attempt. */
  #reportFailure(cycle: Cycle, effect: CycleEffect, cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause)
    if (effect.do === 'write-document') this.#reportEvent(cycle, { type: 'unwritten', why })
    if (effect.do === 'clear') this.#reportEvent(cycle, { type: 'cleared', outcome: 'not-taken' })
    if (effect.do === 'ask-document' || effect.do === 'resume' || (effect.do === 'continue' && effect.typed))
      this.#reportEvent(cycle, { type: 'typed', outcome: 'not-taken' })
  }

  async #typePrompt(cycle: Cycle, text: string): Promise<void> {
    const terminal = this.#terminalOf(cycle)
    // Wait for a running clear: the new session may report its start before the clear has finished.
    const outcome = await this.#queue.run(cycle.place, async () =>
      terminal ? typeAt(terminal, cycle, text) : 'gone',
    )
    this.#reportEvent(cycle, { type: 'typed', outcome })
  }

  #terminalOf({ place }: Cycle) {
    const driver = this.#ports.driverAt(place)
    return driver && { driver, timers: this.#ports.timers }
  }

  async #askPerson(cycle: Cycle): Promise<void> {
    this.#stopAsking(cycle)
    const abort = new AbortController()
    this.#asking.set(cycle.id, abort)
    const { session, nativeSession, agent, project, id, asked } = cycle
    const input = { cycle: id, asked }
    try {
      const outcome = await this.#ports.asks.ask(
        {
          kind: 'confirm',
          ...stuckCycleQuestion(cycle),
          facts: { session, nativeSession, agent, project },
          key: `cycle ${id} ${asked}`,
          fingerprint: fingerprintOf({ session, tool: 'handoff cycle', input, cwd: project }),
        },
        { signal: abort.signal, withinMs: PERSON_MS, unreached: 'wait' },
      )
      if (outcome.result === 'answered')
        this.#reportEvent(cycle, { type: 'decided', yes: outcome.option === 'yes' })
      if (outcome.result === 'timed-out')
        this.#reportEvent(cycle, { type: 'cancel', why: 'no one answered in time' })
    } catch (cause) {
      if (!abort.signal.aborted) this.#ports.fault('asking about a cycle', cause)
    }
  }

  #stopAsking({ id }: Cycle): void {
    this.#asking.get(id)?.abort()
    this.#asking.delete(id)
  }
}
