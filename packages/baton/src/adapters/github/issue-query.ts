import { z } from 'zod'
import { ForgeError } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { BoardKeeper } from './board.ts'
import { boardPaths, Places, placesFragment } from './board-shape.ts'
import type { Connection } from './connection.ts'

/** Asks GitHub about one issue of a repository, also after it was transferred to another one. */
export class IssueQuery {
  readonly #connection: Connection
  readonly #home: { owner: string; repo: string }
  readonly #boards: BoardKeeper

  constructor(connection: Connection, { owner, name }: RepositoryRef, boards: BoardKeeper) {
    this.#connection = connection
    this.#home = { owner, repo: name }
    this.#boards = boards
  }

  /** Queries an issue with its board items, and again without boards if the token may not read them. */
  async ask<T>(
    number: number,
    name: string,
    fields: string,
    answer: z.ZodType<T>,
    at: Place = { ...this.#home, number, url: '' },
  ): Promise<T> {
    const attempt = async (withBoard: boolean) => {
      const document = `query ${name}($owner: String!, $repo: String!, $number: Int!) {
        repository(owner: $owner, name: $repo) { issue(number: $number) { id ${fields} ${withBoard ? '...Places' : ''} } }
      }
      ${withBoard ? placesFragment : ''}`
      const Answer = z.object({ repository: z.object({ issue: answer.and(Seen) }) })
      const { url: _, ...where } = at
      const { repository } = await this.#connection.query(document, { ...where }, Answer, boardPaths)
      if (withBoard) this.#boards.saw(number, repository.issue)
      return repository.issue as T
    }
    try {
      return await attempt(!this.#boards.isClosed())
    } catch (error) {
      if (error instanceof ForgeError && error.trouble === 'not-found') {
        const moved = at.url ? undefined : await this.#movedTo(number)
        if (moved) return this.ask(number, name, fields, answer, moved)
        throw this.#gone(number)
      }
      if (this.#boards.isClosed() || !this.#boards.closes(error)) throw error
      return attempt(false)
    }
  }

  isHome(nameWithOwner: string): boolean {
    const { owner, repo } = this.#home
    return nameWithOwner.toLowerCase() === `${owner}/${repo}`.toLowerCase()
  }

  /** Where a transferred issue is now; only the REST API reports that. */
  async #movedTo(number: number): Promise<Place | undefined> {
    const route = 'GET /repos/{owner}/{repo}/issues/{number}'
    const found = await this.#connection.get(route, { ...this.#home, number }, Moved).catch(error => {
      if (error instanceof ForgeError && !error.passing) return undefined
      throw error
    })
    const [name = '', home = ''] = found ? found.repository_url.split('/').slice(-2).reverse() : []
    if (!found || !home || this.isHome(`${home}/${name}`)) return undefined
    return { owner: home, repo: name, number: found.number, url: found.html_url }
  }

  #gone(number: number): ForgeError {
    const { owner, repo } = this.#home
    return new ForgeError('not-found', `There is no issue #${number} in ${owner}/${repo}`, {
      remedy: 'It may have been deleted, or the number is a pull request.',
    })
  }
}

const Seen = z.object({ id: z.string(), projectItems: Places.nullish() })

interface Place {
  owner: string
  repo: string
  number: number
  url: string
}
const Moved = z.object({ number: z.number(), html_url: z.string(), repository_url: z.string() })
