import { z } from 'zod'
import type { BoardItem } from '../../ports/forge.ts'
import {
  boardFragment,
  IssueCard,
  itemFragment,
  Places,
  placesFragment,
  Shape,
  Values,
} from './board-shape.ts'
import { issueState, nodes } from './response-schemas.ts'

const set = 'projectId: $project, itemId: $item'
export const statusPart = {
  inputs: ', $statusField: ID!, $option: String!',
  field: `status: updateProjectV2ItemFieldValue(input: { ${set}, fieldId: $statusField, value: { singleSelectOptionId: $option } }) { projectV2Item { id } }`,
}
export const agentPart = {
  inputs: ', $agentField: ID!, $agent: String!',
  field: `agent: updateProjectV2ItemFieldValue(input: { ${set}, fieldId: $agentField, value: { text: $agent } }) { projectV2Item { id } }`,
}
export const clearPart = {
  inputs: ', $agentField: ID!',
  field: `agent: clearProjectV2ItemFieldValue(input: { ${set}, fieldId: $agentField }) { projectV2Item { id } }`,
}

export const addDocument = `mutation BatonBoardAdd($project: ID!, $issue: ID!) {
  add: addProjectV2ItemById(input: { projectId: $project, contentId: $issue }) { item { id } }
}`
export const Added = z.object({ add: z.object({ item: z.object({ id: z.string() }) }) })

export const issueDocument = `query BatonBoardPlace($owner: String!, $repo: String!, $issue: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $issue) { id ...Places } }
}
${placesFragment}`
export const IssueAnswer = z.object({
  repository: z
    .object({ issue: z.object({ id: z.string(), projectItems: Places.nullish() }).nullish() })
    .nullish(),
})

export const placeDocument = `query BatonBoard($owner: String!, $number: Int!) {
  repositoryOwner(login: $owner) { ... on ProjectV2Owner { projectV2(number: $number) { ...Shape } } }
}
${boardFragment}`
export const PlaceAnswer = z.object({ repositoryOwner: z.object({ projectV2: Shape.nullish() }).nullish() })

export const searchDocument = `query BatonBoardSearch($owner: String!, $repo: String!) {
  repository(owner: $owner, name: $repo) {
    projectsV2(first: 20) { nodes { ...Shape } }
    owner { ... on ProjectV2Owner { projectsV2(first: 20) { nodes { ...Shape } } } }
  }
}
${boardFragment}`
export const SearchAnswer = z.object({
  repository: z
    .object({ projectsV2: nodes(Shape).nullish(), owner: z.object({ projectsV2: nodes(Shape).nullish() }) })
    .nullish(),
})

const card = `number title url repository { nameWithOwner }
  labels(first: 20) { nodes { name } } assignees(first: 10) { nodes { login } }`
export const itemsDocument = `query BatonBoardItems($owner: String!, $number: Int!, $after: String) {
  repositoryOwner(login: $owner) {
    ... on ProjectV2Owner {
      projectV2(number: $number) {
        ...Shape
        items(first: 100, after: $after) {
          pageInfo { hasNextPage endCursor }
          nodes {
            ...Values type isArchived
            content {
              ... on Issue { ${card} state }
              ... on PullRequest { ${card} pullState: state }
              ... on DraftIssue { title }
            }
          }
        }
      }
    }
  }
}
${itemFragment}
${boardFragment}`
export const Item = Values.extend({
  type: z.string(),
  isArchived: z.boolean(),
  content: IssueCard.extend({ repository: z.object({ nameWithOwner: z.string() }), pullState: issueState })
    .partial()
    .transform(({ pullState, state, ...rest }) => ({ ...rest, state: state ?? pullState }))
    .nullish(),
})
export const ItemsAnswer = z.object({
  repositoryOwner: z
    .object({
      projectV2: Shape.extend({
        items: z
          .object({ pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }) })
          .and(nodes(Item).transform(list => ({ list }))),
      }).nullish(),
    })
    .nullish(),
})

export const kinds: Record<string, BoardItem['kind']> = {
  ISSUE: 'issue',
  PULL_REQUEST: 'pull-request',
  DRAFT_ISSUE: 'draft',
}
