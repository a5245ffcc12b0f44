import type { ClaimFile } from '@batonpass/contract/claim'

/** The board's Status for each claim phase. */
export const STATUS = {
  todo: 'Todo',
  coding: 'In Progress',
  review: 'In Review',
  done: 'Done',
} as const

/** What nextStep needs to know in addition to the signal file. */
export interface Situation {
  now: number
  /** The minimum time between two polls of a pull request. */
  pollMs: number
  /** A webhook or a person reported a change. */
  nudged: boolean
  /** The forge reported the pull request as merged. */
  merged: boolean
  /** Whether the person agreed to close the issue. */
  closing: 'not-asked' | 'asked' | 'yes' | 'no'
  /** No turn of the claim's agent is running. */
  resting: boolean
}

/** The one thing to do next. `wait` does nothing and makes no request. */
export type Step =
  | { do: 'wait' }
  | { do: 'sync' }
  | { do: 'open' }
  | { do: 'refuse'; why: string }
  | { do: 'poll' }
  | { do: 'ask' }
  | { do: 'close' }

const WAIT: Step = { do: 'wait' }

/** Chooses the next step of a claim. Pure: the signal file is the state, what the forge reported is an input. */
export function nextStep(file: ClaimFile, at: Situation): Step {
  switch (file.phase) {
    case 'coding':
      return file.status !== '' && file.status !== file.last_synced_status ? { do: 'sync' } : WAIT
    case 'ready_for_pr': {
      if (!at.resting) return WAIT
      const lacking = [file.branch.trim() ? '' : 'branch', file.summary.trim() ? '' : 'summary'].filter(
        Boolean,
      )
      return lacking.length > 0 ? { do: 'refuse', why: lacking.join(' and ') } : { do: 'open' }
    }
    case 'pr_created':
    case 'checks_running':
      // The phase was set by hand without a number: look for the branch's pull request.
      if (file.pr_number === null) return at.resting ? { do: 'open' } : WAIT
      if (at.merged) return at.closing === 'not-asked' ? { do: 'ask' } : WAIT
      if (file.status !== '' && file.status !== file.last_synced_status) return { do: 'sync' }
      return at.nudged || at.now - polledAt(file) >= at.pollMs ? { do: 'poll' } : WAIT
    case 'done':
      if (!at.resting) return WAIT
      if (!at.merged && file.pr_number !== null)
        return at.nudged || at.now - polledAt(file) >= at.pollMs ? { do: 'poll' } : WAIT
      if (at.closing === 'yes') return { do: 'close' }
      return at.closing === 'not-asked' ? { do: 'ask' } : WAIT
  }
}

/** When the pull request was last polled. An unreadable time counts as never, so that polling continues. */
function polledAt({ last_check_poll }: ClaimFile): number {
  return last_check_poll === null ? Number.NEGATIVE_INFINITY : Date.parse(last_check_poll) || 0
}

export const opened = (file: ClaimFile, number: number): ClaimFile => ({
  ...file,
  phase: file.phase === 'ready_for_pr' ? 'pr_created' : file.phase,
  pr_number: number,
  status: file.phase === 'done' ? file.status : STATUS.review,
})

export const synced = (file: ClaimFile, status: string): ClaimFile => ({
  ...file,
  last_synced_status: status,
})

/** Records a poll. Only an open pull request changes the phase; `merged` is never stored in the file. */
export const polled = (file: ClaimFile, now: number, open: boolean): ClaimFile => ({
  ...file,
  phase: open && file.phase === 'pr_created' ? 'checks_running' : file.phase,
  last_check_poll: new Date(now).toISOString(),
})

export const confirmed = (file: ClaimFile): ClaimFile => ({ ...file, phase: 'done', status: STATUS.done })
