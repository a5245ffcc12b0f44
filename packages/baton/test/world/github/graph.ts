import { execute, type GraphQLFieldResolver, parse, validate } from 'graphql'
import { type BoardViews, boardView, fieldView, itemView } from './boards.ts'
import { connection, failure } from './graphql-parts.ts'
import { type Person, RestRefusal } from './rest.ts'
import { gitHubSchema } from './schema.ts'
import { issueView, pullView } from './views.ts'
import type { World } from './world.ts'

type View = Record<string, unknown>

/** Answers a GraphQL request from emulate's state, the boards and the real repositories; validated by GitHub's schema. */
export async function answerGraphql(world: World, request: unknown, person: Person): Promise<unknown> {
  const { query, variables } = request as { query?: unknown; variables?: Record<string, unknown> }
  if (typeof query !== 'string') return { errors: [{ message: 'A query attribute must be specified' }] }
  let document: ReturnType<typeof parse>
  try {
    document = parse(query)
  } catch (error) {
    world.failures.push(`GraphQL syntax: ${String(error)}`)
    return { errors: [{ message: String(error) }] }
  }
  if (!world.boardsVisible && /\b(projectItems|projectsV2|projectV2)\b/.test(query)) {
    const message =
      "Your token has not been granted the required scopes to execute this query. The 'projectItems' field requires one of the following scopes: ['read:project']."
    return { errors: [{ type: 'INSUFFICIENT_SCOPES', message }] }
  }
  const schema = gitHubSchema()
  const wrong = validate(schema, document)
  if (wrong.length > 0) {
    world.failures.push(...wrong.map(({ message }) => `GraphQL: ${message}`))
    return { errors: wrong.map(({ message }) => ({ message, extensions: { code: 'undefinedField' } })) }
  }
  const result = await execute({
    schema,
    document,
    rootValue: root(world, person),
    variableValues: variables ?? {},
    fieldResolver: strictly(world),
  })
  const errors = result.errors?.map(error => {
    const type = error.extensions.type
    // Anything without a type of GitHub's is a mistake in the query's values or in the fake.
    if (!type || /PAGINATION/.test(String(type))) world.failures.push(`GraphQL: ${error.message}`)
    return { ...(type ? { type } : {}), path: error.path, message: error.message }
  })
  return { data: result.data ?? null, ...(errors ? { errors } : {}) }
}

/** A field that the fake does not serve is a failure of the test, not a null. */
function strictly(world: World): GraphQLFieldResolver<unknown, unknown> {
  return async (source, args, _, info) => {
    const view = (source ?? {}) as View
    if (!(info.fieldName in view)) {
      if (info.fieldName === 'clientMutationId') return args.clientMutationId ?? null
      const message = `the fake GitHub does not serve ${info.parentType.name}.${info.fieldName}`
      world.failures.push(message)
      throw failure('UNSERVED', message)
    }
    const value = view[info.fieldName]
    try {
      return typeof value === 'function' ? await value(args) : value
    } catch (error) {
      if (!(error instanceof RestRefusal)) throw error
      throw failure(
        error.status === 404 ? 'NOT_FOUND' : error.status === 403 ? 'FORBIDDEN' : 'UNPROCESSABLE',
        error.message,
      )
    }
  }
}

function root(world: World, person: Person): View {
  const views: BoardViews = {
    boards: world.boards,
    baseUrl: world.baseUrl,
    ownerOf: login => ownerView(login),
    contentOf: async ({ content }) => {
      if (content.kind === 'REDACTED') return null
      if (content.kind === 'DRAFT_ISSUE') return { __typename: 'DraftIssue', title: content.title }
      return content.kind === 'ISSUE'
        ? issueView(world, content.repository, content.number, person, views)
        : pullView(world, content.repository, content.number)
    },
  }
  const ownerView = (login: string): View => ({
    __typename: 'Organization',
    id: `O_${login}`,
    login,
    projectV2: ({ number }: { number: number }) => {
      const board = world.boards.of(login).find(candidate => candidate.number === number)
      if (!board) throw failure('NOT_FOUND', `Could not resolve to a ProjectV2 with the number ${number}.`)
      return boardView(board, views)
    },
    projectsV2: (args: object) =>
      connection(
        world.boards.of(login).map(board => boardView(board, views)),
        args,
      ),
  })

  const repository = async ({ owner, name }: { owner: string; name: string }): Promise<View> => {
    const full = `${owner}/${name}`
    const bare = world.repositories.get(full)
    if (!bare) throw failure('NOT_FOUND', `Could not resolve to a Repository with the name '${full}'.`)
    return {
      id: `R_${full}`,
      nameWithOwner: full,
      owner: ownerView(owner),
      defaultBranchRef: { name: 'main' },
      ref: ({ qualifiedName }: { qualifiedName: string }) => {
        const branch = qualifiedName.replace(/^refs\/heads\//, '')
        const oid = bare.latest.get(branch)
        return oid ? { name: branch, target: { __typename: 'Commit', oid } } : null
      },
      issue: ({ number }: { number: number }) => issueView(world, full, number, person, views),
      pullRequest: ({ number }: { number: number }) => pullView(world, full, number),
      issueOrPullRequest: async ({ number }: { number: number }) => {
        const found = await world.rest.call<{ pull_request?: unknown }>(
          'GET',
          `/repos/${full}/issues/${number}`,
        )
        return found.pull_request
          ? pullView(world, full, number)
          : issueView(world, full, number, person, views)
      },
      pullRequests: async ({ headRefName, ...page }: { headRefName?: string }) => {
        const list = await world.rest.call<{ number: number; head: { ref: string } }[]>(
          'GET',
          `/repos/${full}/pulls?state=all&per_page=100`,
        )
        const wanted = list.filter(({ head }) => headRefName === undefined || head.ref === headRefName)
        return connection(await Promise.all(wanted.map(({ number }) => pullView(world, full, number))), page)
      },
      projectsV2: (args: object) =>
        connection(
          world.boards.all.filter(({ linked }) => linked.has(full)).map(board => boardView(board, views)),
          args,
        ),
    }
  }

  return {
    viewer: { login: person },
    repository,
    repositoryOwner: ({ login }: { login: string }) => {
      const exists = [...world.repositories.keys()].some(full => full.startsWith(`${login}/`))
      return exists ? ownerView(login) : null
    },
    node: ({ id }: { id: string }) => boardView(world.boards.byId(id), views),
    ...mutations(world, person, views),
  }
}

type Input<T> = { input: T }

function mutations(world: World, person: Person, views: BoardViews): View {
  const { boards, rest } = world
  const target = (id: string) => {
    const found = world.nodes.get(id)
    if (!found) throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`)
    return found
  }
  return {
    addComment: async ({ input }: Input<{ subjectId: string; body: string }>) => {
      const { full, number } = target(input.subjectId)
      await rest.call('POST', `/repos/${full}/issues/${number}/comments`, { body: input.body }, person)
      return {}
    },
    closeIssue: async ({ input }: Input<{ issueId: string }>) => {
      const { full, number } = target(input.issueId)
      const change = { state: 'closed', state_reason: 'completed' }
      await rest.call('PATCH', `/repos/${full}/issues/${number}`, change, person)
      return { issue: await issueView(world, full, number, person, views) }
    },
    enqueuePullRequest: async ({ input }: Input<{ pullRequestId: string; expectedHeadOid?: string }>) => {
      const { full, number } = target(input.pullRequestId)
      const queue = world.mergeQueues.get(full)
      const pull = await pullView(world, full, number)
      if (!queue || pull.state !== 'OPEN' || queue.has(number))
        throw failure('UNPROCESSABLE', 'Pull request cannot be added to the merge queue')
      if (input.expectedHeadOid && input.expectedHeadOid !== pull.headRefOid)
        throw failure('UNPROCESSABLE', 'The head of the pull request has moved')
      queue.add(number)
      return { mergeQueueEntry: { id: `MQE_${number}` } }
    },
    updateProjectV2ItemFieldValue: ({
      input,
    }: Input<{ projectId: string; itemId: string; fieldId: string; value: { text?: string } }>) => {
      const board = boards.byId(input.projectId)
      const item = boards.item(board, input.itemId)
      boards.set(board, item, input.fieldId, input.value)
      return { projectV2Item: itemView(item, board, views) }
    },
    clearProjectV2ItemFieldValue: ({
      input,
    }: Input<{ projectId: string; itemId: string; fieldId: string }>) => {
      const board = boards.byId(input.projectId)
      const item = boards.item(board, input.itemId)
      item.values.delete(input.fieldId)
      return { projectV2Item: itemView(item, board, views) }
    },
    addProjectV2ItemById: ({ input }: Input<{ projectId: string; contentId: string }>) => {
      const board = boards.byId(input.projectId)
      const { full, number } = target(input.contentId)
      const item = boards.place(board, { kind: 'ISSUE', repository: full, number })
      return { item: itemView(item, board, views) }
    },
    createProjectV2: ({ input }: Input<{ ownerId: string; repositoryId?: string; title: string }>) => {
      const linked = input.repositoryId ? [input.repositoryId.replace(/^R_/, '')] : []
      const statuses = ['Todo', 'In Progress', 'Done']
      const owner = input.ownerId.replace(/^O_/, '')
      return {
        projectV2: boardView(
          boards.add({ owner, title: input.title, linked, statuses, agent: false }),
          views,
        ),
      }
    },
    createProjectV2Field: ({
      input,
    }: Input<{
      projectId: string
      name: string
      dataType: 'TEXT' | 'SINGLE_SELECT'
      singleSelectOptions?: { name: string }[]
    }>) => {
      const board = boards.byId(input.projectId)
      if (board.fields.some(({ name }) => name === input.name)) {
        throw failure('UNPROCESSABLE', 'Name has already been taken')
      }
      const options = input.singleSelectOptions?.map(({ name }) => name)
      board.fields.push(boards.field(input.name, input.dataType, options))
      return {}
    },
    updateProjectV2Field: ({
      input,
    }: Input<{
      fieldId: string
      singleSelectOptions: { name: string; color: string; description: string }[]
    }>) => ({
      projectV2Field: fieldView(boards.replaceOptions(input.fieldId, input.singleSelectOptions)),
    }),
  }
}
