/**
 * The small subset of markdown that handoff documents need. Reading returns exactly what was written: content never starts
 * a line with structural markup, because points are indented and free text is escaped.
 */

export interface Block {
  level: number
  heading: string
  lines: string[]
}

/** Splits a document at its headings; the first block has none. Headings count only at the left edge and outside fences. */
export function splitBlocks(text: string): Block[] {
  const blocks: Block[] = [{ level: 0, heading: '', lines: [] }]
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const mark = /^ ?(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
    } else if (mark) fence = mark
    const [, hashes, heading] = fence === undefined && !mark ? (/^ ?(#{1,6})\s+(.*)$/.exec(line) ?? []) : []
    if (hashes && heading !== undefined) blocks.push({ level: hashes.length, heading, lines: [] })
    else blocks.at(-1)?.lines.push(line)
  }
  return blocks
}

/** Writes a list; an empty one becomes "- None". */
export function writePoints(points: readonly string[], ordered = false): string[] {
  if (points.length === 0) return ['- None']
  return points.flatMap((point, i) => writePoint(ordered ? `${i + 1}. ` : '- ', point))
}

export function writePoint(marker: string, point: string): string[] {
  const [first = '', ...rest] = point.split('\n')
  return [marker + first, ...rest.map(line => (line === '' ? '' : ' '.repeat(marker.length) + line))]
}

export interface Point {
  text: string
  /** Whether its checkbox is ticked; undefined without a checkbox. */
  box: boolean | undefined
  /** The line has no bullet. */
  bare: boolean
}

const MARKER = /^(\s*)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)(.*)$/

/** Reads the points of a list, even a sloppily written one. */
export function readPoints(lines: readonly string[], { boxes = false } = {}): Point[] {
  const points: { lines: string[]; bare: boolean; width: number }[] = []
  let base: number | undefined
  let blanks = 0
  for (const line of lines) {
    if (line.trim() === '') {
      blanks++
      continue
    }
    const current = points.at(-1)
    const [, indent = '', marker = '', rest = ''] = MARKER.exec(line) ?? []
    const begins = marker !== '' && indent.length <= (base ?? indent.length) + 1
    const own = /^\s*/.exec(line)?.[0].length ?? 0
    if (begins) {
      base ??= indent.length
      points.push({ lines: [rest], bare: false, width: indent.length + marker.length + 1 })
    } else if (current && (own > (base ?? 0) + 1 || blanks === 0))
      current.lines.push(...Array<string>(blanks).fill(''), outdent(line, current.width))
    else points.push({ lines: [line.trim()], bare: true, width: 0 })
    blanks = 0
  }
  return points.map(({ lines: [first = '', ...rest], bare }) => {
    const [, tick, text] = boxes && !bare ? (/^\[([ xX])\](?: (.*))?$/.exec(first) ?? []) : []
    const box = tick === undefined ? undefined : tick !== ' '
    return { text: [box === undefined ? first : (text ?? ''), ...rest].join('\n'), box, bare }
  })
}

const STRUCTURE = /^ ?(?:\\[\\#`~]|#|```|~~~)/

export const writeText = (text: string): string[] =>
  text.split('\n').map(line => (STRUCTURE.test(line) ? line.replace(/^ ?/, '$&\\') : line))

export const readText = (lines: readonly string[]): string =>
  lines
    .map(line => line.replace(/^( ?)\\(?=[\\#`~])/, '$1'))
    .join('\n')
    .trim()

function outdent(line: string, width: number): string {
  const spaces = /^ */.exec(line)?.[0].length ?? 0
  if (spaces === 0 && line.startsWith('\t')) return line.slice(1)
  return line.slice(Math.min(spaces, width))
}
