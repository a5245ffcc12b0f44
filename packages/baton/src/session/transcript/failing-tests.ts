/** The names of the failing tests, as the common test runners print them. */
export function failingTests(output: string): string[] {
  const names = new Set<string>()
  for (const line of output
    .slice(-MAX_OUTPUT)
    .replaceAll(/\x1b\[[0-9;]*m/g, '')
    .split('\n')) {
    if (line.length > MAX_LINE) continue
    for (const form of FORMS) {
      const name = form.exec(line)?.[1]?.trim()
      if (name && !SUMMARY.test(name)) names.add(name.slice(0, 300))
    }
    if (names.size >= MAX_NAMES) break
  }
  return [...names].filter(name => ![...names].some(other => other !== name && other.endsWith(name)))
}

const MAX_OUTPUT = 50_000
const MAX_LINE = 1000
const MAX_NAMES = 30

const SUMMARY = /^(?:\d+ (?:of|tests?|failed|passed)|tests?|test files|suites?|result)(?: |$)/i

const FORMS: readonly RegExp[] = [
  // vitest, jest
  /^\s*(?:FAIL|✗|✘|×|✖)\s+(\S.*?)(?:\s+\(?\d+(?:\.\d+)?\s*m?s\)?)?\s*$/,
  /^\s*●\s+(\S.*)$/,
  // pytest
  /^(?:FAILED|ERROR)\s+(\S+::\S+|\S+\.py\S*)/,
  // go
  /^\s*--- FAIL: (\S+)/,
  // cargo
  /^test (\S+) \.\.\. FAILED/,
  // TAP, node --test
  /^\s*not ok \d+ -? ?(.*?)(?:\s+#.*)?$/,
  // mocha, rspec, phpunit, mix
  /^\s{0,4}\d{1,3}\) (\S.*)$/,
  /^rspec (\S+)/,
  // bazel
  /^(\/\/\S+)\s+FAILED/,
  // gradle, junit
  /^(\S.*? > \S.*?) FAILED$/,
  /^\[ERROR\]\s+(\w[\w.$]*(?:\.|:)\w+)(?::\d+)?\b/,
  // dotnet, swift, ctest
  /^\s*Failed (\S+) \[/,
  /^Test Case '([^']+)' failed/,
  /^\s*\d+ - (\S+) \(Failed\)/,
]
