import type { BoardFacts, Grant } from '@batonpass/contract/grant'
import { flagTable } from '@batonpass/shell-verdict/shell/options'
import type { Word } from '@batonpass/shell-verdict/shell/word'
import { z } from 'zod'
import { type BoardOperation, type MatchedOperation, matchOperation } from './board-operations.ts'
import { isExact, strictOptions } from './cover-git.ts'

/** No `--input`, `--jq`, `-H`, `-X` or `--paginate`: only the text of the operation and its variables. */
const TABLE = flagTable('-f|--raw-field= -F|--field= --hostname=')

interface BoardCall extends MatchedOperation {
  variables: ReadonlyMap<string, string>
}

/** The variables of each operation; a number is one that the text declares as Int. */
const VARIABLES: Record<BoardOperation, readonly string[]> = {
  find: ['owner', 'name'],
  read: ['owner', 'number'],
  create: ['owner', 'repo', 'title'],
  'set-options': ['field'],
  'add-agent': ['board'],
}

/** Whether a grant covers `gh api graphql`; `words` begin after `graphql`. Completes «JOB may …». */
export function coverBoard(words: readonly Word[], grant: Grant): string | undefined {
  const call = readCall(words, grant)
  return call && COVERS[call.operation](call, grant)
}

function readCall(words: readonly Word[], { repository = '' }: Grant): BoardCall | undefined {
  const parsed = words.every(isExact) ? strictOptions(words, TABLE) : undefined
  if (!parsed || parsed.positionals.length > 0) return undefined
  const host = repository.slice(0, repository.indexOf('/'))
  const hosts = parsed.flags.filter(({ name }) => name === '--hostname').map(({ value }) => value?.value)
  // Without it, gh calls github.com.
  if (hosts.length > 1 || (hosts[0] ?? 'github.com').toLowerCase() !== host) return undefined
  const fields = new Map<string, string>()
  for (const { name, value } of parsed.flags) {
    if (name === '--hostname') continue
    const [, key = '', text = ''] = /^(\w+)=([\s\S]*)$/.exec(value?.value ?? '') ?? []
    // With -F, `@` names a file and words such as true have a type; it is needed for a number only.
    const isNumber = /^[1-9]\d{0,8}$/.test(text)
    const isTyped = name === '-F' || name === '--field'
    if (key === '' || fields.has(key) || (key === 'number') !== isTyped || (isTyped && !isNumber))
      return undefined
    fields.set(key, text)
  }
  const matched = matchOperation(fields.get('query') ?? '')
  if (!matched) return undefined
  fields.delete('query')
  const wanted = VARIABLES[matched.operation]
  const isComplete = fields.size === wanted.length && wanted.every(name => fields.has(name))
  return isComplete ? { ...matched, variables: fields } : undefined
}

type CoverOf = (call: BoardCall, grant: Grant) => string | undefined

const COVERS: Record<BoardOperation, CoverOf> = {
  find({ variables }, { repository = '' }) {
    const [, owner, name] = repository.split('/')
    const isOwn = lower(variables, 'owner') === owner && lower(variables, 'name') === name
    return isOwn ? `read the boards of ${repository}` : undefined
  },
  read({ variables }, { board }) {
    const wanted = board?.wanted
    if (!wanted || lower(variables, 'owner') !== wanted.owner) return undefined
    return variables.get('number') === String(wanted.number)
      ? `read board ${wanted.owner}/${wanted.number}`
      : undefined
  },
  // Only after Baton has seen that the repository has none.
  create({ variables }, { board, repository }) {
    const { owner, repository: id, boards, wanted } = board ?? {}
    if (!owner || !id || !boards || boards.length > 0 || wanted) return undefined
    return variables.get('owner') === owner && variables.get('repo') === id
      ? `create a board for ${repository}`
      : undefined
  },
  'set-options'({ variables, options }, grant) {
    const status = ownBoard(grant)?.fields.find(({ id }) => id === variables.get('field'))
    if (status?.name !== 'Status') return undefined
    const ids = options.flatMap(({ id }) => id ?? [])
    // An option that is left out would be deleted from all items.
    const isKept = (status.options ?? []).every(id => ids.includes(id))
    const isKnown = ids.every((id, at) => status.options?.includes(id) && ids.indexOf(id) === at)
    return isKept && isKnown ? 'add options to the field Status of its board' : undefined
  },
  'add-agent'({ variables }, grant) {
    const board = ownBoard(grant)
    return board && variables.get('board') === board.id ? 'add the field Agent to its board' : undefined
  },
}

const lower = (variables: ReadonlyMap<string, string>, name: string): string | undefined =>
  variables.get(name)?.toLowerCase()

/** The board of the run: the one that the user named, the only one, or the one that is named like the repository. */
function ownBoard({ board, repository = '' }: Grant): BoardFacts | undefined {
  const { boards = [], wanted } = board ?? {}
  if (wanted) return boards.find(({ number, isWanted }) => isWanted && number === wanted.number)
  if (boards.length === 1) return boards[0]
  const name = repository.split('/')[2] ?? ''
  const named = boards.filter(({ title }) => title.toLowerCase().startsWith(name))
  return named.length === 1 ? named[0] : undefined
}

const Nodes = z.object({
  id: z.string().max(200),
  number: z.number().int(),
  title: z.string().default(''),
  fields: z
    .object({
      nodes: z.array(
        z
          .object({
            id: z.string().max(200).optional(),
            name: z.string().optional(),
            options: z.array(z.object({ id: z.string().max(200) })).optional(),
          })
          .nullable(),
      ),
    })
    .optional(),
})
type Node = z.infer<typeof Nodes>

const Answer = z.object({
  data: z.object({
    repository: z
      .object({
        id: z.string().max(200),
        owner: z.object({ id: z.string().max(200) }),
        projectsV2: z.object({ nodes: z.array(Nodes) }),
      })
      .nullish(),
    repositoryOwner: z.object({ projectV2: Nodes.nullish() }).nullish(),
    createProjectV2: z.object({ projectV2: Nodes.nullish() }).nullish(),
  }),
})

/** The grant after gh itself answered an operation of the run: it knows the ids of its board now. */
export function grantAfterBoard(grant: Grant, words: readonly Word[], output: string): Grant {
  const call = grant.may.includes('board') && coverBoard(words, grant) ? readCall(words, grant) : undefined
  const answer = call && parseAnswer(output)
  if (!call || !answer) return grant
  const { repository, repositoryOwner, createProjectV2 } = answer
  const board = grant.board ?? {}
  switch (call.operation) {
    case 'find': {
      if (!repository) return grant
      const { id, owner, projectsV2 } = repository
      const kept = (board.boards ?? []).filter(({ isWanted }) => isWanted)
      const boards = [...kept, ...projectsV2.nodes.map(node => boardOf(node))].slice(0, MAX_BOARDS)
      return { ...grant, board: { ...board, owner: owner.id, repository: id, boards } }
    }
    case 'read': {
      const found = repositoryOwner?.projectV2
      return found
        ? { ...grant, board: { ...board, boards: [{ ...boardOf(found), isWanted: true }] } }
        : grant
    }
    case 'create': {
      const made = createProjectV2?.projectV2
      return made ? { ...grant, board: { ...board, boards: [boardOf(made)] } } : grant
    }
    case 'set-options': {
      // The options are others now: the board has to be read again before the next change.
      const isOther = ({ id }: { id: string }) => id !== call.variables.get('field')
      const boards = board.boards?.map(each => ({ ...each, fields: each.fields.filter(isOther) }))
      return { ...grant, board: { ...board, boards } }
    }
    default:
      return grant
  }
}

const MAX_BOARDS = 20
const MAX_FIELDS = 60

function parseAnswer(output: string): z.infer<typeof Answer>['data'] | undefined {
  try {
    return Answer.safeParse(JSON.parse(output)).data?.data
  } catch {
    return undefined
  }
}

const boardOf = ({ id, number, title, fields }: Node): BoardFacts => ({
  id,
  number,
  title: title.slice(0, 200),
  fields: (fields?.nodes ?? [])
    .flatMap(field =>
      field?.id && field.name
        ? [{ id: field.id, name: field.name.slice(0, 200), options: field.options?.map(each => each.id) }]
        : [],
    )
    .slice(0, MAX_FIELDS),
})
