import { createHash } from 'node:crypto'
import type { Check } from '@batonpass/contract/proof'
import type { CommitTree } from '../ports/checkouts.ts'
import { ciCommands } from './ci-commands.ts'
import { withoutNeutral, withoutThresholds } from './neutral-settings.ts'
import { readScripts, textsOfScript } from './package-scripts.ts'

type RunCheck = Extract<Check, { kind: 'run' }>

interface Found {
  command: string
  where: string
  /** What the command does, as far as files of the repository say it. */
  definition: string
}

/**
 * Derives checks from the files of a commit: scripts of package.json, targets of a Makefile, the conventions of a language,
 * and, if none of them says anything, the steps of CI.
 */
export async function deriveChecks(tree: CommitTree, minutes: number): Promise<RunCheck[]> {
  const paths = await tree.paths()
  const found = [
    ...(await packageScripts(tree, paths)),
    ...(await pythonTests(tree, paths)),
    ...languageTests(paths),
  ]
  if (!found.some(({ command }) => /\btest\b|pytest|unittest/.test(command)))
    found.push(...(await makeTargets(tree, paths)))
  if (found.length === 0) found.push(...(await ciCommands(tree, paths)))
  const settings = await testSettings(tree, paths)
  return Promise.all(
    found.slice(0, MAX_CHECKS).map(async ({ command, where, definition }) => ({
      kind: 'run' as const,
      name: command.slice(0, 80),
      source: 'derived' as const,
      where,
      command,
      exit: 0,
      minutes,
      definition: digest([definition, ...(await namedFiles(tree, paths, definition)), ...settings]),
    })),
  )
}

/** The command that installs what the checks need; undefined if the repository declares no dependencies. */
export async function deriveSetup(tree: CommitTree): Promise<string | undefined> {
  const paths = new Set(await tree.paths())
  const manifest = await readManifest(tree)
  const needs = ['dependencies', 'devDependencies', 'optionalDependencies', 'workspaces'].some(key => {
    const value = manifest?.[key]
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0
  })
  if (!needs) return undefined
  if (paths.has('pnpm-lock.yaml')) return 'pnpm install --frozen-lockfile'
  if (paths.has('yarn.lock'))
    return paths.has('.yarnrc.yml') ? 'yarn install --immutable' : 'yarn install --frozen-lockfile'
  if (paths.has('bun.lock') || paths.has('bun.lockb')) return 'bun install --frozen-lockfile'
  return paths.has('package-lock.json') || paths.has('npm-shrinkwrap.json') ? 'npm ci' : 'npm install'
}

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)

const MAX_CHECKS = 8
const SCRIPTS = ['test', 'typecheck', 'type-check', 'check-types', 'lint']
/** Sections of package.json that configure tests. */
const TEST_KEYS = ['jest', 'vitest', 'mocha', 'ava', 'nyc', 'c8', 'tap']

async function packageScripts(tree: CommitTree, paths: readonly string[]): Promise<Found[]> {
  const manifest = await readManifest(tree)
  const scripts = readScripts(await tree.read('package.json'))
  const runner = paths.includes('pnpm-lock.yaml')
    ? 'pnpm'
    : paths.includes('yarn.lock')
      ? 'yarn'
      : paths.includes('bun.lock') || paths.includes('bun.lockb')
        ? 'bun'
        : 'npm'
  return SCRIPTS.flatMap(name => {
    const text = scripts.get(name) ?? ''
    // What `npm init` writes.
    if (text.trim() === '' || /no test specified/.test(text)) return []
    const settings = TEST_KEYS.flatMap(key =>
      manifest?.[key] === undefined ? [] : withoutThresholds(JSON.stringify(manifest[key])),
    )
    const command = name === 'test' && runner !== 'bun' ? `${runner} test` : `${runner} run ${name}`
    return {
      command,
      where: 'package.json',
      definition: [...textsOfScript(name, scripts), ...settings].join('\n'),
    }
  })
}

const TARGETS = ['test', 'check', 'lint']
const MAX_TARGETS = 100
/** In the order in which make looks for them. */
export const MAKEFILES: readonly string[] = ['GNUmakefile', 'makefile', 'Makefile']

async function makeTargets(tree: CommitTree, paths: readonly string[]): Promise<Found[]> {
  const file = MAKEFILES.find(name => paths.includes(name))
  const text = file === undefined ? undefined : await tree.read(file)
  if (file === undefined || text === undefined) return []
  return TARGETS.flatMap(target => {
    const recipes = recipesOf(text, target)
    return recipes.length === 0
      ? []
      : { command: `make ${target}`, where: file, definition: recipes.join('\n') }
  })
}

/** The rule of a target, and those of all targets that it needs or calls. */
function recipesOf(text: string, target: string, seen = new Set<string>()): string[] {
  if (seen.has(target) || seen.size >= MAX_TARGETS) return []
  seen.add(target)
  const recipe = recipeOf(text, target)
  if (recipe === undefined) return []
  const [rule = '', ...lines] = recipe.split('\n')
  const needed = rule.slice(rule.indexOf(':') + 1).split(/[\s|#;]+/)
  const called = lines.flatMap(
    line => /(?:\$[({]MAKE[)}]|\bmake)\s+(.*)/.exec(line)?.[1]?.split(/[\s;&|]+/) ?? [],
  )
  return [recipe, ...[...needed, ...called].flatMap(name => recipesOf(text, name, seen))]
}

/** The rule of a target with its recipe. */
function recipeOf(text: string, target: string): string | undefined {
  const lines = text.split('\n')
  const start = lines.findIndex(
    line => line.startsWith(target) && /^\s*:(?![:=])/.test(line.slice(target.length)),
  )
  if (start < 0) return undefined
  const rest = lines.slice(start + 1)
  const end = rest.findIndex(line => line.trim() !== '' && !/^[\t ]/.test(line))
  return [lines[start], ...(end < 0 ? rest : rest.slice(0, end))].join('\n').trimEnd()
}

async function pythonTests(tree: CommitTree, paths: readonly string[]): Promise<Found[]> {
  const tests = paths.filter(path => /(^|\/)(test_[^/]+|[^/]+_test)\.py$/.test(path))
  if (tests.length === 0) return []
  const settings = ['pytest.ini', 'conftest.py', 'tests/conftest.py'].find(name => paths.includes(name))
  const mentions = await Promise.all(
    [
      'pyproject.toml',
      'setup.cfg',
      'tox.ini',
      'requirements.txt',
      'requirements-dev.txt',
      'dev-requirements.txt',
    ]
      .filter(name => paths.includes(name))
      .map(async name => /\bpytest\b/.test((await tree.read(name)) ?? '')),
  )
  const texts =
    mentions.includes(true) || settings
      ? []
      : await Promise.all(tests.slice(0, 20).map(path => tree.read(path)))
  const usesPytest =
    mentions.includes(true) ||
    settings !== undefined ||
    texts.some(text => /^\s*(?:import|from) pytest\b/m.test(text ?? ''))
  if (usesPytest)
    return [{ command: 'python3 -m pytest -q', where: settings ?? 'the tests in Python', definition: '' }]
  const folder = ['tests', 'test'].find(name => tests.every(path => path.startsWith(`${name}/`)))
  const command = `python3 -m unittest discover${folder ? ` -s ${folder}` : ''}`
  return [{ command, where: 'the tests in Python', definition: '' }]
}

function languageTests(paths: readonly string[]): Found[] {
  const has = (name: string) => paths.includes(name)
  const found = (command: string, where: string) => [{ command, where, definition: '' }]
  return [
    ...(has('go.mod') ? found('go test ./...', 'go.mod') : []),
    ...(has('Cargo.toml') ? found('cargo test', 'Cargo.toml') : []),
    ...(has('pom.xml') ? found(has('mvnw') ? './mvnw -q test' : 'mvn -q test', 'pom.xml') : []),
    ...(has('gradlew') ? found('./gradlew test', 'gradlew') : []),
  ]
}

/** Files that configure a test runner: changing them can make any test pass. */
const TEST_SETTINGS =
  /^(?:(?:vitest|jest|playwright|karma|ava|cypress)\.config\.[cm]?[jt]sx?|vitest\.workspace\.[cm]?[jt]s|\.mocharc(?:\.\w+)?|pytest\.ini|tox\.ini|(?:tests?\/)?conftest\.py|\.coveragerc|phpunit\.xml(?:\.dist)?)$/

async function testSettings(tree: CommitTree, paths: readonly string[]): Promise<string[]> {
  return contentsOf(tree, paths.filter(path => TEST_SETTINGS.test(path)).sort())
}

/** Scripts of the repository that a definition names, such as `scripts/test.sh`; tests themselves, and code that is checked, may change. */
async function namedFiles(tree: CommitTree, paths: readonly string[], definition: string): Promise<string[]> {
  const words = new Set(
    definition.split(/[\n;&|]+/).flatMap(command =>
      wordsThatDecide(
        command.split(/[\s'"`()=]+/).filter(word => word !== ''),
        command,
      ),
    ),
  )
  return contentsOf(tree, paths.filter(path => words.has(path) && !isTestFile(path)).sort())
}

/** The words of a command without the code that it only looks at, such as `lib.js` in `node --check lib.js` or `eslint lib.js`. */
function wordsThatDecide(words: readonly string[], command: string): string[] {
  const isLook = ONLY_LOOKS.test(command.trim().replace(STARTERS, ''))
  return (
    words
      // After an option, it may be settings.
      .filter((word, n) => !isLook || !CODE.test(word) || NAMES_SETTINGS.test(words[n - 1] ?? ''))
      .map(word => word.replace(/^\.\//, ''))
  )
}

/** Linters and type checkers: they run none of the code that they are given. */
const ONLY_LOOKS =
  /^(?:(?:eslint|tsc|prettier|biome|oxlint|standard|xo|jshint|ruff|flake8|mypy|pylint|pyright|black|pyflakes|py_compile|shellcheck)(?=\s|$)|node --check\s)/
/** What may be before the name of a program that a command starts. */
const STARTERS =
  /^(?:[A-Za-z_]\w{0,80}=[\w./:-]{0,200}\s{1,20}){0,9}(?:(?:npx|bunx)\s{1,20}(?:(?:--no-install|--yes|-y)\s{1,20})?|(?:npm|pnpm|yarn) exec\s{1,20}(?:--\s{1,20})?|(?:uv|poetry|pipenv|hatch) run\s{1,20})?(?:python3? -m\s{1,20})?/
const NAMES_SETTINGS =
  /^(?:-[cfpr]|--(?:config|config-file|rcfile|project|rulesdir|plugin|require|import|format|formatter|parser))$/
const CODE = /\.(?:[cm]?[jt]sx?|py|sh)$/

async function contentsOf(tree: CommitTree, paths: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(
    paths.map(async path => [path, withoutNeutral(path, (await tree.read(path)) ?? '')] as const),
  )
  return texts.flatMap(([path, text]) => (text === '' ? [] : `--- ${path}\n${text}`))
}

/** Whether the name alone says that a file contains tests. */
export const hasTestName = (path: string): boolean =>
  /(^|\/)(test_[^/]+\.py|[^/]+_test\.(py|go|rb|exs)|[^/]+[.-](test|spec)\.[cm]?[jt]sx?|[^/]+Tests?\.(java|kt|cs)|test\.[cm]?[jt]sx?|[^/]+_spec\.rb)$/.test(
    path,
  )

export const isTestFile = (path: string): boolean =>
  hasTestName(path) || /(^|\/)(__tests__|tests?|specs?|testdata|src\/test)\//.test(path)

async function readManifest(tree: CommitTree): Promise<Record<string, unknown> | undefined> {
  const text = await tree.read('package.json')
  try {
    return text === undefined ? undefined : asRecord(JSON.parse(text))
  } catch {
    return undefined
  }
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
