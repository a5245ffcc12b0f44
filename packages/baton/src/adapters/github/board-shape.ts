import { z } from 'zod'
import type { Board, BoardItem, BoardPlace } from '../../ports/forge.ts'
import { issueState, nodes } from './response-schemas.ts'

/** The fields to query for every board: enough to change an item without another query. */
export const boardFragment = `fragment Shape on ProjectV2 {
  id number title url closed
  owner { ... on Organization { login } ... on User { login } }
  status: field(name: "Status") { __typename ... on ProjectV2SingleSelectField { id options { id name color description } } }
  agent: field(name: "Agent") { __typename ... on ProjectV2Field { id dataType } }
}`

/** The values of an item. */
export const itemFragment = `fragment Values on ProjectV2Item {
  id
  status: fieldValueByName(name: "Status") { __typename ... on ProjectV2ItemFieldSingleSelectValue { name } }
  agent: fieldValueByName(name: "Agent") { __typename ... on ProjectV2ItemFieldTextValue { text } }
}`

export const Shape = z.object({
  id: z.string(),
  number: z.number(),
  title: z.string(),
  url: z.string(),
  closed: z.boolean(),
  owner: z.object({ login: z.string().optional() }),
  status: z
    .object({
      id: z.string().optional(),
      options: z
        .array(z.object({ id: z.string(), name: z.string(), color: z.string(), description: z.string() }))
        .optional(),
    })
    .nullish(),
  agent: z.object({ id: z.string().optional(), dataType: z.string().optional() }).nullish(),
})
export type Shape = z.infer<typeof Shape>

export const Values = z.object({
  id: z.string(),
  status: z.object({ name: z.string().nullish() }).nullish(),
  agent: z.object({ text: z.string().nullish() }).nullish(),
})
export type Values = z.infer<typeof Values>

/** The board items of an issue, queried together with the issue itself. */
export const placesFragment = `fragment Places on Issue {
  projectItems(first: 20, includeArchived: false) { nodes { ...Values project { ...Shape } } }
}
${itemFragment}
${boardFragment}`

export const Places = nodes(Values.extend({ project: Shape.nullish() }))

export const IssueCard = z.object({
  number: z.number(),
  title: z.string(),
  url: z.string(),
  state: issueState,
  labels: nodes(z.object({ name: z.string() })).transform(list => list.map(({ name }) => name)),
  assignees: nodes(z.object({ login: z.string() })).transform(list => list.map(({ login }) => login)),
})

/** Errors in these parts leave the rest of an answer usable: a missing board must not block anything. */
export const boardPaths = (path: readonly (string | number)[]) =>
  path.some(step => step === 'projectItems' || step === 'projectsV2' || step === 'projectV2')

export function boardOf(shape: Shape): Board {
  return {
    id: shape.id,
    owner: shape.owner.login ?? '',
    number: shape.number,
    title: shape.title,
    url: shape.url,
    statuses: shape.status?.options?.map(({ name }) => name) ?? [],
    hasAgent: agentField(shape) !== undefined,
  }
}

/** The id of the Agent field; undefined if a field of that name has another type. */
export const agentField = (shape: Shape) => (shape.agent?.dataType === 'TEXT' ? shape.agent.id : undefined)

/** Matches a status as people type it: "in review" matches "In Review". */
export function optionOf(shape: Shape, status: string) {
  const options = shape.status?.options ?? []
  const wanted = status.trim().toLowerCase()
  return (
    options.find(({ name }) => name === status) ??
    options.find(({ name }) => name.trim().toLowerCase() === wanted)
  )
}

export const isPlace = (shape: Shape, place: BoardPlace) =>
  shape.number === place.number && shape.owner.login?.toLowerCase() === place.owner.toLowerCase()

export const valuesOf = (values: Values): Pick<BoardItem, 'id' | 'status' | 'agent'> => ({
  id: values.id,
  status: values.status?.name ?? undefined,
  agent: values.agent?.text || undefined,
})
