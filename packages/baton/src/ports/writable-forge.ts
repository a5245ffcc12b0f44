import type {
  BoardChange,
  BoardOutcome,
  BoardPlan,
  BoardSetup,
  CloseOutcome,
  CloseRequest,
  CreatedPullRequest,
  Forge,
  PullRequestRequest,
} from './forge.ts'

/**
 * A forge with everything that changes something on it. Only claim/fenced-actions.ts calls these methods: it checks the lease
 * first. Every action may be repeated after a crash: it looks first and does only what is missing.
 */
export interface WritableForge extends Forge {
  /** Adds assignees; those already there stay. Gives the assignees afterwards. */
  assign(issue: number, logins: readonly string[]): Promise<string[]>
  /** Takes assignees away; those who are none are no failure. */
  unassign(issue: number, logins: readonly string[]): Promise<void>
  /** Comments once (recognised by `marker`) and closes. Safe to repeat, and on an issue closed by hand. */
  closeIssue(issue: number, closing: CloseRequest): Promise<CloseOutcome>

  /** Gives the branch's pull request if it has one already, else opens it. */
  createPullRequest(request: PullRequestRequest): Promise<CreatedPullRequest>
  /** Asks these people to review it (again); who is asked already is no failure. */
  requestReviews(number: number, logins: readonly string[]): Promise<void>

  /** Sets an issue's Status and Agent in one call. A missing board, item or option is an answer, not a failure. */
  setOnBoard(issue: number, change: BoardChange): Promise<BoardOutcome>
  /** Makes what is missing: the board, Status options, the Agent field, labels. Takes nothing away. */
  ensureBoard(plan: BoardPlan): Promise<BoardSetup>
}
