import { z } from 'zod'
import type { PullRequest, PullRequestStatus } from '../../ports/forge.ts'
import { Places, placesFragment } from './board-shape.ts'
import { checksFragment, Rollup } from './checks.ts'
import { author, nodes, time, word } from './response-schemas.ts'

const core = `number url title state isDraft headRefName baseRefName headRefOid mergeable isCrossRepository`

export const lookupDocument = (withBoard: boolean) => `query BatonPullRequestLookup(
  $owner: String!, $repo: String!, $branch: String!, $ref: String!${withBoard ? ', $issue: Int!' : ''}
) {
  repository(owner: $owner, name: $repo) {
    defaultBranchRef { name }
    ref(qualifiedName: $ref) { target { oid } }
    pullRequests(headRefName: $branch, first: 20, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { ${core} } }
    ${withBoard ? 'issue(number: $issue) { id ...Places }' : ''}
  }
}
${withBoard ? placesFragment : ''}`

const remark = 'author { login } authorAssociation body url'

export const statusDocument = `query BatonPullRequest($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      ${core} mergedAt reviewDecision
      latestReviews(first: 30) { nodes { ${remark} state submittedAt commit { oid } } }
      reviewRequests(first: 30) { nodes { requestedReviewer { ... on User { login } } } }
      reviewThreads(first: 100) {
        nodes { isResolved isOutdated path line comments(first: 20) { nodes { ${remark} createdAt } } }
      }
      commits(last: 1) { nodes { commit { ...Rollup } } }
    }
  }
}
${checksFragment}`

const Core = z.object({
  number: z.number(),
  url: z.string(),
  title: z.string(),
  state: z.string(),
  isDraft: z.boolean(),
  headRefName: z.string(),
  baseRefName: z.string(),
  headRefOid: z.string(),
  mergeable: z.string(),
  isCrossRepository: z.boolean(),
})

export const Lookup = z.object({
  repository: z
    .object({
      defaultBranchRef: z.object({ name: z.string() }).nullish(),
      ref: z.object({ target: z.object({ oid: z.string() }).nullish() }).nullish(),
      pullRequests: nodes(Core),
      issue: z.object({ id: z.string(), projectItems: Places.nullish() }).nullish(),
    })
    .nullish(),
})

const Remark = z.object({ author, authorAssociation: z.string(), body: z.string(), url: z.string() })
export const Status = Core.extend({
  mergedAt: time.nullish(),
  reviewDecision: z.string().nullish(),
  latestReviews: nodes(
    Remark.extend({
      state: z.string(),
      submittedAt: time.nullish(),
      commit: z.object({ oid: z.string() }).nullish(),
    }).transform(({ submittedAt, ...review }) => ({
      ...review,
      createdAt: submittedAt ?? 0,
    })),
  ),
  // A team, or a user that the token may not see, has no login here.
  reviewRequests: nodes(
    z.object({ requestedReviewer: z.object({ login: z.string().nullish() }).nullish() }),
  ).nullish(),
  reviewThreads: nodes(
    z.object({
      isResolved: z.boolean(),
      isOutdated: z.boolean(),
      path: z.string(),
      line: z.number().nullish(),
      comments: nodes(Remark.extend({ createdAt: time })),
    }),
  ),
  commits: nodes(z.object({ commit: Rollup })),
})
export const StatusAnswer = z.object({ repository: z.object({ pullRequest: Status.nullish() }).nullish() })

export const queueDocument = `query BatonMergeQueue($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) { id isMergeQueueEnabled isInMergeQueue }
  }
}`
export const QueueAnswer = z.object({
  repository: z
    .object({
      pullRequest: z
        .object({ id: z.string(), isMergeQueueEnabled: z.boolean(), isInMergeQueue: z.boolean() })
        .nullish(),
    })
    .nullish(),
})

export const enqueueDocument = `mutation BatonEnqueue($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { id } }
}`

export const RestPull = z.object({
  number: z.number(),
  html_url: z.string(),
  title: z.string(),
  state: word,
  draft: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  mergeable: z.boolean().nullish(),
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  base: z.object({ ref: z.string() }),
})
export type RestPull = z.infer<typeof RestPull>

export function fromRest(pull: RestPull): PullRequest {
  return {
    number: pull.number,
    url: pull.html_url,
    title: pull.title,
    state: pull.merged_at ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft ?? false,
    branch: pull.head.ref,
    base: pull.base.ref,
    headSha: pull.head.sha,
    // Lists do not contain it, and after a push GitHub is still computing it.
    mergeable: 'unknown',
  }
}

export function fromGraph(pull: z.infer<typeof Core>): PullRequest {
  return {
    number: pull.number,
    url: pull.url,
    title: pull.title,
    state: pull.state === 'MERGED' ? 'merged' : pull.state === 'OPEN' ? 'open' : 'closed',
    draft: pull.isDraft,
    branch: pull.headRefName,
    base: pull.baseRefName,
    headSha: pull.headRefOid,
    mergeable:
      pull.mergeable === 'MERGEABLE' ? 'yes' : pull.mergeable === 'CONFLICTING' ? 'conflict' : 'unknown',
  }
}

export const fromRemark = ({
  author,
  authorAssociation,
  body,
  url,
  createdAt,
}: z.infer<typeof Remark> & { createdAt: number }) => ({
  author,
  trusted: isMember(authorAssociation),
  body,
  url,
  at: createdAt,
})

/** If no rule requires reviews, GitHub does not decide: then the members' own reviews count. */
export function reviewStateOf(
  reviews: { state: string; authorAssociation: string }[],
): PullRequestStatus['review'] {
  const states = reviews.filter(review => isMember(review.authorAssociation)).map(({ state }) => state)
  if (states.includes('CHANGES_REQUESTED')) return 'changes-requested'
  return states.includes('APPROVED') ? 'approved' : 'none'
}

export const isMember = (association: string) => ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association)

export const reviewStates: Record<string, PullRequestStatus['review']> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes-requested',
  REVIEW_REQUIRED: 'required',
}

export const judgements: Record<string, PullRequestStatus['reviews'][number]['state']> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes-requested',
  DISMISSED: 'dismissed',
}
