import { z } from 'zod'
import {
  type CreatedPullRequest,
  checksOf,
  ForgeError,
  type MergeRequest,
  type PullRequest,
  type PullRequestRequest,
  type PullRequestStatus,
} from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import type { BoardKeeper } from './board.ts'
import { boardPaths } from './board-shape.ts'
import { contextsOf, latestChecks, restOf } from './checks.ts'
import type { Connection } from './connection.ts'
import {
  enqueueDocument,
  fromGraph,
  fromRemark,
  fromRest,
  isMember,
  judgements,
  Lookup,
  lookupDocument,
  QueueAnswer,
  queueDocument,
  RestPull,
  reviewStateOf,
  reviewStates,
  type Status,
  StatusAnswer,
  statusDocument,
} from './pull-documents.ts'

type PullRequests = Pick<
  WritableForge,
  | 'pullRequestFor'
  | 'createPullRequest'
  | 'pullRequest'
  | 'pullRequestText'
  | 'requestReviews'
  | 'rewritePullRequest'
  | 'mergeQueue'
  | 'mergePullRequest'
  | 'enqueuePullRequest'
>

export function pullRequests(
  connection: Connection,
  repository: RepositoryRef,
  boards: BoardKeeper,
): PullRequests {
  const { owner, name: repo } = repository

  async function pullRequestFor(branch: string): Promise<PullRequest | undefined> {
    const list = await connection.get(
      'GET /repos/{owner}/{repo}/pulls',
      {
        owner,
        repo,
        head: `${owner}:${branch}`,
        state: 'all',
        sort: 'created',
        direction: 'desc',
        per_page: 20,
      },
      z.array(RestPull),
    )
    const own = list.filter(pull => pull.head.ref === branch && isOwn(pull)).map(fromRest)
    return own.find(({ state }) => state === 'open') ?? own[0]
  }

  /** A fork may have the same branch names as our repository, but its pull requests are not ours. */
  const isOwn = (pull: RestPull) =>
    pull.head.repo?.full_name.toLowerCase() === `${owner}/${repo}`.toLowerCase()

  async function createPullRequest(request: PullRequestRequest): Promise<CreatedPullRequest> {
    const found = await look(request)
    const head = found.ref?.target?.oid
    const own = found.pullRequests.filter(pull => !pull.isCrossRepository).map(fromGraph)
    const existing =
      own.find(({ state }) => state === 'open') ?? own.find(pull => !head || pull.headSha === head)
    if (existing) return { ...existing, created: false }
    if (!head) {
      throw new ForgeError('not-found', `The branch ${request.branch} is not on ${repository.host}`, {
        remedy: `Push it with \`git push -u origin ${request.branch}\`.`,
      })
    }
    const base = request.base ?? found.defaultBranchRef?.name
    if (!base) throw new ForgeError('refused', `${owner}/${repo} has no default branch to merge into`)
    const { branch, title, body, draft = false } = request
    try {
      const made = await connection.send(
        'POST /repos/{owner}/{repo}/pulls',
        { owner, repo, head: branch, base, title, body, draft },
        RestPull,
      )
      return { ...fromRest(made), created: true }
    } catch (error) {
      // Another process created it a moment earlier: use that one.
      if (!(error instanceof ForgeError) || error.trouble !== 'conflict') throw error
      const theirs = await pullRequestFor(branch)
      if (!theirs) throw error
      return { ...theirs, created: false }
    }
  }

  async function look({ branch, issue }: PullRequestRequest) {
    const variables = { owner, repo, branch, ref: `refs/heads/${branch}`, issue: issue ?? 0 }
    const withBoard = issue !== undefined && !boards.isClosed()
    try {
      const answer = await connection.query(lookupDocument(withBoard), variables, Lookup, path => {
        return boardPaths(path) || path.at(-1) === 'issue'
      })
      if (!answer.repository) throw new ForgeError('not-found', `There is no repository ${owner}/${repo}`)
      if (withBoard && issue !== undefined) boards.saw(issue, answer.repository.issue)
      return answer.repository
    } catch (error) {
      // A token without access to boards must still be able to open a pull request.
      if (!withBoard || !boards.closes(error)) throw error
      return look({ branch, title: '', body: '' })
    }
  }

  async function pullRequest(number: number): Promise<PullRequestStatus> {
    let after: string | undefined
    let first: z.infer<typeof Status> | undefined
    const contexts: ReturnType<typeof contextsOf> = []
    // A thousand checks are enough, but more must not be ignored silently.
    for (let page = 0; page < 10; page++) {
      const variables = { owner, repo, number, after: after ?? null }
      // A requested reviewer may be a team that the token may not see.
      const answer = await connection.query(statusDocument, variables, StatusAnswer, path =>
        path.includes('reviewRequests'),
      )
      const pull = answer.repository?.pullRequest
      if (!pull) throw new ForgeError('not-found', `There is no pull request #${number} in ${owner}/${repo}`)
      first ??= pull
      const rollup = pull.commits[0]?.commit
      contexts.push(...contextsOf(rollup))
      after = restOf(rollup)
      if (!after) break
    }
    if (!first) throw new ForgeError('not-found', `There is no pull request #${number} in ${owner}/${repo}`)
    const checks = latestChecks(contexts)
    if (after) {
      const url = `${first.url}/checks`
      checks.push({
        id: 'more',
        name: 'more checks',
        state: 'unknown',
        detail: 'not read',
        url,
        required: false,
      })
    }
    return {
      ...fromGraph(first),
      mergedAt: first.mergedAt ?? undefined,
      review: reviewStates[first.reviewDecision ?? ''] ?? reviewStateOf(first.latestReviews),
      reviews: first.latestReviews
        .filter(review => review.state === 'CHANGES_REQUESTED' || review.body.trim() !== '')
        .map(({ state, commit, ...review }) => ({
          ...fromRemark(review),
          state: judgements[state] ?? 'commented',
          commit: commit?.oid,
        })),
      approvedCommits: first.latestReviews.flatMap(({ state, authorAssociation, commit }) =>
        state === 'APPROVED' && isMember(authorAssociation) && commit ? commit.oid : [],
      ),
      requested: (first.reviewRequests ?? []).flatMap(
        ({ requestedReviewer }) => requestedReviewer?.login ?? [],
      ),
      threads: first.reviewThreads
        .filter(thread => !thread.isResolved)
        .map(({ path, line, isOutdated, comments }) => ({
          path,
          line: line ?? undefined,
          outdated: isOutdated,
          remarks: comments.map(fromRemark),
        })),
      checks: checksOf(checks),
    }
  }

  async function requestReviews(number: number, logins: readonly string[]): Promise<void> {
    if (logins.length === 0) return
    await connection.send(
      'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
      { owner, repo, pull_number: number, reviewers: [...logins] },
      z.unknown(),
    )
  }

  async function pullRequestText(number: number): Promise<string> {
    const pull = { owner, repo, pull_number: number }
    const { body } = await connection.send('GET /repos/{owner}/{repo}/pulls/{pull_number}', pull, PullText)
    return body ?? ''
  }

  async function rewritePullRequest(number: number, change: (body: string) => string): Promise<void> {
    const pull = { owner, repo, pull_number: number }
    const before = await pullRequestText(number)
    const after = change(before)
    if (after === before) return
    await connection.send(
      'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
      { ...pull, body: after },
      z.unknown(),
    )
  }

  async function queueState(number: number) {
    try {
      const answer = await connection.query(queueDocument, { owner, repo, number }, QueueAnswer)
      const pull = answer.repository?.pullRequest
      if (!pull) throw new ForgeError('not-found', `There is no pull request #${number} in ${owner}/${repo}`)
      return pull
    } catch (error) {
      // An older GitHub Enterprise has no merge queue.
      if (error instanceof ForgeError && error.trouble === 'unsupported') return undefined
      throw error
    }
  }

  async function mergeQueue(number: number): Promise<'absent' | 'queued' | 'not-queued'> {
    const state = await queueState(number)
    return !state?.isMergeQueueEnabled ? 'absent' : state.isInMergeQueue ? 'queued' : 'not-queued'
  }

  async function mergePullRequest(number: number, { headSha, method }: MergeRequest): Promise<void> {
    try {
      await connection.send(
        'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
        { owner, repo, pull_number: number, sha: headSha, merge_method: method },
        z.object({ merged: z.literal(true) }),
      )
    } catch (error) {
      // The answer of an earlier call may have been lost.
      if (!(error instanceof ForgeError)) throw error
      if ((await pullRequest(number)).state === 'merged') return
      // GitHub says 405 for this, too, but it passes.
      throw /base branch was modified/i.test(error.message)
        ? new ForgeError('conflict', error.message, { cause: error })
        : error
    }
  }

  async function enqueuePullRequest(number: number, headSha: string): Promise<void> {
    const state = await queueState(number)
    if (!state) throw new ForgeError('unsupported', 'This GitHub server has no merge queue')
    if (state.isInMergeQueue) return
    await connection.query(enqueueDocument, { id: state.id, head: headSha }, z.unknown())
  }

  return {
    mergeQueue,
    mergePullRequest,
    enqueuePullRequest,
    pullRequestFor,
    createPullRequest,
    pullRequest,
    pullRequestText,
    requestReviews,
    rewritePullRequest,
  }
}

const PullText = z.object({ body: z.string().nullish() })
