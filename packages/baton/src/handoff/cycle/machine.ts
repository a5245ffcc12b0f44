import type { Cycle, CycleEntry, CycleStep, Essentials } from '@batonpass/contract/cycle'
import type { EventId, SessionId } from '@batonpass/contract/ids'
import type { Typed } from '../../ports/driver.ts'

/** What a cycle hears. Times are counted in milliseconds that passed while a daemon ran: a clock that jumps changes nothing. */
export type CycleEvent =
  /** A good moment: at a stop the agent is asked by its hook, else by typing; `force` interrupts its turn first. */
  | { type: 'moment'; by: 'stop' | 'idle' | 'force' }
  /** What came of the last thing that was typed. */
  | { type: 'typed'; outcome: Typed }
  | { type: 'cleared'; outcome: Typed }
  /** The agent has begun with what was asked of it. */
  | { type: 'begun' }
  /** A person typed something else. */
  | { type: 'interfered' }
  | { type: 'written'; document: string; writtenBy: 'agent' | 'baton'; essentials: Essentials }
  | { type: 'unwritten'; why: string }
  | { type: 'successor'; session: SessionId; nativeSession: string }
  | { type: 'answered'; wrong: readonly string[]; by: EventId }
  /** The old session ended, or there is nothing at the place any more. */
  | { type: 'lost'; why: string }
  | { type: 'time'; ms: number }
  | { type: 'decided'; yes: boolean }
  | { type: 'cancel'; why: string; again?: boolean }
  /** A new daemon takes it up. */
  | { type: 'restart' }

/** What is to be done. Everything may be done twice without harm. */
export type CycleEffect =
  | { do: 'ask-document'; interrupt: boolean }
  | { do: 'write-document' }
  | { do: 'clear' }
  | { do: 'carry-over' }
  | { do: 'resume' }
  | { do: 'ask-again'; wrong: readonly string[] }
  | { do: 'go-on'; typed: boolean }
  | { do: 'ask-person' }
  /** The document waits for whoever begins in the project next, not only at this place. */
  | { do: 'release-document' }
  | { do: 'drop-request' }
  | { do: 'tell'; what: CycleEntry['what']; reason?: string }

export interface Limits {
  documentMs: number
  answerMs: number
}

export interface CycleChange {
  cycle: Cycle
  effects: CycleEffect[]
}

/** A prompt given at a stop that nothing came of for so long was lost: then it is typed. */
const UNHEARD_MS = 20_000
/** How long a cleared session may take to report its new beginning. */
const CLEAR_MS = 15_000
/** Longer than any act on a terminal takes: what came of it was lost, on a full disk for instance. */
const WORD_MS = 120_000
/** What a hook has to tell a new daemon comes within this. */
const RESTART_MS = 3000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
const DISK_PAUSE_MS = 60_000
/** After so many failed attempts of one step something else has to happen. */
const MOST_TRIES = 2
const MOST_NUDGES = 3
/** So long is a person's hold on the terminal worth no line in the journal. */
const BUSY_WORTH_TELLING = 5

const ENDED: ReadonlySet<CycleStep> = new Set(['done', 'cancelled', 'failed'])
export const hasEnded = ({ step }: Pick<Cycle, 'step'>): boolean => ENDED.has(step)

/** One step of a cycle. Pure and total: in every step every event has an answer, and most change nothing. */
export function advance(cycle: Cycle, event: CycleEvent, limits: Limits): CycleChange {
  if (hasEnded(cycle)) return same(cycle)
  switch (event.type) {
    case 'cancel':
      return end({ ...cycle, again: event.again === true }, 'cancelled', event.why)
    case 'time':
      return passTime(cycle, event.ms, limits)
    case 'restart':
      return restart(cycle)
    case 'lost':
      return lose(cycle, event.why)
    default:
      return STEPS[cycle.step]?.(cycle, event) ?? same(cycle)
  }
}

type OwnEvent = Exclude<CycleEvent, { type: 'cancel' | 'time' | 'restart' | 'lost' }>
type Step = (cycle: Cycle, event: OwnEvent) => CycleChange | undefined

const STEPS: Partial<Record<CycleStep, Step>> = {
  due(cycle, event) {
    if (event.type === 'successor') return end(cycle, 'cancelled', 'a person cleared the context')
    if (event.type !== 'moment') return undefined
    const { by } = event
    const asked = enter(cycle, 'writing', [tell('asked')], { sent: true })
    if (by === 'stop') return asked
    return { ...asked, effects: [{ do: 'ask-document', interrupt: by === 'force' }, ...asked.effects] }
  },

  writing(cycle, event) {
    switch (event.type) {
      case 'typed':
        if (event.outcome === 'taken') return change(cycle, { taken: true, busy: 0 })
        if (event.outcome === 'busy') return putOff(cycle)
        if (event.outcome === 'gone') return lose(cycle, GONE)
        return documentFailed(cycle, 'the terminal did not take the prompt')
      case 'begun':
        return cycle.taken ? undefined : change(cycle, { taken: true })
      case 'interfered':
        return enter(cycle, 'due', [{ do: 'drop-request' }, tell('postponed', INTERFERED)], {
          pauseMs: LONGEST_PAUSE_MS,
        })
      case 'written': {
        const { document, writtenBy, essentials } = event
        const known = { ...cycle, document, writtenBy, essentials }
        if (cycle.lost) return abandon(known, cycle.why ?? GONE, [tell('written')])
        return enter(known, 'clearing', [tell('written'), { do: 'clear' }], { sent: true })
      }
      case 'unwritten':
        if (cycle.tries + 1 < MOST_TRIES)
          return change(cycle, { tries: cycle.tries + 1, pauseMs: DISK_PAUSE_MS, sent: false, waitedMs: 0 })
        return needPerson(cycle, event.why)
      case 'successor':
        return end(cycle, 'cancelled', 'a person cleared the context')
      default:
        return undefined
    }
  },

  clearing(cycle, event) {
    switch (event.type) {
      case 'cleared':
        if (event.outcome === 'taken') return change(cycle, { taken: true, busy: 0, waitedMs: 0 })
        if (event.outcome === 'busy') return putOff(cycle)
        if (event.outcome === 'gone') return lose(cycle, GONE)
        return clearFailed(cycle, 'the terminal did not take /clear')
      case 'successor':
        return succeed(cycle, event)
      case 'interfered':
        // Somebody works on in the old session: the document is out of date.
        return enter(cycle, 'due', [{ do: 'drop-request' }, tell('postponed', INTERFERED)], {
          pauseMs: LONGEST_PAUSE_MS,
        })
      default:
        return undefined
    }
  },

  resuming(cycle, event) {
    switch (event.type) {
      case 'typed':
        if (event.outcome === 'taken') return enter(cycle, 'verifying', [tell('resumed')])
        if (event.outcome === 'busy') return putOff(cycle)
        if (event.outcome === 'gone') return lose(cycle, GONE)
        return resumeFailed(cycle, 'the terminal did not take the prompt')
      case 'begun':
        return enter(cycle, 'verifying', [tell('resumed')], { taken: true })
      case 'interfered':
        return finish(cycle, TAKEN_OVER)
      // The answer may be heard before the terminal has said that it took the prompt.
      case 'answered':
        return answered(cycle, event.wrong, event.by)
      default:
        return undefined
    }
  },

  verifying(cycle, event) {
    switch (event.type) {
      case 'begun':
        return cycle.taken ? undefined : change(cycle, { taken: true })
      case 'typed':
        if (event.outcome === 'busy') return putOff(cycle)
        return event.outcome === 'gone' ? lose(cycle, GONE) : change(cycle, { busy: 0 })
      case 'answered':
        return answered(cycle, event.wrong, event.by)
      case 'interfered':
        return finish(cycle, TAKEN_OVER)
      default:
        return undefined
    }
  },

  continuing(cycle, event) {
    switch (event.type) {
      case 'begun':
      case 'interfered':
        return finish(cycle)
      case 'typed':
        if (event.outcome === 'taken') return finish(cycle)
        if (event.outcome === 'busy') return putOff(cycle)
        if (event.outcome === 'gone') return lose(cycle, GONE)
        return change(cycle, { sent: false })
      default:
        return undefined
    }
  },

  person(cycle, event) {
    // What Baton could not do, a person did.
    if (event.type === 'successor' && cycle.stuckAt === 'clearing') return succeed(cycle, event)
    if (event.type === 'written' && cycle.stuckAt === 'writing')
      return STEPS.writing?.({ ...cycle, step: 'writing' }, event)
    if (event.type === 'answered' && event.wrong.length === 0) return answered(cycle, [], event.by)
    if (event.type !== 'decided') return undefined
    if (!event.yes) return end(cycle, 'cancelled', `${cycle.why ?? ''}; a person said no`)
    const decided = tell('decided', 'a person said yes')
    switch (cycle.stuckAt) {
      case 'writing':
        return enter(cycle, 'writing', [decided, { do: 'write-document' }], { sent: true })
      case 'clearing':
        return enter(cycle, 'clearing', [decided, { do: 'clear' }], { sent: true })
      case 'resuming':
        return enter(cycle, 'resuming', [decided, { do: 'resume' }], { sent: true })
      default:
        // It answered wrongly twice, and the person lets it go on all the same.
        return enter(cycle, 'continuing', [decided, { do: 'go-on', typed: true }], { sent: true })
    }
  },
}

const GONE = 'its terminal is gone'
const NO_WORD = 'nothing was heard of the terminal'
const INTERFERED = 'a person works in the session'
const TAKEN_OVER = 'a person took the new session over'

function passTime(cycle: Cycle, ms: number, { documentMs, answerMs }: Limits): CycleChange {
  const pauseMs = Math.max(0, cycle.pauseMs - ms)
  const waitedMs = cycle.waitedMs + ms
  const later = { ...cycle, pauseMs, waitedMs }
  // Only time went by: nothing worth keeping.
  const quiet: CycleChange = { cycle: later, effects: [] }
  if (pauseMs > 0) return quiet
  switch (cycle.step) {
    case 'writing':
      if (!cycle.sent) return change(later, { sent: true }, [writeOrAsk(later)])
      if (waitedMs >= documentMs) return documentFailed(later, 'no document came in time')
      if (unheard(later, ms)) return change(later, {}, [{ do: 'ask-document', interrupt: false }])
      return quiet
    case 'clearing':
      if (!cycle.sent) return change(later, { sent: true, waitedMs: 0 }, [{ do: 'clear' }])
      if (cycle.taken && waitedMs >= CLEAR_MS)
        return clearFailed(later, '/clear was taken, but no new session began')
      return waitedMs >= WORD_MS ? clearFailed(later, NO_WORD) : quiet
    case 'resuming':
      if (!cycle.sent) return change(later, { sent: true, waitedMs: 0 }, [{ do: 'resume' }])
      return waitedMs >= WORD_MS ? resumeFailed(later, NO_WORD) : quiet
    case 'verifying':
      if (cycle.busy > 0) return change(later, { busy: 0 }, [{ do: 'resume' }])
      return waitedMs >= answerMs ? resumeFailed(later, 'the new session did not answer in time') : quiet
    case 'continuing':
      if (waitedMs < UNHEARD_MS && cycle.sent) return quiet
      if (cycle.tries >= MOST_NUDGES)
        return finish(later, 'it was told to go on, but nothing was heard since')
      return change(later, { tries: cycle.tries + 1, waitedMs: 0, sent: true }, [
        { do: 'go-on', typed: true },
      ])
    default:
      return quiet
  }
}

/** The prompt was given once, long enough ago, and nothing shows that it arrived. */
const unheard = ({ taken, lost, tries, waitedMs }: Cycle, ms: number): boolean =>
  !taken && !lost && tries < MOST_TRIES && waitedMs >= UNHEARD_MS && waitedMs - ms < UNHEARD_MS

/** What was on its way to the agent when the daemon ended is sent again, unless a hook tells meanwhile that it arrived. */
function restart(cycle: Cycle): CycleChange {
  const again = { sent: false, pauseMs: Math.max(cycle.pauseMs, RESTART_MS), waitedMs: 0 }
  const effects: CycleEffect[] = [
    tell('taken-up', 'a new daemon goes on with it'),
    // It may have ended before everything had moved.
    ...(cycle.successor ? [{ do: 'carry-over' } as const] : []),
  ]
  switch (cycle.step) {
    case 'writing':
      // Baton's own document was under way, or the agent's.
      return change(cycle, cycle.lost || cycle.tries >= MOST_TRIES ? again : { waitedMs: 0 }, effects)
    case 'clearing':
    case 'resuming':
    case 'continuing':
      return change(cycle, { ...again, taken: false }, effects)
    case 'verifying':
      return change(cycle, { waitedMs: 0 }, effects)
    case 'person':
      return change(cycle, {}, [...effects, { do: 'ask-person' }])
    default:
      return same(cycle)
  }
}

function lose(cycle: Cycle, why: string): CycleChange {
  switch (cycle.step) {
    case 'due':
      return enter({ ...cycle, lost: true, why }, 'writing', [{ do: 'write-document' }], { sent: true })
    case 'writing':
      return cycle.lost
        ? same(cycle)
        : change({ ...cycle, lost: true, why }, { sent: true, pauseMs: 0 }, [{ do: 'write-document' }])
    case 'person':
      return same(cycle)
    default:
      return abandon(cycle, why, [])
  }
}

/** Nothing is left to act on; the document is. */
function abandon(cycle: Cycle, why: string, before: CycleEffect[]): CycleChange {
  const ended = end(cycle, 'failed', why)
  return { ...ended, effects: [...before, { do: 'release-document' }, ...ended.effects] }
}

const writeOrAsk = ({ lost, tries }: Cycle): CycleEffect =>
  lost || tries >= MOST_TRIES ? { do: 'write-document' } : { do: 'ask-document', interrupt: false }

function documentFailed(cycle: Cycle, why: string): CycleChange {
  const tries = cycle.tries + 1
  const again = { tries, waitedMs: 0, taken: false, sent: true }
  return change(cycle, again, [tell('retried', why), writeOrAsk({ ...cycle, tries })])
}

function clearFailed(cycle: Cycle, why: string): CycleChange {
  const tries = cycle.tries + 1
  if (tries >= MOST_TRIES) return needPerson({ ...cycle, tries }, why)
  return change(cycle, { tries, waitedMs: 0, taken: false, sent: true }, [
    tell('retried', why),
    { do: 'clear' },
  ])
}

function resumeFailed(cycle: Cycle, why: string): CycleChange {
  const tries = cycle.tries + 1
  if (tries >= MOST_TRIES) return needPerson({ ...cycle, tries }, why)
  return change(cycle, { tries, waitedMs: 0, taken: false, sent: true }, [
    tell('retried', why),
    { do: 'resume' },
  ])
}

function succeed(cycle: Cycle, { session, nativeSession }: { session: SessionId; nativeSession: string }) {
  const known: Cycle = { ...cycle, successor: { session, nativeSession } }
  const { stuckAt, why, ...rest } = known
  return enter(rest, 'resuming', [{ do: 'carry-over' }, tell('cleared'), { do: 'resume' }], { sent: true })
}

function answered(before: Cycle, wrong: readonly string[], by: EventId): CycleChange {
  const cycle: Cycle = { ...before, heard: by }
  if (wrong.length === 0)
    return enter(cycle, 'continuing', [tell('verified'), { do: 'go-on', typed: false }], { sent: true })
  const tries = cycle.step === 'verifying' ? cycle.tries + 1 : 1
  const refused = tell('refused', wrong.join('; '))
  if (tries >= MOST_TRIES)
    return needPerson(
      { ...cycle, step: 'verifying', tries },
      `the new session does not have the essentials: ${wrong.join('; ')}`,
      [refused],
    )
  return change({ ...cycle, step: 'verifying' }, { tries, waitedMs: 0, taken: false }, [
    refused,
    { do: 'ask-again', wrong },
  ])
}

function needPerson(cycle: Cycle, why: string, before: CycleEffect[] = []): CycleChange {
  const stuck: Cycle = { ...cycle, stuckAt: cycle.step, why, asked: cycle.asked + 1 }
  return enter(stuck, 'person', [...before, tell('person', why), { do: 'ask-person' }])
}

/** The terminal is in use: each time a little later, without end and without counting as a failure. */
function putOff(cycle: Cycle): CycleChange {
  const busy = cycle.busy + 1
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(cycle.busy, 10), LONGEST_PAUSE_MS)
  const told = busy === BUSY_WORTH_TELLING ? [tell('waits', 'the terminal is in use')] : []
  return change(cycle, { busy, pauseMs, sent: false }, told)
}

const finish = (cycle: Cycle, why?: string): CycleChange => end(cycle, 'done', why)

function end(cycle: Cycle, step: 'done' | 'cancelled' | 'failed', why: string | undefined): CycleChange {
  const what = step === 'done' ? 'completed' : step
  const left: CycleEffect[] = cycle.step === 'writing' && step === 'cancelled' ? [{ do: 'drop-request' }] : []
  return enter({ ...cycle, ...(why ? { why } : {}) }, step, [...left, tell(what, why)])
}

const BLANK = { tries: 0, waitedMs: 0, pauseMs: 0, busy: 0, sent: false, taken: false } as const

function enter(
  cycle: Cycle,
  step: CycleStep,
  effects: CycleEffect[],
  more: Partial<Cycle> = {},
): CycleChange {
  return { cycle: { ...cycle, ...BLANK, ...more, step, version: cycle.version + 1 }, effects }
}

/** A change inside a step. */
function change(cycle: Cycle, changes: Partial<Cycle>, effects: CycleEffect[] = []): CycleChange {
  return { cycle: { ...cycle, ...changes, version: cycle.version + 1 }, effects }
}

const same = (cycle: Cycle): CycleChange => ({ cycle, effects: [] })

function tell(what: CycleEntry['what'], reason?: string): CycleEffect {
  return { do: 'tell', what, ...(reason ? { reason } : {}) }
}
