import type {
  BoardChange,
  BoardOutcome,
  BoardPlan,
  BoardSetup,
  CloseOutcome,
  CloseRequest,
  CreatedPullRequest,
  Forge,
  MergeRequest,
  PullRequestRequest,
} from './forge.ts'

/**
 * A forge with the methods that change something. Only claim/fenced-actions.ts calls them, after checking the lease. Every
 * action can be repeated after a crash: it checks the current state first and does only what is missing.
 */
export interface WritableForge extends Forge {
  /** Adds assignees and keeps existing ones. Returns all assignees. */
  assign(issue: number, logins: readonly string[]): Promise<string[]>
  /** Removes assignees; ignores logins that are not assigned. */
  unassign(issue: number, logins: readonly string[]): Promise<void>
  /** Comments once (recognised by `marker`) and closes the issue. Safe to repeat, also on an issue closed by hand. */
  closeIssue(issue: number, closing: CloseRequest): Promise<CloseOutcome>

  /** Returns the branch's pull request if it exists, otherwise opens it. */
  createPullRequest(request: PullRequestRequest): Promise<CreatedPullRequest>
  /** Changes the text of a pull request; does nothing if the change leaves it as it is. */
  rewritePullRequest(number: number, change: (body: string) => string): Promise<void>
  /** Merges a pull request; does nothing if it is merged already. `refused` if a rule of the service forbids it. */
  mergePullRequest(number: number, request: MergeRequest): Promise<void>
  /** Puts a pull request into the service's own merge queue; does nothing if it is there. */
  enqueuePullRequest(number: number, headSha: string): Promise<void>
  /** Requests reviews (again); ignores people who are already requested. */
  requestReviews(number: number, logins: readonly string[]): Promise<void>

  /** Sets an issue's Status and Agent in one call. A missing board, item or option is an answer, not a failure. */
  setOnBoard(issue: number, change: BoardChange): Promise<BoardOutcome>
  /** Creates what is missing: the board, Status options, the Agent field, labels. Removes nothing. */
  ensureBoard(plan: BoardPlan): Promise<BoardSetup>
}
