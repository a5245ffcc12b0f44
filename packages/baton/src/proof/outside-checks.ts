import type { Check, CheckResult, Proof } from '@batonpass/contract/proof'
import type { PullRequestStatus, Review } from '../ports/forge.ts'
import type { Ids } from '../ports/ids.ts'
import { judgeReasons, reasonsIn } from './justified-tests.ts'
import { weakenedTests } from './read-weakened.ts'
import type { ResultCache } from './result-cache.ts'
import { type ReviewCheck, reviewCommit } from './review-check.ts'
import type { Reviewers } from './review-session.ts'
import type { CheckPorts, Progress } from './run-checks.ts'
import { decideTasks, type TaskCheck } from './task-check.ts'

/** The forge and people, as far as a proof asks them. */
export interface OutsidePorts {
  /** The pull request whose last commit this is; undefined if there is none. Fails if the forge does not answer. */
  pullRequestOf(project: string, commit: string): Promise<PullRequestNow | undefined>
  /** Asks a person, once for each commit and question. `none`: no answer in time. */
  askPerson(proof: Proof, question: string, ms: number, signal: AbortSignal): Promise<'yes' | 'no' | 'none'>
  /** Resolves after this time, or at once when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export type PullRequestNow = Pick<PullRequestStatus, 'checks' | 'review' | 'reviews'>

interface Parts extends CheckPorts {
  cache: ResultCache
  outside?: OutsidePorts | undefined
  /** Agents that can review. Absent: such checks do not run. */
  reviewers?: Reviewers | undefined
  ids: Pick<Ids, 'id'>
}

const POLL_MS = 15_000
/** How long a pull request may take to show the commit. */
const SEEN_MS = 60_000
/** The same, if Baton opens it during the proof. */
const OPENED_MS = 30 * 60_000
const MAX_NAMED = 20
const MAX_REVIEW = 1500

/** Asks an agent, the forge, and then a person; a person first if the pull request is not open yet. Agents and people look only at work whose earlier checks all passed. */
export async function runOutsideChecks(
  parts: Parts,
  proof: Proof,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  let isSound = proof.setupResult === undefined || proof.setupResult.status === 'passed'
  isSound &&= proof.results.every(({ status }) => status === 'passed')
  const passed = new Set(proof.results.flatMap(({ name, status }) => (status === 'passed' ? name : [])))
  const finish = async (result: CheckResult) => {
    isSound &&= result.status === 'passed'
    if (result.status === 'passed') passed.add(result.name)
    if (signal.aborted) return
    const { why, output, note } = result
    await progress.result({
      ...result,
      ...(why ? { why: parts.redact(why) } : {}),
      ...(note ? { note: parts.redact(note) } : {}),
      ...(output ? { output: parts.redact(output) } : {}),
    })
  }
  for (const check of proof.checks) {
    const isOpen = check.kind === 'diff' && !proof.results.some(({ name }) => name === check.name)
    if (!isOpen || signal.aborted) continue
    await progress.running(check.name)
    await finish(await judgeWeakened(parts, proof, check, isSound, signal))
  }
  for (const check of proof.checks) {
    if (check.kind !== 'review' || signal.aborted) continue
    await progress.running(check.name)
    await finish(
      isSound
        ? await review(parts, proof, check, signal)
        : notRun(check, `${check.name} was not asked, because another check did not pass`),
    )
  }
  const tasks = proof.checks.filter(check => check.kind === 'task')
  if (tasks.length > 0 && !signal.aborted) {
    await progress.running('the task list')
    const results = isSound
      ? await decide(parts, proof, tasks, [...passed], signal)
      : tasks.map(check =>
          notRun(check, `${check.name} was not looked at, because another check did not pass`),
        )
    for (const result of results) await finish(result)
  }
  const askPeople = async () => {
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
  // The pull request is opened for the forge: not before a person agreed.
  if (proof.opensPullRequest) await askPeople()
  for (const check of proof.checks) {
    if (check.kind !== 'forge' || signal.aborted) continue
    await progress.running(check.name)
    await finish(
      isSound || !proof.opensPullRequest
        ? await awaitForge(parts, proof, check, signal)
        : notRun(check, `${check.name} was not waited for, because another check did not pass`),
    )
  }
  if (!proof.opensPullRequest) await askPeople()
}

/** A review of the same commit is not repeated: it costs money. */
async function review(
  parts: Parts,
  proof: Proof,
  check: ReviewCheck,
  signal: AbortSignal,
): Promise<CheckResult> {
  const known = proof.again ? undefined : await parts.cache.get(proof, check)
  if (known) return { ...known, name: check.name, cached: true }
  const result = await reviewCommit(parts, proof, check, signal)
  if (!signal.aborted) await parts.cache.put(proof, check, result)
  return result
}

/** One session decides all boxes that no session has decided for this commit. */
async function decide(
  parts: Parts,
  proof: Proof,
  tasks: readonly TaskCheck[],
  passed: readonly string[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const known = await Promise.all(
    tasks.map(async check => (proof.again ? undefined : await parts.cache.get(proof, check))),
  )
  const open = tasks.filter((_, n) => !known[n])
  const decided = open.length > 0 ? await decideTasks(parts, proof, open, passed, signal) : []
  return Promise.all(
    tasks.map(async (check, n) => {
      const [kept, result] = [known[n], decided.find(({ name }) => name === check.name)]
      if (kept) return { ...kept, name: check.name, cached: true }
      if (!result) return notRun(check, `${check.name}: it was not decided`)
      if (!signal.aborted) await parts.cache.put(proof, check, result)
      return result
    }),
  )
}

/** Weaker tests for which the agent gave a reason. */
async function judgeWeakened(
  parts: Parts,
  proof: Proof,
  check: Extract<Check, { kind: 'diff' }>,
  isSound: boolean,
  signal: AbortSignal,
): Promise<CheckResult> {
  const kept = proof.again || !isSound ? undefined : await parts.cache.get(proof, check)
  if (kept) return { ...kept, name: check.name, cached: true }
  const { checkouts } = parts
  const changes = await checkouts.changes(proof.project, proof.base, proof.commit)
  const found = {
    weakened: await weakenedTests(parts, proof, changes, signal),
    reasons: await reasonsIn(checkouts, proof),
    isSound,
  }
  const { result, isAnswer } = await judgeReasons(parts, proof, check, found, signal)
  if (isAnswer && !signal.aborted) await parts.cache.put(proof, check, result)
  return result
}

async function awaitForge(
  { outside, clock }: Parts,
  { project, commit, opensPullRequest }: Proof,
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
    const pull = await outside.pullRequestOf(project, commit).catch(() => 'unreachable' as const)
    const isLate = clock.now() - started >= (opensPullRequest ? OPENED_MS : SEEN_MS)
    if (pull === undefined && isLate)
      return notRun(check, `${check.name}: no pull request ends with this commit`, seconds())
    if (pull !== undefined && pull !== 'unreachable') {
      const { checks } = pull
      const isGreen = !check.checks || checks.verdict === 'passed'
      const isApproved = !check.review || pull.review === 'approved'
      if (isApproved && isGreen && (!check.checks || green === checks.total))
        return { name: check.name, status: 'passed', seconds: seconds(), ...linkOf(checks) }
      green = isGreen ? checks.total : undefined
      if (check.checks && checks.verdict === 'failed') return failedCi(check.name, checks, seconds())
      if (check.review && pull.review === 'changes-requested')
        return failedReview(check.name, pull.reviews, seconds())
      state = isGreen
        ? 'the pull request was not approved'
        : checks.verdict === 'none'
          ? 'the pull request has no checks'
          : `${checks.pending + checks.unknown} of ${checks.total} checks had not ended`
    }
    if (clock.now() - started >= check.minutes * 60_000) break
    await outside.wait(POLL_MS, signal)
  }
  return notRun(check, `${check.name}: ${state} after ${check.minutes} minutes`, seconds())
}

/** Reviews of strangers are not quoted: anyone can review on a public repository. */
function failedReview(name: string, reviews: readonly Review[], seconds: number): CheckResult {
  const said = reviews
    .filter(({ state, trusted }) => state === 'changes-requested' && trusted)
    .map(({ author, body }) => `${author ?? 'a reviewer'}: ${body.slice(0, MAX_REVIEW)}`)
  const output = said.join('\n\n')
  return {
    name,
    status: 'failed',
    why: 'failed: changes were requested',
    seconds,
    ...(output ? { output } : {}),
  }
}

function failedCi(name: string, { all, failed }: PullRequestNow['checks'], seconds: number): CheckResult {
  const names = all.filter(({ state }) => state === 'failed').map(each => each.name)
  const output = names.slice(0, MAX_NAMED).join('\n')
  return {
    name,
    status: 'failed',
    why: `failed: ${names[0]}${failed > 1 ? ` and ${failed - 1} more` : ''}`,
    seconds,
    output,
    ...linkOf({ all }),
  }
}

/** Where the forge shows the first of the checks; failed ones come first. */
function linkOf({ all }: Pick<PullRequestNow['checks'], 'all'>): Pick<CheckResult, 'url'> {
  const url = all.find(each => each.url)?.url
  return url ? { url } : {}
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
