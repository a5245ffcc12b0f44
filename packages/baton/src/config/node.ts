import type { Position } from './problem.ts'

/** Where an effective value comes from. `safe`: a file is broken, and this is the cautious value until it is fixed. */
export type Source =
  | ({ kind: 'file'; file: string } & Position)
  | { kind: 'environment'; variable: string }
  | { kind: 'default' }
  | { kind: 'safe' }

export type Scalar = string | number | boolean | null

/** A configuration value with its position in a file. */
export type ConfigNode =
  | { kind: 'scalar'; value: Scalar; source: Source }
  | { kind: 'list'; items: ConfigNode[]; source: Source }
  | MapNode
export interface MapNode {
  kind: 'map'
  entries: Map<string, MapEntry>
  source: Source
}
export interface MapEntry {
  /** The position of the key. */
  key: Source
  node: ConfigNode
}

export type Path = readonly (string | number)[]

/** Merges key by key; the nearer value wins. Lists that `accumulates` accepts are joined, nearer items first. */
export function mergeMaps(
  nearer: MapNode,
  farther: MapNode,
  accumulates: (path: Path) => boolean = () => false,
  path: Path = [],
): MapNode {
  const entries = new Map(farther.entries)
  for (const [key, { key: source, node }] of nearer.entries) {
    const below = entries.get(key)?.node
    const here = [...path, key]
    if (node.kind === 'map' && below?.kind === 'map')
      entries.set(key, { key: source, node: mergeMaps(node, below, accumulates, here) })
    else if (node.kind === 'list' && below?.kind === 'list' && accumulates(here))
      entries.set(key, { key: source, node: { ...node, items: [...node.items, ...below.items] } })
    else entries.set(key, { key: source, node })
  }
  return { ...nearer, entries }
}

/** The values without their sources. Maps have no prototype, so that no key has a special meaning. */
export function plainValue(map: MapNode): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null)
  for (const [key, { node }] of map.entries) value[key] = plainNode(node)
  return value
}

export function plainNode(node: ConfigNode): unknown {
  if (node.kind === 'scalar') return node.value
  return node.kind === 'list' ? node.items.map(plainNode) : plainValue(node)
}

/** The source of every value that is not a map, and of each list item. */
export function sourcesOf(node: ConfigNode, path: Path = []): Map<string, Source> {
  const sources = new Map<string, Source>()
  if (node.kind !== 'map') sources.set(keyName(path), node.source)
  const below: Iterable<[string | number, ConfigNode]> =
    node.kind === 'map'
      ? [...node.entries].map(([key, entry]) => [key, entry.node])
      : node.kind === 'list'
        ? node.items.entries()
        : []
  for (const [step, child] of below)
    for (const [key, source] of sourcesOf(child, [...path, step])) sources.set(key, source)
  return sources
}

/** The node at a path, or the deepest existing node on the way to it. */
export function nodeAt(root: ConfigNode, path: Path): { node: ConfigNode; key: Source } {
  let found = { node: root, key: root.source }
  for (const step of path) {
    const { node } = found
    const entry = node.kind === 'map' ? node.entries.get(String(step)) : undefined
    const item = node.kind === 'list' ? node.items[Number(step)] : undefined
    if (entry) found = entry
    else if (item) found = { node: item, key: item.source }
    else break
  }
  return found
}

/** A copy without the nodes that `drop` accepts. */
export function withoutPaths(
  map: MapNode,
  drop: (path: Path, node: ConfigNode) => boolean,
  path: Path = [],
): MapNode {
  const entries = new Map<string, MapEntry>()
  for (const [key, { key: source, node }] of map.entries) {
    const here = [...path, key]
    if (!drop(here, node)) entries.set(key, { key: source, node: pruneNode(node, drop, here) })
  }
  return { ...map, entries }
}

function pruneNode(
  node: ConfigNode,
  drop: (path: Path, node: ConfigNode) => boolean,
  path: Path,
): ConfigNode {
  if (node.kind === 'scalar') return node
  if (node.kind === 'map') return withoutPaths(node, drop, path)
  const items = node.items.flatMap((item, index) => {
    const here = [...path, index]
    return drop(here, item) ? [] : [pruneNode(item, drop, here)]
  })
  return { ...node, items }
}

/** A path for display: `permissions.deny[0]`, with unusual keys in quotes. */
export function keyName(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      return `${index > 0 ? '.' : ''}${/^[\w:-]+$/.test(step) ? step : JSON.stringify(step)}`
    })
    .join('')
}
