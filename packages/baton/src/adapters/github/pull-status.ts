import type { z } from 'zod'
import { checksOf, ForgeError, type PullRequestStatus } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import { contextsOf, latestChecks, restOf } from './checks.ts'
import type { Connection } from './connection.ts'
import {
  fromGraph,
  fromRemark,
  isMember,
  judgements,
  reviewStateOf,
  reviewStates,
  type Status,
  StatusAnswer,
  statusDocument,
} from './pull-documents.ts'

/** A pull request with its checks, reviews and open threads. */
export async function readPullRequest(
  number: number,
  connection: Connection,
  { owner, name: repo }: RepositoryRef,
): Promise<PullRequestStatus> {
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
