import { parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import type { FileChange } from '../ports/compare-tests.ts'
import { pairBrackets } from './brackets.ts'
import { readYaml } from './ci-commands.ts'
import { stripLiterals } from './strip-literals.ts'
import { narrows } from './weaker-ci.ts'

/** Settings of linters, type checkers and test runners. */
const SETTINGS =
  /(?:^|\/)(?:[tj]sconfig[^/]*\.json|\.eslintrc(?:\.\w+)?|(?:eslint|vitest|vite|jest|playwright|karma|ava|cypress)\.config\.[cm]?[jt]sx?|\.eslintignore|biome\.jsonc?|\.?oxlintrc\.jsonc?|\.mocharc(?:\.\w+)?|package\.json|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc|pyrightconfig\.json|\.golangci\.(?:ya?ml|toml|json)|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|phpunit\.xml(?:\.dist)?)$/

export const isSettings = (path: string): boolean => SETTINGS.test(path)

/** Each setting with its values, by its path: those of a list are several, and so are those of settings with the same name. */
type Settings = ReadonlyMap<string, readonly string[]>

/**
 * Settings by which a tool finds less than before: a rule that is off, a file that is left out, a switch that is looser. The name
 * of a setting says which of its values is looser, whichever tool it belongs to. Settings with other names may change.
 */
export function loosenedSettings(changes: readonly FileChange[], folders?: ReadonlySet<string>): string[] {
  const settings = changes.filter(({ path }) => isSettings(path))
  // What moves to another file, such as from pytest.ini to pyproject.toml, is not gone.
  const moved = settings.some(({ before, after }) => before !== undefined && after === undefined)
    ? settings.filter(({ before }) => before === undefined)
    : []
  return settings.flatMap(({ path, before, after }) => {
    if (before === undefined && isVariant(path)) return []
    const isNew = before === undefined && folders?.has(folderOf(path)) === false
    if (isNew && !movedInto(folderOf(path), changes)) return []
    const is = new Map(settingsIn(path, after))
    if (after === undefined)
      for (const other of moved)
        for (const [key, values] of settingsIn(other.path, other.after)) is.set(key, values)
    const was = settingsIn(path, before)
    const keys = new Set([...was.keys(), ...is.keys()])
    // What looks only at a new folder left nothing out.
    const found = [...keys]
      .filter(key => !(isNew && LOOKS_ONLY_AT.test(nameOf(key))))
      .flatMap(key => looser(path, key, was, is) ?? [])
    return found.slice(0, MAX_FINDINGS).map(what => `${what} in ${path}`)
  })
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Whether code that was checked before may be in a new folder now. */
function movedInto(folder: string, changes: readonly FileChange[]): boolean {
  const base = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const gone = new Set(
    changes.flatMap(({ path, after }) => (after === undefined && !isSettings(path) ? [base(path)] : [])),
  )
  return changes.some(
    ({ path, before }) => before === undefined && path.startsWith(folder) && gone.has(base(path)),
  )
}

const MAX_FINDINGS = 3
/** `tsconfig.build.json`: no check that was there before reads a new one. */
const isVariant = (path: string): boolean => /tsconfig\.[^/]+\.json$/.test(path)

/** Names of settings whose value leaves something out. A larger number or list, or a switch that is on, is looser. */
const LEAVES_OUT =
  /ignore|exclud|skip|disabl|deselect|omit|suppress|except|pass_?with_?no_?tests|retr(?:y|ies)|reruns|name_?pattern|grep|invert|dangerously|allow_?(?:un|only)|allow_(?:redef|any)|module_?name_?mapper|waive|no_?check|norecurse/i
const LEAVES_OUT_NOTHING = /^(?:skipLibCheck|ignoreDeprecations|\.?gitignore|vcs|skipFiles|exclude-newer)$/
/** Lists of what a tool looks at: a shorter one is looser, and so is the first one, if without it the tool looks at everything. */
const LOOKS_AT =
  /^(?:(?:extend-)?select|enable|enabled_error_code|includes?|files|test_?match|test_?regex|test_?paths|python_(?:files|classes|functions)|roots|plugins|filterwarnings)$/i
const LOOKS_ONLY_AT =
  /^(?:includes?|test_?match|test_?regex|test_?paths|python_(?:files|classes|functions)|roots)$/i
/** Switches that make a tool stricter. */
const STRICT =
  /^(?:strict\w*|no[A-Z]\w*|no_implicit\w*|exactOptional\w*|useUnknown\w*|alwaysStrict|check(?:Js|_untyped_defs)|disallow_\w+|warn_(?:return|unre|unused|redundant)\w*|forbid\w*|fail\w*|xfail_strict|recommended|enabled|test|harness|doctest|error-on-warning|globals?_strict)$/
const STRICT_IF_OFF = /^(?:noEmit\w*|noLib|noResolve|noErrorTruncation|no-?cache|no-?color)$/i
/** What `strict` includes. */
const IN_STRICT =
  /^(?:no_?implicit\w*|strict\w+|alwaysStrict|useUnknownInCatchVariables|disallow_\w+|check_untyped_defs|warn_(?:return|redundant|unused)\w*)$/i
const RUNNERS = /(?:vitest|vite|jest|playwright|karma|ava|cypress)\.config\.\w+$|\.mocharc|phpunit\.xml/
const LEVELS = new Map([
  ...['off', 'allow', 'ignore', 'none', 'false'].map(word => [word, 0] as const),
  ...['warn', 'warning', 'info', 'information', 'hint', 'note'].map(word => [word, 1] as const),
  ...['error', 'deny', 'forbid', 'on'].map(word => [word, 2] as const),
])
/** Folders that hold what was built: no tool should look there. */
const BUILT =
  /^!?\.?\/?(?:(?:<rootDir>|(?!(?:src|source|lib|tests?|specs?)\/)[\w*-]{1,60})\/){0,9}(?:dist|build|out|output|coverage|node_modules|target|storybook-static|\.\w[\w-]*|vendor|venv|__pycache__|[\w./*-]*generated[\w./*-]*|\*\.(?:d\.ts|min\.js))(?:\/|$)/
const isBuilt = (value: string): boolean => value.length < 300 && !/\.\.|\|/.test(value) && BUILT.test(value)

const nameOf = (key: string): string => key.slice(key.lastIndexOf('\n') + 1)

/** How a setting became looser. */
function looser(path: string, key: string, before: Settings, after: Settings): string | undefined {
  const [was, is] = [before.get(key), after.get(key)]
  const name = nameOf(key)
  const shown = name.slice(0, 60)
  const [known, left] = [new Set(was), new Set(is)]
  const added = (is ?? []).filter(value => !known.has(value))
  const gone = (was ?? []).filter(value => !left.has(value))
  if (added.length === 0 && gone.length === 0) return undefined
  if (/^(?:addopts|args|testopts)$/.test(name)) return looserOptions(shown, was ?? [], is ?? [])
  if (name === 'extends')
    // What replaces one may do the same, and a tsconfig.json may say it itself.
    return added.length === 0 && !/[jt]sconfig/.test(path)
      ? `"${gone[0]?.slice(0, 60)}" removed from extends`
      : undefined
  if (LOOKS_AT.test(name) && !key.includes('\ncompilerOptions\n')) {
    const only = was === undefined && LOOKS_ONLY_AT.test(name)
    if (only && added.length > 0) return `${shown} limited to "${added[0]?.slice(0, 60)}"`
    if (gone.length > 0 && !gone.every(value => widened(value, added)))
      return `"${gone[0]?.slice(0, 60)}" removed from ${shown}`
    return undefined
  }
  // `disallow_untyped_defs` and the rule `no-disabled-tests` only sound as if they left something out.
  const isMisleading =
    (STRICT.test(name) && !/^no_?check$/i.test(name)) ||
    [...(was ?? []), ...(is ?? [])].every(value => LEVELS.has(value) && value !== 'false')
  if (LEAVES_OUT.test(name) && !LEAVES_OUT_NOTHING.test(name) && !isMisleading) {
    const more = added.filter(value => !isBuilt(value) && !/^(?:false|0|null|)$/.test(value))
    const isNumber = more.every(value => Number(value) <= Number(was?.[0] ?? 0))
    return more.length > 0 && !isNumber ? `${shown} is now "${more[0]?.slice(0, 60)}"` : undefined
  }
  const level = (values: readonly string[] | undefined) => {
    const known = (values ?? []).flatMap(value => LEVELS.get(value) ?? [])
    return known.length > 0 ? Math.min(...known) : undefined
  }
  if (STRICT.test(name) && !STRICT_IF_OFF.test(name)) {
    if (added.includes('false')) return `${shown} turned off`
    const strict = after.get(`${key.slice(0, key.lastIndexOf('\n'))}\nstrict`)?.includes('true')
    if (gone.includes('true') && !is?.includes('true') && !(strict && IN_STRICT.test(name)))
      return `${shown} removed`
  }
  // Only rules have levels.
  if (RUNNERS.test(path)) return undefined
  const [from, to] = [level(was), level(is)]
  const isSwitch = [...(was ?? []), ...(is ?? [])].every(value => /^(?:true|false)$/.test(value))
  if (isSwitch) return undefined
  if (from !== undefined && from > 0 && (to ?? 0) < from)
    return `${shown} lowered from ${was?.[0]} to ${is?.[0] ?? 'nothing'}`
  return was === undefined && to === 0 && added.some(value => /^(?:off|allow)$/.test(value))
    ? `${shown} turned off`
    : undefined
}

/** Whether a value is covered by a new one, such as `src` by `.`, or an id of a rule by its group. */
const widened = (value: string, added: readonly string[]): boolean =>
  added
    .slice(0, MAX_COMPARED)
    .some(
      other =>
        other === 'ALL' || other === 'all' || other === '.' || (other !== '' && value.startsWith(other)),
    )

const MAX_COMPARED = 500

/** Options of a command line: those that leave tests out are looser if they are new, all others if they are gone. */
function looserOptions(name: string, was: readonly string[], is: readonly string[]): string | undefined {
  const words = (values: readonly string[]) => values.flatMap(value => value.split(/\s+/)).filter(Boolean)
  const [before, now] = [words(was), words(is)]
  const loaded = plugins(before)
  const plugin = plugins(now).find(each => !loaded.includes(each) && !HARMLESS_PLUGIN.test(each))
  if (plugin !== undefined) return `-p ${plugin.slice(0, 60)} added to ${name}`
  const isNarrow = (word: string) => word !== '-p' && narrows(word, 'pytest')
  const more = now.find(word => isNarrow(word) && !before.includes(word))
  if (more !== undefined) return `${more.slice(0, 60)} added to ${name}`
  const gone = before.find(
    (word, n) =>
      !now.includes(word) && !COSMETIC.test(word) && !isNarrow(word) && !isNarrow(before[n - 1] ?? ''),
  )
  return gone === undefined ? undefined : `${gone.slice(0, 60)} removed from ${name}`
}

/** What pytest loads with `-p`: code that may decide what a test's result is. */
const plugins = (words: readonly string[]): string[] =>
  words.flatMap((word, n) =>
    word === '-p' ? [words[n + 1] ?? ''] : /^-p\w/.test(word) ? [word.slice(2)] : [],
  )
const HARMLESS_PLUGIN = /^(?:no:(?:cacheprovider|randomly|xdist|sugar|warnings)|xdist)$/

const COSMETIC =
  /^(?:-[qvsrn]\w*|-n\d*|-[xp]|no:[\w.-]+|auto|\d+|--(?:tb|color|verbose|quiet|durations|capture|maxfail|cov[\w-]*)(?:=.*)?)$/

/** The settings of a file; none if it cannot be read. */
function settingsIn(path: string, text: string | undefined): Settings {
  const found = new Map<string, string[]>()
  if (text === undefined || text.length > MAX_TEXT) return found
  const add = (key: string, value: string) => {
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
  if (/\.[cm]?[jt]sx?$/.test(path)) readCode(text, add)
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
function readCode(text: string, add: Add): void {
  const code = stripLiterals(text, 'javascript', 'keep-length')
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
