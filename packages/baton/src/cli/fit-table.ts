import { type Io, paint } from './io.ts'
import { fitLines, widthOf, wrapWords } from './wrap-words.ts'

type Style = Parameters<ReturnType<typeof paint>>[0]
export interface Cell {
  text: string
  style?: Style
}
export interface Column<Row> {
  head?: string
  /** On a narrow terminal, columns with a high number go first; a column with 0 stays. */
  dropped: number
  /** The narrowest form that is still readable; absent if the column cannot shrink. */
  least?: number
  /** The last column may continue below instead of being cut. */
  wraps?: boolean
  cell(row: Row): Cell
}

/** The heading and the lines of each row, in columns that fit the terminal. */
export function fitTable<Row>(
  rows: readonly Row[],
  all: readonly Column<Row>[],
  { columns: room, colour }: { columns: number; colour: ReturnType<typeof paint> },
): { head: string; rows: string[][] } {
  const columns = fitColumns(
    all.map(column => ({ ...column, cells: rows.map(row => oneLine(column.cell(row))) })),
    room,
  )
  const line = (cells: readonly Cell[]) =>
    cells
      .map(({ text, style }, i) => {
        const width = columns[i]?.width ?? 0
        const cut = columns[i]?.wraps ? text : cutTo(text, width)
        const blanks = i === cells.length - 1 ? '' : ' '.repeat(Math.max(0, width - widthOf(cut)))
        // Blanks stay outside of the colour, so that a terminal underlines or inverts words only, and ends of lines can be trimmed.
        return `${style && cut.trim() !== '' ? colour(style, cut) : cut}${blanks}`
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  const linesOf = (cells: readonly Cell[]) => {
    const last = cells.at(-1)
    const column = columns.at(-1)
    if (!last || !column?.wraps || widthOf(last.text) <= column.width) return [line(cells)]
    return wrapWords(last.text, column.width).map((text, i) =>
      line([...cells.slice(0, -1).map(cell => (i === 0 ? cell : { text: '' })), { ...last, text }]),
    )
  }
  return {
    head: line(columns.map(({ head = '' }) => ({ text: head, style: 'dim' as const }))),
    rows: rows.map((_, i) => linesOf(columns.map(({ cells }) => cells[i] ?? { text: '' }))),
  }
}

/** A list without a heading: in columns on a terminal; for a pipe, all of each row with two blanks between its cells. */
export function fitList<Row>(
  rows: readonly Row[],
  all: readonly Column<Row>[],
  io: Io,
  below: (row: Row, index: number) => string | undefined = () => undefined,
): string {
  const colour = paint(io)
  const whole = (row: Row) =>
    all
      .map(({ cell }) => cell(row))
      .filter(({ text }) => text !== '')
      .map(({ text, style }) => (style ? colour(style, text) : text))
      .join(' '.repeat(GAP))
  const lines =
    io.columns === undefined
      ? rows.map(row => [whole(row)])
      : fitTable(rows, all, { columns: io.columns, colour }).rows
  return rows
    .flatMap((row, i) => {
      const more = below(row, i)
      return [...(lines[i] ?? []), ...(more === undefined ? [] : [fitLines(more, io.columns)])]
    })
    .map(line => `${line}\n`)
    .join('')
}

const GAP = 2
const oneLine = (cell: Cell): Cell => ({ ...cell, text: cell.text.replaceAll(/\s*[\n\t]\s*/g, ' ') })

interface FilledColumn<Row> extends Column<Row> {
  cells: readonly Cell[]
}

/** Leaves out what says nothing or has no room, then shrinks what can be cut. */
function fitColumns<Row>(
  all: readonly FilledColumn<Row>[],
  room: number,
): (FilledColumn<Row> & { width: number })[] {
  let columns = all
    .filter(({ dropped, cells }) => dropped === 0 || cells.some(({ text }) => text !== '–' && text !== ''))
    .map(column => ({
      ...column,
      width: Math.max(widthOf(column.head ?? ''), ...column.cells.map(({ text }) => widthOf(text))),
    }))
  const total = (width: (column: (typeof columns)[number]) => number) =>
    columns.reduce((sum, column) => sum + width(column) + GAP, -GAP)
  const leastOf = ({ least = Infinity, width, wraps, cells }: (typeof columns)[number]) =>
    Math.min(width, wraps ? Math.max(least, longestWord(cells)) : least)
  while (columns.length > 1 && total(leastOf) > room) {
    const last = Math.max(...columns.map(({ dropped }) => dropped))
    if (last === 0) break
    columns = columns.filter(({ dropped }) => dropped !== last)
  }
  // The column that can best spare it gives first.
  for (;;) {
    const over = total(({ width }) => width) - room
    const [widest] = columns
      .filter(column => column.width > leastOf(column))
      .sort((a, b) => b.width - leastOf(b) - (a.width - leastOf(a)))
    if (over <= 0 || !widest) break
    widest.width--
  }
  const over = total(({ width }) => width) - room
  const last = columns.at(-1)
  if (over > 0 && last) last.width = Math.max(0, last.width - over)
  return columns
}

const longestWord = (cells: readonly Cell[]): number =>
  Math.max(0, ...cells.flatMap(({ text }) => text.split(/\s+/).map(widthOf)))

/** A text that is too wide ends in `…`. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  for (const letter of text) {
    if (widthOf(cut) + widthOf(letter) > width - 1) break
    cut += letter
  }
  return width < 1 ? '' : `${cut.trimEnd()}…`
}
