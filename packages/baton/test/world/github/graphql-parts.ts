import { GraphQLError } from 'graphql'

/** A refusal with GitHub's own type, e.g. NOT_FOUND. */
export function failure(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } })
}

interface PageArguments {
  first?: number | null
  last?: number | null
  after?: string | null
}

/** A page of a list, as strict as GitHub: a size must be given, and never more than a hundred. */
export function connection<T>(all: readonly T[], args: PageArguments) {
  const size = args.first ?? args.last
  if (size === null || size === undefined) {
    throw failure(
      'MISSING_PAGINATION_BOUNDARIES',
      'You must provide a `first` or `last` value to properly paginate.',
    )
  }
  if (size < 1 || size > 100) {
    throw failure('EXCESSIVE_PAGINATION', `Requesting ${size} records exceeds the limit of 100 records.`)
  }
  const start = args.after ? Number(Buffer.from(args.after, 'base64').toString().slice(7)) : 0
  const from = args.first ? start : Math.max(0, all.length - size)
  const nodes = all.slice(from, from + size)
  const end = from + nodes.length
  const cursor = (index: number) => Buffer.from(`cursor:${index}`).toString('base64')
  return {
    nodes,
    edges: nodes.map((node, index) => ({ node, cursor: cursor(from + index + 1) })),
    totalCount: all.length,
    pageInfo: {
      hasNextPage: end < all.length,
      hasPreviousPage: from > 0,
      startCursor: nodes.length > 0 ? cursor(from + 1) : null,
      endCursor: nodes.length > 0 ? cursor(end) : null,
    },
  }
}
