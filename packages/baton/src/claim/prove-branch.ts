import type { ClaimFile } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import type { Proof } from '@batonpass/contract/proof'
import type { ProofOrder } from '../proof/choose-checks.ts'
import { countFailure, describeProblems, problemsOf, reportProblems } from '../proof/problems.ts'
import { awaitsPullRequest } from '../proof/proofs.ts'
import { addReport, MAX_SAID, reportDiffers } from '../proof/report.ts'
import { queueNews } from './deliver-news.ts'
import { entry } from './fence.ts'
import type { ClaimPorts, Trigger } from './ports.ts'
import type { ClaimRecord } from './record.ts'

/** Whether the pull request may be opened. `wait`: the checks still run, or the agent fixes what failed. */
export type Gate = { do: 'wait' } | { do: 'open'; proof?: Proof | undefined; isDraft: boolean }

/** How long an agent that cannot be reached holds up its pull request. */
const UNREACHED_MS = 10 * 60_000

const WAIT: Gate = { do: 'wait' }

/**
 * Proves the branch before its pull request is opened; the phase stays `ready_for_pr` meanwhile. Failed checks go back to the
 * agent. If they still fail after the bound, the pull request is opened as a draft.
 */
export async function proveBranch(
  ports: ClaimPorts,
  record: ClaimRecord,
  file: ClaimFile,
  trigger: Pick<Trigger, 'why' | 'report'>,
): Promise<Gate> {
  const { proofs } = ports
  if (!proofs) return { do: 'open', isDraft: false }
  const { project } = record
  const known = record.proof
  const { proof: settings, claim } = await ports.config(project)
  const order = { ...(await orderFor(ports, record)), commit: `refs/heads/${file.branch}` }
  const started = await currentProof(ports, record, order)
  if (started === 'unreadable') return WAIT
  if (!started) return { do: 'open', isDraft: false }
  const report = await keepReport(ports, record, trigger)
  if (started.endedAt === undefined) {
    if (!awaitsPullRequest(started)) return WAIT
    await keepAnswer(ports, record, started, { isOpen: true })
    return { do: 'open', proof: started, isDraft: false }
  }
  await keepAnswer(ports, record, started)
  const proof = await compare(ports, record, file, started, trigger)
  const isDraft = needsPerson(proof) && answerIn(proof) !== 'yes'
  const failed = proof.verdict === 'proven' ? [] : problemsOf(proof)
  const differing = proof.contradictions ?? []
  if (failed.length + differing.length === 0) return { do: 'open', proof, isDraft }
  const now = ports.clock.now()
  const isTold = known?.sentBack?.commit === proof.commit
  const isPending = record.inbox.some(({ kind }) => kind === NEWS)
  if (isTold && isPending && now - (known.sentBack?.at ?? 0) < UNREACHED_MS) return WAIT
  // The agent has it and works, or a person does.
  if (isTold && !isPending && trigger.why !== 'stop') return WAIT
  const mayReturn = !report?.reportReturned && (known?.failures?.count ?? 0) < settings.retries
  const wrong = mayReturn ? reportProblems(differing) : []
  const problems = [...failed, ...wrong]
  if (problems.length === 0) return { do: 'open', proof, isDraft }
  const { count, same, failure, worn } = countFailure(known?.failures, problems)
  if (worn || count > settings.retries || record.fixes >= claim.max_fixes || (isTold && isPending))
    return { do: 'open', proof, isDraft: isDraft || failed.length > 0 }
  await ports.records.change(record, now => ({
    ...now,
    proof: {
      ...now.proof,
      id: proof.id,
      commit: proof.commit,
      failures: { count, same, failure },
      sentBack: { commit: proof.commit, at: ports.clock.now() },
      ...(wrong.length > 0 ? { reportReturned: true } : {}),
    },
  }))
  await queueNews(ports, record, {
    kind: NEWS,
    text: [
      `Baton checked commit ${proof.commit.slice(0, 10)} of ${file.branch} itself, on a clean checkout, before opening the pull request:`,
      ...(failed.length > 0 ? [describeProblems(failed)] : []),
      ...(wrong.length > 0
        ? [
            '\nWhat you reported differs from what Baton found. Do what is missing, or correct your last message and `baton claim ready --summary "…"`. Baton asks this once; what still differs is shown in the pull request:',
            describeProblems(wrong),
          ]
        : []),
    ].join('\n'),
    act: true,
  })
  const why = problems.map(({ what }) => what).join('; ')
  await ports.journal(record, { ...entry(record, 'unproven'), reason: why.slice(0, 500) })
  return WAIT
}

const NEWS = 'proof'

async function orderFor(
  ports: ClaimPorts,
  { project, session, base: since, issueChecks }: ClaimRecord,
): Promise<ProofOrder> {
  const workflowChecks = session && (await ports.workflowChecksOf?.(session))
  const more = { workflowChecks: workflowChecks || undefined, opensPullRequest: true }
  return { project, session, since, issueChecks, ...more }
}

/** What the people said that a proof asks. `open`: at least one has not said yes or no. Undefined: it asks none. */
function answerIn({ checks, results }: Proof): 'yes' | 'no' | 'open' | undefined {
  const said = checks
    .filter(({ kind }) => kind === 'person')
    .map(({ name }) => results.find(result => result.name === name)?.status)
  if (said.length === 0) return undefined
  if (said.every(status => status === 'passed')) return 'yes'
  return said.includes('failed') ? 'no' : 'open'
}

/** Keeps what people said to a commit, for the merge. */
async function keepAnswer(
  { records }: ClaimPorts,
  record: ClaimRecord,
  proof: Proof,
  more: { isOpen?: boolean } = {},
): Promise<void> {
  const answer = answerIn(proof)
  if (answer === undefined && more.isOpen === undefined) return
  await records.change(record, known => {
    if (known.proof?.id !== proof.id) return known
    const { agreed: before, ...rest } = known.proof
    const agreed = answer === 'yes' ? proof.commit : answer === 'no' ? undefined : before
    return { ...known, proof: { ...rest, ...more, ...(agreed ? { agreed } : {}) } }
  })
}

const needsPerson = ({ checks }: Proof): boolean => checks.some(({ kind }) => kind === 'person')

/**
 * Follows a proof that needs the pull request: shows its result there. If CI failed and the agent pushed another commit, that
 * one is proven next, as is every commit about which a person has to be asked. The news about CI itself comes with the pull request.
 */
export async function followOpenProof(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  const { proofs, records } = ports
  const { proof: known, pr } = record
  if (!proofs || !known || pr?.state !== 'open') return
  const ended = await proofs.get(known.id).catch(() => undefined)
  if (ended?.endedAt === undefined || !(ended.opensPullRequest || needsPerson(ended))) return
  if (known.isOpen) {
    const proof = await compareOpen(ports, record, pr.number, ended)
    await ports.outside.showProof(record.project, pr.number, proof)
    await keepAnswer(ports, record, proof, { isOpen: false })
    const isProven = proof.verdict === 'proven'
    const verdict = isProven ? 'proven' : `unproven (${proof.why ?? 'no reason given'})`
    const result = `${verdict}${reportDiffers(proof)}`
    await ports.journal(record, {
      ...entry(record, isProven ? 'proven' : 'unproven'),
      end: isProven ? 'proven' : 'unproven',
      reason: result.slice(0, 500),
      pullRequest: pr.url,
    })
    const sign = isProven ? '✅' : '⚠️'
    await ports.announce(record.project, `${sign} issue #${record.issue}: PR #${pr.number} is ${result}`)
    return
  }
  const head = pr.seen?.head
  if (head === undefined || head === ended.commit) return
  const commit = await proofs.resolve(record.project, head).catch(() => undefined)
  if (commit === undefined) return
  const next = await proofs.start({ ...(await orderFor(ports, record)), commit })
  await records.change(record, ({ proof: { said: _, ...before } = {}, ...now }) => ({
    ...now,
    // What the agent said before was about another commit.
    proof: { ...before, id: next.id, commit: next.commit, isOpen: true, needsPerson: needsPerson(next) },
  }))
}

/** Keeps what the agent said when it stopped, until the proof has ended. */
async function keepReport(
  { records }: ClaimPorts,
  record: ClaimRecord,
  { report }: Pick<Trigger, 'report'>,
): Promise<ClaimRecord['proof']> {
  const after = await records.change(record, now =>
    now.proof && report
      ? {
          ...now,
          proof: { ...now.proof, said: report.said?.slice(-MAX_SAID), transcript: report.transcript },
        }
      : now,
  )
  return after?.proof
}

/** Compares what the agent said, and the summary that becomes the pull request, with the evidence. */
async function compare(
  ports: ClaimPorts,
  { project, issue, agent, id }: ClaimRecord,
  file: ClaimFile,
  proof: Proof,
  { report }: Pick<Trigger, 'report'>,
): Promise<Proof> {
  const known = (await ports.records.find(each => each.id === id))?.proof
  // Without any check there is no evidence of Baton's own.
  if (!agent || proof.checks.length === 0) return proof
  const said = { said: known?.said, transcript: known?.transcript, pullRequestText: file.summary }
  // A new message about the same commit is a new report.
  return addReport(ports, { project, agent, issue, pullRequest: undefined, ...said }, proof, {
    again: report !== undefined,
  })
}

/** The same for a pull request that is already open. */
async function compareOpen(
  ports: ClaimPorts,
  { project, issue, agent, proof: known }: ClaimRecord,
  pullRequest: number,
  proof: Proof,
): Promise<Proof> {
  if (!agent) return proof
  const { said, transcript } = known ?? {}
  return addReport(ports, { project, agent, issue, pullRequest, said, transcript }, proof)
}

/** The proof of the branch's last commit: the one that is known, or a new one. Undefined: it could not be started. */
async function currentProof(
  { proofs, records, journal, fault }: ClaimPorts,
  record: ClaimRecord,
  order: ProofOrder & { commit: string },
): Promise<Proof | 'unreadable' | undefined> {
  if (!proofs) return undefined
  try {
    const commit = await proofs.resolve(order.project, order.commit)
    if (record.proof?.commit === commit) {
      // A record that cannot be read for a moment is not gone.
      const found = await proofs
        .get(record.proof.id)
        .catch(cause =>
          cause instanceof BatonError && cause.code === 'not_found' ? undefined : 'unreadable',
        )
      if (found) return found
    }
    const { failures, sentBack, reportReturned } = record.proof ?? {}
    const started = await proofs.start({ ...order, commit })
    await records.change(record, known => ({
      ...known,
      proof: {
        id: started.id,
        commit: started.commit,
        ...(needsPerson(started) ? { needsPerson: true } : {}),
        ...(failures ? { failures } : {}),
        ...(sentBack ? { sentBack } : {}),
        ...(reportReturned ? { reportReturned } : {}),
      },
    }))
    await journal(record, { ...entry(record, 'proving'), reason: `commit ${started.commit.slice(0, 10)}` })
    // Without checks it ends at once.
    return started.checks.length === 0 ? await proofs.wait(started.id) : started
  } catch (cause) {
    fault('proving a branch', cause)
    return undefined
  }
}
