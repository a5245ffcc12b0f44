import { z } from 'zod'
import { ForgeError, type Issue } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import { blockers } from './blockers.ts'
import type { BoardKeeper } from './board.ts'
import { IssueCard } from './board-shape.ts'
import { closeIssue } from './close-issue.ts'
import type { Connection } from './connection.ts'
import { issueLists } from './issue-list.ts'
import { IssueQuery } from './issue-query.ts'
import { anything, author, time } from './response-schemas.ts'

type Issues = Pick<WritableForge, 'issue' | 'findIssue' | 'openIssues' | 'assign' | 'unassign' | 'closeIssue'>

export function issues(connection: Connection, repository: RepositoryRef, boards: BoardKeeper): Issues {
  const { owner, name: repo } = repository
  const query = new IssueQuery(connection, repository, boards)

  async function issue(number: number): Promise<Issue> {
    const found = await query.ask(number, 'BatonIssue', issueFields, FullIssue)
    const { title, url, state, labels, assignees, author, body, createdAt } = found
    const home = found.repository.nameWithOwner
    if (!query.isHome(home)) throw transferred(number, home, url)
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

  return {
    issue,
    ...issueLists(connection, repository),
    assign,
    unassign,
    closeIssue: (number, closing) => closeIssue(number, closing, connection, repository, query),
  }
}

const transferred = (number: number, home: string, url: string): ForgeError =>
  new ForgeError('not-found', `Issue #${number} was transferred to ${home}`, { remedy: `See ${url}` })

const issueFields = `number title body url state createdAt author { login } repository { nameWithOwner }
  labels(first: 50) { nodes { name } } assignees(first: 20) { nodes { login } }`
const FullIssue = IssueCard.extend({
  body: z.string(),
  createdAt: time,
  author,
  repository: z.object({ nameWithOwner: z.string() }),
})
