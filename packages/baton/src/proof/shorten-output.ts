const MAX_BYTES = 6000
const MAX_LINE = 300
const LAST_LINES = 25
const AROUND = 14

/** A place in a file: what an agent needs first. */
const PLACE =
  /(?:^|[\s("'[])((?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*\.\w{1,8}):(\d{1,6})(?::\d{1,5})?\b|File "([^"\n]{1,300})", line (\d+)/
const ERROR =
  /\b(?:error|failed|failure|exception|assert\w*|panic(?:ked)?|traceback|not ok|expected|fatal)\b|✗|✘|×|✖|^E {2,}|^FAIL/i

/** The parts of a check's output that matter: the first error with its surroundings, places in files, and the last lines. */
export function shortenOutput(output: string): string {
  const lines = clean(output)
  if (lines.length <= LAST_LINES + AROUND) return fit(lines)
  const first = lines.findIndex(line => ERROR.test(line))
  const lastFrom = lines.length - LAST_LINES
  if (first < 0 || first >= lastFrom) return fit([gap(lastFrom), ...lines.slice(lastFrom)])
  const from = Math.max(0, first - 2)
  const to = Math.min(first + AROUND, lastFrom)
  // Nothing worth leaving out.
  if (lastFrom - to <= 3) return fit([...(from > 0 ? [gap(from)] : []), ...lines.slice(from)])
  const places = [...new Set(lines.slice(to, lastFrom).filter(line => PLACE.test(line)))].slice(0, 8)
  return fit([
    ...(from > 0 ? [gap(from)] : []),
    ...lines.slice(from, to),
    ...(places.length > 0 ? ['…', ...places] : []),
    gap(lastFrom - to - places.length),
    ...lines.slice(lastFrom),
  ])
}

function clean(output: string): string[] {
  const lines = output
    // Colors and other terminal sequences.
    .replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, '')
    .split(/\r?\n/)
    // A progress line that was overwritten shows its last state.
    .map(line =>
      line
        .slice(line.lastIndexOf('\r') + 1)
        .replaceAll(/[\p{Cc}]/gu, ' ')
        .trimEnd(),
    )
    .map(line => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line))
  return lines.filter((line, at) => line !== '' || (lines[at - 1] ?? '') !== '')
}

const gap = (count: number): string => `… ${count} lines …`

function fit(lines: readonly string[]): string {
  const text = lines.join('\n').trim()
  return text.length <= MAX_BYTES ? text : `${text.slice(0, MAX_BYTES / 2)}\n…\n${text.slice(-MAX_BYTES / 2)}`
}
