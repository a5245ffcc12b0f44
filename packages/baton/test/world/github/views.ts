import { type BoardViews, itemView } from './boards.ts'
import { connection, failure } from './graphql-parts.ts'
import type { Person, RestCheckRun, RestComment, RestIssue, RestPull, RestReview } from './rest.ts'
import type { World } from './world.ts'

type View = Record<string, unknown>

const actor = (user: { login: string } | null) => user && { __typename: 'User', login: user.login }

function card(issue: RestIssue, full: string) {
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    url: issue.html_url,
    createdAt: issue.created_at,
    author: actor(issue.user),
    repository: { nameWithOwner: full },
    labels: (args: object) => connection(issue.labels, args),
    assignees: (args: object) => connection(issue.assignees, args),
  }
}

/** An issue as GraphQL shows it. */
export async function issueView(
  world: World,
  asked: string,
  nth: number,
  person: Person,
  views: BoardViews,
): Promise<View> {
  const moved = world.transferred.get(`${asked}#${nth}`)
  if (moved && !moved.followed)
    throw failure('NOT_FOUND', `Could not resolve to an Issue with the number of ${nth}.`)
  const { full, number } = moved ?? { full: asked, number: nth }
  const issue = await world.rest.call<RestIssue>('GET', `/repos/${full}/issues/${number}`)
  if (issue.pull_request)
    throw failure('NOT_FOUND', `Could not resolve to an Issue with the number of ${number}.`)
  world.nodes.set(issue.node_id, { full, number })
  return {
    __typename: 'Issue',
    id: issue.node_id,
    ...card(issue, full),
    state: issue.state.toUpperCase(),
    comments: async (args: object) => {
      const path = `/repos/${full}/issues/${number}/comments?per_page=100`
      const list = await world.rest.call<RestComment[]>('GET', path)
      return connection(
        list.map(({ body, user }) => ({
          body,
          author: actor(user),
          viewerDidAuthor: user?.login === person,
        })),
        args,
      )
    },
    projectItems: ({ includeArchived = true, ...page }: { includeArchived?: boolean }) => {
      const items = world.boards.all.flatMap(board =>
        board.items
          .filter(({ content, archived }) => {
            const isIt = content.kind === 'ISSUE' && content.repository === full && content.number === number
            return isIt && (includeArchived || !archived)
          })
          .map(item => itemView(item, board, views)),
      )
      return connection(items, page)
    },
  }
}

/** A pull request as GraphQL shows it; an open one follows its branch in the real repository. */
export async function pullView(world: World, full: string, number: number): Promise<View> {
  const pull = await world.rest.call<RestPull>('GET', `/repos/${full}/pulls/${number}`)
  const api = `/repos/${full}/pulls/${number}`
  const sha = headOf(world, full, pull)
  world.nodes.set(pull.node_id, { full, number })
  const remark = (entry: RestComment | RestReview) => ({
    author: actor(entry.user),
    authorAssociation: association(entry.user?.login),
    body: entry.body ?? '',
    url: entry.html_url,
  })
  return {
    __typename: 'PullRequest',
    id: pull.node_id,
    ...card(pull, full),
    state: pull.merged ? 'MERGED' : pull.state.toUpperCase(),
    isDraft: pull.draft,
    headRefName: pull.head.ref,
    baseRefName: pull.base.ref,
    headRefOid: sha,
    isCrossRepository: pull.head.repo?.full_name !== full,
    mergedAt: pull.merged_at,
    mergeable: () => mergeability(world, full, pull, sha),
    reviewDecision: null,
    isMergeQueueEnabled: world.mergeQueues.has(full),
    isInMergeQueue: world.mergeQueues.get(full)?.has(number) ?? false,
    latestReviews: async (args: object) => {
      const reviews = await world.rest.call<RestReview[]>('GET', `${api}/reviews?per_page=100`)
      const latest = new Map(reviews.map(review => [review.user?.login, review]))
      return connection(
        [...latest.values()].map(review => ({
          ...remark(review),
          state: review.state,
          submittedAt: review.submitted_at,
          commit: review.commit_id ? { __typename: 'Commit', oid: review.commit_id } : null,
        })),
        args,
      )
    },
    reviewRequests: (args: object) =>
      connection(
        (pull.requested_reviewers ?? []).map(user => ({
          requestedReviewer: { __typename: 'User', login: user.login },
        })),
        args,
      ),
    reviewThreads: async (args: object) => {
      const comments = await world.rest.call<RestComment[]>('GET', `${api}/comments?per_page=100`)
      const threads = comments
        .filter(({ in_reply_to_id }) => !in_reply_to_id)
        .map(first => ({
          isResolved: world.resolved.has(first.id),
          isOutdated: false,
          path: first.path ?? '',
          line: first.line ?? null,
          comments: (page: object) =>
            connection(
              comments
                .filter(({ id, in_reply_to_id }) => id === first.id || in_reply_to_id === first.id)
                .map(comment => ({ ...remark(comment), createdAt: comment.created_at })),
              page,
            ),
        }))
      return connection(threads, args)
    },
    commits: (args: object) =>
      connection(
        [{ commit: { __typename: 'Commit', oid: sha, statusCheckRollup: () => rollup(world, full, sha) } }],
        args,
      ),
  }
}

export function headOf(world: World, full: string, pull: RestPull): string {
  if (pull.state !== 'open' || pull.head.repo?.full_name !== full) return pull.head.sha
  return world.repositories.get(full)?.latest.get(pull.head.ref) ?? pull.head.sha
}

async function mergeability(world: World, full: string, pull: RestPull, sha: string): Promise<string> {
  if (world.mergeabilityUnknown) return 'UNKNOWN'
  if (pull.state !== 'open') return 'UNKNOWN'
  const bare = world.repositories.get(full)
  return (await bare?.merges(pull.base.ref, sha)) ? 'MERGEABLE' : 'CONFLICTING'
}

const association = (login: string | undefined) =>
  login === 'dev' || login === 'reviewer' ? 'MEMBER' : 'NONE'

async function rollup(world: World, full: string, sha: string): Promise<View | null> {
  const answer = await world.rest.call<{ check_runs: RestCheckRun[] }>(
    'GET',
    `/repos/${full}/commits/${sha}/check-runs?per_page=100&filter=all`,
  )
  const runs = answer.check_runs.map(run => {
    const facts = world.runs.get(run.id)
    return {
      __typename: 'CheckRun',
      databaseId: run.id,
      name: run.name,
      status: (facts?.status ?? run.status).toUpperCase(),
      conclusion: (facts?.conclusion ?? run.conclusion)?.toUpperCase() ?? null,
      startedAt: run.started_at,
      detailsUrl: run.details_url,
      permalink: run.html_url,
      isRequired: world.required.has(run.name),
      checkSuite: {
        app: { slug: facts?.app ?? 'github-actions' },
        workflowRun: facts?.workflow ? { event: 'pull_request', workflow: { name: facts.workflow } } : null,
      },
    }
  })
  const statuses = (world.statuses.get(sha) ?? []).map(status => ({
    __typename: 'StatusContext',
    ...status,
    isRequired: world.required.has(status.context),
  }))
  const all = [...runs, ...statuses]
  return all.length === 0 ? null : { contexts: (args: object) => connection(all, args) }
}
