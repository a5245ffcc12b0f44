import type { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import {
  type BoardChange,
  type BoardItem,
  type BoardOutcome,
  type BoardPlace,
  ForgeError,
} from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import {
  Added,
  addDocument,
  agentPart,
  clearPart,
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
  statusPart,
} from './board-documents.ts'
import {
  agentField,
  boardOf,
  boardPaths,
  isPlace,
  optionOf,
  type Places,
  type Shape,
  valuesOf,
} from './board-shape.ts'
import type { Connection } from './connection.ts'
import { anything } from './response-schemas.ts'

/** An issue's board items, as another query returned them. */
interface Sighting {
  issueId: string
  places: z.infer<typeof Places>
  at: number
}
type SeenIssue = { id: string; projectItems?: z.infer<typeof Places> | null | undefined } | null | undefined

export interface BoardKeeper extends Pick<WritableForge, 'board' | 'boardItems' | 'setOnBoard'> {
  /** Caches an issue's board items from an answer, which saves a query. */
  saw(issue: number, seen: SeenIssue): void
  /** The issue's item on our board, from the cache. */
  itemOf(issue: number): Pick<BoardItem, 'id' | 'status' | 'agent'> | undefined
  /** Whether boards are not queried for now, because the token may not see them. */
  isClosed(): boolean
  /** Whether this failure means that the token may not see boards; if so, it is remembered. */
  closes(error: unknown): boolean
  shape(): Promise<Shape | undefined>
  /** Clears the cache after boards were changed. */
  forget(): void
}

/** Options and fields change rarely, but users may rename one at any time. */
const MEMORY = 10 * 60_000

export function boardKeeper(
  connection: Connection,
  repository: RepositoryRef,
  clock: Clock,
  configured: BoardPlace | undefined,
): BoardKeeper {
  const { owner, name: repo } = repository
  const sightings = new Map<number, Sighting>()
  let known: { shape: Shape; at: number } | undefined
  let closedAt: number | undefined

  const isFresh = (seen: { at: number } | undefined) => seen !== undefined && clock.now() - seen.at < MEMORY
  const isClosed = () => closedAt !== undefined && clock.now() - closedAt < MEMORY
  function closes(error: unknown): boolean {
    const isOurs = error instanceof ForgeError && ['forbidden', 'unsupported'].includes(error.trouble)
    if (isOurs) closedAt = clock.now()
    return isOurs
  }

  function saw(issue: number, seen: SeenIssue): void {
    sightings.delete(issue)
    if (!seen) return
    sightings.set(issue, { issueId: seen.id, places: seen.projectItems ?? [], at: clock.now() })
    const oldest = sightings.keys().next().value
    if (sightings.size > 1000 && oldest !== undefined) sightings.delete(oldest)
  }

  /** The item on our board: the configured board, else the only board the issue is on, else the repository's own. */
  function placeIn(sighting: Sighting) {
    const open = sighting.places.flatMap(({ project, ...values }) =>
      project && !project.closed ? [{ ...values, project }] : [],
    )
    if (configured) return open.find(({ project }) => isPlace(project, configured))
    if (open.length === 1) return open[0]
    return open.find(({ project }) => project.id === known?.shape.id)
  }

  async function shape(): Promise<Shape | undefined> {
    if (known && isFresh(known)) return known.shape
    if (isClosed()) return undefined
    const found = configured ? await configuredShape(configured) : await onlyShape()
    known = found && { shape: found, at: clock.now() }
    return found
  }

  async function configuredShape(place: BoardPlace): Promise<Shape | undefined> {
    const answer = await connection.query(placeDocument, { ...place }, PlaceAnswer, boardPaths)
    return answer.repositoryOwner?.projectV2 ?? undefined
  }

  async function onlyShape(): Promise<Shape | undefined> {
    const answer = await connection.query(searchDocument, { owner, repo }, SearchAnswer, boardPaths)
    const linked = (answer.repository?.projectsV2 ?? []).filter(({ closed }) => !closed)
    const owned = (answer.repository?.owner.projectsV2 ?? []).filter(({ closed }) => !closed)
    const candidates = linked.length > 0 ? linked : owned
    if (candidates.length < 2) return candidates[0]
    const names = candidates.slice(0, 5).map(({ title, number }) => `${title} (#${number})`)
    throw new ForgeError('conflict', `${owner}/${repo} has several boards: ${names.join(', ')}`, {
      remedy: 'Set board.owner and board.number to the one you use.',
    })
  }

  async function boardItems(): Promise<BoardItem[]> {
    const found = configured ?? (await shape().then(board => board && boardOf(board)))
    if (!found) return []
    const items: BoardItem[] = []
    let after: string | null = null
    for (let page = 0; page < 20; page++) {
      const variables: Record<string, unknown> = { owner: found.owner, number: found.number, after }
      const answer: z.infer<typeof ItemsAnswer> = await connection.query(
        itemsDocument,
        variables,
        ItemsAnswer,
        boardPaths,
      )
      const project = answer.repositoryOwner?.projectV2
      if (!project) return items
      known = { shape: project, at: clock.now() }
      items.push(...project.items.list.filter(({ isArchived }) => !isArchived).map(toItem))
      after = project.items.pageInfo.hasNextPage ? (project.items.pageInfo.endCursor ?? null) : null
      if (!after) break
    }
    return items
  }

  /** Issues of other repositories on the same board can have the same numbers as ours, and Baton must not touch them. */
  function toItem({ content, type, ...values }: z.infer<typeof Item>): BoardItem {
    const own = content?.repository?.nameWithOwner.toLowerCase() === `${owner}/${repo}`.toLowerCase()
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

  async function look(issue: number): Promise<Sighting | undefined> {
    const answer = await connection.query(issueDocument, { owner, repo, issue }, IssueAnswer, boardPaths)
    saw(issue, answer.repository?.issue)
    return sightings.get(issue)
  }

  async function setOnBoard(issue: number, change: BoardChange): Promise<BoardOutcome> {
    if (isClosed()) return missing('no-board', 'The token has no access to boards')
    const seen = sightings.get(issue)
    try {
      // The issue may have been added to a board since the last query.
      if (!seen || !isFresh(seen) || !placeIn(seen)) return await apply(issue, await look(issue), change)
      try {
        return await apply(issue, seen, change)
      } catch (error) {
        // The cache is out of date: the item was removed, or an option has a new id.
        if (!isAny(error, ['not-found', 'refused'])) throw error
        known = undefined
        return await apply(issue, await look(issue), change)
      }
    } catch (error) {
      if (closes(error)) return missing('no-board', 'The token may not read or change the board')
      if (isAny(error, ['conflict', 'not-found'])) return missing('no-board', (error as Error).message)
      throw error
    }
  }

  async function apply(
    issue: number,
    sighting: Sighting | undefined,
    change: BoardChange,
  ): Promise<BoardOutcome> {
    if (!sighting) return missing('not-on-board', `Issue #${issue} was not found`)
    let place = placeIn(sighting)
    if (!place && sighting.places.length > 0 && !configured) {
      await shape()
      place = placeIn(sighting)
    }
    if (!place && change.add) place = await add(issue, sighting)
    if (!place) return missing('not-on-board', `Issue #${issue} is not on a board that Baton uses`)
    return write(place.id, place.project, change)
  }

  async function add(issue: number, sighting: Sighting) {
    const project = await shape()
    if (!project) return undefined
    const added = await connection.mutate(
      addDocument,
      { project: project.id, issue: sighting.issueId },
      Added,
    )
    const place = { id: added.add.item.id, status: null, agent: null, project }
    saw(issue, { id: sighting.issueId, projectItems: [...sighting.places, place] })
    return place
  }

  async function write(item: string, project: Shape, { status, agent }: BoardChange): Promise<BoardOutcome> {
    const option = status === undefined ? undefined : optionOf(project, status)
    const field = agentField(project)
    const parts = [
      option
        ? { part: statusPart, values: { statusField: project.status?.id, option: option.id } }
        : undefined,
      agent && field ? { part: agentPart, values: { agentField: field, agent } } : undefined,
      agent === '' && field ? { part: clearPart, values: { agentField: field } } : undefined,
    ].filter(part => part !== undefined)
    if (parts.length > 0) {
      const document = `mutation BatonBoardSet($project: ID!, $item: ID!${parts.map(({ part }) => part.inputs).join('')}) {
        ${parts.map(({ part }) => part.field).join('\n')}
      }`
      const values = Object.assign({}, ...parts.map(({ values }) => values))
      await connection.mutate(document, { project: project.id, item, ...values }, anything)
    }
    if (status !== undefined && !option) {
      const has = boardOf(project).statuses.join(', ') || 'none'
      return missing('no-such-status', `The board ${project.title} has no Status "${status}" (it has ${has})`)
    }
    if (agent && !field)
      return missing('no-agent-field', `The board ${project.title} has no text field "Agent"`)
    return { done: true, item }
  }

  return {
    saw,
    isClosed,
    closes,
    shape,
    boardItems,
    setOnBoard,
    async board() {
      const found = await shape()
      return found && boardOf(found)
    },
    itemOf(issue) {
      const sighting = sightings.get(issue)
      const place = sighting && placeIn(sighting)
      return place && valuesOf(place)
    },
    forget() {
      sightings.clear()
      known = undefined
    },
  }
}

const missing = (why: Extract<BoardOutcome, { done: false }>['why'], what: string): BoardOutcome => ({
  done: false,
  why,
  missing: what,
})

const isAny = (error: unknown, troubles: ForgeError['trouble'][]) =>
  error instanceof ForgeError && troubles.includes(error.trouble)
