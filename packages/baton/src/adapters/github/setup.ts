import { z } from 'zod'
import { type BoardPlan, type BoardSetup, ForgeError } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { BoardKeeper } from './board.ts'
import { agentField, boardFragment, boardOf, Shape } from './board-shape.ts'
import type { Connection } from './connection.ts'
import { anything } from './response-schemas.ts'

/** Creates what the plan requires and the board lacks; never changes what users have created. */
export async function ensureBoard(
  connection: Connection,
  repository: RepositoryRef,
  boards: BoardKeeper,
  plan: BoardPlan,
): Promise<BoardSetup> {
  const made: string[] = []
  boards.forget()
  let shape = await boards.shape()
  if (!shape && plan.title) {
    shape = await create(connection, repository, plan.title)
    made.push(`the board "${plan.title}"`)
  }
  if (shape) {
    made.push(...(await ensureStatuses(connection, boards, shape, plan.statuses)))
    if (plan.agentField && !agentField(shape)) made.push(await ensureAgent(connection, shape))
  }
  made.push(...(await ensureLabels(connection, repository, plan.labels)))
  boards.forget()
  const after = made.length > 0 && shape ? await shapeById(connection, shape.id) : shape
  return { board: after && boardOf(after), made }
}

async function create(
  connection: Connection,
  { owner, name: repo }: RepositoryRef,
  title: string,
): Promise<Shape> {
  const ids = await connection.query(
    `query BatonOwner($owner: String!, $repo: String!) {
      repository(owner: $owner, name: $repo) { id owner { id } }
    }`,
    { owner, repo },
    z.object({ repository: z.object({ id: z.string(), owner: z.object({ id: z.string() }) }) }),
  )
  const { repository } = ids
  const answer = await connection.mutate(
    `mutation BatonBoardCreate($owner: ID!, $repository: ID!, $title: String!) {
      createProjectV2(input: { ownerId: $owner, repositoryId: $repository, title: $title }) { projectV2 { ...Shape } }
    }
    ${boardFragment}`,
    { owner: repository.owner.id, repository: repository.id, title },
    z.object({ createProjectV2: z.object({ projectV2: Shape }) }),
  )
  return answer.createProjectV2.projectV2
}

const shapeById = async (connection: Connection, id: string) => {
  const document = `query BatonBoardById($id: ID!) { node(id: $id) { ... on ProjectV2 { ...Shape } } }\n${boardFragment}`
  return (await connection.query(document, { id }, z.object({ node: Shape }))).node
}

interface Option {
  name: string
  color: string
  description: string
}

async function ensureStatuses(
  connection: Connection,
  boards: BoardKeeper,
  shape: Shape,
  wanted: readonly string[],
): Promise<string[]> {
  const there = shape.status?.options ?? []
  const has = (name: string) =>
    there.some(option => option.name.trim().toLowerCase() === name.trim().toLowerCase())
  const lacking = wanted.filter(name => !has(name))
  if (lacking.length === 0) return []
  const made = lacking.map(name => `the Status "${name}"`)
  const options = mergeOptions(there, wanted)
  if (!shape.status) {
    const variables = { project: shape.id, options }
    await connection.mutate(
      `mutation BatonStatusField($project: ID!, $options: [ProjectV2SingleSelectFieldOptionInput!]!) {
        createProjectV2Field(input: {
          projectId: $project, dataType: SINGLE_SELECT, name: "Status", singleSelectOptions: $options
        }) { clientMutationId }
      }`,
      variables,
      anything,
    )
    return made
  }
  if (!shape.status.id) {
    throw new ForgeError(
      'conflict',
      `The field Status of the board ${shape.title} is not a single-select field`,
      {
        remedy: 'Rename that field on the board, then run the setup again.',
      },
    )
  }
  // GitHub replaces all options and thereby clears every item's Status, so restore the values.
  const items = (await boards.boardItems()).filter(({ status }) => status !== undefined)
  await connection.mutate(
    `mutation BatonStatusOptions($field: ID!, $options: [ProjectV2SingleSelectFieldOptionInput!]!) {
      updateProjectV2Field(input: { fieldId: $field, singleSelectOptions: $options }) { clientMutationId }
    }`,
    { field: shape.status.id, options },
    anything,
  )
  const renewed = await shapeById(connection, shape.id)
  const ids = new Map(renewed.status?.options?.map(({ id, name }) => [name, id]))
  const changes = items.flatMap(({ id, status }) => {
    const option = ids.get(status ?? '')
    return option ? [{ item: id, option }] : []
  })
  await restore(connection, shape.id, shape.status.id, changes)
  return made
}

async function restore(
  connection: Connection,
  project: string,
  field: string,
  changes: { item: string; option: string }[],
): Promise<void> {
  for (let start = 0; start < changes.length; start += 25) {
    const batch = changes.slice(start, start + 25)
    const inputs = batch.map((_, n) => `, $item${n}: ID!, $option${n}: String!`).join('')
    const parts = batch.map(
      (_, n) => `s${n}: updateProjectV2ItemFieldValue(input: {
        projectId: $project, itemId: $item${n}, fieldId: $field, value: { singleSelectOptionId: $option${n} }
      }) { clientMutationId }`,
    )
    const values = Object.fromEntries(
      batch.flatMap(({ item, option }, n) => [
        [`item${n}`, item],
        [`option${n}`, option],
      ]),
    )
    const document = `mutation BatonStatusRestore($project: ID!, $field: ID!${inputs}) { ${parts.join('\n')} }`
    await connection.mutate(document, { project, field, ...values }, anything)
  }
}

/** Keeps the existing options in their order, and adds each missing one after its neighbour in the plan. */
export function mergeOptions(there: readonly Option[], wanted: readonly string[]): Option[] {
  const options = there.map(({ name, color, description }) => ({ name, color, description }))
  const at = (name: string) =>
    options.findIndex(option => option.name.trim().toLowerCase() === name.trim().toLowerCase())
  let last = -1
  for (const name of wanted) {
    const index = at(name)
    if (index >= 0) {
      last = index
      continue
    }
    last += 1
    options.splice(last, 0, { name, color: colours[name.toLowerCase()] ?? 'GRAY', description: '' })
  }
  return options
}

const colours: Record<string, string> = {
  todo: 'GRAY',
  'in progress': 'YELLOW',
  'in review': 'PURPLE',
  done: 'GREEN',
  blocked: 'RED',
}

async function ensureAgent(connection: Connection, shape: Shape): Promise<string> {
  if (shape.agent) {
    throw new ForgeError('conflict', `The field Agent of the board ${shape.title} is not a text field`, {
      remedy: 'Rename that field on the board, then run the setup again.',
    })
  }
  await connection.mutate(
    `mutation BatonAgentField($project: ID!) {
      createProjectV2Field(input: { projectId: $project, dataType: TEXT, name: "Agent" }) { clientMutationId }
    }`,
    { project: shape.id },
    anything,
  )
  return 'the field "Agent"'
}

async function ensureLabels(
  connection: Connection,
  { owner, name: repo }: RepositoryRef,
  labels: BoardPlan['labels'],
): Promise<string[]> {
  const made: string[] = []
  if (labels.length === 0) return made
  const there = new Set<string>()
  for (let page = 1; page <= 10; page++) {
    const route = 'GET /repos/{owner}/{repo}/labels'
    const list = await connection.get(
      route,
      { owner, repo, per_page: 100, page },
      z.array(z.object({ name: z.string() })),
    )
    for (const { name } of list) there.add(name.toLowerCase())
    if (list.length < 100) break
  }
  for (const { name, color, description } of labels) {
    if (there.has(name.toLowerCase())) continue
    const label = { owner, repo, name, color: color.replace(/^#/, ''), description }
    try {
      await connection.send('POST /repos/{owner}/{repo}/labels', label, anything)
      made.push(`the label "${name}"`)
    } catch (error) {
      if (!(error instanceof ForgeError) || error.trouble !== 'conflict') throw error
    }
  }
  return made
}
