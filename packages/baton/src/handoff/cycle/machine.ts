import type { Cycle, CycleStep } from '@batonpass/contract/cycle'
import type { EventId, SessionId } from '@batonpass/contract/ids'
import type { CycleChange, CycleEffect, CycleEvent, Limits } from './events.ts'
import { passTime, resumeAfterRestart } from './timeouts.ts'
import {
  abandon,
  changeCycle,
  clearFailed,
  completeCycle,
  documentFailed,
  endCycle,
  enterStep,
  handleLoss,
  journalEffect,
  MAX_PAUSE_MS,
  MAX_TRIES,
  needPerson,
  postponeBusy,
  resumeFailed,
  unchanged,
} from './transitions.ts'

const DISK_PAUSE_MS = 60_000

const ENDED: ReadonlySet<CycleStep> = new Set(['done', 'cancelled', 'failed'])
export const hasEnded = ({ step }: Pick<Cycle, 'step'>): boolean => ENDED.has(step)

/** Advances a cycle by one event. Pure and total: every step handles every event, most by changing nothing. */
export function advance(cycle: Cycle, event: CycleEvent, limits: Limits): CycleChange {
  if (hasEnded(cycle)) return unchanged(cycle)
  switch (event.type) {
    case 'cancel':
      return endCycle({ ...cycle, again: event.again === true }, 'cancelled', event.why)
    case 'time':
      return passTime(cycle, event.ms, limits)
    case 'restart':
      return resumeAfterRestart(cycle, event.cut === true)
    case 'replaced':
      return replaceSuccessor(cycle, event)
    case 'lost':
      return handleLoss(cycle, event.why)
    default:
      return STEPS[cycle.step]?.(cycle, event) ?? unchanged(cycle)
  }
}

type OwnEvent = Exclude<CycleEvent, { type: 'cancel' | 'time' | 'restart' | 'replaced' | 'lost' }>
type Step = (cycle: Cycle, event: OwnEvent) => CycleChange | undefined

const STEPS: Partial<Record<CycleStep, Step>> = {
  due(cycle, event) {
    if (event.type === 'successor') return endCycle(cycle, 'cancelled', 'a person cleared the context')
    if (event.type !== 'moment') return undefined
    const { by } = event
    // An agent that does not answer cannot write its document.
    if (cycle.reason === 'hung')
      return enterStep(cycle, 'writing', [{ do: 'write-document' }], { sent: true, tries: MAX_TRIES })
    const asked = enterStep(cycle, 'writing', [journalEffect('asked')], { sent: true })
    if (by === 'stop') return asked
    return { ...asked, effects: [{ do: 'ask-document', interrupt: by === 'force' }, ...asked.effects] }
  },

  writing(cycle, event) {
    switch (event.type) {
      case 'typed':
        if (event.outcome === 'taken') return changeCycle(cycle, { taken: true, busy: 0 })
        if (event.outcome === 'busy') return postponeBusy(cycle)
        if (event.outcome === 'gone') return handleLoss(cycle, TERMINAL_GONE)
        return documentFailed(cycle, 'the terminal did not take the prompt')
      case 'begun':
        return cycle.taken ? undefined : changeCycle(cycle, { taken: true })
      case 'interfered':
        return enterStep(cycle, 'due', [{ do: 'drop-request' }, journalEffect('postponed', INTERFERED)], {
          pauseMs: MAX_PAUSE_MS,
        })
      case 'written': {
        const { document, writtenBy, essentials } = event
        const known = { ...cycle, document, writtenBy, essentials }
        // The new session has already started and waits.
        if (cycle.successor) return setSuccessor(known, cycle.successor, [journalEffect('written')])
        if (cycle.lost) return abandon(known, cycle.why ?? TERMINAL_GONE, [journalEffect('written')])
        return enterStep(known, 'clearing', [journalEffect('written'), { do: 'clear' }], { sent: true })
      }
      case 'unwritten':
        if (cycle.tries + 1 < MAX_TRIES)
          return changeCycle(cycle, {
            tries: cycle.tries + 1,
            pauseMs: DISK_PAUSE_MS,
            sent: false,
            waitedMs: 0,
          })
        return needPerson(cycle, event.why)
      case 'successor':
        return endCycle(cycle, 'cancelled', 'a person cleared the context')
      default:
        return undefined
    }
  },

  clearing(cycle, event) {
    switch (event.type) {
      case 'cleared':
        if (event.outcome === 'taken')
          return changeCycle(cycle, { taken: true, busy: 0, waitedMs: 0, sent: true }, firstPrompt(cycle))
        if (event.outcome === 'busy') return cycle.taken ? undefined : postponeBusy(cycle)
        if (event.outcome === 'gone') return handleLoss(cycle, TERMINAL_GONE)
        return clearFailed(cycle, 'the terminal did not take /clear')
      case 'typed':
        // The outcome of the first prompt in the new session; otherwise a late report about the prompt for the document.
        if (!cycle.startsWithPrompt || !cycle.taken) return undefined
        if (event.outcome === 'taken') return changeCycle(cycle, { busy: 0, waitedMs: 0 })
        if (event.outcome === 'busy') return postponeBusy(cycle)
        if (event.outcome === 'gone') return handleLoss(cycle, TERMINAL_GONE)
        return clearFailed(cycle, 'the terminal did not take the prompt')
      case 'successor':
        return setSuccessor(cycle, event)
      case 'interfered':
        // A person is working in the old session, so the document is out of date.
        return enterStep(cycle, 'due', [{ do: 'drop-request' }, journalEffect('postponed', INTERFERED)], {
          pauseMs: MAX_PAUSE_MS,
        })
      default:
        return undefined
    }
  },

  resuming(cycle, event) {
    switch (event.type) {
      case 'typed':
        if (event.outcome === 'taken') return enterStep(cycle, 'verifying', [journalEffect('resumed')])
        if (event.outcome === 'busy') return postponeBusy(cycle)
        if (event.outcome === 'gone') return handleLoss(cycle, TERMINAL_GONE)
        return resumeFailed(cycle, 'the terminal did not take the prompt')
      case 'begun':
        return enterStep(cycle, 'verifying', [journalEffect('resumed')], { taken: true })
      case 'interfered':
        return completeCycle(cycle, TAKEN_OVER)
      // The answer may arrive before the terminal reports that it took the prompt.
      case 'answered':
        return handleAnswer(cycle, event.wrong, event.by)
      default:
        return undefined
    }
  },

  verifying(cycle, event) {
    switch (event.type) {
      case 'begun':
        return cycle.taken ? undefined : changeCycle(cycle, { taken: true })
      case 'typed':
        if (event.outcome === 'busy') return postponeBusy(cycle)
        return event.outcome === 'gone' ? handleLoss(cycle, TERMINAL_GONE) : changeCycle(cycle, { busy: 0 })
      case 'answered':
        return handleAnswer(cycle, event.wrong, event.by)
      case 'interfered':
        return completeCycle(cycle, TAKEN_OVER)
      default:
        return undefined
    }
  },

  continuing(cycle, event) {
    switch (event.type) {
      case 'begun':
      case 'interfered':
        return completeCycle(cycle)
      case 'typed':
        if (event.outcome === 'taken') return completeCycle(cycle)
        if (event.outcome === 'busy') return postponeBusy(cycle)
        if (event.outcome === 'gone') return handleLoss(cycle, TERMINAL_GONE)
        return changeCycle(cycle, { sent: false })
      default:
        return undefined
    }
  },

  person(cycle, event) {
    // A person did what Baton could not do.
    if (event.type === 'successor' && cycle.stuckAt === 'clearing') return setSuccessor(cycle, event)
    if (event.type === 'written' && cycle.stuckAt === 'writing')
      return STEPS.writing?.({ ...cycle, step: 'writing' }, event)
    // Only the new session can show that it has the essentials.
    if (event.type === 'answered' && event.wrong.length === 0 && cycle.successor)
      return handleAnswer(cycle, [], event.by)
    if (event.type !== 'decided') return undefined
    if (!event.yes) return endCycle(cycle, 'cancelled', `${cycle.why ?? ''}; a person answered no`)
    const decided = journalEffect('decided', 'a person answered yes')
    switch (cycle.stuckAt) {
      case 'writing':
        return enterStep(cycle, 'writing', [decided, { do: 'write-document' }], { sent: true })
      case 'clearing':
        return enterStep(cycle, 'clearing', [decided, { do: 'clear' }], { sent: true })
      case 'resuming':
        return enterStep(cycle, 'resuming', [decided, { do: 'resume' }], { sent: true })
      default:
        // The new session answered wrongly twice, and the person lets it continue anyway.
        return enterStep(cycle, 'continuing', [decided, { do: 'continue', typed: true }], { sent: true })
    }
  },
}

const UNPROVEN = 'the agent wrote no document and has no transcript'
const TERMINAL_GONE = 'its terminal is gone'
const INTERFERED = 'a person is working in the session'
const TAKEN_OVER = 'a person took over the new session'

interface NewSession {
  session: SessionId
  nativeSession: string
}

function setSuccessor(
  cycle: Cycle,
  { session, nativeSession }: NewSession,
  before: CycleEffect[] = [],
): CycleChange {
  const known: Cycle = { ...cycle, successor: { session, nativeSession }, lost: false }
  const { stuckAt, why, ...rest } = known
  const effects: CycleEffect[] = [...before, { do: 'carry-over' }, journalEffect('cleared')]
  // The resume prompt started this session.
  if (cycle.startsWithPrompt && cycle.step === 'clearing')
    return enterStep(rest, 'resuming', effects, { sent: true })
  return enterStep(rest, 'resuming', [...effects, { do: 'resume' }], { sent: true })
}

const firstPrompt = ({ startsWithPrompt }: Cycle): CycleEffect[] =>
  startsWithPrompt ? [{ do: 'resume' }] : []

/** The agent was restarted without its conversation: the document carries the work over. */
function replaceSuccessor(before: Cycle, { session, nativeSession }: NewSession): CycleChange {
  const earlier = before.successor?.session
  if (earlier === session) return unchanged(before)
  const lostSuccessors = earlier
    ? [...before.lostSuccessors, earlier].slice(-MAX_LOST)
    : before.lostSuccessors
  const cycle: Cycle = { ...before, lostSuccessors, successor: { session, nativeSession } }
  switch (cycle.step) {
    case 'due':
    case 'writing':
      // The old session can no longer write its document.
      return enterStep(
        { ...cycle, lost: true, why: AGENT_RESTARTED },
        'writing',
        [{ do: 'write-document' }],
        {
          sent: true,
        },
      )
    case 'person':
      // The replacement has not answered yet, so it needs the resume prompt again.
      return changeCycle(cycle, cycle.stuckAt === 'verifying' ? { stuckAt: 'resuming' } : {})
    default:
      return setSuccessor({ ...cycle, step: 'resuming' }, { session, nativeSession })
  }
}

export const AGENT_RESTARTED = 'the agent was restarted'
const MAX_LOST = 20

function handleAnswer(before: Cycle, wrong: readonly string[], by: EventId): CycleChange {
  const cycle: Cycle = { ...before, heard: by }
  const verified = cycle.essentials?.unproven
    ? journalEffect('unproven', UNPROVEN)
    : journalEffect('verified')
  if (wrong.length === 0)
    return enterStep(cycle, 'continuing', [verified, { do: 'continue', typed: false }], {
      sent: true,
    })
  const tries = cycle.step === 'verifying' ? cycle.tries + 1 : 1
  const refused = journalEffect('refused', wrong.join('; '))
  if (tries >= MAX_TRIES)
    return needPerson(
      { ...cycle, step: 'verifying', tries },
      `the new session did not repeat the essentials: ${wrong.join('; ')}`,
      [refused],
    )
  return changeCycle({ ...cycle, step: 'verifying' }, { tries, waitedMs: 0, taken: false }, [
    refused,
    { do: 'ask-again', wrong },
  ])
}
