import { z } from 'zod'
import type { IssueSummary } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import type { Connection } from './connection.ts'
import { author, issueState, restLabel, time } from './response-schemas.ts'

type IssueLists = Pick<WritableForge, 'findIssue' | 'openIssues'>

const LIST = 'GET /repos/{owner}/{repo}/issues'

/** Lists of issues, which only the REST API filters by label and author. */
export function issueLists(connection: Connection, { owner, name: repo }: RepositoryRef): IssueLists {
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
      const list = await connection.get(LIST, { ...parameters, page }, RestIssues)
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
      const list = await connection.get(LIST, parameters, RestIssues)
      found.push(...list.filter(({ isPull }) => !isPull).map(({ summary }) => summary))
      if (list.length < 100) break
    }
    return found
  }

  return { findIssue, openIssues }
}

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
