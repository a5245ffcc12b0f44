import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLSchema } from 'graphql'

let built: GraphQLSchema | undefined

/** GitHub's own public schema. Building it takes about a second, so a process does it once. */
export function gitHubSchema(): GraphQLSchema {
  if (built) return built
  const file = new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema'))
  // The published text breaks a rule or two of the specification; it is GitHub's all the same.
  built = buildSchema(readFileSync(file, 'utf8'), {
    assumeValidSDL: true,
    assumeValid: true,
    noLocation: true,
  })
  return built
}
