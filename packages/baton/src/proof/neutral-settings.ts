/**
 * The settings of a test runner, or a script that it runs, without what cannot make a test pass: comments, built-in reporters,
 * thresholds of coverage (lower ones are a finding of their own) and, in a conftest.py, fixtures that only run when a test asks.
 */
export function withoutNeutral(path: string, text: string): string {
  const lines = text.split('\n').map(line => line.trimEnd())
  if (path.endsWith('.py')) return withoutFixtures(lines)
  const isCode = /\.[cm]?[jt]sx?$/.test(path)
  const kept = lines.filter(
    (line, n) => line !== '' && !(isCode ? /^\s*\/\//.test(line) : n > 0 && /^\s*#/.test(line)),
  )
  const rest = withoutThresholds(kept.join('\n'))
  return isCode
    ? rest
        .replaceAll(
          /^\s*reporters?\s*:\s*(?:\[(?:\s*['"][a-z-]{1,40}['"]\s*,?){1,20}\s*\]|['"][a-z-]{1,40}['"])\s*,?\n/gm,
          '',
        )
        .replaceAll(/^\s*\/\*[^*\n]{0,500}\*\/$/gm, '')
    : rest
}

/** Numbers of coverage do not say which tests run. */
export const withoutThresholds = (text: string): string =>
  text.replaceAll(
    /\b(lines|branches|functions|statements|fail_under)\b(["']?\s*[:=]\s*)\d+(?:\.\d+)?/g,
    '$1$20',
  )

/** Fixtures that apply to every test (`autouse`) stay. */
function withoutFixtures(lines: readonly string[]): string {
  const kept: string[] = []
  let isFixture = false
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '' || /^\s*#/.test(line)) continue
    if (/^@pytest\.fixture(?:\((?:scope=['"]\w+['"])?\))?$/.test(line)) isFixture = true
    else if (isFixture && /^(?:async\s+)?def\s+\w+/.test(line) && /^@pytest/.test(lines[n - 1] ?? ''))
      continue
    else if (/^\S/.test(line)) isFixture = false
    if (!isFixture && !/^(?:import\s+\w+|from\s+[\w.]+\s+import\s+[\w, ]+)$/.test(line)) kept.push(line)
  }
  return kept.join('\n')
}
