import { z } from 'zod'
import { configKeys } from './keys.ts'
import { type MapNode, mergeMaps, type Source } from './node.ts'
import type { Environment } from './places.ts'
import type { ConfigProblem } from './problem.ts'

/** The settings that the environment gives; each setting names its variables. */
export function fromEnvironment(env: Environment): { node: MapNode; problems: ConfigProblem[] } {
  let node: MapNode = { kind: 'map', entries: new Map(), source: { kind: 'default' } }
  const problems: ConfigProblem[] = []
  for (const key of configKeys()) {
    const variable = key.facts.env?.find(name => env[name])
    const value = variable && env[variable]
    if (!value) continue
    if (z.safeParse(key.schema, value).success) {
      node = mergeMaps(nest(key.path, value, { kind: 'environment', variable }), node)
      continue
    }
    const message = `expected ${key.facts.expects}`
    problems.push({ code: 'config_invalid', file: `$${variable}`, key: key.name, message })
  }
  return { node, problems }
}

function nest(path: readonly string[], value: string, source: Source): MapNode {
  const [key = '', ...rest] = path
  const node = rest.length > 0 ? nest(rest, value, source) : ({ kind: 'scalar', value, source } as const)
  return { kind: 'map', entries: new Map([[key, { key: source, node }]]), source }
}
