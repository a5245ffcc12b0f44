/**
 * Reads the end of a test run by the structure of its output, whatever program ran the tests: a summary is a line of counts and
 * of words that only summaries use. "maps 404 errors" is the name of a test, because of "maps".
 */
export interface TestReport {
  /** Undefined if no summary says how many failed. */
  failed: number | undefined
  passed: number | undefined
  /** Whether the output says in words that the run failed or succeeded. */
  verdict: 'passed' | 'failed' | undefined
  /** All numbers of its summaries. */
  numbers: number[]
}

const MAX_OUTPUT = 20_000
const MAX_LINE = 400
const MAX_NUMBERS = 100

export function readReport(output: string): TestReport {
  const report: TestReport = { failed: undefined, passed: undefined, verdict: undefined, numbers: [] }
  for (const line of plainLines(output)) {
    const counts = countsIn(line)
    if (counts) {
      report.failed = most(report.failed, counts.failed)
      report.passed = most(report.passed, counts.passed)
      if (report.numbers.length < MAX_NUMBERS)
        report.numbers.push(...(line.match(/\d{1,9}/g) ?? []).map(Number).slice(0, 20))
    }
    if (report.verdict !== 'failed') report.verdict = verdictOf(line) ?? report.verdict
  }
  return report
}

/** Whether the output reports tests at all: a quick test, then the whole one. */
export function isReport(output: string): boolean {
  const end = output.slice(-MAX_OUTPUT)
  if (!MAYBE.test(end)) return false
  const { failed, passed, verdict } = readReport(end)
  // A lone "ok" is the answer of any program.
  return (
    failed !== undefined ||
    passed !== undefined ||
    (verdict !== undefined && !/^\s*(?:ok|pass|fail)\W*$/i.test(end))
  )
}

const MAYBE =
  /\d\s+(?:\w+\s+){0,2}(?:pass|fail|ok\b|example|succe)|(?:pass|fail|succe|error)\w*\s*[:=]\s*\d|^\s*(?:not )?ok \d|\bFAILED in\b|\bOK \(|tests? (?:run|result)|^(?:PASS|FAIL|FAILED|OK)\b/im

const plainLines = (output: string): string[] =>
  output
    .slice(-MAX_OUTPUT)
    .replaceAll(/\x1b\[[0-9;]*m/g, '')
    .split(/\r?\n/)
    .filter(line => line.length <= MAX_LINE && line.trim() !== '')

/** How many tests failed and passed, as a line says it. */
export interface Counts {
  failed?: number
  passed?: number
}

/** Words next to a count. */
const COUNTED = {
  failed: /^(?:fail(?:ed|ing|ures?|s)?|errors?|errored|broken)$/,
  passed: /^(?:pass(?:ed|ing|es)?|succeeded|successes|ok|successful)$/,
}
/** All other words of a summary. */
const SUMMARY_WORDS: ReadonlySet<string> = new Set(
  'test tests tested testcases testsuites case cases file files suite suites spec specs example examples scenario scenarios step steps result results total ran run executed completed in out of and with skipped skip ignored pending todo measured filtered cancelled canceled duration time start at expected assertions assertion s ms m sec secs second seconds minutes finished took passed failed locally remotely flaky did not fails tasks task targets target build warnings warning snapshots summary x xfailed xpassed deselected rerun fail pass failed failures errors flakes inconclusive elapsed checks check were was is are the on all selected subtests modules packages no unexpected from thread threads retries retried info warn error'.split(
    ' ',
  ),
)

/** The counts of a summary line; undefined for any other line. */
export function countsIn(line: string): Counts | undefined {
  const tokens = line.toLowerCase().match(/[a-z]+|\d+(?:[.:,]\d+)*|[=:%#]/g) ?? []
  const words = tokens.filter(token => /^[a-z]/.test(token))
  const isCount = (word: string) => COUNTED.failed.test(word) || COUNTED.passed.test(word)
  if (!words.some(isCount) || !words.every(word => SUMMARY_WORDS.has(word) || isCount(word))) return undefined
  const counts: Counts = {}
  const add = (word: string, number: string | undefined) => {
    if (number === undefined || !/^\d{1,6}$/.test(number)) return
    const kind = COUNTED.failed.test(word) ? 'failed' : 'passed'
    counts[kind] = (counts[kind] ?? 0) + Number(number)
  }
  for (const [i, token] of tokens.entries()) {
    if (!isCount(token)) continue
    const [before, sign, after] = [tokens[i - 1], tokens[i + 1], tokens[i + 2]]
    // "# fail 1", "Failures: 1", "failures=1"; otherwise "1 failed", "1 test failed", "1 of 4 tests failed".
    if (sign === ':' || sign === '=') add(token, after)
    else if (tokens[i - 2] === '#' || before === '#') add(token, sign)
    else add(token, numberBefore(tokens, i))
  }
  return counts.failed === undefined && counts.passed === undefined ? undefined : counts
}

/** The number that a counted word belongs to: the last one before it that no other counted word took. */
function numberBefore(tokens: readonly string[], at: number): string | undefined {
  for (let i = at - 1; i >= Math.max(0, at - 5); i--) {
    const token = tokens[i] ?? ''
    if (/^\d/.test(token))
      return tokens[i - 1] === 'of' && /^\d/.test(tokens[i - 2] ?? '') ? tokens[i - 2] : token
    if (COUNTED.failed.test(token) || COUNTED.passed.test(token) || /^[=:%#]$/.test(token)) return undefined
  }
  return undefined
}

/** Lines that say nothing but how it ended, or how one test or package did. */
function verdictOf(line: string): TestReport['verdict'] {
  if (FAILED.test(line)) return 'failed'
  return PASSED.test(line) ? 'passed' : undefined
}
const FAILED =
  /^(?:FAIL|FAILED|FAILURES?!?|not ok)(?:\b|$)|^\s*not ok \d|^\s*--- FAIL: |^test \S+ \.\.\. FAILED|\bFAILED in [\d.]+s\b|^\[\s*FAILED\s*\]|^\[FAIL\]/i
const PASSED =
  /^(?:PASS|OK)(?:$|\s*\(|\s+\S+\s+[\d.]+m?s$)|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|^\s*ok \d+\b|\bPASSED in [\d.]+s\b|^\[\s*PASSED\s*\]|^All tests? pass(?:ed)?\b|^test result: ok\b/i

const most = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
