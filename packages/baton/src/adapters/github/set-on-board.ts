import { type BoardChange, type BoardOutcome, ForgeError } from '../../ports/forge.ts'
import type { BoardKeeper, KnownIssue } from './board.ts'
import { Added, addDocument, agentPart, clearPart, statusPart } from './board-documents.ts'
import { agentField, boardOf, optionOf, type Shape } from './board-shape.ts'
import type { Connection } from './connection.ts'
import { anything } from './response-schemas.ts'

/** Sets the Status and the Agent of an issue on our board. */
export function boardSetter(
  connection: Connection,
  boards: BoardKeeper,
): (issue: number, change: BoardChange) => Promise<BoardOutcome> {
  async function setOnBoard(issue: number, change: BoardChange): Promise<BoardOutcome> {
    if (boards.isClosed()) return missing('no-board', 'The token has no access to boards')
    const seen = boards.seen(issue)
    try {
      // The issue may have been added to a board since the last query.
      if (!seen || !boards.isFresh(seen) || !boards.placeIn(seen))
        return await apply(issue, await boards.look(issue), change)
      try {
        return await apply(issue, seen, change)
      } catch (error) {
        // The cache is out of date: the item was removed, or an option has a new id.
        if (!isAny(error, ['not-found', 'refused'])) throw error
        boards.forgetShape()
        return await apply(issue, await boards.look(issue), change)
      }
    } catch (error) {
      if (boards.closes(error)) return missing('no-board', 'The token may not read or change the board')
      if (isAny(error, ['conflict', 'not-found'])) return missing('no-board', (error as Error).message)
      throw error
    }
  }

  async function apply(
    issue: number,
    known: KnownIssue | undefined,
    change: BoardChange,
  ): Promise<BoardOutcome> {
    if (!known) return missing('not-on-board', `Issue #${issue} was not found`)
    let place = boards.placeIn(known)
    if (!place && known.places.length > 0 && !boards.isConfigured) {
      await boards.shape()
      place = boards.placeIn(known)
    }
    if (!place && change.add) place = await add(issue, known)
    if (!place) return missing('not-on-board', `Issue #${issue} is not on a board that Baton uses`)
    return write(place.id, place.project, change)
  }

  async function add(issue: number, known: KnownIssue) {
    const project = await boards.shape()
    if (!project) return undefined
    const added = await connection.mutate(addDocument, { project: project.id, issue: known.issueId }, Added)
    const place = { id: added.add.item.id, status: null, agent: null, project }
    boards.saw(issue, { id: known.issueId, projectItems: [...known.places, place] })
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

  return setOnBoard
}

const missing = (why: Extract<BoardOutcome, { done: false }>['why'], what: string): BoardOutcome => ({
  done: false,
  why,
  missing: what,
})

const isAny = (error: unknown, troubles: ForgeError['trouble'][]) =>
  error instanceof ForgeError && troubles.includes(error.trouble)
