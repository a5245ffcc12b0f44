export interface TestRun {
  command: string
  passed: boolean
  failing?: number
  /** Equal for two runs that failed in the same way. */
  signature: string
}

const TEST_COMMAND =
  /(?:^|[\s;&|(])(?:(?:npm|yarn|pnpm|bun)\s+(?:run\s+)?(?:test|t)\b|(?:npx|pnpm\s+exec|yarn)?\s*(?:vitest|jest|mocha|ava|playwright\s+test|cypress\s+run)\b|(?:python3?\s+-m\s+)?(?:pytest|unittest|tox|nox)\b|go\s+test\b|cargo\s+(?:test|nextest)\b|(?:mvn|mvnw|\.\/mvnw|gradle|\.\/gradlew)\s+\S*\s*test\b|make\s+(?:-\S+\s+)*(?:test|check)\b|(?:bundle\s+exec\s+)?rspec\b|ctest\b|deno\s+test\b|dotnet\s+test\b|mix\s+test\b|phpunit\b|swift\s+test\b|bats\b|node\s+--test\b)/

/** Reads the test result from a command's output, if the command ran tests. */
export function readTest(command: string, failed: boolean, response: unknown): TestRun | undefined {
  if (!TEST_COMMAND.test(command)) return undefined
  const output = textOf(response)
  const failing = failingIn(output)
  // A pipe (`npm test | tail`) hides the exit code, so the output counts, too.
  const passed =
    !failed && !(failing !== undefined && failing > 0) && !/^(?:FAIL|FAILED|not ok)\b/m.test(output)
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
    signature: passed ? 'passed' : `${failing ?? '?'}\n${[...new Set(lines)].sort().join('\n')}`,
  }
}

function failingIn(output: string): number | undefined {
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, '')
  const counts = [
    ...plain.matchAll(/\b(\d{1,6})\s+(?:tests?\s+)?(?:failed|failing|failures?|errors?)\b/gi),
  ].map(match => Number(match[1]))
  const tap = /^# fail (\d{1,6})$/m.exec(plain)?.[1]
  if (tap !== undefined) counts.push(Number(tap))
  return counts.length > 0 ? Math.max(...counts) : undefined
}

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
