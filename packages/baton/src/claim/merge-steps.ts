import { BatonError } from '@batonpass/contract/errors'
import { visible } from '@batonpass/contract/visible'
import type { MergeRequest } from '../ports/forge.ts'
import { describeProblems, problemsOf } from '../proof/problems.ts'
import { queueNews } from './deliver-news.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

/** How a proof ended, or that it runs. `missing`: why nothing could be checked. */
export type MergeProof =
  | 'running'
  | 'proven'
  | { missing: string }
  | { failed: string }
  /** All other checks passed, or there are none: the forge decides once the commit is there. */
  | { later: { checks: boolean; review: boolean } }

/** Whether a person is one of the checks, and has not said yes to one of these commits. */
export const lacksPerson = ({ proof }: Pick<ClaimRecord, 'proof'>, commits: readonly string[]): boolean =>
  proof?.needsPerson === true && (proof.agreed === undefined || !commits.includes(proof.agreed))

/** CI and people look at a commit only after it is pushed. */
const NO_CHECKS = 'no check could run before it is pushed'

/** What a merge queue does with the pull request of a claim. Each action checks the claim's lease first. */
export const claimMerges = (ports: ClaimPorts) => ({
  /** Proves a commit in a clone of Baton's own, with the checks of the issue and its workflow. */
  async startProof(
    { session, issueChecks }: ClaimRecord,
    { folder, commit, base }: { folder: string; commit: string; base: string },
  ): Promise<string | undefined> {
    const workflowChecks = session && (await ports.workflowChecksOf?.(session))
    const order = { project: folder, commit, base, session, issueChecks, isUnpushed: true }
    return (await ports.proofs?.start({ ...order, workflowChecks: workflowChecks || undefined }))?.id
  },

  async proofOf(id: string | undefined): Promise<MergeProof> {
    const proof = id && ports.proofs ? await ports.proofs.get(id) : undefined
    if (!proof) return { missing: NO_CHECKS }
    if (proof.endedAt === undefined) return 'running'
    const isSound = proof.verdict === 'proven' || proof.checks.length === 0
    if (isSound && proof.later) return { later: proof.later }
    if (proof.verdict === 'proven') return 'proven'
    const problems = problemsOf(proof)
    if (problems.length > 0) return { failed: describeProblems(problems) }
    return { missing: proof.checks.length > 0 && proof.why ? visible(proof.why) : NO_CHECKS }
  },

  async push(record: ClaimRecord, folder: string, alsoHeld?: () => Promise<void>): Promise<void> {
    const login = () => ports.loginFor(record.home).catch(() => undefined)
    await ports.outside.pushBranch(record, undefined, folder, alsoHeld).catch(async error => {
      const own = error instanceof BatonError && error.code === 'git_failed' ? await login() : undefined
      if (!own) throw error
      await ports.outside.pushBranch(record, own, folder, alsoHeld)
    })
  },

  merge: (record: ClaimRecord, pull: number, request: MergeRequest, alsoHeld?: () => Promise<void>) =>
    ports.outside.mergePullRequest(record, pull, request, alsoHeld),

  enqueue: (record: ClaimRecord, pull: number, headSha: string) =>
    ports.outside.enqueuePullRequest(record, pull, headSha),

  /** Tells the author's session what it has to change. */
  sendBack: (record: ClaimRecord, text: string) =>
    queueNews(ports, record, { kind: 'merge', text: ports.redact(text), act: true }),
})
