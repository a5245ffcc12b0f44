import type { ClaimFile } from '@batonpass/contract/claim'

/** The board's Status of each phase. */
export const STATUS = {
  todo: 'Todo',
  coding: 'In Progress',
  review: 'In Review',
  done: 'Done',
} as const

/** What is known beside the signal file when the next step is chosen. */
export interface Situation {
  now: number
  /** How long a pull request is not looked at again. */
  pollMs: number
  /** Somebody (a webhook, a person) says that something has changed. */
  nudged: boolean
  /** The forge has said that the pull request is merged. */
  merged: boolean
  /** Whether closing the issue was agreed to. */
  closing: 'not-asked' | 'asked' | 'yes' | 'no'
  /** The agent has ended its turn, or none is at work. */
  resting: boolean
}

/** The one thing to do next. `wait`: nothing, at no cost. */
export type Step =
  | { do: 'wait' }
  | { do: 'sync' }
  | { do: 'open' }
  | { do: 'refuse'; why: string }
  | { do: 'poll' }
  | { do: 'ask' }
  | { do: 'close' }

const WAIT: Step = { do: 'wait' }

/** Chooses what a claim needs now. Pure: the file is the machine's state, the forge's word is an input. */
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
      // The phase was set by hand and the number was not: the branch's pull request is looked for.
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

/** A time that cannot be read, or lies ahead, must not keep Baton from looking. */
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

/** The checks were looked at. `merged` is never stored: only an open pull request moves the phase. */
export const polled = (file: ClaimFile, now: number, open: boolean): ClaimFile => ({
  ...file,
  phase: open && file.phase === 'pr_created' ? 'checks_running' : file.phase,
  last_check_poll: new Date(now).toISOString(),
})

export const confirmed = (file: ClaimFile): ClaimFile => ({ ...file, phase: 'done', status: STATUS.done })
