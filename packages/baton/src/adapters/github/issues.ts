import { z } from 'zod'
import { type CloseOutcome, ForgeError, type Issue, type IssueSummary } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import { blockers } from './blockers.ts'
import type { BoardKeeper } from './board.ts'
import { boardPaths, IssueCard, Places, placesFragment } from './board-shape.ts'
import type { Connection } from './connection.ts'
import { anything, author, issueState, nodes, restLabel, time } from './response-schemas.ts'

type Issues = Pick<WritableForge, 'issue' | 'findIssue' | 'openIssues' | 'assign' | 'unassign' | 'closeIssue'>

export function issues(connection: Connection, repository: RepositoryRef, boards: BoardKeeper): Issues {
  const { owner, name: repo } = repository
  const isHome = (nameWithOwner: string) => nameWithOwner.toLowerCase() === `${owner}/${repo}`.toLowerCase()
  const gone = (number: number) =>
    new ForgeError('not-found', `There is no issue #${number} in ${owner}/${repo}`, {
      remedy: 'It may have been deleted, or the number is a pull request.',
    })
  const transferred = (number: number, home: string, url: string) =>
    new ForgeError('not-found', `Issue #${number} was transferred to ${home}`, { remedy: `See ${url}` })

  /** Where a transferred issue is now; only the REST API reports that. */
  async function movedTo(number: number): Promise<Place | undefined> {
    const route = 'GET /repos/{owner}/{repo}/issues/{number}'
    const found = await connection.get(route, { owner, repo, number }, Moved).catch(error => {
      if (error instanceof ForgeError && !error.passing) return undefined
      throw error
    })
    const [name = '', home = ''] = found ? found.repository_url.split('/').slice(-2).reverse() : []
    if (!found || !home || isHome(`${home}/${name}`)) return undefined
    return { owner: home, repo: name, number: found.number, url: found.html_url }
  }

  /** Queries an issue with its board items, and again without boards if the token may not read them. */
  async function ask<T>(
    number: number,
    name: string,
    fields: string,
    answer: z.ZodType<T>,
    at: Place = { owner, repo, number, url: '' },
  ): Promise<T> {
    const attempt = async (withBoard: boolean) => {
      const document = `query ${name}($owner: String!, $repo: String!, $number: Int!) {
        repository(owner: $owner, name: $repo) { issue(number: $number) { id ${fields} ${withBoard ? '...Places' : ''} } }
      }
      ${withBoard ? placesFragment : ''}`
      const Answer = z.object({ repository: z.object({ issue: answer.and(Seen) }) })
      const { url: _, ...where } = at
      const { repository } = await connection.query(document, { ...where }, Answer, boardPaths)
      if (withBoard) boards.saw(number, repository.issue)
      return repository.issue as T
    }
    try {
      return await attempt(!boards.isClosed())
    } catch (error) {
      if (error instanceof ForgeError && error.trouble === 'not-found') {
        const moved = at.url ? undefined : await movedTo(number)
        if (moved) return ask(number, name, fields, answer, moved)
        throw gone(number)
      }
      if (boards.isClosed() || !boards.closes(error)) throw error
      return attempt(false)
    }
  }

  async function issue(number: number): Promise<Issue> {
    const found = await ask(number, 'BatonIssue', issueFields, FullIssue)
    const { title, url, state, labels, assignees, author, body, createdAt } = found
    const home = found.repository.nameWithOwner
    if (!isHome(home)) throw transferred(number, home, url)
    const shown = { title, url, state, labels, assignees }
    const place = boards.itemOf(number)
    return {
      number: found.number,
      ...shown,
      author,
      body,
      createdAt,
      ...(await blockers(connection, repository, number, body)),
      boardItem: place && { ...shown, ...place, issue: number, kind: 'issue' },
    }
  }

  async function findIssue(
    query: Parameters<WritableForge['findIssue']>[0],
  ): Promise<IssueSummary | undefined> {
    const start = query.titleStart?.toLowerCase() ?? ''
    const parameters = {
      owner,
      repo,
      state: query.state === 'any' ? 'all' : (query.state ?? 'open'),
      sort: 'created',
      direction: 'desc',
      per_page: 100,
      ...(query.label ? { labels: query.label } : {}),
      ...(query.author ? { creator: query.author } : {}),
    }
    for (let page = 1; page <= 5; page++) {
      const list = await connection.get(
        'GET /repos/{owner}/{repo}/issues',
        { ...parameters, page },
        RestIssues,
      )
      for (const found of list) {
        if (query.createdSince !== undefined && found.createdAt < query.createdSince) return undefined
        if (!found.isPull && found.summary.title.toLowerCase().startsWith(start)) return found.summary
      }
      if (list.length < 100) break
    }
    return undefined
  }

  async function openIssues(label?: string): Promise<IssueSummary[]> {
    const found: IssueSummary[] = []
    const how = { state: 'open', sort: 'created', direction: 'asc', per_page: 100 }
    for (let page = 1; page <= 3; page++) {
      const parameters = { owner, repo, ...how, page, ...(label ? { labels: label } : {}) }
      const list = await connection.get('GET /repos/{owner}/{repo}/issues', parameters, RestIssues)
      found.push(...list.filter(({ isPull }) => !isPull).map(({ summary }) => summary))
      if (list.length < 100) break
    }
    return found
  }

  async function unassign(number: number, logins: readonly string[]): Promise<void> {
    const route = 'DELETE /repos/{owner}/{repo}/issues/{number}/assignees'
    await connection.send(route, { owner, repo, number, assignees: logins }, anything)
  }

  async function assign(number: number, logins: readonly string[]): Promise<string[]> {
    const answer = await connection.send(
      'POST /repos/{owner}/{repo}/issues/{number}/assignees',
      { owner, repo, number, assignees: logins },
      z.object({ assignees: z.array(z.object({ login: z.string() })).nullish() }),
    )
    return (answer.assignees ?? []).map(({ login }) => login)
  }

  async function closeIssue(
    number: number,
    closing: { comment: string; marker: string },
  ): Promise<CloseOutcome> {
    if (!/^[A-Za-z0-9_.:-]{1,100}$/.test(closing.marker) || closing.marker.includes('--')) {
      throw new ForgeError('refused', `"${closing.marker}" is not a valid comment marker`)
    }
    const mark = `<!-- baton ${closing.marker} -->`
    const found = await ask(number, 'BatonClosing', closingFields, Closable)
    const home = found.repository.nameWithOwner
    const moved = !isHome(home)
    // Another user's comment with our marker must not keep us from writing ours.
    const isThere = found.comments.some(comment => comment.viewerDidAuthor && comment.body.includes(mark))
    const parts = [
      isThere ? '' : 'comment: addComment(input: { subjectId: $issue, body: $body }) { clientMutationId }',
      found.state === 'open'
        ? 'close: closeIssue(input: { issueId: $issue, stateReason: COMPLETED }) { issue { state } }'
        : '',
    ]
    const document = `mutation BatonClose($issue: ID!${isThere ? '' : ', $body: String!'}) { ${parts.join('\n')} }`
    // In another repository, a bare number would refer to another issue.
    const comment = moved
      ? closing.comment.replaceAll(/(?<![\w/])#(\d+)/g, `${owner}/${repo}#$1`)
      : closing.comment
    const body = `${comment}\n\n${mark}`
    if (parts.some(Boolean)) {
      await connection
        .mutate(document, { issue: found.id, ...(isThere ? {} : { body }) }, anything)
        .catch(error => {
          if (!moved || !(error instanceof ForgeError) || error.passing) throw error
          const why = `Issue #${number} was transferred to ${home} and can only be closed by hand: ${found.url}`
          throw new ForgeError('not-found', why, { remedy: `See ${found.url}` })
        })
    }
    return { closed: found.state === 'open', commented: !isThere, ...(moved ? { movedTo: found.url } : {}) }
  }

  return { issue, findIssue, openIssues, assign, unassign, closeIssue }
}

const Seen = z.object({ id: z.string(), projectItems: Places.nullish() })

const issueFields = `number title body url state createdAt author { login } repository { nameWithOwner }
  labels(first: 50) { nodes { name } } assignees(first: 20) { nodes { login } }`
const FullIssue = IssueCard.extend({
  body: z.string(),
  createdAt: time,
  author,
  repository: z.object({ nameWithOwner: z.string() }),
})

const closingFields =
  'state url repository { nameWithOwner } comments(last: 100) { nodes { body viewerDidAuthor } }'
const Closable = z.object({
  id: z.string(),
  url: z.string(),
  repository: z.object({ nameWithOwner: z.string() }),
  state: issueState,
  comments: nodes(z.object({ body: z.string(), viewerDidAuthor: z.boolean() })),
})

interface Place {
  owner: string
  repo: string
  number: number
  url: string
}
const Moved = z.object({ number: z.number(), html_url: z.string(), repository_url: z.string() })

const RestIssues = z.array(
  z
    .object({
      number: z.number(),
      title: z.string(),
      html_url: z.string(),
      state: issueState,
      labels: z.array(restLabel),
      assignees: z.array(z.object({ login: z.string() })).nullish(),
      user: author,
      created_at: time,
      pull_request: z.unknown().optional(),
    })
    .transform(({ html_url: url, user, created_at: createdAt, pull_request, assignees, ...rest }) => ({
      isPull: pull_request !== undefined && pull_request !== null,
      createdAt,
      summary: {
        ...rest,
        url,
        author: user,
        createdAt,
        assignees: (assignees ?? []).map(({ login }) => login),
      },
    })),
)
