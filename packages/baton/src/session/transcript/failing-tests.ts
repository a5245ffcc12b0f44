/** The names of the failing tests, by how a line is built: a mark of failure before or after a name, whatever program prints it. */
export function failingTests(output: string): string[] {
  const names = new Set<string>()
  let named: { name: string; indent: number } | undefined
  for (const line of output
    .slice(-MAX_OUTPUT)
    .replaceAll(/\x1b\[[0-9;]*m/g, '')
    .split(/\r?\n/)) {
    if (line.length > MAX_LINE) continue
    const indent = line.search(/\S/)
    const below = named !== undefined && indent > named.indent && MARK_ALONE.test(line)
    const name = below ? named?.name : nameIn(line)
    if (name !== undefined) names.add(name)
    const [, heading] = below ? [] : (HEADING.exec(line) ?? [])
    if (heading !== undefined) named = { name: heading, indent }
    if (names.size >= MAX_NAMES) break
  }
  return [...names].filter(name => ![...names].some(other => other !== name && other.endsWith(name)))
}

function nameIn(line: string): string | undefined {
  for (const form of [...FORMS, MARK_AT_END]) {
    const found = form === MARK_AT_END ? nameBeforeMark(line) : form.exec(line)?.[1]
    const name = found?.trim().replace(TIME, '').replace(/:$/, '').trim()
    if (name && /\p{L}/u.test(name) && !SUMMARY.test(name)) return name.slice(0, 300)
  }
  return undefined
}

/** A mark without a name: the test is the one whose heading is above, less indented. */
const MARK_ALONE = /^\s+\W{0,6}fail(?:ed|ure)?\b(?:\W|\s(?:message|at|in)\b|$)/i
const HEADING = /^\s*(?:[*•▶>-]\s+)?((?:test|should|it|spec)[\w ./:-]{2,200}|\w*[Tt]est\w*)\s*$/

const MAX_OUTPUT = 50_000
const MAX_LINE = 1000
const MAX_NAMES = 30

/** What follows such a mark without being a test: counts, and the end of a build. */
const SUMMARY =
  /^(?:\||\(?(?:failures|errors)=|\d+ (?:of|out|tests?|failed|passed)\b|(?:tests?|test files|suites?|results?|the following|there were|failures?|some tests|tests run|locally|with|process|command|script|step|job|>? ?task|build|execution)(?:[\s:.!]|$)|in [\d.]+ ?m?s\b)/i
const TIME = /\s*[([]?\s*(?:in )?\d+(?:\.\d+)?\s*(?:ms|s|sec|m)\s*[)\]]?\s*$/

const FORMS: readonly RegExp[] = [
  // pytest: what follows the name is the error.
  /^(?:FAILED|ERROR)\s+(\S+::\S+|\S+\.py\S*)/,
  // go, cargo, swift, TAP, ctest
  /^\s*--- FAIL: (\S+)/,
  /^test (\S.*?) \.\.\. FAILED/,
  /^Test Case '([^']+)' failed/,
  /^\s*not ok \d+ -? ?(.*?)(?:\s+#.*)?$/,
  /^\s*\d+ - (\S+) \(Failed\)/,
  // Unity, Ceedling: file, line, name, mark
  /^[^\s:][^:\n]{0,300}:\d{1,7}:([A-Za-z_]\w{0,200}):FAIL(?::|$)/,
  // maven
  /^\[ERROR\]\s+(\w[\w.$]*[.#]\w+)(?::\d+)?(?:\s|$)/,
  // unittest
  /^(?:FAIL|ERROR): (\S+ \([\w.]+\)|test\w+)/,
  // A mark, then perhaps its time or a label in brackets, then the name.
  /^\s*(?:\[\s*FAIL(?:ED|URE)?\s*\]|\bFAIL(?:ED)?:?|✗|✘|×|✖|❌|⨯|☓|🗴|🗙|❎|💥)\s+(?:\[[^\]]*\]:?\s+)?(\S.*)$/,
  /^\s*Failed (\S.*?) \[/,
  /^\s*●\s+(\S.*)$/,
  // mocha, rspec, phpunit, mix, playwright: a numbered list
  /^\s{0,4}\d{1,3}\) (\S.*)$/,
  /^rspec (\S+)/,
  // bun
  /^\(fail\) (.+?)(?: \[[\d.]{1,12} ?m?s\])?$/,
  // bazel
  /^(\/\/\S+)\s+FAILED\b/,
  // flutter, dart
  /^\d\d:\d\d [+\d -]+: (\S.*) \[E\]$/,
]

const MARK_AT_END =
  /(?<=[\s.|:([])(?:FAIL(?:ED|URE)?|✗|✘|✖|❌|failed)[)\]]?(?: (?:in )?[([]?[\d.]{1,12} ?m?s[)\]]?)? ?\|?$/

/** A name, then dots, a bar, a colon or a gap, and a mark; or a path of names with ">" before it. */
function nameBeforeMark(line: string): string | undefined {
  const end = line.trimEnd()
  const mark = MARK_AT_END.exec(end.slice(-60))
  if (!mark) return undefined
  const before = end.slice(0, end.length - Math.min(60, end.length) + mark.index)
  const name = before
    .trimEnd()
    .replace(/[.|:…([-]+$/, '')
    .trimEnd()
  const gap = before.length - name.length
  return gap >= 2 || name.includes(' > ') ? name.replace(/^[\s├└│─|'+-]+/, '') : undefined
}
