import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ConfigNode, type MapNode, mergeMaps, plainValue, sourcesOf } from '../../src/config/node.ts'

type Tree = { [key: string]: Tree | string | number | boolean | (string | number)[] }
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const tree = fc.letrec<{ map: Tree; leaf: Tree[string] }>(tie => ({
  map: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'deny'), tie('leaf'), { maxKeys: 4 }),
  leaf: fc.oneof(
    { maxDepth: 4 },
    fc.integer(),
    fc.boolean(),
    fc.string(),
    fc.array(fc.integer(), { maxLength: 3 }),
    tie('map'),
  ),
})).map

function nodes(value: Tree, file: string): MapNode {
  const source = { kind: 'file', file, line: 1, column: 1 } as const
  const node = (inner: Tree[string]): ConfigNode => {
    if (Array.isArray(inner)) return { kind: 'list', items: inner.map(node), source }
    if (isTree(inner)) return nodes(inner, file)
    return { kind: 'scalar', value: inner, source }
  }
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, { key: source, node: node(inner) }] as const,
  )
  return { kind: 'map', entries: new Map(entries), source }
}

/** The rule in its plainest form: for every key, look from near to far. */
function expected(layers: readonly Tree[]): Tree {
  const keys = new Set(layers.flatMap(layer => Object.keys(layer)))
  const merged: Tree = {}
  for (const key of keys) {
    const values = layers.filter(layer => Object.hasOwn(layer, key)).map(layer => layer[key])
    const end = values.findIndex(value => !isTree(value))
    const maps = (end < 0 ? values : values.slice(0, end)).filter(isTree)
    const [nearest] = values
    merged[key] = maps.length > 0 ? expected(maps) : (nearest ?? '')
  }
  return merged
}

const plain = (map: MapNode): unknown => JSON.parse(JSON.stringify(plainValue(map)))

test('merging is key by key, the nearest file wins, at any depth', () => {
  fc.assert(
    fc.property(tree, tree, tree, (near, middle, far) => {
      const merged = mergeMaps(nodes(near, 'near'), mergeMaps(nodes(middle, 'middle'), nodes(far, 'far')))
      expect(plain(merged)).toEqual(expected([near, middle, far]))
    }),
  )
})

test('each merged value names the nearest file that gives it', () => {
  fc.assert(
    fc.property(tree, tree, (near, far) => {
      const merged = mergeMaps(nodes(near, 'near'), nodes(far, 'far'))
      const nearKeys = sourcesOf(nodes(near, 'near'))
      for (const [key, source] of sourcesOf(merged))
        expect(source).toMatchObject({ file: nearKeys.has(key) ? 'near' : 'far' })
    }),
  )
})

test('a list that accumulates keeps every item of every file, nearer first', () => {
  const items = fc.array(fc.integer(), { maxLength: 4 })
  fc.assert(
    fc.property(items, items, (near, far) => {
      const merged = mergeMaps(
        nodes({ deny: near }, 'near'),
        nodes({ deny: far }, 'far'),
        path => path[0] === 'deny',
      )
      expect(plain(merged)).toEqual({ deny: [...near, ...far] })
    }),
  )
})
