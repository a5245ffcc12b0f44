import { createHash } from 'node:crypto'
import type { Config } from '@batonpass/contract/config'
import { z } from 'zod'
import { FileError, type Files } from '../ports/files.ts'
import { type ConfigKey, configKeys } from './keys.ts'
import { type ConfigNode, keyName, type MapNode, type Path, plainNode, withoutPaths } from './node.ts'
import { trustFile } from './places.ts'
import { byPosition, type ConfigNotice, type Position } from './problem.ts'

/** The trusted files: real path → SHA-256 of the trusted bytes. */
export type Pins = ReadonlyMap<string, string>

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Reads the pins. If other users could have written the file, or if it is damaged, Baton trusts nothing. */
export async function readPins(
  stateDir: string,
  files: Files,
): Promise<{ pins: Pins; notice?: ConfigNotice }> {
  const file = trustFile(stateDir)
  const ignored = (message: string): { pins: Pins; notice: ConfigNotice } => ({
    pins: new Map(),
    notice: {
      code: 'config_untrusted',
      file,
      message,
      remedy: 'Run `baton trust` in the projects you trust.',
    },
  })
  try {
    const { bytes, facts } = await files.read(file, maxTrustBytes)
    if (!isPrivate(facts, files.user)) return ignored('other users can write this file, so Baton ignores it')
    const pins = pinsIn(new TextDecoder().decode(bytes))
    return pins ? { pins } : ignored('the file is damaged, so Baton ignores it')
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return error.trouble === 'absent'
      ? { pins: new Map() }
      : ignored('the file cannot be read, so Baton ignores it')
  }
}

/** Pins a file's hash, or removes the pin (`undefined`). Returns whether anything changed. */
export async function setPin(
  stateDir: string,
  path: string,
  hash: string | undefined,
  files: Files,
): Promise<boolean> {
  const file = trustFile(stateDir)
  return files.exclusively(file, async () => {
    const pins = new Map((await readPins(stateDir, files)).pins)
    if (pins.get(path) === hash) return false
    if (hash === undefined) pins.delete(path)
    else pins.set(path, hash)
    const pinned = Object.fromEntries([...pins].map(([key, sha256]) => [key, { sha256 }]))
    await files.replace(file, `${JSON.stringify({ version: 1, files: pinned }, null, 2)}\n`, 0o600)
    return true
  })
}

/** Owned by this user or root, and not writable by others. */
export const isPrivate = (facts: { owner: number; mode: number }, user: number): boolean =>
  (facts.owner === user || facts.owner === 0) && (facts.mode & 0o022) === 0

/** The keys of a project's file that apply only after `baton trust`. `without` is the configuration without the file. */
export function needsTrust(node: MapNode, without: Config): (Position & { key: string; path: Path })[] {
  const asking = configKeys().flatMap(key => {
    const found = nodeAtExactly(node, key.path)
    if (!found || !asksTrust(key, found, without)) return []
    const { source } = found
    const at = source.kind === 'file' ? { line: source.line, column: source.column } : { line: 1, column: 1 }
    return [{ key: key.name, path: key.path, ...at }]
  })
  return asking.sort(byPosition)
}

export function withoutKeys(node: MapNode, keys: readonly { path: Path }[]): MapNode {
  const drop = new Set(keys.map(({ path }) => keyName(path)))
  return withoutPaths(node, path => drop.has(keyName(path)))
}

const maxTrustBytes = 10_000_000

function asksTrust({ facts, path, schema }: ConfigKey, node: ConfigNode, without: Config): boolean {
  if (facts.trust === 'needed') return true
  if (facts.trust !== 'to-loosen') return false
  const wanted = normalisedValue(schema, plainNode(node))
  const now = valueAt(without, path)
  if (facts.looser === 'more') return typeof wanted !== 'number' || (typeof now === 'number' && wanted > now)
  const order = facts.looser ?? []
  return order.indexOf(wanted) > order.indexOf(now)
}

function normalisedValue(schema: ConfigKey['schema'], value: unknown): unknown {
  const parsed = z.safeParse(schema, value)
  return parsed.success ? parsed.data : undefined
}

/** The effective value at a path. */
export function valueAt(config: Config, path: Path): unknown {
  let value: unknown = config
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

/** The value at a path in a file. */
export function plainAt(root: MapNode, path: Path): unknown {
  const node = nodeAtExactly(root, path)
  return node && plainNode(node)
}

function nodeAtExactly(root: MapNode, path: Path): ConfigNode | undefined {
  let node: ConfigNode | undefined = root
  for (const step of path) node = node?.kind === 'map' ? node.entries.get(String(step))?.node : undefined
  return node
}

function pinsIn(text: string): Pins | undefined {
  try {
    const { version, files }: { version?: unknown; files?: unknown } = JSON.parse(text)
    if (version !== 1 || typeof files !== 'object' || files === null) return undefined
    const pins = new Map<string, string>()
    for (const [path, pin] of Object.entries(files)) {
      const hash: unknown = pin?.sha256
      if (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) pins.set(path, hash)
    }
    return pins
  } catch {
    return undefined
  }
}
