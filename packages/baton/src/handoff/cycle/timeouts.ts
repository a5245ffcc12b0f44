import type { Cycle } from '@batonpass/contract/cycle'
import type { CycleChange, CycleEffect, Limits } from './events.ts'
import {
  changeCycle,
  clearFailed,
  completeCycle,
  documentFailed,
  journalEffect,
  MAX_TRIES,
  resumeFailed,
  unchanged,
  writeOrAsk,
} from './transitions.ts'

/** A prompt given at a stop without any reaction for this long was lost; Baton then types it. */
const LOST_PROMPT_MS = 20_000
/** How long the new session may take to report its start after a clear. */
const CLEAR_MS = 15_000
/** Longer than any terminal action takes: its outcome was lost, for example because the disk is full. */
const OUTCOME_MS = 120_000
/** Hooks that waited for a new daemon report within this time. */
const RESTART_MS = 3000
const MAX_NUDGES = 3
const NO_REPORT = 'the terminal did not report an outcome'

/** Applies the passing of time to a cycle. */
export function passTime(cycle: Cycle, ms: number, { documentMs, answerMs }: Limits): CycleChange {
  const pauseMs = Math.max(0, cycle.pauseMs - ms)
  const waitedMs = cycle.waitedMs + ms
  const later = { ...cycle, pauseMs, waitedMs }
  // Only the timers changed: not worth storing.
  const quiet: CycleChange = { cycle: later, effects: [] }
  if (pauseMs > 0) return quiet
  switch (cycle.step) {
    case 'writing':
      if (!cycle.sent) return changeCycle(later, { sent: true }, [writeOrAsk(later)])
      if (waitedMs >= documentMs) return documentFailed(later, 'the document was not written in time')
      if (isPromptLost(later, ms)) return changeCycle(later, {}, [{ do: 'ask-document', interrupt: false }])
      return quiet
    case 'clearing':
      if (!cycle.sent)
        return changeCycle(later, { sent: true, waitedMs: 0 }, [{ do: cycle.taken ? 'resume' : 'clear' }])
      if (cycle.taken && waitedMs >= CLEAR_MS)
        return clearFailed(later, 'the terminal took /clear, but no new session started')
      return waitedMs >= OUTCOME_MS ? clearFailed(later, NO_REPORT) : quiet
    case 'resuming':
      if (!cycle.sent) return changeCycle(later, { sent: true, waitedMs: 0 }, [{ do: 'resume' }])
      return waitedMs >= OUTCOME_MS ? resumeFailed(later, NO_REPORT) : quiet
    case 'verifying':
      if (cycle.busy > 0) return changeCycle(later, { busy: 0 }, [{ do: 'resume' }])
      return waitedMs >= answerMs ? resumeFailed(later, 'the new session did not answer in time') : quiet
    case 'continuing':
      if (waitedMs < LOST_PROMPT_MS && cycle.sent) return quiet
      if (cycle.tries >= MAX_NUDGES)
        return completeCycle(later, 'the new session was told to continue, but has not reported since')
      return changeCycle(later, { tries: cycle.tries + 1, waitedMs: 0, sent: true }, [
        { do: 'continue', typed: true },
      ])
    default:
      return quiet
  }
}

/** Whether the prompt was given long enough ago and nothing shows that it arrived; true only once. */
const isPromptLost = ({ taken, lost, tries, waitedMs }: Cycle, ms: number): boolean =>
  !taken && !lost && tries < MAX_TRIES && waitedMs >= LOST_PROMPT_MS && waitedMs - ms < LOST_PROMPT_MS

/** Sends again what was on its way when the previous daemon ended, unless a hook reports first that it arrived. */
export function resumeAfterRestart(cycle: Cycle, cut: boolean): CycleChange {
  const again = { sent: false, pauseMs: Math.max(cycle.pauseMs, RESTART_MS), waitedMs: 0 }
  const effects: CycleEffect[] = [
    journalEffect('taken-up', 'a new daemon resumed it'),
    // The previous daemon may have ended before everything was carried over.
    ...(cycle.successor ? [{ do: 'carry-over' } as const] : []),
  ]
  switch (cycle.step) {
    case 'writing':
      // Baton or the agent was writing the document; the agent still is, unless it ended with the daemon.
      if (cut) return changeCycle(cycle, { ...again, taken: false }, effects)
      return changeCycle(cycle, cycle.lost || cycle.tries >= MAX_TRIES ? again : { waitedMs: 0 }, effects)
    case 'clearing':
    case 'resuming':
    case 'continuing':
      return changeCycle(cycle, { ...again, taken: false }, effects)
    case 'verifying':
      if (cut) return changeCycle({ ...cycle, step: 'resuming' }, { ...again, taken: false }, effects)
      return changeCycle(cycle, { waitedMs: 0 }, effects)
    case 'person':
      return changeCycle(cycle, {}, [...effects, { do: 'ask-person' }])
    default:
      return unchanged(cycle)
  }
}
