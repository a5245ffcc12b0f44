import { parse, stringify, type TomlTable } from 'smol-toml'
import { withoutLogin } from './address.ts'

/** What `~/.cargo/config.toml` says about downloads. */
export interface CargoSettings {
  /** Addresses of registries and of sources, with their logins. */
  urls: string[]
  /** A file with certificates. */
  certificates: string[]
  /** Registries and the sources that replace crates.io, without logins and everything else. */
  inside: string
}

/** A file that Cargo itself could not read says nothing. */
export function readCargoSettings(text: string): CargoSettings {
  const all = tableOf(text)
  const registries = Object.entries(table(all['registries']))
  const sources = Object.entries(table(all['source']))
  const settings = {
    source: named(sources, each => ({
      ...address('registry', each['registry']),
      ...name('replace-with', each['replace-with']),
    })),
    registries: named(registries, each => address('index', each['index'])),
    registry: name('default', table(all['registry'])['default']),
  }
  const shown = Object.entries(settings).filter(([, each]) => Object.keys(each).length > 0)
  const urls = [
    ...registries.map(([, each]) => table(each)['index']),
    ...sources.map(([, each]) => table(each)['registry']),
  ]
  return {
    urls: urls.filter(isText).map(url => url.replace(SPARSE, '')),
    certificates: [table(all['http'])['cainfo']].filter(isText),
    inside: shown.length > 0 ? `${stringify(Object.fromEntries(shown)).trim()}\n` : '',
  }
}

const SPARSE = /^sparse\+/
const NAME = /^[\w.-]+$/

function tableOf(text: string): TomlTable {
  try {
    return parse(text)
  } catch {
    return {}
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

const table = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

/** The tables with a usual name in which something remains. */
const named = (
  tables: [string, unknown][],
  copy: (each: Record<string, unknown>) => Record<string, string>,
): Record<string, Record<string, string>> =>
  Object.fromEntries(
    tables
      .filter(([key]) => NAME.test(key))
      .map(([key, each]) => [key, copy(table(each))] as const)
      .filter(([, each]) => Object.keys(each).length > 0),
  )

function address(key: string, value: unknown): Record<string, string> {
  if (!isText(value)) return {}
  const url = withoutLogin(value.replace(SPARSE, ''))
  return url ? { [key]: SPARSE.test(value) ? `sparse+${url}` : url } : {}
}

const name = (key: string, value: unknown): Record<string, string> =>
  isText(value) && NAME.test(value) ? { [key]: value } : {}
