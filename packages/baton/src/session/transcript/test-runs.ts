import { isReport, readReport } from './test-report.ts'

export interface TestRun {
  command: string
  passed: boolean
  failing?: number
  passing?: number
  /** All numbers of its summary. */
  numbers?: number[]
  /** Equal for two runs that failed in the same way. */
  signature: string
}

const TEST_COMMAND =
  /(?:^|[\s;&|(])(?:(?:npm|yarn|pnpm|bun)\s+(?:run\s+)?(?:test|t)\b|(?:npx|pnpm\s+exec|yarn)?\s*(?:vitest|jest|mocha|ava|playwright\s+test|cypress\s+run)\b|(?:python3?\s+-m\s+)?(?:pytest|unittest|tox|nox)\b|go\s+test\b|cargo\s+(?:test|nextest)\b|(?:mvn|mvnw|\.\/mvnw|gradle|\.\/gradlew)\s+\S*\s*test\b|make\s+(?:-\S+\s+)*(?:test|check)\b|(?:bundle\s+exec\s+)?rspec\b|ctest\b|deno\s+test\b|dotnet\s+test\b|mix\s+test\b|phpunit\b|swift\s+test\b|bats\b|node\s+--test\b)/

/** Programs that only print what a file or a service holds: a report in their output is not a run. */
const PRINTS =
  /^\s*(?:(?:[A-Za-z_]\w*=\S*|sudo|time)\s+)*(?:cat|bat|head|tail|less|more|grep|rg|ag|sed|awk|jq|ls|find|echo|printf|git|gh|glab|curl|wget|diff|wc|sort|uniq|cut|xxd|strings|tee|cp|mv|rm|ps|ssh-keygen|kubectl logs|docker logs|journalctl|baton|claude|codex)\b/

/**
 * Reads the test result of a command. What ran the tests does not matter, if the output is a test report. Undefined if no test was
 * run, or if neither the exit code nor the output says how it ended.
 */
export function readTest(command: string, failed: boolean, response: unknown): TestRun | undefined {
  const known = TEST_COMMAND.test(command)
  if (!known && PRINTS.test(command)) return undefined
  const output = textOf(response)
  if (!known && !isReport(output)) return undefined
  const report = readReport(output)
  const failing = report.failed ?? (report.passed === undefined ? undefined : 0)
  const says = failing !== undefined && failing > 0 ? 'failed' : report.verdict
  // A pipe (`npm test | tail`) hides the exit code, so the output counts, too; without a word in it, the result is unknown.
  const hidden = HIDES_EXIT_CODE.test(withoutQuotes(command))
  if (!failed && hidden && says === undefined && failing === undefined && output.trim() !== '')
    return undefined
  const passed = !failed && says !== 'failed'
  const lines = output
    .split('\n')
    .filter(line =>
      /\bFAIL(?:ED|URE)?\b|✗|✘|×|^not ok|\bError:|\berror\b|panicked at|AssertionError/.test(line),
    )
    .slice(0, 60)
    .map(line =>
      line
        .replaceAll(/\x1b\[[0-9;]*m/g, '')
        .replaceAll(/\b\d+(?:\.\d+)?\s*m?s\b/g, '')
        .replaceAll(/0x[0-9a-f]+|\d+/gi, '0')
        .trim(),
    )
  return {
    command: command.replaceAll(/\s+/g, ' ').trim().slice(0, 80),
    passed,
    ...(failing === undefined ? {} : { failing }),
    ...(report.passed === undefined ? {} : { passing: report.passed }),
    ...(report.numbers.length > 0 ? { numbers: report.numbers } : {}),
    signature: passed ? 'passed' : `${failing ?? '?'}\n${[...new Set(lines)].sort().join('\n')}`,
  }
}

/** The exit code is that of the last part: `test | tail`, `test; true`, `test || true`. */
const HIDES_EXIT_CODE = /\||;|&\s*$/
const withoutQuotes = (command: string): string => command.slice(0, 4000).replaceAll(/'[^']*'|"[^"]*"/g, '')

/** The text of a tool's response; only its end if it is long. */
export function textOf(response: unknown): string {
  if (typeof response === 'string') return response.slice(-MAX_LENGTH)
  if (typeof response !== 'object' || response === null) return ''
  const parts = ['stdout', 'stderr', 'output', 'content', 'text', 'error'].flatMap(key => {
    const part: unknown = Reflect.get(response, key)
    return typeof part === 'string' ? part : []
  })
  return parts.join('\n').slice(-MAX_LENGTH)
}

const MAX_LENGTH = 50_000
