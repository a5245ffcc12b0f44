import { HEADING } from './continuation-prompt.ts'
import type { HandsOff } from './hands-off.ts'
import type { WorkflowPorts } from './ports.ts'
import type { Run } from './run.ts'

/** Pause before a busy terminal is tried again, and the maximum number of attempts. */
const AGAIN_MS = 60_000
const MAX_TRIES = 30

/** Resumes parked runs whose limit has been reset, once per reset. Called every few seconds. */
export async function resumeParked(
  {
    runs,
    driverAt,
    journal,
    fault,
    paused,
  }: Pick<WorkflowPorts, 'runs' | 'driverAt' | 'journal' | 'fault' | 'paused'>,
  handsOff: Pick<HandsOff, 'inTurn'>,
  now: number,
): Promise<number> {
  const due = (await runs.all()).filter(run => isDue(run, now) && !paused?.(run))
  let resumed = 0
  for (const { session } of due) {
    // Mark the run before typing: a crash in between loses a continuation, but never sends two.
    const run = await handsOff.inTurn(session, async () => {
      const fresh = await runs.get(session)
      if (!fresh?.parked || !isDue(fresh, now)) return undefined
      await runs.put({ ...fresh, parked: { ...fresh.parked, resumed: true } })
      return fresh
    })
    const driver = run?.pane ? driverAt(run.pane) : undefined
    if (!run?.parked || !run.pane || !driver) continue
    const outcome = await driver.type(run.pane, resumePrompt(run), run.agent).catch(cause => {
      fault('typing a continuation', cause)
      return 'not-taken' as const
    })
    if (outcome === 'taken') resumed++
    if (outcome === 'busy') await handsOff.inTurn(session, () => retryLater(runs, session, now))
    await journal(run, {
      kind: 'workflow',
      what: 'resumed',
      workflow: run.workflow,
      reason: OUTCOME_REASONS[outcome],
    })
  }
  return resumed
}

const OUTCOME_REASONS = {
  taken: 'the limit has been reset; Baton typed the continuation into the terminal',
  'not-taken': 'the limit has been reset, but the terminal did not take the continuation',
  busy: 'the limit has been reset, but the terminal is in use; Baton will try again',
  gone: 'the limit has been reset, but the terminal is gone; run `baton resume`',
} as const

const isDue = ({ parked, end, pane }: Run, now: number): boolean =>
  end?.kind === 'limit-parked' &&
  parked !== undefined &&
  !parked.resumed &&
  parked.until <= now &&
  pane !== undefined

async function retryLater(runs: WorkflowPorts['runs'], session: string, now: number): Promise<void> {
  const run = await runs.get(session)
  const busy = (run?.parked?.busy ?? 0) + 1
  if (run?.parked && run.end?.kind === 'limit-parked' && busy < MAX_TRIES)
    await runs.put({ ...run, parked: { ...run.parked, resumed: false, until: now + AGAIN_MS, busy } })
}

const resumePrompt = ({ workflow }: Run): string =>
  `${HEADING} (workflow ${workflow}): the limit that ended your last turn has been reset. Continue where you were interrupted. When the goal is reached, run \`baton done\`.`
