import { Config } from '@batonpass/contract/config'
import { z } from 'zod'
import type { Files } from '../ports/files.ts'
import { configKeys, factsAt } from './keys.ts'
import { type MapNode, mergeMaps, type Path, plainValue, type Source, sourcesOf } from './node.ts'
import { configFolders, type Environment, ownFolders } from './places.ts'
import type { ConfigNotice, ConfigProblem } from './problem.ts'
import { type ConfigFile, readPlace } from './read.ts'
import { needsTrust, readPins, withoutKeys } from './trust.ts'

/** Where to look for configuration. Without a project: the configuration of the whole machine. */
export interface ConfigPlaces {
  project?: string | undefined
  env: Environment
  home: string
  stateDir: string
}

export interface LoadedConfig {
  config: Config
  /** The source of each key and of each list item: `handsoff.enabled`, `permissions.deny[0]`. */
  sources: ReadonlyMap<string, Source>
  problems: readonly ConfigProblem[]
  notices: readonly ConfigNotice[]
  /** The files found, nearest first. */
  files: readonly ConfigFile[]
}

/**
 * Reads, checks and merges the configuration. Never throws because of a file's content; see `problems`. If there are
 * problems, the valid keys of a broken file still apply (above all its denies), together with the cautious values.
 */
export async function loadConfig(places: ConfigPlaces, { files }: { files: Files }): Promise<LoadedConfig> {
  const { pins, notice } = await readPins(places.stateDir, files)
  const notices: ConfigNotice[] = notice ? [notice] : []
  const read = await Promise.all(
    (await searchedFolders(places, files)).map(place => readPlace(place, pins, files)),
  )
  const found = read.filter(file => file !== undefined)
  notices.push(...found.flatMap(file => file.notices ?? []))

  // From the farthest file to the nearest: whether a project loosens something depends on the user's own files.
  let merged: MapNode = { kind: 'map', entries: new Map(), source: { kind: 'default' } }
  for (const file of found.toReversed()) {
    if (!file.node) continue
    const ignored =
      file.standing === 'untrusted' ? needsTrust(file.node, Config.parse(plainValue(merged))) : []
    if (ignored.length > 0) notices.push(untrusted(file.path, ignored))
    merged = mergeMaps(withoutKeys(file.node, ignored), merged, accumulates)
  }
  const environment = fromEnvironment(places.env)
  const problems = [...found.flatMap(file => file.problems), ...environment.problems]

  const values = plainValue(mergeMaps(environment.node, merged))
  const sources = sourcesOf(mergeMaps(environment.node, merged))
  for (const { name } of configKeys()) if (!sources.has(name)) sources.set(name, { kind: 'default' })
  if (problems.length > 0) applyCautiousValues(values, sources)
  return {
    config: Config.parse(values),
    sources,
    problems,
    notices,
    files: found.map(({ path, standing }) => ({ path, standing })),
  }
}

// Compare real paths: a project that is the home folder under another name is still the user's own.
async function searchedFolders(
  places: ConfigPlaces,
  files: Files,
): Promise<{ folder: string; own: boolean }[]> {
  const real = (folder: string) => files.realPath(folder).catch(() => folder)
  const own = new Set(await Promise.all(ownFolders(places).map(real)))
  const byRealPath = new Map<string, { folder: string; own: boolean }>()
  for (const folder of configFolders(places)) {
    const path = await real(folder)
    if (!byRealPath.has(path)) byRealPath.set(path, { folder, own: own.has(path) })
  }
  return [...byRealPath.values()]
}

function untrusted(file: string, ignored: ReturnType<typeof needsTrust>): ConfigNotice {
  const [first] = ignored
  return {
    code: 'config_untrusted',
    file,
    line: first?.line ?? 1,
    column: first?.column ?? 1,
    message: `not trusted, so Baton ignores ${ignored.map(({ key, line }) => `${key} (line ${line})`).join(', ')}`,
    remedy: `Read the file, then run \`baton trust ${file}\`.`,
  }
}

const accumulates = (path: Path): boolean => {
  const found = factsAt(path)
  return found?.depth === path.length && found.facts.accumulates === true
}

function applyCautiousValues(values: Values, sources: Map<string, Source>): void {
  for (const { path, name, facts } of configKeys()) {
    if (facts.whenBroken === undefined) continue
    setValue(values, path, facts.whenBroken)
    sources.set(name, { kind: 'safe' })
  }
}

type Values = Record<string, unknown>
const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null

function setValue(values: Values, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    values[key] = value
    return
  }
  const inner = values[key]
  const section: Values = isValues(inner) ? inner : Object.create(null)
  values[key] = section
  setValue(section, rest, value)
}

/** The settings from environment variables. Each setting names its variables. */
function fromEnvironment(env: Environment): { node: MapNode; problems: ConfigProblem[] } {
  let node: MapNode = { kind: 'map', entries: new Map(), source: { kind: 'default' } }
  const problems: ConfigProblem[] = []
  for (const key of configKeys()) {
    const variable = key.facts.env?.find(name => env[name])
    const value = variable && env[variable]
    if (!value) continue
    if (z.safeParse(key.schema, value).success) {
      node = mergeMaps(nestValue(key.path, value, { kind: 'environment', variable }), node)
      continue
    }
    const message = `expected ${key.facts.expects}`
    problems.push({ code: 'config_invalid', file: `$${variable}`, key: key.name, message })
  }
  return { node, problems }
}

function nestValue(path: readonly string[], value: string, source: Source): MapNode {
  const [key = '', ...rest] = path
  const node = rest.length > 0 ? nestValue(rest, value, source) : ({ kind: 'scalar', value, source } as const)
  return { kind: 'map', entries: new Map([[key, { key: source, node }]]), source }
}
