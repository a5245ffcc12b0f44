/** A part of a GraphQL text, as far as board operations need it. */
type Token = { kind: 'name' | 'number' | 'string' | 'mark'; text: string }

const FIELDS =
  'fields(first:50){nodes{... on ProjectV2SingleSelectField{id name options{id name color description}} ... on ProjectV2Field{id name dataType}}}'

/**
 * The operations that setup-viewboard prescribes, word for word. `OPTIONS` is replaced by a list of options. Nothing else is
 * covered by its grant, so no query has to be understood.
 */
export const BOARD_OPERATIONS = {
  /** The boards that are linked to the repository. */
  find: `query($owner:String!,$name:String!){repository(owner:$owner,name:$name){id owner{id} projectsV2(first:20){nodes{id number title url ${FIELDS}}}}}`,
  /** The board that the user named. */
  read: `query($owner:String!,$number:Int!){repositoryOwner(login:$owner){... on ProjectV2Owner{projectV2(number:$number){id number title url ${FIELDS}}}}}`,
  create:
    'mutation($owner:ID!,$repo:ID!,$title:String!){createProjectV2(input:{ownerId:$owner,repositoryId:$repo,title:$title}){projectV2{id number url}}}',
  'set-options':
    'mutation($field:ID!){updateProjectV2Field(input:{fieldId:$field,singleSelectOptions:OPTIONS}){projectV2Field{... on ProjectV2SingleSelectField{id name options{id name}}}}}',
  'add-agent':
    'mutation($board:ID!){createProjectV2Field(input:{projectId:$board,dataType:TEXT,name:"Agent"}){projectV2Field{... on ProjectV2Field{id name}}}}',
} as const
export type BoardOperation = keyof typeof BOARD_OPERATIONS

/** An option of the field Status, as a mutation names it. */
export interface NamedOption {
  id: string | undefined
  name: string
}

export interface MatchedOperation {
  operation: BoardOperation
  options: readonly NamedOption[]
}

/** The operation that a text is, with nothing before, after or in between. */
export function matchOperation(text: string): MatchedOperation | undefined {
  const tokens = tokensOf(text)
  if (!tokens) return undefined
  for (const operation of Object.keys(BOARD_OPERATIONS) as BoardOperation[]) {
    const options = matchTokens(tokens, TEMPLATES[operation])
    if (options) return { operation, options }
  }
  return undefined
}

/** Undefined if the text holds anything that no operation needs: comments, directives, block strings, escapes. */
function tokensOf(text: string): Token[] | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const tokens: Token[] = []
  let rest = text
  for (;;) {
    // GraphQL ignores commas.
    rest = rest.replace(/^[\s,]+/, '')
    if (rest === '') return tokens
    const found = TOKEN.exec(rest)
    if (!found) return undefined
    const [whole, name, number, string] = found
    if (name !== undefined) tokens.push({ kind: 'name', text: name })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (string !== undefined) tokens.push({ kind: 'string', text: string })
    else tokens.push({ kind: 'mark', text: whole })
    rest = rest.slice(whole.length)
  }
}

const MAX_LENGTH = 20_000
const TOKEN = /^(?:([A-Za-z_]\w*)|(\d+)|"([^"\\\n\r]*)"(?!")|\.\.\.|[!$():[\]{}])/

const TEMPLATES = Object.fromEntries(
  Object.entries(BOARD_OPERATIONS).map(([name, text]) => [name, tokensOf(text) ?? []]),
) as unknown as Record<BoardOperation, readonly Token[]>

/** The options in place of `OPTIONS` (none elsewhere) if the tokens are those of the template. */
function matchTokens(tokens: readonly Token[], template: readonly Token[]): NamedOption[] | undefined {
  const hole = template.findIndex(({ text }) => text === 'OPTIONS')
  if (hole < 0) return isSame(tokens, template) ? [] : undefined
  const after = template.length - hole - 1
  const list = tokens.slice(hole, tokens.length - after)
  const around = [...tokens.slice(0, hole), ...tokens.slice(tokens.length - after)]
  const isAround = tokens.length > template.length && isSame(around, template.toSpliced(hole, 1))
  return isAround ? readOptions(list) : undefined
}

const isSame = (a: readonly Token[], b: readonly Token[]): boolean =>
  a.length === b.length && a.every(({ kind, text }, at) => b[at]?.kind === kind && b[at]?.text === text)

/** `[{id:"1",name:"Todo",color:GRAY,description:""} …]` */
function readOptions(list: readonly Token[]): NamedOption[] | undefined {
  const [open, ...rest] = list
  const close = rest.pop()
  if (!isMark(open, '[') || !isMark(close, ']')) return undefined
  const options: NamedOption[] = []
  while (rest.length > 0) {
    const end = rest.findIndex(token => isMark(token, '}'))
    const object = rest.splice(0, end + 1)
    const option = end > 0 && isMark(object[0], '{') ? readOption(object.slice(1, -1)) : undefined
    if (!option) return undefined
    options.push(option)
  }
  return options
}

const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'mark' && token.text === text

const KINDS: Readonly<Record<string, Token['kind']>> = {
  id: 'string',
  name: 'string',
  color: 'name',
  description: 'string',
}

function readOption(tokens: readonly Token[]): NamedOption | undefined {
  const values = new Map<string, string>()
  for (let at = 0; at < tokens.length; at += 3) {
    const [key, colon, value] = tokens.slice(at, at + 3)
    const kind = key?.kind === 'name' && Object.hasOwn(KINDS, key.text) ? KINDS[key.text] : undefined
    if (!key || !value || kind !== value.kind || !isMark(colon, ':') || values.has(key.text)) return undefined
    values.set(key.text, value.text)
  }
  const name = values.get('name')
  return name === undefined ? undefined : { id: values.get('id'), name }
}
