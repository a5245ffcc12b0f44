import { BatonError } from '@batonpass/contract/errors'
import type { Proof } from '@batonpass/contract/proof'
import { problemsOf, reportProblems } from '../../proof/problems.ts'
import { addReport, passedSummary, reportDiffers } from '../../proof/report.ts'
import { endRun } from './end-run.ts'
import type { HandsOff } from './hands-off.ts'
import type { WorkflowPorts } from './ports.ts'
import { sendBack, withoutProof } from './prove-run.ts'
import type { Run } from './run.ts'
import type { RunContext } from './run-context.ts'

/** Pause before a terminal that is in use is tried again, and the maximum number of attempts. */
const AGAIN_MS = 10_000
const MAX_TRIES = 180
/** How long a state file may be unreadable, for example because a person edits it. */
const UNREADABLE_MS = 10 * 60_000

/** Carries out the results of proofs that have ended: ends the run, or sends the agent back. Called every few seconds. */
export async function settleProofs(
  ports: WorkflowPorts,
  handsOff: Pick<HandsOff, 'inTurn'>,
  now: number,
): Promise<void> {
  for (const run of await ports.runs.all()) {
    const { session, project, proof, sendBack: due, awaitsClaim, end } = run
    if (!(proof || (!end && (due || awaitsClaim))) || ports.paused?.({ session, project })) continue
    try {
      // Not in turn, because the forge may be slow; and first, so that people who are notified of the end find it.
      if (proof && !end) await showResult(ports, run, proof)
      await handsOff.inTurn(session, async () => {
        const run = await ports.runs.get(session)
        if (run?.proof) await settleRun(ports, run, run.proof, now)
        else if (run?.awaitsClaim && !run.end) await settleWithClaim(ports, run, now)
      })
      await typePrompt(ports, handsOff, session, now)
    } catch (cause) {
      ports.fault('settling a proof', cause)
    }
  }
}

/** Compares what the agent reported with the result, and puts both into the pull request. */
async function showResult(
  ports: WorkflowPorts,
  run: Run,
  { id, pullRequest, said }: NonNullable<Run['proof']>,
): Promise<void> {
  const { proofs, showProof, fault } = ports
  const ended = await proofs?.get(id).catch(() => undefined)
  if (ended?.endedAt === undefined) return
  const { project, agent, transcript, issue } = run
  const report = { project, agent, transcript, issue, said, pullRequest: pullRequest?.number }
  const proof = await addReport(ports, report, ended)
  if (!pullRequest) return
  await showProof(run.project, pullRequest.number, proof).catch(cause => {
    // Without a token, or without the forge, the result is still in the journal.
    if (!(cause instanceof BatonError)) fault('showing a proof in its pull request', cause)
  })
}

async function settleRun(
  ports: WorkflowPorts,
  run: Run,
  pending: NonNullable<Run['proof']>,
  now: number,
): Promise<void> {
  const drop = () => ports.runs.put(withoutProof(run))
  if (run.end) return drop()
  const { unreadableSince = now } = pending
  const read = await readProof(ports, pending.id)
  if (read === 'unreadable' && now - unreadableSince < UNREADABLE_MS)
    return ports.runs.put({ ...run, proof: { ...pending, unreadableSince } })
  if (read !== 'unreadable' && pending.unreadableSince !== undefined) {
    // Another time counts from its own start.
    const proof = { ...pending, unreadableSince: undefined }
    await ports.runs.put({ ...run, proof })
    return settleRun(ports, { ...run, proof }, proof, now)
  }
  const proof = read === 'unreadable' ? undefined : read
  if (proof && proof.endedAt === undefined) return
  // A person who removed the state file, or ended the run in it, is obeyed.
  const found = await ports.files.read(run.root, run.nativeSession)
  // Many editors remove a file for a moment when they save it.
  if (found.kind === 'absent' && !pending.isFileMissing)
    return ports.runs.put({ ...run, proof: { ...pending, isFileMissing: true } })
  const at = await contextOf(ports, run, now)
  if (found.kind === 'unreadable') {
    if (proof && now - Date.parse(proof.endedAt ?? '') < UNREADABLE_MS)
      return pending.isFileMissing
        ? ports.runs.put({ ...run, proof: { ...pending, isFileMissing: undefined } })
        : undefined
    const what = proof ? 'the checks have ended, but' : 'the record of the checks is gone, and'
    const reason = `${what} the state file cannot be read: ${found.why}`
    await endRun(ports, withoutProof(run), { kind: 'blocked', reason, proof: pending.id }, at)
    return
  }
  if (found.kind !== 'state' || !['initial', 'done'].includes(found.state.state)) return drop()
  const { pullRequest, reason } = pending
  const end = async (kind: 'proven' | 'unproven', why: string) => {
    await endRun(ports, withoutProof(run), { kind, reason: why, pullRequest, proof: pending.id }, at)
  }
  if (!proof) return end('unproven', 'the record of the checks is gone')
  const isProven = proof.verdict === 'proven'
  const failed = isProven ? [] : problemsOf(proof)
  const isReachable = Boolean(run.pane && ports.driverAt(run.pane))
  const returned = mayReturnReport(run, at) && (failed.length > 0 || isReachable)
  const report = returned ? reportProblems(proof.contradictions ?? []) : []
  const problems = [...failed, ...report]
  const why = proof.why ?? 'the checks did not pass'
  if (problems.length === 0 || pending.final || pending.closed)
    return isProven
      ? end('proven', `${reason}; ${passedSummary(proof)}${reportDiffers(proof)}`)
      : end('unproven', `${why} (${reason})${reportDiffers(proof)}`)
  const told = { ...withoutProof(run), reportReturned: run.reportReturned || report.length > 0 }
  const sent = await sendBack(ports, told, proof.commit, problems, at)
  if (sent.kind === 'ended') return
  const waiting: Run = { ...sent.run, sendBack: { prompt: sent.prompt, after: now, tries: 0 } }
  await ports.runs.put(waiting)
  if (isReachable) return
  const needed = `${why}. Baton cannot type into this terminal: type anything to let the agent fix it`
  await endRun(ports, waiting, { kind: 'blocked', reason: needed, pullRequest, proof: pending.id }, at)
}

async function readProof({ proofs }: WorkflowPorts, id: string): Promise<Proof | 'unreadable' | undefined> {
  try {
    return await proofs?.get(id)
  } catch (cause) {
    return cause instanceof BatonError && cause.code === 'not_found' ? undefined : 'unreadable'
  }
}

/** A report goes back once, and never costs a run its proof: only while the agent may still be sent back. */
const mayReturnReport = (run: Run, { config }: RunContext): boolean =>
  !run.reportReturned && (run.failures?.count ?? 0) < config.proof.retries

/** Ends the run once its claim has opened the pull request, with the verdict of the claim's proof. */
async function settleWithClaim(ports: WorkflowPorts, run: Run, now: number): Promise<void> {
  const claim = await ports.claimOf(run)
  if (claim?.isReady) return
  const found = await ports.files.read(run.root, run.nativeSession)
  // A person may be editing it: the pull request stays, so there is time.
  if (found.kind === 'unreadable') return
  const isOpen = found.kind === 'state' && ['initial', 'done'].includes(found.state.state)
  if (!claim?.pullRequest || !isOpen) return ports.runs.put({ ...run, awaitsClaim: false })
  const { pullRequest } = claim
  const read = claim.proof === undefined ? undefined : await readProof(ports, claim.proof)
  const { proofUnreadableSince = now } = run
  if (read === 'unreadable' && now - proofUnreadableSince < UNREADABLE_MS)
    return ports.runs.put({ ...run, proofUnreadableSince })
  const proof = read === 'unreadable' ? undefined : read
  // It waits for CI, or for a person.
  if (proof && proof.endedAt === undefined)
    return run.proofUnreadableSince === undefined
      ? undefined
      : ports.runs.put({ ...run, proofUnreadableSince: undefined })
  const opened = `pull request #${pullRequest.number} is open`
  const isProven = proof?.verdict === 'proven'
  const missing =
    claim.proof === undefined
      ? 'no checks'
      : `the record of the checks ${read ? 'cannot be read' : 'is gone'}`
  const reason = isProven
    ? `${opened}; ${passedSummary(proof)}`
    : `${proof ? (proof.why ?? 'the checks did not pass') : missing} (${opened})`
  const differs = proof ? reportDiffers(proof) : ''
  const end = {
    kind: isProven ? ('proven' as const) : ('unproven' as const),
    reason: `${reason}${differs}`,
    pullRequest,
    proof: proof?.id,
  }
  await endRun(ports, { ...run, awaitsClaim: false }, end, await contextOf(ports, run, now))
}

/** Types what failed into the agent's terminal. Not in turn: the agent reports the prompt while Baton verifies it. */
async function typePrompt(
  ports: WorkflowPorts,
  handsOff: Pick<HandsOff, 'inTurn'>,
  session: Run['session'],
  now: number,
): Promise<void> {
  // Remove the prompt before typing: a crash in between loses it, but never sends two.
  const taken = await handsOff.inTurn(session, async () => {
    const run = await ports.runs.get(session)
    if (!run?.sendBack || run.end || run.sendBack.after > now) return undefined
    const { sendBack: due, ...rest } = run
    await ports.runs.put(rest)
    return { run, due }
  })
  const driver = taken?.run.pane ? ports.driverAt(taken.run.pane) : undefined
  if (!taken?.run.pane || !driver) return
  const { due } = taken
  const outcome = await driver.type(taken.run.pane, due.prompt, taken.run.agent).catch(cause => {
    ports.fault('typing the result of a proof', cause)
    return 'not-taken' as const
  })
  if (outcome === 'taken') return
  await handsOff.inTurn(session, async () => {
    const run = await ports.runs.get(session)
    if (!run || run.end || run.proof) return
    const waiting = { ...run, sendBack: { ...due, after: now + AGAIN_MS, tries: due.tries + 1 } }
    await ports.runs.put(waiting)
    if (outcome === 'busy' && due.tries < MAX_TRIES) return
    const reason = `the checks failed, and the terminal ${outcome === 'gone' ? 'is gone' : 'did not take the prompt'}`
    await endRun(ports, waiting, { kind: 'blocked', reason }, await contextOf(ports, run, now))
  })
}

const contextOf = async (ports: WorkflowPorts, run: Run, now: number): Promise<RunContext> => ({
  session: { id: run.session, pane: run.pane, transcript: run.transcript },
  project: run.project,
  config: await ports.config(run.project),
  now,
})
