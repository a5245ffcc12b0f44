import type { Check, CheckResult, Proof } from '@batonpass/contract/proof'
import type { Clock } from '../ports/clock.ts'
import type { Checks } from '../ports/forge.ts'
import type { Progress } from './run-checks.ts'

/** The forge and people, as far as a proof asks them. */
export interface OutsidePorts {
  /** The checks of the pull request whose last commit this is; undefined if there is none. Fails if the forge does not answer. */
  ciOf(project: string, commit: string): Promise<Checks | undefined>
  /** Asks a person, once for each commit and question. `none`: no answer in time. */
  askPerson(proof: Proof, question: string, ms: number, signal: AbortSignal): Promise<'yes' | 'no' | 'none'>
  /** Resolves after this time, or at once when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

interface Parts {
  clock: Clock
  outside?: OutsidePorts | undefined
  redact(text: string): string
}

const POLL_MS = 15_000
/** How long a pull request may take to show the commit. */
const SEEN_MS = 60_000
const MAX_NAMED = 20

/** Asks the forge, and then a person. A person is asked only about work whose other checks all passed. */
export async function runOutsideChecks(
  parts: Parts,
  proof: Proof,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  let isSound = proof.setupResult === undefined || proof.setupResult.status === 'passed'
  isSound &&= proof.results.every(({ status }) => status === 'passed')
  const finish = async (result: CheckResult) => {
    isSound &&= result.status === 'passed'
    if (!signal.aborted)
      await progress.result({ ...result, ...(result.why ? { why: parts.redact(result.why) } : {}) })
  }
  for (const check of proof.checks) {
    if (check.kind !== 'forge' || signal.aborted) continue
    await progress.running(check.name)
    await finish(await awaitCi(parts, proof, check, signal))
  }
  for (const check of proof.checks) {
    if (check.kind !== 'person' || signal.aborted) continue
    await progress.running(check.name)
    await finish(
      isSound
        ? await askPerson(parts, proof, check, signal)
        : notRun(check, `${check.name} was not asked, because another check did not pass`),
    )
  }
}

async function awaitCi(
  { outside, clock }: Parts,
  { project, commit }: Proof,
  check: Extract<Check, { kind: 'forge' }>,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (!outside) return notRun(check, `${check.name}: there is no forge here`)
  const started = clock.now()
  const seconds = () => Math.round((clock.now() - started) / 1000)
  let state = 'the forge did not answer'
  // CI registers its checks one after the other: they must be green twice in a row.
  let green: number | undefined
  while (!signal.aborted) {
    const checks = await outside.ciOf(project, commit).catch(() => 'unreachable' as const)
    if (checks === undefined && clock.now() - started >= SEEN_MS)
      return notRun(check, `${check.name}: no pull request ends with this commit`, seconds())
    if (checks !== undefined && checks !== 'unreachable') {
      const isGreen = checks.verdict === 'passed'
      if (isGreen && green === checks.total) return { name: check.name, status: 'passed', seconds: seconds() }
      green = isGreen ? checks.total : undefined
      if (checks.verdict === 'failed') return failedCi(check.name, checks, seconds())
      state =
        checks.verdict === 'none'
          ? 'the pull request has no checks'
          : `${checks.pending + checks.unknown} of ${checks.total} checks had not ended`
    }
    if (clock.now() - started >= check.minutes * 60_000) break
    await outside.wait(POLL_MS, signal)
  }
  return notRun(check, `${check.name}: ${state} after ${check.minutes} minutes`, seconds())
}

function failedCi(name: string, { all, failed }: Checks, seconds: number): CheckResult {
  const names = all.filter(({ state }) => state === 'failed').map(each => each.name)
  const output = names.slice(0, MAX_NAMED).join('\n')
  return {
    name,
    status: 'failed',
    why: `failed: ${names[0]}${failed > 1 ? ` and ${failed - 1} more` : ''}`,
    seconds,
    output,
  }
}

async function askPerson(
  { outside, clock }: Parts,
  proof: Proof,
  check: Extract<Check, { kind: 'person' }>,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (!outside) return notRun(check, `${check.name}: no person can be asked here`)
  const started = clock.now()
  const answer = await outside.askPerson(proof, check.question, check.minutes * 60_000, signal)
  const seconds = Math.round((clock.now() - started) / 1000)
  if (answer === 'yes') return { name: check.name, status: 'passed', seconds }
  return answer === 'no'
    ? { name: check.name, status: 'failed', why: 'was answered with no', seconds }
    : notRun(check, `${check.name} was not answered`, seconds)
}

const notRun = ({ name }: Check, why: string, seconds = 0): CheckResult => ({
  name,
  status: 'not-run',
  why,
  seconds,
})
