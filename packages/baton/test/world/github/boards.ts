import { connection, failure } from './graphql-parts.ts'

/** Projects v2, which emulate does not have. */
export interface FakeBoard {
  id: string
  owner: string
  number: number
  title: string
  closed: boolean
  /** Repositories it is linked to. */
  linked: Set<string>
  fields: FakeField[]
  items: FakeItem[]
}

export interface FakeField {
  id: string
  name: string
  type: 'SINGLE_SELECT' | 'TEXT' | 'TITLE'
  options: { id: string; name: string; color: string; description: string }[]
}

export interface FakeItem {
  id: string
  content:
    | { kind: 'ISSUE' | 'PULL_REQUEST'; repository: string; number: number }
    | { kind: 'DRAFT_ISSUE'; title: string }
    | { kind: 'REDACTED' }
  archived: boolean
  /** Field id to option id or text. */
  values: Map<string, string>
}

export interface BoardSeed {
  owner: string
  title?: string
  number?: number
  closed?: boolean
  /** Repositories it is linked to, as owner/name. */
  linked?: string[]
  statuses?: string[] | false
  agent?: boolean
}

export class Boards {
  readonly all: FakeBoard[] = []
  #ids = 0

  id(prefix: string): string {
    this.#ids += 1
    return `${prefix}_lADO${String(this.#ids).padStart(6, '0')}`
  }

  add({
    owner,
    title = 'Work',
    number,
    closed = false,
    linked = [],
    statuses,
    agent = true,
  }: BoardSeed): FakeBoard {
    const options = statuses === false ? [] : (statuses ?? ['Todo', 'In Progress', 'In Review', 'Done'])
    const board: FakeBoard = {
      id: this.id('PVT'),
      owner,
      number: number ?? Math.max(0, ...this.of(owner).map(other => other.number)) + 1,
      title,
      closed,
      linked: new Set(linked),
      fields: [{ id: this.id('PVTF'), name: 'Title', type: 'TITLE', options: [] }],
      items: [],
    }
    if (statuses !== false) board.fields.push(this.field('Status', 'SINGLE_SELECT', options))
    if (agent) board.fields.push(this.field('Agent', 'TEXT'))
    this.all.push(board)
    return board
  }

  field(name: string, type: FakeField['type'], options: string[] = []): FakeField {
    const made = options.map(option => ({ id: this.id('opt'), name: option, color: 'GRAY', description: '' }))
    return { id: this.id(type === 'SINGLE_SELECT' ? 'PVTSSF' : 'PVTF'), name, type, options: made }
  }

  of(owner: string): FakeBoard[] {
    return this.all.filter(board => board.owner.toLowerCase() === owner.toLowerCase())
  }

  byId(id: string): FakeBoard {
    const board = this.all.find(candidate => candidate.id === id)
    if (!board) throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`)
    return board
  }

  item(board: FakeBoard, id: string): FakeItem {
    const item = board.items.find(candidate => candidate.id === id)
    if (!item) throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`)
    return item
  }

  place(board: FakeBoard, content: FakeItem['content']): FakeItem {
    const same = board.items.find(item => JSON.stringify(item.content) === JSON.stringify(content))
    if (same) return same
    const item = { id: this.id('PVTI'), content, archived: false, values: new Map() }
    board.items.push(item)
    return item
  }

  set(
    board: FakeBoard,
    item: FakeItem,
    fieldId: string,
    value: { singleSelectOptionId?: string; text?: string },
  ) {
    const field = board.fields.find(candidate => candidate.id === fieldId)
    if (!field) throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${fieldId}'`)
    if (field.type === 'SINGLE_SELECT') {
      const option = field.options.find(({ id }) => id === value.singleSelectOptionId)
      if (!option) throw failure('UNPROCESSABLE', 'The single select option Id does not belong to the field')
      item.values.set(field.id, option.id)
    } else if (field.type === 'TEXT' && value.text !== undefined) item.values.set(field.id, value.text)
    else
      throw failure('UNPROCESSABLE', `Did not receive a ${field.type} value to update a field of that type`)
  }

  /** As GitHub does it: the options get new ids, and every item loses its value. */
  replaceOptions(
    fieldId: string,
    options: { name: string; color: string; description: string }[],
  ): FakeField {
    const board = this.all.find(({ fields }) => fields.some(({ id }) => id === fieldId))
    const field = board?.fields.find(({ id }) => id === fieldId)
    if (!board || !field)
      throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${fieldId}'`)
    field.options = options.map(option => ({ ...option, id: this.id('opt') }))
    for (const item of board.items) item.values.delete(field.id)
    return field
  }

  /** Reading by people's names, for tests. */
  value(item: FakeItem, board: FakeBoard, name: string): string | undefined {
    const field = board.fields.find(candidate => candidate.name === name)
    const value = field && item.values.get(field.id)
    return field?.options.find(({ id }) => id === value)?.name ?? value
  }
}

export interface BoardViews {
  contentOf(item: FakeItem): Promise<unknown>
  ownerOf(login: string): unknown
  boards: Boards
  baseUrl: string
}

/** A board as GraphQL shows it. */
export function boardView(board: FakeBoard, views: BoardViews): Record<string, unknown> {
  const fields = () => board.fields.map(fieldView)
  return {
    __typename: 'ProjectV2',
    id: board.id,
    number: board.number,
    title: board.title,
    url: `${views.baseUrl}/orgs/${board.owner}/projects/${board.number}`,
    closed: board.closed,
    owner: () => views.ownerOf(board.owner),
    field: ({ name }: { name: string }) => fields().find(field => field.name === name) ?? null,
    fields: (args: object) => connection(fields(), args),
    items: (args: object) =>
      connection(
        board.items.map(item => itemView(item, board, views)),
        args,
      ),
  }
}

export function fieldView({ id, name, type, options }: FakeField) {
  const __typename = type === 'SINGLE_SELECT' ? 'ProjectV2SingleSelectField' : 'ProjectV2Field'
  return { __typename, id, name, dataType: type, ...(type === 'SINGLE_SELECT' ? { options } : {}) }
}

export function itemView(item: FakeItem, board: FakeBoard, views: BoardViews): Record<string, unknown> {
  return {
    __typename: 'ProjectV2Item',
    id: item.id,
    type: item.content.kind,
    isArchived: item.archived,
    project: () => boardView(board, views),
    content: () => views.contentOf(item),
    fieldValueByName: ({ name }: { name: string }) => {
      const field = board.fields.find(candidate => candidate.name === name)
      const value = field && item.values.get(field.id)
      if (!field || value === undefined) return null
      if (field.type !== 'SINGLE_SELECT') return { __typename: 'ProjectV2ItemFieldTextValue', text: value }
      const option = field.options.find(({ id }) => id === value)
      if (!option) return null
      return { __typename: 'ProjectV2ItemFieldSingleSelectValue', name: option.name, optionId: option.id }
    },
  }
}
