import type { Cycle, CycleEntry, CycleStep } from '@batonpass/contract/cycle'
import type { CycleChange, CycleEffect } from './events.ts'

/** After this many failed attempts of one step, Baton tries something else. */
export const MAX_TRIES = 2
const FIRST_PAUSE_MS = 1000
export const MAX_PAUSE_MS = 60_000
/** Journal that the terminal is in use only after this many attempts. */
const BUSY_WORTH_JOURNALING = 5

export function handleLoss(cycle: Cycle, why: string): CycleChange {
  switch (cycle.step) {
    case 'due':
      return enterStep({ ...cycle, lost: true, why }, 'writing', [{ do: 'write-document' }], { sent: true })
    case 'writing':
      return cycle.lost
        ? unchanged(cycle)
        : changeCycle({ ...cycle, lost: true, why }, { sent: true, pauseMs: 0 }, [{ do: 'write-document' }])
    case 'person':
      return unchanged(cycle)
    default:
      return abandon(cycle, why, [])
  }
}

/** Ends the cycle as failed: the terminal is gone, but the document remains for the next session. */
export function abandon(cycle: Cycle, why: string, before: CycleEffect[]): CycleChange {
  const ended = endCycle(cycle, 'failed', why)
  return { ...ended, effects: [...before, { do: 'release-document' }, ...ended.effects] }
}

export const writeOrAsk = ({ lost, tries }: Cycle): CycleEffect =>
  lost || tries >= MAX_TRIES ? { do: 'write-document' } : { do: 'ask-document', interrupt: false }

export function documentFailed(cycle: Cycle, why: string): CycleChange {
  const tries = cycle.tries + 1
  const again = { tries, waitedMs: 0, taken: false, sent: true }
  return changeCycle(cycle, again, [journalEffect('retried', why), writeOrAsk({ ...cycle, tries })])
}

export function clearFailed(cycle: Cycle, why: string): CycleChange {
  const tries = cycle.tries + 1
  if (tries >= MAX_TRIES) return needPerson({ ...cycle, tries }, why)
  return changeCycle(cycle, { tries, waitedMs: 0, taken: false, sent: true }, [
    journalEffect('retried', why),
    { do: 'clear' },
  ])
}

export function resumeFailed(cycle: Cycle, why: string): CycleChange {
  const tries = cycle.tries + 1
  if (tries >= MAX_TRIES) return needPerson({ ...cycle, tries }, why)
  return changeCycle(cycle, { tries, waitedMs: 0, taken: false, sent: true }, [
    journalEffect('retried', why),
    { do: 'resume' },
  ])
}

export function needPerson(cycle: Cycle, why: string, before: CycleEffect[] = []): CycleChange {
  const stuck: Cycle = { ...cycle, stuckAt: cycle.step, why, asked: cycle.asked + 1 }
  return enterStep(stuck, 'person', [...before, journalEffect('person', why), { do: 'ask-person' }])
}

/** The terminal is in use: tries again with growing pauses, without limit and without counting it as a failure. */
export function postponeBusy(cycle: Cycle): CycleChange {
  const busy = cycle.busy + 1
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(cycle.busy, 10), MAX_PAUSE_MS)
  const told = busy === BUSY_WORTH_JOURNALING ? [journalEffect('waits', 'the terminal is in use')] : []
  return changeCycle(cycle, { busy, pauseMs, sent: false }, told)
}

export const completeCycle = (cycle: Cycle, why?: string): CycleChange => endCycle(cycle, 'done', why)

export function endCycle(
  cycle: Cycle,
  step: 'done' | 'cancelled' | 'failed',
  why: string | undefined,
): CycleChange {
  const what = step === 'done' ? 'completed' : step
  const left: CycleEffect[] = cycle.step === 'writing' && step === 'cancelled' ? [{ do: 'drop-request' }] : []
  return enterStep({ ...cycle, ...(why ? { why } : {}) }, step, [...left, journalEffect(what, why)])
}

const BLANK = { tries: 0, waitedMs: 0, pauseMs: 0, busy: 0, sent: false, taken: false } as const

export function enterStep(
  cycle: Cycle,
  step: CycleStep,
  effects: CycleEffect[],
  more: Partial<Cycle> = {},
): CycleChange {
  return { cycle: { ...cycle, ...BLANK, ...more, step, version: cycle.version + 1 }, effects }
}

/** Changes a cycle without leaving its step. */
export function changeCycle(cycle: Cycle, changes: Partial<Cycle>, effects: CycleEffect[] = []): CycleChange {
  return { cycle: { ...cycle, ...changes, version: cycle.version + 1 }, effects }
}

export const unchanged = (cycle: Cycle): CycleChange => ({ cycle, effects: [] })

export function journalEffect(what: CycleEntry['what'], reason?: string): CycleEffect {
  return { do: 'journal', what, ...(reason ? { reason } : {}) }
}
