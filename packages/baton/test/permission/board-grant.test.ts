import { readFileSync } from 'node:fs'
import type { Grant } from '@batonpass/contract/grant'
import { analyse } from '@batonpass/shell-verdict/shell/analysis'
import { literalWord } from '@batonpass/shell-verdict/shell/word'
import { describe, expect, test } from 'vitest'
import { BOARD_OPERATIONS, type BoardOperation } from '../../src/permission/grants/board-operations.ts'
import { grantAfterBoard } from '../../src/permission/grants/cover-board.ts'
import type { GrantsInForce } from '../../src/permission/grants/grants-in-force.ts'
import { grantFrom } from '../../src/permission/grants/record-grant.ts'
import { judge } from '../../src/permission/judge.ts'
import type { GitFacts } from '../../src/ports/grant-facts.ts'
import { commandText } from '../../src/sandbox/broker/command-text.ts'
import { planGh } from '../../src/sandbox/broker/plan-gh.ts'
import { setupViewboard } from '../../src/work/workflows/builtin-workflows.ts'
import { request, STANDARD } from './place.ts'

const FACTS: GitFacts = {
  root: '/work/tree',
  branch: 'main',
  settings: 's',
  push: 'any',
  pushesTo: 'origin',
  fetchesFrom: 'origin',
  remotes: [{ name: 'origin', url: 'git@github.com:Acme/Shop.git' }],
  hooks: [],
}
const START = grantFrom(
  { job: 'setup-viewboard', may: setupViewboard.grants.may, project: '/work/tree' },
  FACTS,
  [],
)

function isGranted(command: string, grant: Grant, isBrokered = false): boolean {
  const grants: GrantsInForce = {
    grants: [grant],
    isBrokered,
    facts: new Map([['/work/tree', FACTS]]),
    fileKind: () => 'missing',
  }
  const { decision, trail } = judge(request(command, { grants }), STANDARD, { realpath: path => path })
  return decision === 'allow' && trail.some(({ rule }) => rule === 'grant board')
}

const fields = (status: string, options: string[]) => ({
  nodes: [
    { id: 'F_title', name: 'Title', dataType: 'TITLE' },
    {
      id: status,
      name: 'Status',
      options: options.map(id => ({ id, name: id, color: 'GRAY', description: '' })),
    },
    {},
    null,
  ],
})
const board = (id: string, title: string, number = 1) => ({
  id,
  number,
  title,
  url: 'x',
  fields: fields(`S_${id}`, ['o1', 'o2']),
})
const found = (...nodes: object[]) =>
  JSON.stringify({ data: { repository: { id: 'R_1', owner: { id: 'O_1' }, projectsV2: { nodes } } } })

const gh = (operation: BoardOperation, ...fields: string[]) =>
  `gh api graphql ${fields.join(' ')} -f query='${BOARD_OPERATIONS[operation]}'`
const FIND = gh('find', '-f owner=acme', '-f name=shop')
const wordsOf = (command: string) =>
  (analyse(command, { cwd: '/', home: '/' }).commands[0]?.words ?? []).slice(3)
const after = (grant: Grant, command: string, output: string) =>
  grantAfterBoard(grant, wordsOf(command), output)

/** After the run has found one board. */
const ONE = after(START, FIND, found(board('B_1', 'Anything')))
const NONE = after(START, FIND, found())
const option = (id: string | undefined, name: string) =>
  `{${id ? `id:"${id}",` : ''}name:"${name}",color:GRAY,description:""}`
const options = (field: string, ...list: string[]) =>
  gh('set-options', `-f field=${field}`).replace('OPTIONS', `[${list.join(',')}]`)
const KEPT = [option('o1', 'Todo'), option('o2', 'Done')]
const CREATE = gh('create', '-f owner=O_1', '-f repo=R_1', '-f title="shop board"')

describe('setup-viewboard may', () => {
  test('find the boards of its repository', () => {
    expect(isGranted(FIND, START)).toBe(true)
    expect(isGranted(FIND.replace('owner=acme', 'owner=Acme'), START)).toBe(true)
    expect(isGranted(FIND.replaceAll('{', '\n  {'), START)).toBe(true)
    expect(isGranted(`${FIND} --hostname=github.com`, START, true)).toBe(true)
  })

  test('do so through the broker, which names the host of the repository', () => {
    const argv = [
      'api',
      'graphql',
      '-f',
      'owner=acme',
      '-f',
      'name=shop',
      '-f',
      `query=${BOARD_OPERATIONS.find}`,
    ]
    const through = (url: string) => {
      const plan = planGh(argv, undefined, { remotes: [{ name: 'origin', url, pushUrl: url, fetch: [] }] })
      if (plan.kind === 'refused') throw new Error(plan.reason)
      expect(plan.args).toEqual([...argv, plan.shown.at(-1)])
      return commandText(plan.shown)
    }
    expect(isGranted(through('https://github.com/acme/shop'), START, true)).toBe(true)
    const local = 'http://127.0.0.1:3000/acme/shop.git'
    const own = { ...START, repository: '127.0.0.1:3000/acme/shop' }
    expect(isGranted(through(local), own, true)).toBe(true)
    expect(isGranted(through(local), START, true)).toBe(false)
    expect(isGranted(FIND, own)).toBe(false)
  })

  test('create a board once gh has said that there is none, and only one', () => {
    expect(isGranted(CREATE, START)).toBe(false)
    expect(isGranted(CREATE, ONE)).toBe(false)
    expect(isGranted(CREATE, NONE)).toBe(true)
    const made = after(
      NONE,
      CREATE,
      JSON.stringify({ data: { createProjectV2: { projectV2: { id: 'B_9', number: 9 } } } }),
    )
    expect(isGranted(CREATE, made)).toBe(false)
    expect(isGranted(gh('add-agent', '-f board=B_9'), made)).toBe(true)
  })

  test('add options and the field Agent to its board', () => {
    expect(isGranted(options('S_B_1', ...KEPT, option(undefined, 'Proposed')), ONE)).toBe(true)
    expect(isGranted(gh('add-agent', '-f board=B_1'), ONE)).toBe(true)
  })

  test('change the options again only after it has read them again', () => {
    const change = options('S_B_1', ...KEPT, option(undefined, 'Proposed'))
    const changed = after(ONE, change, '{"data":{}}')
    expect(isGranted(change, changed)).toBe(false)
    expect(isGranted(change, after(changed, FIND, found(board('B_1', 'Anything'))))).toBe(true)
  })

  test('use the board that the user named, and no other', () => {
    const named = grantFrom(
      {
        job: 'x',
        may: setupViewboard.grants.may,
        project: '/work/tree',
        board: { owner: 'Acme', number: 7 },
      },
      FACTS,
      [],
    )
    const read = gh('read', '-f owner=acme', '--field number=7')
    expect(isGranted(read, named)).toBe(true)
    expect(isGranted(read, START)).toBe(false)
    expect(isGranted(read.replace('number=7', 'number=8'), named)).toBe(false)
    expect(isGranted(read.replace('acme', 'evil'), named)).toBe(false)
    expect(isGranted(read.replace('--field number', '-f number'), named)).toBe(false)
    expect(isGranted(read.replace('number=7', 'number=@/etc/passwd'), named)).toBe(false)
    const answer = JSON.stringify({ data: { repositoryOwner: { projectV2: board('B_7', 'Mine', 7) } } })
    const known = after(after(named, read, answer), FIND, found(board('B_1', 'Shop')))
    expect(isGranted(gh('add-agent', '-f board=B_7'), known)).toBe(true)
    expect(isGranted(gh('add-agent', '-f board=B_1'), known)).toBe(false)
  })

  test.each<[string, string[], string | undefined]>([
    ['the only board', ['Anything'], 'B_0'],
    ['of several, the one named like the repository', ['Other', 'Shop board'], 'B_1'],
    ['none of several that could be meant', ['Shop a', 'Shop b'], undefined],
    ['none of several others', ['A', 'B'], undefined],
  ])('take %s', (_, titles, own) => {
    const grant = after(START, FIND, found(...titles.map((title, at) => board(`B_${at}`, title, at + 1))))
    const granted = titles.flatMap((_title, at) =>
      isGranted(gh('add-agent', `-f board=B_${at}`), grant) ? [`B_${at}`] : [],
    )
    expect(granted).toEqual(own ? [own] : [])
  })

  test('do what its command prescribes', () => {
    const page = new URL('../../../../plugin/commands/setup-viewboard.md', import.meta.url)
    const prescribed = [...readFileSync(page, 'utf8').matchAll(/^ *(gh api graphql .*)$/gm)].map(
      ([, text = '']) =>
        text
          .replace(/OWNER(?!_)/, 'acme')
          .replace('=NAME', '=shop')
          .replace('NUMBER', '7'),
    )
    expect(prescribed).toHaveLength(Object.keys(BOARD_OPERATIONS).length)
    const ids = { OWNER_ID: 'O_1', REPO_ID: 'R_1', BOARD_ID: 'B_1', FIELD_ID: 'S_B_1', OPTION_ID: 'o1' }
    const filled = prescribed.map(text =>
      Object.entries(ids).reduce((now, [name, id]) => now.replaceAll(name, id), text),
    )
    const wanted = { ...START, board: { wanted: { owner: 'acme', number: 7 } } }
    const single = after(START, FIND, found({ ...board('B_1', 'x'), fields: fields('S_B_1', ['o1']) }))
    for (const text of filled)
      expect([text, [START, wanted, NONE, single].some(grant => isGranted(text, grant))]).toEqual([
        text,
        true,
      ])
  })
})

describe('setup-viewboard may not', () => {
  const query = BOARD_OPERATIONS.find
  const find = (text: string, ...more: string[]) =>
    `gh api graphql -f owner=acme -f name=shop ${more.join(' ')} -f query='${text}'`
  test.each([
    ['an alias', find(query.replace('repository(', 'x:repository('))],
    [
      'a second operation',
      find(`${query} mutation{deleteProjectV2(input:{projectId:"B_1"}){clientMutationId}}`),
    ],
    ['a second field', find(query.replace(/}$/, ' viewer{login}}'))],
    ['a fragment', find(query.replace('id owner{id}', '...F').concat(' fragment F on Repository{id}'))],
    ['a directive', find(query.replace('owner{id}', 'owner{id} @skip(if:false)'))],
    ['a comment', find(`${query}#x`)],
    ['another name', find(query.replace('query(', 'query Q('))],
    ['a default value', find(query.replace('String!', 'String!="x"'))],
    ['a literal in place of a variable', find(query.replace('owner:$owner', 'owner:"evil"'))],
    ['more boards than prescribed', find(query.replace('first:20', 'first:100'))],
    [
      'a mutation of its own',
      'gh api graphql -f query=\'mutation{deleteProjectV2(input:{projectId:"B_1"}){clientMutationId}}\'',
    ],
    ['no query', 'gh api graphql -f owner=acme -f name=shop'],
    ['a query from a file', 'gh api graphql -f owner=acme -f name=shop -F query=@q.graphql'],
    ['a query from standard input', 'gh api graphql -f owner=acme -f name=shop --input -'],
    ['a query twice', find(query, `-f query='${query}'`)],
    ['a variable twice', find(query, '-f owner=evil')],
    ['another variable', find(query, '-f extra=x')],
    ['an operation name', find(query, '-f operationName=x')],
    ['a typed variable', find(query).replace('-f owner', '-F owner')],
    ['a nested variable', find(query).replace('owner=acme', 'owner[]=acme')],
    ['another repository', find(query).replace('name=shop', 'name=other')],
    ['another owner', find(query).replace('owner=acme', 'owner=evil')],
    ['a header', find(query, '-H "X: 1"')],
    ['a method', find(query, '-X POST')],
    ['another host', find(query, '--hostname evil.example')],
    ['two hosts', find(query, '--hostname github.com --hostname github.com')],
    ['a filter, which can print the environment', find(query, '--jq env')],
    ['a template', find(query, "-t '{{.}}'")],
    ['a cache or pages', find(query, '--paginate')],
    ['a preview', find(query, '-p x')],
    ['a word more', find(query, 'x')],
    ['a host in the environment', `GH_HOST=evil.example ${find(query)}`],
    ['a text from a substitution', 'gh api graphql -f owner=acme -f name=shop -f query="$(cat q)"'],
    ['another path', find(query).replace('api graphql', 'api /graphql')],
    ['the path behind a flag', `gh api -f owner=acme -f name=shop graphql -f query='${query}'`],
  ])('send %s', (_, command) => {
    for (const grant of [START, NONE, ONE]) {
      expect(isGranted(command, grant)).toBe(false)
      expect(isGranted(command, grant, true)).toBe(false)
    }
  })

  test.each([
    ['another owner', CREATE.replace('O_1', 'O_2')],
    ['another repository', CREATE.replace('R_1', 'R_2')],
  ])('create a board for %s', (_, command) => expect(isGranted(command, NONE)).toBe(false))

  test.each([
    ['another board', options('S_B_2', ...KEPT)],
    ['another field', options('F_title', ...KEPT)],
    ['a list without an option that exists', options('S_B_1', option('o1', 'Todo'))],
    ['an empty list', options('S_B_1')],
    ['an option of another field', options('S_B_1', ...KEPT, option('o9', 'x'))],
    ['an option twice', options('S_B_1', ...KEPT, option('o1', 'x'))],
    ['a key that no option has', options('S_B_1', ...KEPT, '{name:"x",color:GRAY,description:"",x:"y"}')],
    ['a variable in the list', options('S_B_1', ...KEPT, '{name:$field,color:GRAY,description:""}')],
    ['a list that ends early', options('S_B_1', ...KEPT, '{name:"x"}]}){x}y(input:{a:[{name:"z"}')],
    ['a block string', options('S_B_1', ...KEPT, '{name:"""x"""}')],
    ['an escape', options('S_B_1', ...KEPT, '{name:"\\u0022"}')],
  ])('change the options: %s', (_, command) => expect(isGranted(command, ONE)).toBe(false))

  test('learn a board from anything but its own query', () => {
    const other = found(board('B_evil', 'shop'))
    for (const command of [FIND.replace('shop', 'other'), 'gh api graphql -f query={x}'])
      expect(after(START, command, other)).toEqual(START)
    for (const output of ['', 'no json', '{"data":null}', '{"data":{"repository":{"id":1}}}', `${other}x`])
      expect(after(START, FIND, output)).toEqual(START)
    expect(grantAfterBoard({ ...START, may: ['read'] }, [literalWord('x')], other)).toEqual({
      ...START,
      may: ['read'],
    })
  })
})
