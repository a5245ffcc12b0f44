import { readYaml } from './ci-commands.ts'
import { calledScripts, readScripts, type Scripts, SEPARATORS, textsOfScript } from './package-scripts.ts'

/** One changed file before and after the work; undefined where it does not exist. */
export interface FileChange {
  path: string
  before: string | undefined
  after: string | undefined
}

export const isCi = (path: string): boolean =>
  /^\.github\/workflows\/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$|^\.circleci\/config\.yml$|^azure-pipelines\.yml$/.test(
    path,
  )

/**
 * How the changes of the files of CI make it weaker. What moves to another of them is not gone. `manifest` is the package.json
 * whose scripts CI calls: another script in place of `npm test`, or another text of that script, may test less.
 */
export function findWeakerCi(changes: readonly FileChange[], manifest?: FileChange | undefined): string[] {
  const [scriptsBefore, scriptsNow] = [readScripts(manifest?.before), readScripts(manifest?.after)]
  const now = changes
    .flatMap(({ after }) => commandsIn(after))
    .slice(0, MAX_COMMANDS)
    .flatMap(command => expanded(command, scriptsNow))
  const steps = (side: 'before' | 'after') =>
    changes.reduce((total, change) => total + count(change[side], STEP), 0)
  const isFewer = steps('after') < steps('before')
  return changes.flatMap(({ path, before, after }) => {
    if (before === undefined) return []
    const gone = commandsIn(before)
      .filter(command => TESTS.test(command))
      .slice(0, MAX_COMMANDS)
      .find(command =>
        testsAmong(expanded(command, scriptsBefore)).some(each => !now.some(other => stillRuns(each, other))),
      )
    const lost = isFewer && count(after, STEP) < count(before, STEP)
    return [
      ...(lost ? [`steps of CI removed in ${path}`] : []),
      ...(!lost && gone !== undefined ? [`CI no longer runs "${gone.slice(0, 80)}" (${path})`] : []),
      ...(count(after, LENIENT) > count(before, LENIENT) ? [`failures of CI ignored in ${path}`] : []),
    ]
  })
}

const STEP = /^\s*(?:-\s+)?(?:run|uses|script)\s*:/gm
const LENIENT =
  /\|\|\s*(?:true|:)(?=\s|$)|continue-on-error:\s*true|allow_failure:\s*true|\bif:\s*(?:false|\$\{\{\s*false)|\bexit 0\b/gm
const count = (text: string | undefined, pattern: RegExp): number => text?.match(pattern)?.length ?? 0

const MAX_COMMANDS = 500
const MAX_TEXT = 500_000
const MAX_DEPTH = 12

/** Words of commands that test or check something, also as a part of a name such as `run-tests.sh`. */
const TESTS =
  /(?<![a-z0-9])(?:tests?|e2e|specs?|rspec|pytest|vitest|jest|mocha|playwright|cypress|phpunit|ctest|tox|nox|lint|checks?|typecheck|tsc|vet|clippy|unittest|exit-code-from|abort-on-container-exit)(?![a-z0-9])/i
/** Commands that test nothing, whatever their arguments are, and installations. */
const TESTS_NOTHING =
  /^(?:sudo\s+)?(?:(?:echo|printf|mkdir|cp|mv|rm|cat|ls|cd|git|export|touch|chmod|tar|curl|wget|sleep|true|false|if|then|else|for|do)\b|[:[]|test\s+-|(?:\S+\s+){1,3}?(?:install|add)\b)/
/** Options with which a command that tests does less. */
const DOES_LESS =
  /\s(?:--(?:dry-run|collect-only|help|version|passWithNoTests|if-present|exit-zero|no-run|list)|-DskipTests)\b/

/** The commands in the values of `run`, `script` and their like. */
function commandsIn(text: string | undefined): string[] {
  if (text === undefined || text.length > MAX_TEXT) return []
  return scriptsIn(readYaml(text), MAX_DEPTH)
    .flatMap(script => script.replaceAll(/\\\n/g, ' ').split('\n'))
    .map(line => line.replace(/(?:^|\s)#.*$/, ''))
    .flatMap(line => (line.split('||')[0] ?? '').split(/&&|[;|]/))
    .map(command => command.trim().slice(0, 500))
    .filter(command => command !== '' && !TESTS_NOTHING.test(command))
}

function scriptsIn(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth === 0) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(SCRIPT_KEY.test(key) ? [inner].flat(2).filter(each => typeof each === 'string') : []),
    ...scriptsIn(inner, depth - 1),
  ])
}

/** GitHub, GitLab, CircleCI and Azure. */
const SCRIPT_KEY = /^(?:run|script|before_script|after_script|command|bash|pwsh)$/

interface Command {
  command: string
  /** What makes a command what it is; another package manager is not another command. */
  words: ReadonlySet<string>
}

/** The command, or what the scripts of package.json that it calls run. */
function expanded(command: string, scripts: Scripts): Command[] {
  const called = calledScripts(command, scripts)
  if (called.length === 0) return [withWords(command)]
  return (
    called
      .flatMap(name => textsOfScript(name, scripts))
      .flatMap(text => text.split(SEPARATORS))
      .map(part => part.trim().slice(0, 500))
      // The commands of a called script are there themselves.
      .filter(part => part !== '' && !TESTS_NOTHING.test(part) && calledScripts(part, scripts).length === 0)
      .slice(0, MAX_COMMANDS)
      .map(withWords)
  )
}

/** Of what scripts run, the commands that test: others, such as a build, may change. All, if none looks like a test. */
function testsAmong(commands: Command[]): Command[] {
  const tests = commands.filter(({ command }) => TESTS.test(command))
  return tests.length > 0 ? tests : commands
}

function withWords(command: string): Command {
  const words = command.split(/[\s=,"']+/).map(word => ALIKE.get(word) ?? word.replace(/\/$/, ''))
  return { command, words: new Set(words.filter(word => word !== '')) }
}

/** Whether a command is still there, with at least the same words. */
const stillRuns = ({ command, words }: Command, now: Command): boolean =>
  command === now.command || (!DOES_LESS.test(now.command) && [...words].every(word => now.words.has(word)))

const ALIKE = new Map([
  ...['run', '--', 'exec'].map(word => [word, ''] as const),
  ...['pnpm', 'yarn', 'bun'].map(word => [word, 'npm'] as const),
  ...['uv', 'pipenv', 'hatch'].map(word => [word, 'poetry'] as const),
  ['python', 'python3'],
])
