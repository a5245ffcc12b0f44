import { BatonError, type ErrorCode } from '@batonpass/contract/errors'
import type { RepositoryRef } from './remote.ts'

/**
 * One repository on a code-hosting service, and its task board if it has one, for reading.
 * The methods that change something are in writable-forge.ts; only claim/fenced-actions.ts calls them.
 * Do not trust any text (titles, bodies, names, logins): strangers wrote it. Failures are ForgeError.
 */
export interface Forge {
  readonly repository: RepositoryRef
  /** The login that owns the token. */
  me(): Promise<string>

  issue(number: number): Promise<Issue>
  /** The newest matching issue, or undefined. Repeating the call is cheap while nothing changes. */
  findIssue(query: IssueQuery): Promise<IssueSummary | undefined>
  /** Open issues, oldest first; at most a few hundred. */
  openIssues(label?: string): Promise<IssueSummary[]>
  /** How far the service's clock is ahead of ours, in milliseconds; undefined before its first answer. */
  clockOffset?(): number | undefined

  /** The branch's pull request: the open one, otherwise the newest. Never one from a fork's branch of the same name. */
  pullRequestFor(branch: string): Promise<PullRequest | undefined>
  /** The text of a pull request. */
  pullRequestText(number: number): Promise<string>
  /** State, reviews, unresolved threads and checks. One API call, unless there are more than a hundred checks. */
  pullRequest(number: number): Promise<PullRequestStatus>
  /** Whether the service's own merge queue has the pull request; `absent`: its base has no such queue. */
  mergeQueue(number: number): Promise<'absent' | 'queued' | 'not-queued'>
  /** The end of a check's log as plain text, or undefined if the service has no log. */
  checkLog(check: Check, limit?: LogLimit): Promise<string | undefined>

  /** The configured board, or the only one that exists; undefined if there is none. */
  board(): Promise<Board | undefined>
  boardItems(): Promise<BoardItem[]>
}

export interface IssueSummary {
  number: number
  title: string
  url: string
  state: 'open' | 'closed'
  labels: string[]
  assignees: string[]
  author: string | undefined
  /** Milliseconds since the epoch. */
  createdAt: number
}

export interface Issue extends IssueSummary {
  body: string
  /** Open issues that must be closed first: the service's own dependencies, and "Blocked by #7" in the text. */
  blockedBy: number[]
  /** Open issues of other repositories that must be closed first, e.g. `acme/lib#7`. */
  blockedElsewhere: string[]
  /** The issue's board item, if it has one. */
  boardItem: BoardItem | undefined
}

export interface IssueQuery {
  /** A prefix of the title, compared without case. */
  titleStart?: string
  label?: string
  state?: 'open' | 'closed' | 'any'
  author?: string
  /** Only issues created at or after this time, in milliseconds. */
  createdSince?: number
}

export interface CloseRequest {
  comment: string
  /** Identifies this comment among ours, e.g. the claim's id; [A-Za-z0-9_.:-]. Added to the comment invisibly. */
  marker: string
}

export interface CloseOutcome {
  /** False: the issue was already closed. */
  closed: boolean
  /** False: the comment already existed. */
  commented: boolean
  /** The repository to which the issue was transferred, and where it was closed. */
  movedTo?: string
}

export interface PullRequest {
  number: number
  url: string
  title: string
  state: 'open' | 'closed' | 'merged'
  draft: boolean
  branch: string
  base: string
  headSha: string
  /** `unknown` while the service is still computing it. */
  mergeable: 'yes' | 'conflict' | 'unknown'
}

export interface PullRequestRequest {
  branch: string
  /** Defaults to the default branch. */
  base?: string
  title: string
  body: string
  draft?: boolean
  /** The related issue. The same call reads its board item, which saves setOnBoard one call. */
  issue?: number
}

export interface MergeRequest {
  /** Nothing happens if the pull request has another head by now. */
  headSha: string
  method: 'merge' | 'squash'
}

export interface CreatedPullRequest extends PullRequest {
  /** False: it already existed. It may then be closed or merged, for the same commit. */
  created: boolean
}

export interface PullRequestStatus extends PullRequest {
  /** `none`: there is no review, and none is required. */
  review: 'approved' | 'changes-requested' | 'required' | 'none'
  /** Each reviewer's latest review that requests changes or has a text. */
  reviews: Review[]
  /** Unresolved review threads, oldest first. */
  threads: ReviewThread[]
  /** Requested reviewers who have not reviewed since. */
  requested: string[]
  /** The commits that a trusted reviewer's latest review approves. */
  approvedCommits: string[]
  checks: Checks
  mergedAt: number | undefined
}

export interface ReviewComment {
  author: string | undefined
  /** Whether the author is an owner, member or collaborator. On a public repository anyone can comment. */
  trusted: boolean
  body: string
  url: string
  /** Milliseconds since the epoch. */
  at: number
}

export interface Review extends ReviewComment {
  state: 'approved' | 'changes-requested' | 'commented' | 'dismissed'
  /** The commit that was reviewed. */
  commit: string | undefined
}

export interface ReviewThread {
  path: string
  line: number | undefined
  /** The code has changed since. */
  outdated: boolean
  remarks: ReviewComment[]
}

export type CheckState = 'passed' | 'failed' | 'pending' | 'unknown'

export interface Check {
  /** The service's name for it, for `checkLog`. */
  id: string
  name: string
  state: CheckState
  /** The service's own term, e.g. `skipped` or `cancelled`. */
  detail: string
  url: string | undefined
  required: boolean
}

export interface Checks {
  /** `none`: no check exists (yet). Only `passed` means passed. */
  verdict: CheckState | 'none'
  total: number
  passed: number
  failed: number
  pending: number
  unknown: number
  /** Failed first, then pending, unknown, passed; by name. */
  all: Check[]
}

export interface LogLimit {
  lines?: number
  bytes?: number
}

export interface BoardPlace {
  owner: string
  number: number
}

export interface Board extends BoardPlace {
  id: string
  title: string
  url: string
  /** The Status options in the board's order; empty if the board has no Status field. */
  statuses: string[]
  /** Whether the board has a text field named Agent. */
  hasAgent: boolean
}

export interface BoardItem {
  id: string
  /** Undefined for a draft, or for an item that the token may not see. */
  issue: number | undefined
  kind: 'issue' | 'pull-request' | 'draft' | 'hidden'
  title: string
  url: string | undefined
  state: 'open' | 'closed' | undefined
  status: string | undefined
  agent: string | undefined
  labels: string[]
  assignees: string[]
}

export interface BoardChange {
  status?: string
  /** An empty text clears the field. */
  agent?: string
  /** Add the issue to the board if it is missing. */
  add?: boolean
}

export type BoardOutcome =
  | { done: true; item: string }
  /** `missing` says what the board lacks, for display. */
  | { done: false; why: 'no-board' | 'not-on-board' | 'no-such-status' | 'no-agent-field'; missing: string }

export interface BoardPlan {
  /** The title of a new board. Without it, a missing board is only reported. */
  title?: string
  statuses: readonly string[]
  agentField: boolean
  labels: readonly { name: string; color: string; description: string }[]
}

export interface BoardSetup {
  board: Board | undefined
  /** What was created, for display; empty if nothing was missing. */
  made: string[]
}

export type ForgeTrouble =
  | 'unauthorised'
  | 'forbidden'
  | 'not-found'
  | 'rate-limited'
  | 'unreachable'
  | 'conflict'
  | 'refused'
  | 'unsupported'

/** A failed call to the service. Never contains the token. */
export class ForgeError extends BatonError {
  readonly trouble: ForgeTrouble
  /** For `rate-limited`: when to try again, in milliseconds since the epoch. */
  readonly retryAt: number | undefined

  constructor(
    trouble: ForgeTrouble,
    message: string,
    options: { remedy?: string; cause?: unknown; retryAt?: number } = {},
  ) {
    super(codes[trouble], message, options)
    this.name = 'ForgeError'
    this.trouble = trouble
    this.retryAt = options.retryAt
  }

  /** Whether the same call may succeed later without any change. */
  get passing(): boolean {
    return this.trouble === 'rate-limited' || this.trouble === 'unreachable'
  }
}

const codes: Record<ForgeTrouble, ErrorCode> = {
  unauthorised: 'forge_unauthorised',
  forbidden: 'forge_forbidden',
  'not-found': 'not_found',
  'rate-limited': 'forge_rate_limited',
  unreachable: 'forge_unreachable',
  conflict: 'forge_conflict',
  refused: 'forge_refused',
  unsupported: 'forge_refused',
}

/** Counts checks. A check in an unknown state does not count as passed. */
export function checksOf(checks: readonly Check[]): Checks {
  const all = [...checks].sort(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state) || (a.name < b.name ? -1 : 1),
  )
  const count = (state: CheckState) => all.filter(check => check.state === state).length
  const counts = {
    failed: count('failed'),
    pending: count('pending'),
    unknown: count('unknown'),
    passed: count('passed'),
  }
  const verdict = order.find(state => counts[state] > 0) ?? 'none'
  return { verdict, total: all.length, ...counts, all }
}

const order: CheckState[] = ['failed', 'pending', 'unknown', 'passed']

/** Trusted reviewers who requested changes, have not seen the latest commit and are not asked to review again yet. */
export const reviewersToAskAgain = ({ state, headSha, reviews, requested }: PullRequestStatus): string[] =>
  state !== 'open'
    ? []
    : reviews.flatMap(({ state: judgement, author, trusted, commit }) =>
        judgement === 'changes-requested' &&
        trusted &&
        author !== undefined &&
        commit !== headSha &&
        !requested.includes(author)
          ? author
          : [],
      )
