import { shortSessionId } from '@batonpass/contract/session-name'
import type { PsRow } from '@batonpass/contract/watch'
import { type paint, printable } from './io.ts'

export interface TableLook {
  now: number
  columns: number
  home: string
  colour: ReturnType<typeof paint>
}

/** The table of `baton ps`: one line for each session, and what is wrong with it below. */
export function psTable(rows: readonly PsRow[], look: TableLook): string[] {
  const columns = fitColumns(
    COLUMNS.map(column => ({ ...column, cells: rows.map(row => column.cell(row, look)) })),
    look.columns,
  )
  const line = (cells: readonly Cell[]) => {
    const shown = cells.map(({ text, style }, i) => {
      const cut = cutTo(text, columns[i]?.width ?? 0)
      return { cut, padded: cut.padEnd(i === cells.length - 1 ? 0 : (columns[i]?.width ?? 0)), style }
    })
    // Blanks stay outside of the colour, so that a terminal underlines or inverts words only, and ends of lines can be trimmed.
    return shown
      .map(({ cut, padded, style }) =>
        style && cut.trim() !== '' ? `${look.colour(style, cut)}${padded.slice(cut.length)}` : padded,
      )
      .join('  ')
      .trimEnd()
  }
  return [
    line(columns.map(({ head }) => ({ text: head, style: 'dim' as const }))),
    ...rows.flatMap((row, i) => [
      line(columns.map(({ cells }) => cells[i] ?? { text: '' })),
      ...(row.servers ?? []).map(({ inside, port }) =>
        cutTo(`  http://127.0.0.1:${port} answers for port ${inside} of its sandbox`, look.columns),
      ),
      ...row.problems.map(({ status, check, message }) => {
        const text = printable(`  ${check}: ${message}`.replaceAll('\n', ' '))
        return look.colour(status === 'critical' ? 'red' : 'yellow', cutTo(text, look.columns))
      }),
    ]),
  ]
}

type Style = Parameters<ReturnType<typeof paint>>[0]
interface Cell {
  text: string
  style?: Style
}
interface Column {
  head: string
  /** On a narrow terminal, columns with a high number go first. */
  dropped: number
  /** The narrowest form that is still readable; absent if the column cannot shrink. */
  least?: number
  cell(row: PsRow, look: TableLook): Cell
}

const COLUMNS: readonly Column[] = [
  {
    head: 'SESSION',
    dropped: 0,
    cell: row => ({ text: printable(row.title ?? shortSessionId(row.id)), style: 'bold' }),
  },
  { head: 'NAME', dropped: 1, least: 24, cell: row => ({ text: printable(row.name ?? '–') }) },
  { head: 'AGENT', dropped: 5, cell: row => ({ text: row.agent === 'claude-code' ? 'claude' : row.agent }) },
  {
    head: 'STATE',
    dropped: 0,
    cell: ({ state }) => ({ text: WORDS[state], ...(STYLES[state] ? { style: STYLES[state] } : {}) }),
  },
  {
    head: 'CONTEXT',
    dropped: 2,
    cell: ({ context }, { columns }) =>
      context?.percent === undefined
        ? { text: '–' }
        : {
            text: `${columns < WIDE ? '' : `${bar(context.percent)} `}${Math.round(context.percent)}% ${context.zone}`,
            ...zoneStyle(context.zone),
          },
  },
  {
    head: 'LEFT',
    dropped: 7,
    cell: ({ context }) => ({
      text:
        context?.turnsLeft === undefined
          ? '–'
          : `~${context.turnsLeft} ${context.turnsLeft === 1 ? 'turn' : 'turns'}`,
    }),
  },
  {
    head: 'WORKFLOW',
    dropped: 4,
    least: 13,
    cell: ({ workflow }) => ({ text: workflow ? printable(describeWorkflow(workflow)) : '–' }),
  },
  {
    head: 'ACTIVE',
    dropped: 3,
    cell: (row, { now }) => ({ text: ago(now - Date.parse(row.lastActivityAt)) }),
  },
  {
    head: 'PROJECT',
    dropped: 6,
    least: 12,
    cell: (row, { home }) => ({ text: printable(shortened(row.project ?? '', home)) }),
  },
]
/** From here on there is room for bars. */
const WIDE = 100
const GAP = 2

interface FilledColumn extends Column {
  cells: readonly Cell[]
}

/** Leaves out what says nothing or has no room, then shrinks what can be cut. */
function fitColumns(all: readonly FilledColumn[], room: number): (FilledColumn & { width: number })[] {
  let columns = all
    .filter(({ dropped, cells }) => dropped === 0 || cells.some(({ text }) => text !== '–' && text !== ''))
    .map(column => ({
      ...column,
      width: Math.max(column.head.length, ...column.cells.map(({ text }) => text.length)),
    }))
  const total = (width: (column: (typeof columns)[number]) => number) =>
    columns.reduce((sum, column) => sum + width(column) + GAP, -GAP)
  const leastOf = ({ least, width }: { least?: number; width: number }) => Math.min(width, least ?? width)
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

const cutTo = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`.slice(0, width) : text
/** Ten steps, as full as the context is. */
export function bar(percent: number): string {
  const full = Math.max(0, Math.min(10, Math.round(percent / 10)))
  return `${'█'.repeat(full)}${'░'.repeat(10 - full)}`
}

export function ago(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

const WORDS: Record<PsRow['state'], string> = {
  working: 'working',
  waiting: 'waiting',
  person: 'in use',
  dialog: 'asks',
  unknown: 'unknown',
  stalled: 'stalled',
  dead: 'dead',
  gone: 'gone',
  ended: 'ended',
}
const STYLES: Partial<Record<PsRow['state'], Style>> = {
  working: 'green',
  dialog: 'yellow',
  stalled: 'yellow',
  dead: 'red',
  gone: 'dim',
  ended: 'dim',
}

const zoneStyle = (zone: string): { style?: Style } =>
  zone === 'trigger' ? { style: 'red' } : zone === 'warn' ? { style: 'yellow' } : {}

function describeWorkflow({ name, issue, count, end }: NonNullable<PsRow['workflow']>): string {
  const about = `${name}${issue === undefined ? '' : ` #${issue}`}`
  return end ? `${about} ${end}` : `${about}${count ? ` (${count})` : ''}`
}

const shortened = (path: string, home: string): string =>
  home.length > 1 && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
