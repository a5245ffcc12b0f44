import type { Config } from '@batonpass/contract/config'
import type { SettingRow } from '@batonpass/contract/dashboard'
import { BatonError } from '@batonpass/contract/errors'
import { type SettingFacts, showSize } from '@batonpass/contract/setting'
import { type ConfigKey, configKeys, nearestWord } from './keys.ts'
import type { LoadedConfig } from './load.ts'
import { keyName, type Source } from './node.ts'
import { printable } from './problem.ts'
import { valueAt } from './trust.ts'

export interface RenderOptions {
  json?: boolean
  /** Show only this key and the keys below it. */
  key?: string | undefined
  /** Dims less important text on a terminal with colours. */
  dim?: (text: string) => string
  /** Draws the table on a terminal; without it, columns are as wide as their values. */
  table?: ((rows: readonly ShownRow[]) => string) | undefined
}

export interface ShownRow {
  name: string
  shown: string
  source: string
}

/** The effective configuration as a table for people or as JSON for programs, without secrets. */
export function renderConfig(loaded: LoadedConfig, options: RenderOptions = {}): string {
  const rows = rowsOf(loaded).filter(row => isUnder(row.name, options.key))
  if (rows.length === 0) throw unknownKey(options.key ?? '', loaded)
  const [only] = rows
  const single = only && only.name === options.key ? only : undefined
  if (options.json)
    return `${JSON.stringify(single ? jsonOf(single) : wholeJson(loaded, options.key, rows), null, 2)}\n`
  if (single) return `${single.shown}\n`
  if (options.table)
    return options.table(rows.map(({ name, shown, source }) => ({ name, shown, source: sourceText(source) })))
  return table(rows, options.dim ?? (text => text))
}

/** A copy that may leave the process: each secret is replaced with `(set)` or empty. */
function withoutSecrets(config: Config): Config {
  const copy = structuredClone(config)
  for (const { path, facts } of configKeys()) {
    const last = path.at(-1)
    const section = valueAt(copy, path.slice(0, -1))
    if (!facts.secret || last === undefined || typeof section !== 'object' || section === null) continue
    if (Reflect.get(section, last)) Reflect.set(section, last, '(set)')
  }
  return copy
}

/** A value as the table shows it. */
export function showValue(value: unknown, facts: Partial<SettingFacts> = {}): string {
  if (facts.secret) return value ? '••••' : (facts.defaultText ?? '')
  const empty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  if (empty && facts.defaultText) return facts.defaultText
  if (typeof value === 'number' && facts.unit === 'bytes') return showSize(value)
  if (typeof value === 'string' && /^[\w./:@%+-]+$/.test(value)) return value
  const text = printable(JSON.stringify(value) ?? 'none')
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

interface Row {
  name: string
  value: unknown
  shown: string
  source: Source
  secret: boolean
}

/** Every effective value with its source. Secrets show at most that they are set. */
export function configRows(
  loaded: LoadedConfig,
  /** How the key can be edited; for its first row. */
  editing: (key: ConfigKey, source: Source) => Pick<SettingRow, 'edit' | 'fixed'> = () => ({}),
): SettingRow[] {
  const seen = new Set<ConfigKey>()
  return rowsOf(loaded).map(({ name, shown, source }) => {
    const key = configKeys().find(each => isUnder(name, each.name))
    const isFirst = key && !seen.has(key)
    if (key) seen.add(key)
    return {
      name,
      shown,
      source: sourceText(source),
      isDefault: source.kind === 'default',
      description: key?.description ?? '',
      expects: key?.facts.expects ?? '',
      ...(isFirst ? editing(key, source) : {}),
    }
  })
}

function rowsOf({ config, sources }: LoadedConfig): Row[] {
  const shared = withoutSecrets(config)
  return configKeys().flatMap(({ path, name, facts }) => {
    const value = valueAt(shared, path)
    const row = (at: readonly (string | number)[], one: unknown, about: Partial<SettingFacts>): Row => {
      const source = sourceOf(sources, keyName(at)) ?? sources.get(name) ?? { kind: 'default' }
      return {
        name: keyName(at),
        value: one,
        shown: showValue(one, about),
        source,
        secret: about.secret === true,
      }
    }
    // Each rule has its own row, because rules come from several files. So does each workflow.
    if (facts.accumulates && Array.isArray(value) && value.length > 0)
      return value.map((item, index) => row([...path, index], item, {}))
    if (isMap(value) && Object.keys(value).length > 0)
      return Object.entries(value).map(([key, item]) => row([...path, key], item, {}))
    return [row(path, value, facts)]
  })
}

/** A map has no position of its own, so use the position of its first value. */
function sourceOf(sources: ReadonlyMap<string, Source>, name: string): Source | undefined {
  const exact = sources.get(name)
  if (exact) return exact
  for (const [key, source] of sources) if (isUnder(key, name)) return source
  return undefined
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isUnder = (name: string, key: string | undefined): boolean =>
  key === undefined || name === key || name.startsWith(`${key}.`) || name.startsWith(`${key}[`)

function table(rows: readonly Row[], dim: (text: string) => string): string {
  const width = (texts: readonly string[]) => Math.max(...texts.map(text => text.length))
  const names = width(rows.map(row => row.name))
  const values = Math.min(50, width(rows.map(row => row.shown)))
  return rows
    .map(row => `${row.name.padEnd(names)}  ${row.shown.padEnd(values)}  ${dim(sourceText(row.source))}\n`)
    .join('')
}

function sourceText(source: Source): string {
  switch (source.kind) {
    case 'file':
      return printable(`${source.file}:${source.line}`)
    case 'environment':
      return `$${source.variable}`
    case 'safe':
      return 'cautious, until the configuration is fixed'
    case 'default':
      return 'default'
  }
}

const jsonOf = ({ name, value, source }: Row) => ({ key: name, value: value ?? null, source })

const wholeJson = (loaded: LoadedConfig, key: string | undefined, rows: readonly Row[]) => ({
  config:
    key === undefined
      ? withoutSecrets(loaded.config)
      : Object.fromEntries(rows.map(row => [row.name, row.value])),
  sources: Object.fromEntries([...loaded.sources].filter(([name]) => isUnder(name, key))),
  problems: loaded.problems,
  notices: loaded.notices,
  files: loaded.files,
})

function unknownKey(key: string, loaded: LoadedConfig): BatonError {
  const names = [...rowsOf(loaded).map(row => row.name), ...configKeys().map(({ name }) => name)]
  const meant = nearestWord(key, names)
  return new BatonError('usage', `There is no key ${printable(JSON.stringify(key))}`, {
    remedy: meant ? `Did you mean ${meant}?` : 'See `baton config` for all keys.',
  })
}
