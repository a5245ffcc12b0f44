import { BatonError } from '@batonpass/contract/errors'
import type { Proof } from '@batonpass/contract/proof'
import type {
  BoardChange,
  BoardOutcome,
  BoardPlan,
  BoardSetup,
  CloseOutcome,
  CloseRequest,
  CreatedPullRequest,
  MergeRequest,
  PullRequestRequest,
} from '../ports/forge.ts'
import type { GitPush } from '../ports/git-push.ts'
import type { GitLogin } from '../ports/git-work.ts'
import type { WritableForge } from '../ports/writable-forge.ts'
import { evidenceBlock, withEvidence } from '../proof/evidence-block.ts'
import type { ClaimRecord } from './record.ts'

interface FencedActionsPorts {
  /** Throws if the claim no longer holds its lease, or if that cannot be checked. */
  checkLease(record: ClaimRecord): Promise<void>
  /** The claim of a worktree, if it has one. */
  claimAt(project: string): Promise<ClaimRecord | undefined>
  forgeFor(at: { home: string; repository?: string }): Promise<WritableForge>
  push: GitPush
}

/**
 * Everything Baton changes on a forge or a remote. Each action checks the claim's lease immediately before it acts; a lease
 * that is lost or cannot be checked means that nothing happens. No other module can push or write to a forge
 * (test/boundaries.test.ts).
 */
export class FencedActions {
  readonly #ports: FencedActionsPorts

  constructor(ports: FencedActionsPorts) {
    this.#ports = ports
  }

  /** Checks the lease without acting, before long work that would be wasted without it. */
  async check(record: ClaimRecord, doing: string): Promise<void> {
    try {
      await this.#ports.checkLease(record)
    } catch (error) {
      throw error instanceof BatonError && error.code === 'claim_lost'
        ? error
        : uncheckable(record, doing, error)
    }
  }

  /** Pushes the branch of a claim from its worktree, or from another clone of the repository. `alsoHeld`: a second lease. */
  async pushBranch(
    record: ClaimRecord,
    login?: GitLogin,
    folder = record.project,
    alsoHeld?: () => Promise<void>,
  ): Promise<void> {
    await this.check(record, 'push the branch')
    await alsoHeld?.()
    await this.#ports.push(folder, record.branch, login)
  }

  mergePullRequest(
    record: ClaimRecord,
    pull: number,
    request: MergeRequest,
    alsoHeld?: () => Promise<void>,
  ): Promise<void> {
    return this.#onForge(record, 'merge the pull request', async forge => {
      await alsoHeld?.()
      await forge.mergePullRequest(pull, request)
    })
  }

  enqueuePullRequest(record: ClaimRecord, pull: number, headSha: string): Promise<void> {
    return this.#onForge(record, 'queue the pull request', forge => forge.enqueuePullRequest(pull, headSha))
  }

  openPullRequest(record: ClaimRecord, request: PullRequestRequest): Promise<CreatedPullRequest> {
    return this.#onForge(record, 'open the pull request', forge => forge.createPullRequest(request))
  }

  askForReviews(record: ClaimRecord, pull: number, logins: readonly string[]): Promise<void> {
    return this.#onForge(record, 'ask for reviews', forge => forge.requestReviews(pull, logins))
  }

  /** Asks for reviews in a project that may have no claim; without a claim, no lease is checked. */
  async askForReviewsIn(project: string, pull: number, logins: readonly string[]): Promise<void> {
    const record = await this.#ports.claimAt(project)
    if (record) return this.askForReviews(record, pull, logins)
    await (await this.#ports.forgeFor({ home: project })).requestReviews(pull, logins)
  }

  /** Puts the block about a proof into the text of a pull request; without a claim in the project, no lease is checked. */
  async showProof(project: string, pull: number, proof: Proof): Promise<void> {
    const record = await this.#ports.claimAt(project)
    const show = (forge: WritableForge) =>
      forge.rewritePullRequest(pull, body => withEvidence(body, evidenceBlock(proof, forge.repository)))
    if (record) return this.#onForge(record, 'show the proof', show)
    await show(await this.#ports.forgeFor({ home: project }))
  }

  commentAndClose(record: ClaimRecord, closing: CloseRequest): Promise<CloseOutcome> {
    return this.#onForge(record, 'close the issue', forge => forge.closeIssue(record.issue, closing))
  }

  moveOnBoard(record: ClaimRecord, change: BoardChange): Promise<BoardOutcome> {
    return this.#onForge(record, 'change the board', forge => forge.setOnBoard(record.issue, change))
  }

  /** Returns the assignees after the change. */
  assignTo(record: ClaimRecord, login: string): Promise<string[]> {
    return this.#onForge(record, 'assign the issue', forge => forge.assign(record.issue, [login]))
  }

  unassignFrom(record: ClaimRecord, login: string): Promise<void> {
    return this.#onForge(record, 'unassign the issue', forge => forge.unassign(record.issue, [login]))
  }

  /** Creates what a board lacks. The board belongs to the repository, so no lease is checked. */
  async setUpBoard(project: string, plan: BoardPlan): Promise<BoardSetup> {
    return (await this.#ports.forgeFor({ home: project })).ensureBoard(plan)
  }

  async #onForge<T>(
    record: ClaimRecord,
    doing: string,
    act: (forge: WritableForge) => Promise<T>,
  ): Promise<T> {
    // Opening a forge may take a while: the check comes after it.
    const forge = await this.#ports.forgeFor(record)
    await this.check(record, doing)
    return act(forge)
  }
}

/** Keeps the error code: isPassing uses it to decide whether the failure is temporary. */
function uncheckable({ issue }: ClaimRecord, doing: string, cause: unknown): BatonError {
  const known = cause instanceof BatonError ? cause : undefined
  const why = known?.message ?? (cause instanceof Error ? cause.message : String(cause))
  return new BatonError(
    known?.code ?? 'internal',
    `Baton did not ${doing}: it cannot check whether issue #${issue} is still yours. ${why}`,
    { remedy: known?.remedy ?? 'Try again. If it fails again, see daemon.log in the state folder.', cause },
  )
}
