import type { Cycle } from '@batonpass/contract/cycle'
import type { CycleChange, CycleEffect, Limits } from './events.ts'
import {
  change,
  clearFailed,
  documentFailed,
  finish,
  MAX_TRIES,
  resumeFailed,
  same,
  tell,
  writeOrAsk,
} from './transitions.ts'

/** A prompt given at a stop that nothing came of for so long was lost: then it is typed. */
const UNHEARD_MS = 20_000
/** How long a cleared session may take to report its new beginning. */
const CLEAR_MS = 15_000
/** Longer than any act on a terminal takes: what came of it was lost, on a full disk for instance. */
const WORD_MS = 120_000
/** What a hook has to tell a new daemon comes within this. */
const RESTART_MS = 3000
const MAX_NUDGES = 3
const NO_WORD = 'nothing was heard of the terminal'

/** What the mere passing of time brings about. */
export function passTime(cycle: Cycle, ms: number, { documentMs, answerMs }: Limits): CycleChange {
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
      if (!cycle.sent)
        return change(later, { sent: true, waitedMs: 0 }, [{ do: cycle.taken ? 'resume' : 'clear' }])
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
      if (cycle.tries >= MAX_NUDGES) return finish(later, 'it was told to go on, but nothing was heard since')
      return change(later, { tries: cycle.tries + 1, waitedMs: 0, sent: true }, [
        { do: 'go-on', typed: true },
      ])
    default:
      return quiet
  }
}

/** The prompt was given once, long enough ago, and nothing shows that it arrived. */
const unheard = ({ taken, lost, tries, waitedMs }: Cycle, ms: number): boolean =>
  !taken && !lost && tries < MAX_TRIES && waitedMs >= UNHEARD_MS && waitedMs - ms < UNHEARD_MS

/** What was on its way to the agent when the daemon ended is sent again, unless a hook tells meanwhile that it arrived. */
export function restart(cycle: Cycle, cut: boolean): CycleChange {
  const again = { sent: false, pauseMs: Math.max(cycle.pauseMs, RESTART_MS), waitedMs: 0 }
  const effects: CycleEffect[] = [
    tell('taken-up', 'a new daemon goes on with it'),
    // It may have ended before everything had moved.
    ...(cycle.successor ? [{ do: 'carry-over' } as const] : []),
  ]
  switch (cycle.step) {
    case 'writing':
      // Baton's own document was under way, or the agent's: that goes on, unless the agent ended with the daemon.
      if (cut) return change(cycle, { ...again, taken: false }, effects)
      return change(cycle, cycle.lost || cycle.tries >= MAX_TRIES ? again : { waitedMs: 0 }, effects)
    case 'clearing':
    case 'resuming':
    case 'continuing':
      return change(cycle, { ...again, taken: false }, effects)
    case 'verifying':
      if (cut) return change({ ...cycle, step: 'resuming' }, { ...again, taken: false }, effects)
      return change(cycle, { waitedMs: 0 }, effects)
    case 'person':
      return change(cycle, {}, [...effects, { do: 'ask-person' }])
    default:
      return same(cycle)
  }
}
