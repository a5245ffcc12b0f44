/**
 * The settings of a test runner, or a script that it runs, without what cannot make a test pass: comments, reporters that are part
 * of the runner, and thresholds of coverage (lower ones are a finding of their own). Everything else decides whether tests count,
 * also what a conftest.py imports or defines: its hooks can make every test pass.
 */
export function withoutNeutral(path: string, text: string): string {
  const isCode = /\.[cm]?[jt]sx?$/.test(path)
  const lines = text.split('\n')
  const kept = lines.filter((line, n) => {
    // What runs a script; in Python, the second line may name its encoding.
    if (n < (path.endsWith('.py') ? 2 : 1)) return true
    const shown = line.trim()
    // After a backslash, an empty line or a comment ends a command.
    if ((lines[n - 1] ?? '').trimEnd().endsWith('\\')) return true
    return !(
      shown === '' || (isCode ? isNeutralComment(shown) || isReporters(path, shown) : shown[0] === '#')
    )
  })
  const rest = kept.join('\n')
  return isCoverage(path) ? withoutThresholds(rest) : rest
}

/** Inside a longer comment or a template, a line that looks like a comment may end it, or compute something. */
const isNeutralComment = (line: string): boolean => line.startsWith('//') && !/\*\/|`|\$\{/.test(line)

/** Reporters by the names of settings: under any other name, a reporter is a package, which is code. */
const REPORTERS: readonly { file: RegExp; names: ReadonlySet<string> }[] = [
  {
    file: /(?:^|\/)vite(?:st)?\.[^/]*$/,
    names: new Set([
      'default',
      'verbose',
      'dot',
      'json',
      'tap',
      'tap-flat',
      'junit',
      'html',
      'github-actions',
    ]),
  },
  { file: /(?:^|\/)jest\.[^/]*$/, names: new Set(['default', 'github-actions', 'summary']) },
  {
    file: /(?:^|\/)playwright\.[^/]*$/,
    names: new Set(['list', 'line', 'dot', 'html', 'json', 'junit', 'blob', 'github']),
  },
]

/** `reporters: ['default'],` on a line of its own. */
function isReporters(path: string, line: string): boolean {
  const list = /^reporters?: (\[[^[\]]{1,500}\]|'[^']{1,40}'),$/.exec(line)?.[1]
  const known = list === undefined ? undefined : REPORTERS.find(({ file }) => file.test(path))?.names
  return (
    known !== undefined &&
    (list ?? '')
      .replaceAll(/^\[|\]$/g, '')
      .split(',')
      .map(part => /^(['"])([a-z-]{1,40})\1$/.exec(part.trim())?.[2])
      .every(name => name !== undefined && known.has(name))
  )
}

/** Settings that may say how much of the code tests must cover. */
export const isCoverage = (path: string): boolean =>
  /(^|\/)(?:(?:vitest|vite|jest|karma)\.config\.[cm]?[jt]s|package\.json|\.(?:nycrc|c8rc)(?:\.json|\.ya?ml)?|\.coveragerc|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.?codecov\.ya?ml)$/.test(
    path,
  )

/** Numbers of coverage do not say which tests run. */
export const withoutThresholds = (text: string): string =>
  text.replaceAll(
    /\b(lines|branches|functions|statements|fail_under)\b(["']?\s{0,50}[:=]\s{0,50})\d{1,20}(?:\.\d{1,20})?/g,
    '$1$20',
  )
