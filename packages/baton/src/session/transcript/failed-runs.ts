/** A test run with its output. */
export interface RunOutput<Seen> {
  command: string
  output: string
  seen: Seen
}

/** The test runs that failed and that no later run repeated: a run of other tests says nothing about them. */
export class FailedRuns<Seen extends { passed: boolean }> {
  #runs: RunOutput<Seen>[] = []

  /** Oldest first. */
  get runs(): readonly RunOutput<Seen>[] {
    return this.#runs
  }

  add(run: RunOutput<Seen>): void {
    this.#runs = this.#runs.filter(earlier => !repeats(run, earlier)).slice(-MAX_RUNS)
    if (!run.seen.passed) this.#runs.push(run)
  }
}

const MAX_RUNS = 20

/** Whether the later run includes the tests of the earlier one. */
function repeats(
  later: { command: string; output: string },
  earlier: { command: string; output: string },
): boolean {
  if (later.command === earlier.command) return true
  const [named, before] = [selectorsOf(later.command), selectorsOf(earlier.command)]
  // A run of everything; another test program runs other tests.
  if (named.length === 0)
    return runnerOf(later.command) === runnerOf(earlier.command) || GENERIC.test(later.command)
  const includes = (selector: string) => named.some(each => coversPath(each, selector))
  return before.length > 0
    ? before.every(includes)
    : named.some(each => earlier.output.slice(-MAX_SEARCHED).includes(each))
}

const MAX_SEARCHED = 50_000

/** What a command selects: paths, names behind options for a filter. */
export function selectorsOf(command: string): string[] {
  const words = command.slice(0, 1000).split(/\s+/)
  return words.flatMap((word, i) => {
    const plain = word.replace(/^["']|["']$/g, '')
    const option =
      /^(?:-t|-k|-run|--run|--filter|--grep|-g|--testNamePattern|--tests|-Dtest)(?:=(.+))?$/.exec(plain)
    if (option) return option[1] ?? words[i + 1]?.replace(/^["']|["']$/g, '') ?? []
    if (/^[-/~]|=|^\.\/[^/]*$|^\.{1,3}$|^\.\/\.\.\.$/.test(plain) || i === 0) return []
    return /\w\/\w|\w\/$|::|\/\.\.\.$|\w\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|java|kt|ex|exs|dart|swift|c|cc|cpp|cs)$/.test(
      plain,
    )
      ? plain.replace(/^\.\//, '')
      : []
  })
}

const coversPath = (wide: string, narrow: string): boolean => {
  const folder = wide.replace(/\/?(?:\.\.\.)?$/, '')
  return narrow === wide || narrow.startsWith(`${folder}/`) || narrow.startsWith(`${wide}::`)
}

const runnerOf = (command: string): string =>
  /\b(?:vitest|jest|mocha|ava|playwright|cypress|pytest|unittest|tox|nox|go test|cargo|mvnw?|gradlew?|rspec|ctest|deno|dotnet|mix|phpunit|swift|bats|bun)\b/.exec(
    command,
  )?.[0] ??
  command.split(/\s+/)[0] ??
  ''
/** Scripts of a project run whatever tests it has. */
const GENERIC = /^(?:npm|yarn|pnpm|make|just|task|bazel)\b|^(?:ba|z)?sh\s|^\.\//
