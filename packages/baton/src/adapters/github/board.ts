import type { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import { type Board, type BoardItem, type BoardPlace, ForgeError } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import {
  IssueAnswer,
  type Item,
  ItemsAnswer,
  issueDocument,
  itemsDocument,
  kinds,
  PlaceAnswer,
  placeDocument,
  SearchAnswer,
  searchDocument,
} from './board-documents.ts'
import { boardOf, boardPaths, isPlace, type Places, type Shape, valuesOf } from './board-shape.ts'
import type { Connection } from './connection.ts'

/** An issue's board items, as another query returned them. */
export interface KnownIssue {
  issueId: string
  places: z.infer<typeof Places>
  at: number
}
type IssueAnswered =
  | { id: string; projectItems?: z.infer<typeof Places> | null | undefined }
  | null
  | undefined

/** Options and fields change rarely, but users may rename one at any time. */
const MEMORY = 10 * 60_000

/** The board of a repository: which one it is, what is on it, and what of that is still known from earlier queries. */
export class BoardKeeper {
  readonly #connection: Connection
  readonly #home: { owner: string; repo: string }
  readonly #clock: Clock
  readonly #configured: BoardPlace | undefined
  readonly #issues = new Map<number, KnownIssue>()
  #shape: { shape: Shape; at: number } | undefined
  #closedAt: number | undefined

  constructor(
    connection: Connection,
    { owner, name }: RepositoryRef,
    clock: Clock,
    configured: BoardPlace | undefined,
  ) {
    this.#connection = connection
    this.#home = { owner, repo: name }
    this.#clock = clock
    this.#configured = configured
  }

  /** The user chose it; otherwise it is found by the repository and its issues. */
  get isConfigured(): boolean {
    return this.#configured !== undefined
  }

  async board(): Promise<Board | undefined> {
    const found = await this.shape()
    return found && boardOf(found)
  }

  async boardItems(): Promise<BoardItem[]> {
    const found = this.#configured ?? (await this.shape().then(board => board && boardOf(board)))
    if (!found) return []
    const items: BoardItem[] = []
    let after: string | null = null
    for (let page = 0; page < 20; page++) {
      const variables: Record<string, unknown> = { owner: found.owner, number: found.number, after }
      const answer: z.infer<typeof ItemsAnswer> = await this.#connection.query(
        itemsDocument,
        variables,
        ItemsAnswer,
        boardPaths,
      )
      const project = answer.repositoryOwner?.projectV2
      if (!project) return items
      this.#shape = { shape: project, at: this.#clock.now() }
      items.push(
        ...project.items.list.filter(({ isArchived }) => !isArchived).map(item => this.#toItem(item)),
      )
      after = project.items.pageInfo.hasNextPage ? (project.items.pageInfo.endCursor ?? null) : null
      if (!after) break
    }
    return items
  }

  async shape(): Promise<Shape | undefined> {
    if (this.#shape && this.isFresh(this.#shape)) return this.#shape.shape
    if (this.isClosed()) return undefined
    const found = this.#configured ? await this.#configuredShape(this.#configured) : await this.#onlyShape()
    this.#shape = found && { shape: found, at: this.#clock.now() }
    return found
  }

  async #configuredShape(place: BoardPlace): Promise<Shape | undefined> {
    const answer = await this.#connection.query(placeDocument, { ...place }, PlaceAnswer, boardPaths)
    return answer.repositoryOwner?.projectV2 ?? undefined
  }

  async #onlyShape(): Promise<Shape | undefined> {
    const answer = await this.#connection.query(searchDocument, { ...this.#home }, SearchAnswer, boardPaths)
    const linked = (answer.repository?.projectsV2 ?? []).filter(({ closed }) => !closed)
    const owned = (answer.repository?.owner.projectsV2 ?? []).filter(({ closed }) => !closed)
    const candidates = linked.length > 0 ? linked : owned
    if (candidates.length < 2) return candidates[0]
    const names = candidates.slice(0, 5).map(({ title, number }) => `${title} (#${number})`)
    throw new ForgeError(
      'conflict',
      `${this.#home.owner}/${this.#home.repo} has several boards: ${names.join(', ')}`,
      {
        remedy: 'Set board.owner and board.number to the one you use.',
      },
    )
  }

  /** Whether boards are not queried for now, because the token may not see them. */
  isClosed(): boolean {
    return this.#closedAt !== undefined && this.#clock.now() - this.#closedAt < MEMORY
  }

  /** Whether this failure means that the token may not see boards; if so, it is remembered. */
  closes(error: unknown): boolean {
    const isOurs = error instanceof ForgeError && ['forbidden', 'unsupported'].includes(error.trouble)
    if (isOurs) this.#closedAt = this.#clock.now()
    return isOurs
  }

  /** Caches an issue's board items from an answer, which saves a query. */
  saw(issue: number, seen: IssueAnswered): void {
    this.#issues.delete(issue)
    if (!seen) return
    this.#issues.set(issue, { issueId: seen.id, places: seen.projectItems ?? [], at: this.#clock.now() })
    const oldest = this.#issues.keys().next().value
    if (this.#issues.size > 1000 && oldest !== undefined) this.#issues.delete(oldest)
  }

  seen(issue: number): KnownIssue | undefined {
    return this.#issues.get(issue)
  }

  async look(issue: number): Promise<KnownIssue | undefined> {
    const answer = await this.#connection.query(
      issueDocument,
      { ...this.#home, issue },
      IssueAnswer,
      boardPaths,
    )
    this.saw(issue, answer.repository?.issue)
    return this.#issues.get(issue)
  }

  isFresh(seen: { at: number } | undefined): boolean {
    return seen !== undefined && this.#clock.now() - seen.at < MEMORY
  }

  /** The item on our board: the configured board, else the only board the issue is on, else the repository's own. */
  placeIn(known: KnownIssue) {
    const open = known.places.flatMap(({ project, ...values }) =>
      project && !project.closed ? [{ ...values, project }] : [],
    )
    const configured = this.#configured
    if (configured) return open.find(({ project }) => isPlace(project, configured))
    if (open.length === 1) return open[0]
    return open.find(({ project }) => project.id === this.#shape?.shape.id)
  }

  /** The issue's item on our board, from the cache. */
  itemOf(issue: number): Pick<BoardItem, 'id' | 'status' | 'agent'> | undefined {
    const known = this.seen(issue)
    const place = known && this.placeIn(known)
    return place && valuesOf(place)
  }

  forgetShape(): void {
    this.#shape = undefined
  }

  /** Clears the cache after boards were changed. */
  forget(): void {
    this.#issues.clear()
    this.#shape = undefined
  }

  /** Issues of other repositories on the same board can have the same numbers as ours, and Baton must not touch them. */
  #toItem({ content, type, ...values }: z.infer<typeof Item>): BoardItem {
    const own =
      content?.repository?.nameWithOwner.toLowerCase() ===
      `${this.#home.owner}/${this.#home.repo}`.toLowerCase()
    const kind = kinds[type] ?? 'hidden'
    return {
      ...valuesOf(values),
      kind,
      issue: own && kind === 'issue' ? content?.number : undefined,
      title: content?.title ?? '',
      url: content?.url,
      state: content?.state,
      labels: content?.labels ?? [],
      assignees: content?.assignees ?? [],
    }
  }
}
