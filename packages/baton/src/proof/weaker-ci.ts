import type { FileChange } from '../ports/compare-tests.ts'
import { type Callees, type CiCommand, callees, commandsIn, partsIn, runBy } from './ci-scripts.ts'

/**
 * How the changes of the files of CI make it weaker. What moves to another of them is not gone. `called` are changed files that
 * CI may call, such as package.json, a Makefile or a shell script: they may test less, or hide that a test failed.
 */
export function findWeakerCi(changes: readonly FileChange[], called: readonly FileChange[] = []): string[] {
  const sideOf = (side: 'before' | 'after') => callees(called.map(file => [file.path, file[side]]))
  const [filesBefore, filesNow] = [sideOf('before'), sideOf('after')]
  const now = changes.flatMap(({ after }) => commandsIn(after)).slice(0, MAX_COMMANDS)
  const runs = runBy(now, filesNow).map(withWords)
  const steps = (side: 'before' | 'after') =>
    changes.reduce((total, change) => total + count(change[side], STEP), 0)
  const isFewer = steps('after') < steps('before') && !onlyJoined(changes)
  const ofCi = changes.flatMap(({ path, before, after }) => {
    if (before === undefined) return []
    const { gone, ignored } = lostTests(commandsIn(before), filesBefore, runs)
    const lost = isFewer && count(after, STEP) < count(before, STEP)
    const isLenient = newlyLenient(before, after)
    return [
      ...(lost ? [`steps of CI removed in ${path}`] : []),
      ...(!lost && gone !== undefined ? [`CI no longer runs "${gone.slice(0, 80)}" (${path})`] : []),
      ...(isLenient ? [`failures of CI ignored in ${path}`] : []),
      ...(!lost && gone === undefined && !isLenient && ignored !== undefined
        ? [`CI ignores failures of "${ignored.slice(0, 80)}" (${path})`]
        : []),
    ]
  })
  return ofCi.length > 0 ? ofCi : weakerTargets(filesBefore, filesNow)
}

/** Targets of the Makefile with which people test. */
function weakerTargets(before: Callees, now: Callees): string[] {
  return MAKE_TARGETS.filter(name => before.rules.has(name)).flatMap(name => {
    const command = { command: `make ${name}`, decides: true }
    const { gone, ignored } = lostTests([command], before, runBy([command], now).map(withWords))
    if (gone !== undefined) return [`${gone} no longer runs what it ran`]
    return ignored === undefined ? [] : [`${ignored} ignores failures`]
  })
}

/** The first command that tests and is not run any more, and the first whose failures no longer count. */
function lostTests(
  commands: readonly CiCommand[],
  files: Callees,
  runs: readonly Command[],
): { gone: string | undefined; ignored: string | undefined } {
  const tests = commands
    .filter(({ decides }) => decides)
    .slice(0, MAX_COMMANDS)
    .map(each => ({ command: each.command, runs: runBy([each], files).map(withWords) }))
    .filter(({ command, runs }) => [command, ...runs.map(run => run.command)].some(text => TESTS.test(text)))
    .map(({ command, runs }) => ({ command, runs: testsAmong(runs) }))
  const without = (isSame: (was: Command, is: Command) => boolean) =>
    tests.find(test =>
      test.runs.some(was => was.decides && !runs.some(is => stillRuns(was, is) && isSame(was, is))),
    )
  return {
    gone: without(() => true)?.command,
    // What Baton cannot read counts only if that was so before.
    ignored: without((was, is) => is.decides && (is.unread === undefined || is.unread === was.unread))
      ?.command,
  }
}

/** Whether files do all that they did, as often and under the same conditions: then steps were only joined. */
function onlyJoined(changes: readonly FileChange[]): boolean {
  const before = changes.map(change => partsIn(change.before))
  const now = changes.flatMap(change => partsIn(change.after) ?? [])
  return before.every(parts => parts !== undefined) && areAmong(before.flat(), now)
}

/** Whether each part is there as often as before. */
function areAmong(before: readonly string[], now: readonly string[]): boolean {
  const left = new Map<string, number>()
  for (const part of now) left.set(part, (left.get(part) ?? 0) + 1)
  return before.every(part => {
    const times = left.get(part) ?? 0
    left.set(part, times - 1)
    return times > 0
  })
}

/** Whether CI ignores more failures. A new command that tests nothing may fail. */
function newlyLenient(before: string, after: string | undefined): boolean {
  const known = new Set(before.split('\n').map(withoutAlternative))
  const counted = (after ?? '')
    .split('\n')
    .filter(
      line =>
        !/\|\|\s{0,50}(?:true|:)\s{0,50}$/.test(line) ||
        TESTS.test(line) ||
        known.has(withoutAlternative(line)),
    )
  return count(counted.join('\n'), LENIENT) > count(before, LENIENT)
}

const withoutAlternative = (line: string): string => (line.split('||')[0] ?? '').trim()
const MAKE_TARGETS = ['test', 'check', 'lint']

const STEP = /^[ \t]*(?:-\s{1,50})?(?:run|uses|script)\s{0,50}:/gm
const LENIENT =
  /\|\|\s{0,50}(?:true|:)(?=\s|$)|continue-on-error:\s{0,50}true|allow_failure:\s{0,50}true|\bif:\s{0,50}(?:false|\$\{\{\s{0,50}false)|\bexit 0\b/gm
const count = (text: string | undefined, pattern: RegExp): number => text?.match(pattern)?.length ?? 0

const MAX_COMMANDS = 500

/** Words of commands that test or check something, also as a part of a name such as `run-tests.sh`. */
const TESTS = new RegExp(
  `(?<![a-z0-9])(?:${[
    ...[
      'tests?',
      'e2e',
      'specs?',
      'checks?',
      'lint',
      'typecheck',
      'exit-code-from',
      'abort-on-container-exit',
    ],
    ...[
      'rspec',
      'pytest',
      'unittest',
      'vitest',
      'jest',
      'mocha',
      'playwright',
      'cypress',
      'phpunit',
      'ctest',
    ],
    ...[
      'tox',
      'nox',
      'tsc',
      'vue-tsc',
      'tsgo',
      'vet',
      'clippy',
      'eslint',
      'oxlint',
      'stylelint',
      'biome',
      'xo',
    ],
    ...['ruff', 'mypy', 'pyright', 'basedpyright', 'flake8', 'pylint', 'bandit', 'staticcheck', 'rubocop'],
    ...['phpstan', 'psalm', 'ktlint', 'detekt', 'shellcheck', 'actionlint', 'hadolint', 'yamllint', 'knip'],
  ].join('|')})(?![a-z0-9])`,
  'i',
)
/** Options with which a command that tests does less. */
const DOES_LESS =
  /\s(?:--(?:dry-run|collect-only|help|version|passWithNoTests|if-present|exit-zero|no-run|list)|-DskipTests)\b/

interface Command extends CiCommand {
  /** What makes a command what it is; another package manager is not another command. */
  words: ReadonlySet<string>
  /** With options by which it does not test. */
  doesLess: boolean
}

/** Of what scripts run, the commands that test: others, such as a build, may change. All, if none looks like a test. */
function testsAmong(commands: Command[]): Command[] {
  const tests = commands.filter(({ command }) => TESTS.test(command))
  return tests.length > 0 ? tests : commands
}

function withWords(each: CiCommand): Command {
  const words = each.command.split(/[\s=,"']+/).map(word => ALIKE.get(word) ?? word.replace(/\/$/, ''))
  return {
    ...each,
    words: new Set(words.filter(word => word !== '')),
    doesLess: DOES_LESS.test(each.command),
  }
}

/** Whether a command is still there, with at least the same words. */
const stillRuns = ({ command, words }: Command, now: Command): boolean =>
  command === now.command ||
  (!now.doesLess &&
    [...words].every(word => now.words.has(word)) &&
    ![...now.words].some(word => !words.has(word) && narrows(word, now.command)))

const ALIKE = new Map([
  ...['run', '--', 'exec'].map(word => [word, ''] as const),
  ...['pnpm', 'yarn', 'bun'].map(word => [word, 'npm'] as const),
  ...['uv', 'pipenv', 'hatch'].map(word => [word, 'poetry'] as const),
  ['python', 'python3'],
])

/** Whether a command that tests does fewer of the tests with this option, or fails less often. */
export const narrows = (option: string, command: string): boolean =>
  NARROWS.test(option) ||
  OF_TOOLS.some(each => each.option === option && each.tool.test(command) && !each.not?.test(command))

const NARROWS =
  /^(?:-(?:run|skip|short)|--(?:deselect|ignore|ignore-glob|exclude|skip|only|filter|grep|fgrep|invert|last-failed|lf|testNamePattern|testPathPatterns?|testPathIgnorePatterns|test-name-pattern|test-skip-pattern|passWithNoTests|exit-zero|reruns|retries|retry|onlyChanged|changed|related|shard|force-exit|warn-only|ignore-pattern|lib|doc|bin)(?:=.*)?)$/
/**
 * What means something else to other tools: `-k` is `--keep-going` to make, `-x` leaves a task out in Gradle, `-p` names a
 * package to Cargo, a plugin to pytest and a project to tsc.
 */
const OF_TOOLS: readonly { option: string; tool: RegExp; not?: RegExp }[] = [
  { option: '-k', tool: /./, not: /(?:^|[\s/])(?:g?make|ninja|bazel)\b/ },
  { option: '-x', tool: /(?:^|[\s/])gradlew?\b/ },
  // `python -m pytest` runs a module.
  { option: '-m', tool: /\b(?:pytest|py\.test)\b/, not: /\bpython3?\b/ },
  { option: '-p', tool: /(?:^|[\s/])cargo\b|\b(?:pytest|py\.test)\b/ },
  { option: '--quiet', tool: /(?:^|[\s/])eslint\b/ },
]
