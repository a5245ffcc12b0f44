import { z } from 'zod'
import {
  type CreatedPullRequest,
  ForgeError,
  type PullRequest,
  type PullRequestRequest,
} from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import type { BoardKeeper } from './board.ts'
import { boardPaths } from './board-shape.ts'
import type { Connection } from './connection.ts'
import { fromGraph, fromRest, Lookup, lookupDocument, RestPull } from './pull-documents.ts'
import { pullMerges } from './pull-merge.ts'
import { readPullRequest } from './pull-status.ts'

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

  const pullRequest = (number: number) => readPullRequest(number, connection, repository)

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

  return {
    ...pullMerges(connection, repository, pullRequest),
    pullRequestFor,
    createPullRequest,
    pullRequest,
    pullRequestText,
    requestReviews,
    rewritePullRequest,
  }
}

const PullText = z.object({ body: z.string().nullish() })
