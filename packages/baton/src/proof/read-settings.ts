import { posix } from 'node:path'
import { parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { pairBrackets } from './brackets.ts'
import { readYaml } from './ci-commands.ts'
import { mayInherit } from './relevant-files.ts'
import { stripLiterals } from './strip-literals.ts'

/** Each setting with its values, by its path: those of a list are several, and so are those of settings with the same name. */
export type Settings = ReadonlyMap<string, readonly string[]>

/** Names of settings whose value leaves something out. A larger number or list, or a switch that is on, is looser. */
export const LEAVES_OUT =
  /ignore|exclud|skip|disabl|deselect|omit|suppress|except|pass_?with_?no_?tests|retr(?:y|ies)|reruns|name_?pattern|grep|invert|dangerously|allow_?(?:un|only)|allow_(?:redef|any)|module_?name_?mapper|waive|no_?check|norecurse/i

/**
 * The settings of a file with those that it takes from `files`. What is left of its `extends` are configurations that Baton does not
 * see, such as those of packages.
 */
export function inheritedSettings(
  path: string,
  text: string | undefined,
  files: ReadonlyMap<string, string | undefined>,
  budget = { left: MAX_INHERITED },
): Settings {
  const own = settingsIn(path, text)
  const names = mayInherit(path) ? own.get(EXTENDS) : undefined
  if (!names) return own
  const found = new Map<string, readonly string[]>()
  const unknown: string[] = []
  for (const name of names) {
    const known = placesOf(path, name).find(place => files.get(place) !== undefined)
    if (known === undefined || budget.left-- <= 0) unknown.push(name)
    else
      for (const [key, values] of inheritedSettings(known, files.get(known), files, budget))
        if (key === EXTENDS) unknown.push(...values)
        else found.set(key, values)
  }
  for (const [key, values] of own) found.set(key, values)
  found.delete(EXTENDS)
  if (unknown.length > 0) found.set(EXTENDS, unknown)
  return found
}

/** The files from which a file may take settings. */
export const basesOf = (path: string, text: string | undefined): string[] =>
  mayInherit(path) ? (settingsIn(path, text).get(EXTENDS) ?? []).flatMap(name => placesOf(path, name)) : []

/** The files that a name after `extends` may mean; none for a package. */
function placesOf(path: string, name: string): string[] {
  const place = posix.join(posix.dirname(path), name)
  return name.startsWith('.') ? [place, `${place}.json`] : []
}

const EXTENDS = '\nextends'
/** Hostile files could extend each other without end. */
const MAX_INHERITED = 20

/** The settings of a file; none if it cannot be read. */
function settingsIn(path: string, text: string | undefined): Settings {
  const found = new Map<string, string[]>()
  if (text === undefined || text.length > MAX_TEXT) return found
  const isRuff = /(?:pyproject|\.?ruff)\.toml$/.test(path)
  const add = (whole: string, value: string) => {
    // Ruff has the same settings at the top level, where they were once, and below `lint`.
    const key = isRuff ? whole.replace(/^(\nruff)?\nlint\n/, '$1\n') : whole
    const values = found.get(key)
    if (values) values.push(value)
    else found.set(key, [value])
  }
  const collect = (value: unknown, key: string, depth: number): void => {
    if (typeof value !== 'object' || value === null) add(key, String(value))
    else if (depth === 0) return
    else if (Array.isArray(value)) for (const each of value) collect(each, key, depth - 1)
    // The names in such a table are values, too.
    else {
      const isList = LEAVES_OUT.test(key)
      for (const [name, inner] of Object.entries(value))
        collect(inner, isList || name === '' ? key : `${key}\n${name.slice(0, MAX_NAME)}`, depth - 1)
    }
  }
  if (path.endsWith('package.json')) {
    const manifest = asRecord(readJson(text))
    for (const key of PACKAGE_KEYS) collect(manifest[key] ?? {}, `\n${key}`, MAX_LEVELS)
  } else if (/\.(?:jsonc?|eslintrc|mocharc)$|\.(?:eslintrc|mocharc)$/.test(path))
    collect(readJson(text), '', MAX_LEVELS)
  else if (/\.ya?ml$/.test(path)) collect(readYaml(text) ?? {}, '', MAX_LEVELS)
  else if (path.endsWith('.toml')) {
    const table = readToml(text)
    if (path.endsWith('pyproject.toml'))
      for (const [key, tool] of Object.entries(asRecord(table.tool)))
        collect(CHECKERS.test(key) ? tool : {}, `\n${key}`, MAX_LEVELS)
    else if (path.endsWith('Cargo.toml')) {
      for (const key of ['lints', 'lib', 'test']) collect(table[key] ?? {}, `\n${key}`, MAX_LEVELS)
      const { lints, exclude } = asRecord(table.workspace)
      collect({ lints: lints ?? {}, exclude: exclude ?? [] }, '\nworkspace', MAX_LEVELS)
    } else collect(table, '', MAX_LEVELS)
  } else if (path.endsWith('ignore'))
    for (const line of text.split('\n')) if (/^\s*[^#\s]/.test(line)) add('\nignore', line.trim())
  if (/\.(?:cfg|ini)$|flake8$|pylintrc$/.test(path)) readIni(text, add, /(?:setup\.cfg|tox\.ini)$/.test(path))
  if (/\.[cm]?[jt]sx?$/.test(path)) readCode(text, add, /eslint\.config\.\w+$/.test(path))
  if (/\.xml(?:\.dist)?$/.test(path))
    for (const [, name = '', value = ''] of text.matchAll(/<([\w.-]{1,80})>([^<>]{0,300})<\//g))
      add(`\n${name}`, value.trim())
  if (/\.gradle(?:\.kts)?$/.test(path))
    for (const [, name = '', value = ''] of text.matchAll(
      /\b(\w{1,80})(?:\s{0,20}[=(]\s{0,20}|\s{1,20})['"]?([\w.*/-]{1,200})/g,
    ))
      add(`\n${name}`, value)
  return found
}

/** Tables and sections of tools that check. */
const CHECKERS =
  /^(?:pytest|mypy|ruff|coverage|pylint|pyright|basedpyright|basedmypy|ty|pyrefly|bandit|deptry|flake8|pycodestyle|run|report)(?![a-z])/
const MAX_TEXT = 500_000
const MAX_NAME = 200
const MAX_LEVELS = 12
const PACKAGE_KEYS = [
  'jest',
  'vitest',
  'mocha',
  'ava',
  'eslintConfig',
  'eslintIgnore',
  'nyc',
  'c8',
  'tap',
  'xo',
]

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

function readJson(text: string): unknown {
  try {
    return parseJson(text, [], { allowTrailingComma: true }) ?? {}
  } catch {
    // Nested too deeply.
    return {}
  }
}

function readToml(text: string): Record<string, unknown> {
  try {
    return parseToml(text, { integersAsBigInt: 'asNeeded' })
  } catch {
    return {}
  }
}

type Add = (key: string, value: string) => void

/** `key = value`, with more values on the indented lines that follow. */
function readIni(text: string, add: Add, isShared: boolean): void {
  let section = ''
  let key = ''
  for (const line of text.split('\n')) {
    const named = /^\[([^\]]{1,200})\]/.exec(line)?.[1]
    const [, name, value = ''] = /^([\w.-]{1,100})\s*[=:]\s*(.*)$/.exec(line) ?? []
    if (named !== undefined) section = named
    if (name !== undefined) key = `\n${section}\n${name}`
    // Such a file is for other tools, too.
    if (isShared && !CHECKERS.test(section.replace(/^tool:/, ''))) continue
    const values = name === undefined ? (/^\s+\S/.test(line) ? line : '') : value
    for (const each of values.split(/^\s*[#;].*|,/).map(part => part.trim()))
      if (each !== '') add(key, /^(?:true|false)$/i.test(each) ? each.toLowerCase() : each)
  }
}

/** `key: value` in a configuration that is code. A value that is not a literal counts as it is written. */
function readCode(text: string, add: Add, isEslint: boolean): void {
  const code = stripLiterals(text, 'javascript', 'keep-length')
  for (const { index, 0: shared } of isEslint ? code.matchAll(SHARED) : [])
    add(EXTENDS, text.slice(index, index + shared.length))
  const closing = pairBrackets(code)
  let past = 0
  let left = MAX_READ
  for (const { index, 0: colon } of code.matchAll(/:\s{0,50}/g)) {
    const name = index < past ? undefined : keyBefore(text, code, index)
    if (name !== undefined && OTHER_PARTS.has(name)) past = closing(index + colon.length) ?? 0
    const start = index + colon.length
    if (name === undefined || code[start] === '{') continue
    const end = valueEnd(code, start)
    // Nested lists are read again with each of their keys.
    left -= end - start
    if (left < 0) break
    const value = text.slice(start, end).trim()
    const parts = value.startsWith('[')
      ? [...value.matchAll(/(['"`])(.{0,300}?)\1/g)].map(part => part[2] ?? '')
      : [value.replaceAll(/^['"`]|['"`]$/g, '')]
    for (const part of parts) add(`\n${name}`, part)
  }
}

/** What a configuration of ESLint takes from a package: `js.configs.recommended`, `vue.configs['flat/recommended']`. */
const SHARED = /(?<![\w$])[\w$]{1,80}\.configs(?:\.[\w$]{1,80}|\["[^\]\n]{0,100}\]){1,3}/g

/** Parts of a configuration that build the code, or say how a browser behaves. */
const OTHER_PARTS = new Set([
  ...['optimizeDeps', 'build', 'server', 'preview', 'ssr', 'resolve', 'css', 'json', 'worker', 'define'],
  ...['esbuild', 'use', 'webServer', 'env'],
])

/** The key that ends before a colon: a word, or a string. */
function keyBefore(text: string, code: string, colon: number): string | undefined {
  const from = Math.max(0, colon - MAX_KEY)
  const before = text.slice(from, colon).trimEnd()
  const quote = before.at(-1)
  if (quote !== '"' && quote !== "'") return /(?<=^|[{,([\s])[\w$]{1,100}$/.exec(before)?.[0]
  const start = before.lastIndexOf(quote, before.length - 2)
  return start >= 0 && code[from + start] === '"' ? before.slice(start + 1, -1) : undefined
}

const MAX_KEY = 150

/** Where a value ends: at the next comma, bracket or line of the same level. */
function valueEnd(code: string, from: number): number {
  let depth = 0
  let at = from
  for (; at < code.length && at < from + MAX_VALUE; at++) {
    const char = code[at] ?? ''
    if (depth === 0 && /[,}\n)\]]/.test(char)) break
    if ('{[('.includes(char)) depth += 1
    if ('}])'.includes(char)) depth -= 1
  }
  return at
}

const MAX_VALUE = 5000
const MAX_READ = 1_000_000
