import { Config } from '@batonpass/contract/config'
import { type SettingFacts, settingFacts } from '@batonpass/contract/setting'
import { z } from 'zod'
import { keyName, type Path } from './node.ts'

/** One key of the configuration. */
export interface ConfigKey {
  path: readonly string[]
  name: string
  description: string
  facts: SettingFacts
  schema: z.core.$ZodType
}

/** Every key that takes a value, in the order of the schema. */
export function configKeys(): readonly ConfigKey[] {
  known ??= collectKeys(Config, [])
  return known
}
let known: readonly ConfigKey[] | undefined

/** The facts of the key at a path, or of the key that contains it (for an item of a list or a value of a map). */
export function factsAt(path: Path): { facts: SettingFacts; depth: number } | undefined {
  let schema: z.core.$ZodType | undefined = Config
  let found: { facts: SettingFacts; depth: number } | undefined
  for (const [index, step] of path.entries()) {
    schema = childSchema(schema, step)
    if (!schema) break
    const facts = settingFacts.get(schema)
    if (facts) found = { facts, depth: index + 1 }
  }
  return found
}

/** Whether the key at a path is a section, map or list. An empty one in a file counts as absent. */
export function holdsValues(path: Path): boolean {
  let schema: z.core.$ZodType | undefined = Config
  for (const step of path) schema = schema && childSchema(schema, step)
  const bare = schema && unwrap(schema)
  return bare instanceof z.ZodObject || bare instanceof z.ZodRecord || bare instanceof z.ZodArray
}

/** The keys that are allowed at a path. */
export function keysAt(path: Path): string[] {
  let schema: z.core.$ZodType | undefined = Config
  for (const step of path) schema = schema && childSchema(schema, step)
  const bare = schema && unwrap(schema)
  const forms = bare instanceof z.ZodUnion ? bare.options : [bare]
  const keys = forms.flatMap(form => (form instanceof z.ZodObject ? Object.keys(form.shape) : []))
  return [...new Set(keys)]
}

/** The key that was most likely meant: the most similar one in the same section, otherwise the same name elsewhere. */
export function nearestKey(path: Path): string | undefined {
  const parent = path.slice(0, -1)
  const wrong = String(path.at(-1) ?? '')
  const sibling = nearestWord(wrong, keysAt(parent))
  if (sibling) return keyName([...parent, sibling])
  return (
    configKeys().find(key => key.path.at(-1) === wrong)?.name ??
    nearestWord(
      wrong,
      configKeys().map(key => key.name),
    )
  )
}

/** The most similar word by edit distance, if it is similar enough. */
export function nearestWord(wrong: string, words: readonly string[]): string | undefined {
  if (wrong.length > 64) return undefined
  const ranked = words
    .map(word => ({ word, distance: editDistance(wrong.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(2, Math.ceil(best.word.length / 3)) ? best.word : undefined
}

function collectKeys(schema: z.core.$ZodType, path: readonly string[]): ConfigKey[] {
  const facts = settingFacts.get(schema)
  if (facts) {
    const description = z.globalRegistry.get(schema)?.description ?? ''
    return [{ path, name: keyName(path), description, facts, schema }]
  }
  const bare = unwrap(schema)
  if (!(bare instanceof z.ZodObject))
    throw new TypeError(`${keyName(path)} is neither a setting nor a section`)
  return Object.entries(bare.shape).flatMap(([key, child]) =>
    collectKeys(child as z.core.$ZodType, [...path, key]),
  )
}

function childSchema(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const bare = unwrap(schema)
  if (bare instanceof z.ZodObject) return Object.hasOwn(bare.shape, step) ? bare.shape[step] : undefined
  if (bare instanceof z.ZodRecord) return bare.valueType
  if (bare instanceof z.ZodArray) return bare.element
  return undefined
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    return unwrap(schema.unwrap())
  return schema
}

// Optimal string alignment: two swapped letters, a common typo, count as one edit.
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
