import { BatonError, type ErrorCode } from '@batonpass/contract/errors'
import type { RepositoryRef } from './remote.ts'

/**
 * One repository on a code-hosting service, and its task board if it has one, for reading.
 * What changes something is in writable-forge.ts and only reachable through claim/fenced-actions.ts.
 * All texts (titles, bodies, names, logins) were written by strangers. Failures are ForgeError.
 */
export interface Forge {
  readonly repository: RepositoryRef
  /** The login that the token speaks for. */
  me(): Promise<string>

  issue(number: number): Promise<Issue>
  /** The newest issue that matches, or undefined. Cheap to ask again while nothing changes. */
  findIssue(query: IssueQuery): Promise<IssueSummary | undefined>
  /** Open issues, the oldest first; at most a few hundred. */
  openIssues(label?: string): Promise<IssueSummary[]>
  /** By how much its clock is ahead of ours, in milliseconds; undefined until it has answered something. */
  clockOffset?(): number | undefined

  /** The branch's pull request: the open one, else the newest. Never one that a fork opened under the same name. */
  pullRequestFor(branch: string): Promise<PullRequest | undefined>
  /** State, reviews, unresolved threads and checks: one call, unless there are more than a hundred checks. */
  pullRequest(number: number): Promise<PullRequestStatus>
  /** The end of a check's log in plain text, or undefined when the service keeps none. */
  checkLog(check: Check, limit?: LogLimit): Promise<string | undefined>

  /** The configured board, or the only one there is; undefined when there is none. */
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
  /** Open issues that must be closed first: the service's own dependencies and "Blocked by #7" in the text. */
  blockedBy: number[]
  /** Open issues of other repositories that must be closed first, e.g. `acme/lib#7`. */
  blockedElsewhere: string[]
  /** Its place on the board, if it has one. */
  boardItem: BoardItem | undefined
}

export interface IssueQuery {
  /** What the title begins with, in any case. */
  titleStart?: string
  label?: string
  state?: 'open' | 'closed' | 'any'
  author?: string
  /** Only issues created at or after this time, in milliseconds. */
  createdSince?: number
}

export interface CloseRequest {
  comment: string
  /** Names this comment among ours, e.g. the claim's id; [A-Za-z0-9_.:-]. It is put into the comment invisibly. */
  marker: string
}

export interface CloseOutcome {
  /** False: it was closed already. */
  closed: boolean
  /** False: the comment was there already. */
  commented: boolean
  /** It was transferred to another repository, and closed there. */
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
  /** `unknown` while the service is still working it out. */
  mergeable: 'yes' | 'conflict' | 'unknown'
}

export interface PullRequestRequest {
  branch: string
  /** The default branch unless given. */
  base?: string
  title: string
  body: string
  draft?: boolean
  /** The issue it is for; its board place is read in the same call, so that setOnBoard costs one more and no two. */
  issue?: number
}

export interface CreatedPullRequest extends PullRequest {
  /** False: it existed. Its state may then be closed or merged, for the same commit. */
  created: boolean
}

export interface PullRequestStatus extends PullRequest {
  /** `none`: nobody has judged and nobody must. */
  review: 'approved' | 'changes-requested' | 'required' | 'none'
  /** Each reviewer's latest judgement that asks for changes or has words in it. */
  reviews: Review[]
  /** Review threads that nobody has resolved, oldest first. */
  threads: ReviewThread[]
  /** Who has been asked for a review and has not given one since. */
  requested: string[]
  checks: Checks
  mergedAt: number | undefined
}

export interface ReviewComment {
  author: string | undefined
  /** Owner, member or collaborator. On a public repository anyone else may write as well. */
  trusted: boolean
  body: string
  url: string
  /** Milliseconds since the epoch. */
  at: number
}

export interface Review extends ReviewComment {
  state: 'approved' | 'changes-requested' | 'commented' | 'dismissed'
  /** The commit that was looked at. */
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
  /** The service's own word, e.g. `skipped` or `cancelled`. */
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
  /** The Status options in the board's order; empty when it has no such field. */
  statuses: string[]
  /** Whether it has a text field named Agent. */
  hasAgent: boolean
}

export interface BoardItem {
  id: string
  /** Undefined: a draft, or something we may not see. */
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
  /** Empty clears it. */
  agent?: string
  /** Put the issue on the board if it is not there. */
  add?: boolean
}

export type BoardOutcome =
  | { done: true; item: string }
  /** `missing` says what the board lacks, in words for a person. */
  | { done: false; why: 'no-board' | 'not-on-board' | 'no-such-status' | 'no-agent-field'; missing: string }

export interface BoardPlan {
  /** Used when a board must be made. Without it a missing board is only reported. */
  title?: string
  statuses: readonly string[]
  agentField: boolean
  labels: readonly { name: string; color: string; description: string }[]
}

export interface BoardSetup {
  board: Board | undefined
  /** What was made, in words for a person; empty when all was there. */
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

/** What went wrong between us and the service. Never holds the token. */
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

  /** Whether the same call may succeed later without anyone changing anything. */
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

/** Counts checks. What is not known to have passed has not passed. */
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

/** Who asked for changes, has not seen what came since, and is not asked to look again yet. Only those with rights here. */
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
