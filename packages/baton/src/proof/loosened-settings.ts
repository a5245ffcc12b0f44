import type { FileChange } from '../ports/compare-tests.ts'
import { readScripts } from './package-scripts.ts'
import { basesOf, inheritedSettings, LEAVES_OUT, type Settings } from './read-settings.ts'
import { isCi, isSettings, mayBeCalled } from './relevant-files.ts'
import { narrows } from './weaker-ci.ts'

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
  const bases = new Set(settings.flatMap(({ path, before }) => basesOf(path, before)))
  const filesBefore = new Map(settings.map(({ path, before }) => [path, before]))
  const filesNow = new Map(settings.map(({ path, after }) => [path, after]))
  return settings.flatMap(({ path, before, after }) => {
    if (before === after || (before === undefined && isVariant(path))) return []
    // The files that it gave settings to say whether those are gone.
    if (after === undefined && bases.has(path) && !READ_BY_ITSELF.test(path)) return []
    const isTool = before === undefined && isNewTool(path, changes)
    const isNew = before === undefined && folders?.has(folderOf(path)) === false
    if (isNew && !isTool && !movedInto(folderOf(path), changes)) return []
    const is = new Map(inheritedSettings(path, after, filesNow))
    if (after === undefined)
      for (const other of moved)
        if (appliesTo(path, other.path))
          for (const [key, values] of inheritedSettings(other.path, other.after, filesNow))
            is.set(key, values)
    const was = inheritedSettings(path, before, filesBefore)
    const keys = new Set([...was.keys(), ...is.keys()])
    // What looks only at a new folder left nothing out.
    const found = [...keys]
      .filter(key => !(isNew && LOOKS_ONLY_AT.test(nameOf(key))))
      .filter(key => !isTool || leavesOutTests(path, nameOf(key)))
      .flatMap(key => looser(path, key, was, is) ?? [])
    return found.slice(0, MAX_FINDINGS).map(what => `${what} in ${path}`)
  })
}

/** Files that a tool reads without being told: without them it checks less, even if another file extended them. */
const READ_BY_ITSELF = /(?:^|\/)(?:[tj]sconfig\.json|\.eslintrc[^/]*)$/

/** Whether a tool may read the second file where it read the first one: it is in the same folder or above. */
const appliesTo = (path: string, other: string): boolean =>
  folderOf(path).startsWith(folderOf(other)) && (!isVariant(other) || isVariant(path))

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

/**
 * Whether a new file configures a tool that the project did not use before, next to all those that it used and with all its scripts
 * as they were: what was checked then still is. All that may name a tool has to be among the changes: the manifest, the files of CI
 * and what these call.
 */
function isNewTool(path: string, changes: readonly FileChange[]): boolean {
  const tool = TOOLS.find(name => path.slice(path.lastIndexOf('/') + 1).startsWith(`${name}.`))
  const manifest = changes.find(each => each.path === 'package.json')
  if (tool === undefined || manifest?.before === undefined || !manifest.after?.includes(tool)) return false
  const { before, after } = manifest
  const scripts = readScripts(after)
  return (
    [...readScripts(before)].every(([name, script]) => scripts.get(name) === script) &&
    !changes.some(each => mayNameTools(each.path) && each.before?.includes(tool)) &&
    TOOLS.every(name => !before.includes(name) || after.includes(name))
  )
}

/** Settings that no new tool may have: with them, it passes without the tests. Playwright has tests of its own. */
const leavesOutTests = (path: string, name: string): boolean =>
  LOOKS_ONLY_AT.test(name)
    ? !/playwright\.config\.\w+$/.test(path)
    : LEAVES_OUT.test(name) && !/^retr(?:y|ies)$/i.test(name)

const TOOLS = ['vitest', 'jest', 'playwright', 'cypress', 'karma', 'mocha', 'ava', 'eslint', 'biome']
const mayNameTools = (path: string): boolean =>
  isSettings(path) || isCi(path) || mayBeCalled(path) || /(?:^|\/)package\.json$/.test(path)

const MAX_FINDINGS = 3
/** `tsconfig.build.json`: no check that was there before reads a new one. */
const isVariant = (path: string): boolean => /tsconfig\.[^/]+\.json$/.test(path)

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
  if (name === 'extends') {
    // A tsconfig.json may say itself what most shared ones do.
    const isStrict = after.get('\ncompilerOptions\nstrict')?.includes('true') === true
    return looserExtends(gone, isStrict ? [...added, 'strict: true'] : added)
  }
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

/** Shared configurations in place of which there is none, or one whose name says that it is less strict. */
function looserExtends(gone: readonly string[], added: readonly string[]): string | undefined {
  const [first, ...rest] = added
  for (const was of gone) {
    if (first === undefined) return `"${was.slice(0, 60)}" removed from extends`
    const best = rest.reduce((one, other) => (strictnessOf(other) > strictnessOf(one) ? other : one), first)
    if (strictnessOf(best) < strictnessOf(was))
      return `extends changed from "${was.slice(0, 60)}" to "${best.slice(0, 60)}"`
  }
  return undefined
}

/** How strict a shared configuration is, as far as its name says it. */
function strictnessOf(name: string): number {
  const words = name.slice(0, MAX_SHARED)
  const isTyped = /type-?check/i.test(words) ? 0.5 : 0
  if (words === 'strict: true') return 1
  if (/strictest|(?<![a-z])all(?![a-z])/i.test(words)) return 3
  if (/strict/i.test(words)) return 2 + isTyped
  if (
    /(?:typescript-eslint\/|configs\.|flat\/)base$|essential|minimal|loose|(?<![a-z])lax(?![a-z])/i.test(
      words,
    )
  )
    return 0
  return 1 + isTyped
}

const MAX_SHARED = 200

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
