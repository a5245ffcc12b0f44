import { z } from 'zod'
import { ForgeError, type Issue } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { Connection } from './connection.ts'
import { issueState } from './response-schemas.ts'

type Blockers = Pick<Issue, 'blockedBy' | 'blockedElsewhere'>

/** The open issues that block an issue: GitHub's own dependencies, and those that its text names. */
export async function blockers(
  connection: Connection,
  { owner, name: repo }: RepositoryRef,
  number: number,
  body: string,
): Promise<Blockers> {
  const declared = await dependencies(connection, owner, repo, number)
  const isHere = (url: string) => url.toLowerCase().endsWith(`/repos/${owner}/${repo}`.toLowerCase())
  const open = declared.filter(({ state }) => state === 'open')
  const here = open.filter(({ repository_url }) => isHere(repository_url)).map(({ number }) => number)
  const known = new Set(
    declared.filter(({ repository_url }) => isHere(repository_url)).map(({ number }) => number),
  )
  const named = blockersNamed(body).filter(other => other !== number && !known.has(other))
  const all = [...here, ...(await stillOpen(connection, owner, repo, named))]
  return {
    blockedBy: [...new Set(all)].sort((a, b) => a - b),
    blockedElsewhere: open
      .filter(({ repository_url }) => !isHere(repository_url))
      .map(({ repository_url, number }) => `${repository_url.split('/').slice(-2).join('/')}#${number}`),
  }
}

/** "Blocked by #7", "Depends on #3, #4 and #5" at the start of a line or list item; code blocks do not count. */
export function blockersNamed(body: string): number[] {
  const prose = body.slice(0, 70_000).replace(/^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1[^\n]*$/gm, '')
  const found = new Set<number>()
  for (const line of prose.split('\n')) {
    const list = /^[\s>*+\-[\]x]{0,20}(?:blocked by|depends on)\b:?\s*(#\d.*)/i.exec(line)?.[1]
    const numbers =
      list?.match(/^#\d{1,9}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)#\d{1,9})*/i)?.[0].match(/\d+/g) ?? []
    for (const number of numbers) found.add(Number(number))
  }
  return [...found].slice(0, 20)
}

const Dependency = z.object({ number: z.number(), state: issueState, repository_url: z.string() })

async function dependencies(connection: Connection, owner: string, repo: string, number: number) {
  try {
    return await connection.get(
      'GET /repos/{owner}/{repo}/issues/{number}/dependencies/blocked_by',
      { owner, repo, number, per_page: 100 },
      z.array(Dependency),
    )
  } catch (error) {
    // An older GitHub Enterprise does not support dependencies.
    if (error instanceof ForgeError && error.trouble === 'not-found') return []
    throw error
  }
}

async function stillOpen(
  connection: Connection,
  owner: string,
  repo: string,
  numbers: number[],
): Promise<number[]> {
  if (numbers.length === 0) return []
  const fields = numbers.map(
    number => `n${number}: issueOrPullRequest(number: ${number}) {
      ... on Issue { number state } ... on PullRequest { number pullState: state }
    }`,
  )
  const document = `query BatonBlockers($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) { ${fields.join('\n')} }
  }`
  const One = z.object({ number: z.number(), state: issueState, pullState: issueState }).partial().nullish()
  const Answer = z.object({ repository: z.record(z.string(), One) })
  // A number that does not exist blocks nothing.
  const isMissing = (path: readonly (string | number)[]) => /^n\d+$/.test(String(path[1]))
  const answer = await connection.query(document, { owner, repo }, Answer, isMissing)
  return Object.values(answer.repository).flatMap(each =>
    each?.number !== undefined && (each.state ?? each.pullState) === 'open' ? [each.number] : [],
  )
}
