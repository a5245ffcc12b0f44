import { z } from 'zod'
import {
  type CreatedPullRequest,
  checksOf,
  type Forge,
  ForgeError,
  type PullRequest,
  type PullRequestRequest,
  type PullRequestStatus,
} from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import { author, nodes, time, word } from './answers.ts'
import type { BoardKeeper } from './board.ts'
import { boardPaths, Places, placesFragment } from './board-shape.ts'
import { checksFragment, contextsOf, latestChecks, Rollup, restOf } from './checks.ts'
import type { Connection } from './connection.ts'

type PullRequests = Pick<Forge, 'pullRequestFor' | 'createPullRequest' | 'pullRequest'>

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

  /** A fork may carry our repository's branch names; its pull requests are strangers'. */
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
        remedy: `Push it: git push -u origin ${request.branch}`,
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
      // Someone was faster by a moment: theirs is ours.
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
      // A token without rights on boards must still be able to open a pull request.
      if (!withBoard || !boards.closes(error)) throw error
      return look({ branch, title: '', body: '' })
    }
  }

  async function pullRequest(number: number): Promise<PullRequestStatus> {
    let after: string | undefined
    let first: z.infer<typeof Status> | undefined
    const contexts: ReturnType<typeof contextsOf> = []
    // A thousand checks are enough; what lies beyond them must not pass unseen.
    for (let page = 0; page < 10; page++) {
      const variables = { owner, repo, number, after: after ?? null }
      const answer = await connection.query(statusDocument, variables, StatusAnswer)
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
      review: reviewStates[first.reviewDecision ?? ''] ?? judged(first.latestReviews),
      reviews: first.latestReviews
        .filter(review => review.state === 'CHANGES_REQUESTED' || review.body.trim() !== '')
        .map(({ state, ...review }) => ({ ...fromRemark(review), state: judgements[state] ?? 'commented' })),
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

  return { pullRequestFor, createPullRequest, pullRequest }
}

const core = `number url title state isDraft headRefName baseRefName headRefOid mergeable isCrossRepository`

const lookupDocument = (withBoard: boolean) => `query BatonPullRequestLookup(
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

const statusDocument = `query BatonPullRequest($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      ${core} mergedAt reviewDecision
      latestReviews(first: 30) { nodes { ${remark} state submittedAt } }
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

const Lookup = z.object({
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
const Status = Core.extend({
  mergedAt: time.nullish(),
  reviewDecision: z.string().nullish(),
  latestReviews: nodes(
    Remark.extend({ state: z.string(), submittedAt: time.nullish() }).transform(
      ({ submittedAt, ...review }) => ({
        ...review,
        createdAt: submittedAt ?? 0,
      }),
    ),
  ),
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
const StatusAnswer = z.object({ repository: z.object({ pullRequest: Status.nullish() }).nullish() })

const RestPull = z.object({
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
type RestPull = z.infer<typeof RestPull>

function fromRest(pull: RestPull): PullRequest {
  return {
    number: pull.number,
    url: pull.html_url,
    title: pull.title,
    state: pull.merged_at ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft ?? false,
    branch: pull.head.ref,
    base: pull.base.ref,
    headSha: pull.head.sha,
    // Lists do not say it, and after a push GitHub is still working it out.
    mergeable: 'unknown',
  }
}

function fromGraph(pull: z.infer<typeof Core>): PullRequest {
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

const fromRemark = ({
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

/** Without a rule that demands reviews GitHub decides nothing; the members' own words count then. */
function judged(reviews: { state: string; authorAssociation: string }[]): PullRequestStatus['review'] {
  const states = reviews.filter(review => isMember(review.authorAssociation)).map(({ state }) => state)
  if (states.includes('CHANGES_REQUESTED')) return 'changes-requested'
  return states.includes('APPROVED') ? 'approved' : 'none'
}

const isMember = (association: string) => ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association)

const reviewStates: Record<string, PullRequestStatus['review']> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes-requested',
  REVIEW_REQUIRED: 'required',
}

const judgements: Record<string, PullRequestStatus['reviews'][number]['state']> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes-requested',
  DISMISSED: 'dismissed',
}
