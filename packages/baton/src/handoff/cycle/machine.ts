import type { Cycle, CycleStep } from '@batonpass/contract/cycle'
import type { EventId, SessionId } from '@batonpass/contract/ids'
import type { CycleChange, CycleEffect, CycleEvent, Limits } from './events.ts'
import { passTime, restart } from './timeouts.ts'
import {
  abandon,
  change,
  clearFailed,
  documentFailed,
  end,
  enter,
  finish,
  lose,
  MAX_PAUSE_MS,
  MAX_TRIES,
  needPerson,
  putOff,
  resumeFailed,
  same,
  tell,
} from './transitions.ts'

const DISK_PAUSE_MS = 60_000

const ENDED: ReadonlySet<CycleStep> = new Set(['done', 'cancelled', 'failed'])
export const hasEnded = ({ step }: Pick<Cycle, 'step'>): boolean => ENDED.has(step)

/** Advances a cycle by one event. Pure and total: every step handles every event, most by changing nothing. */
export function advance(cycle: Cycle, event: CycleEvent, limits: Limits): CycleChange {
  if (hasEnded(cycle)) return same(cycle)
  switch (event.type) {
    case 'cancel':
      return end({ ...cycle, again: event.again === true }, 'cancelled', event.why)
    case 'time':
      return passTime(cycle, event.ms, limits)
    case 'restart':
      return restart(cycle, event.cut === true)
    case 'replaced':
      return replace(cycle, event)
    case 'lost':
      return lose(cycle, event.why)
    default:
      return STEPS[cycle.step]?.(cycle, event) ?? same(cycle)
  }
}

type OwnEvent = Exclude<CycleEvent, { type: 'cancel' | 'time' | 'restart' | 'replaced' | 'lost' }>
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
          pauseMs: MAX_PAUSE_MS,
        })
      case 'written': {
        const { document, writtenBy, essentials } = event
        const known = { ...cycle, document, writtenBy, essentials }
        // The new session has already started and waits.
        if (cycle.successor) return succeed(known, cycle.successor, [tell('written')])
        if (cycle.lost) return abandon(known, cycle.why ?? GONE, [tell('written')])
        return enter(known, 'clearing', [tell('written'), { do: 'clear' }], { sent: true })
      }
      case 'unwritten':
        if (cycle.tries + 1 < MAX_TRIES)
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
        if (event.outcome === 'taken')
          return change(cycle, { taken: true, busy: 0, waitedMs: 0, sent: true }, firstPrompt(cycle))
        if (event.outcome === 'busy') return cycle.taken ? undefined : putOff(cycle)
        if (event.outcome === 'gone') return lose(cycle, GONE)
        return clearFailed(cycle, 'the terminal did not take /clear')
      case 'typed':
        // The outcome of the first prompt in the new session; otherwise a late report about the prompt for the document.
        if (!cycle.startsWithPrompt || !cycle.taken) return undefined
        if (event.outcome === 'taken') return change(cycle, { busy: 0, waitedMs: 0 })
        if (event.outcome === 'busy') return putOff(cycle)
        if (event.outcome === 'gone') return lose(cycle, GONE)
        return clearFailed(cycle, 'the terminal did not take the prompt')
      case 'successor':
        return succeed(cycle, event)
      case 'interfered':
        // A person is working in the old session, so the document is out of date.
        return enter(cycle, 'due', [{ do: 'drop-request' }, tell('postponed', INTERFERED)], {
          pauseMs: MAX_PAUSE_MS,
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
      // The answer may arrive before the terminal reports that it took the prompt.
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
    // A person did what Baton could not do.
    if (event.type === 'successor' && cycle.stuckAt === 'clearing') return succeed(cycle, event)
    if (event.type === 'written' && cycle.stuckAt === 'writing')
      return STEPS.writing?.({ ...cycle, step: 'writing' }, event)
    // Only the new session can show that it has the essentials.
    if (event.type === 'answered' && event.wrong.length === 0 && cycle.successor)
      return answered(cycle, [], event.by)
    if (event.type !== 'decided') return undefined
    if (!event.yes) return end(cycle, 'cancelled', `${cycle.why ?? ''}; a person answered no`)
    const decided = tell('decided', 'a person answered yes')
    switch (cycle.stuckAt) {
      case 'writing':
        return enter(cycle, 'writing', [decided, { do: 'write-document' }], { sent: true })
      case 'clearing':
        return enter(cycle, 'clearing', [decided, { do: 'clear' }], { sent: true })
      case 'resuming':
        return enter(cycle, 'resuming', [decided, { do: 'resume' }], { sent: true })
      default:
        // The new session answered wrongly twice, and the person lets it continue anyway.
        return enter(cycle, 'continuing', [decided, { do: 'continue', typed: true }], { sent: true })
    }
  },
}

const GONE = 'its terminal is gone'
const INTERFERED = 'a person is working in the session'
const TAKEN_OVER = 'a person took over the new session'

interface Fresh {
  session: SessionId
  nativeSession: string
}

function succeed(cycle: Cycle, { session, nativeSession }: Fresh, before: CycleEffect[] = []): CycleChange {
  const known: Cycle = { ...cycle, successor: { session, nativeSession }, lost: false }
  const { stuckAt, why, ...rest } = known
  const effects: CycleEffect[] = [...before, { do: 'carry-over' }, tell('cleared')]
  // The resume prompt started this session.
  if (cycle.startsWithPrompt && cycle.step === 'clearing')
    return enter(rest, 'resuming', effects, { sent: true })
  return enter(rest, 'resuming', [...effects, { do: 'resume' }], { sent: true })
}

const firstPrompt = ({ startsWithPrompt }: Cycle): CycleEffect[] =>
  startsWithPrompt ? [{ do: 'resume' }] : []

/** The agent was restarted without its conversation: the document carries the work over. */
function replace(before: Cycle, { session, nativeSession }: Fresh): CycleChange {
  const earlier = before.successor?.session
  if (earlier === session) return same(before)
  const lostSuccessors = earlier
    ? [...before.lostSuccessors, earlier].slice(-MAX_LOST)
    : before.lostSuccessors
  const cycle: Cycle = { ...before, lostSuccessors, successor: { session, nativeSession } }
  switch (cycle.step) {
    case 'due':
    case 'writing':
      // The old session can no longer write its document.
      return enter({ ...cycle, lost: true, why: AGENT_RESTARTED }, 'writing', [{ do: 'write-document' }], {
        sent: true,
      })
    case 'person':
      // The replacement has not answered yet, so it needs the resume prompt again.
      return change(cycle, cycle.stuckAt === 'verifying' ? { stuckAt: 'resuming' } : {})
    default:
      return succeed({ ...cycle, step: 'resuming' }, { session, nativeSession })
  }
}

export const AGENT_RESTARTED = 'the agent was restarted'
const MAX_LOST = 20

function answered(before: Cycle, wrong: readonly string[], by: EventId): CycleChange {
  const cycle: Cycle = { ...before, heard: by }
  if (wrong.length === 0)
    return enter(cycle, 'continuing', [tell('verified'), { do: 'continue', typed: false }], { sent: true })
  const tries = cycle.step === 'verifying' ? cycle.tries + 1 : 1
  const refused = tell('refused', wrong.join('; '))
  if (tries >= MAX_TRIES)
    return needPerson(
      { ...cycle, step: 'verifying', tries },
      `the new session did not repeat the essentials: ${wrong.join('; ')}`,
      [refused],
    )
  return change({ ...cycle, step: 'verifying' }, { tries, waitedMs: 0, taken: false }, [
    refused,
    { do: 'ask-again', wrong },
  ])
}
