import { shortSessionId } from '@batonpass/contract/session-name'
import type { PsRow } from '@batonpass/contract/watch'
import { type Cell, type Column, cutTo, fitTable } from './fit-table.ts'
import { ago } from './for-people.ts'
import { type paint, printable } from './io.ts'

export interface TableLook {
  now: number
  columns: number
  home: string
  colour: ReturnType<typeof paint>
}

/** The table of `baton ps`: one line for each session, and what is wrong with it below. */
export function psTable(rows: readonly PsRow[], look: TableLook): string[] {
  const isFleet = rows.some(({ machine }) => machine)
  const columns = COLUMNS.filter(({ head }) => head !== MACHINE || isFleet).map(column => ({
    ...column,
    cell: (row: PsRow) => column.cell(row, look),
  }))
  const table = fitTable(rows, columns, look)
  return [
    table.head,
    ...rows.flatMap((row, i) => [
      ...(table.rows[i] ?? []),
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

type Style = NonNullable<Cell['style']>
interface PsColumn extends Omit<Column<PsRow>, 'cell'> {
  cell(row: PsRow, look: TableLook): Cell
}

/** Only if there is a session on another machine. */
const MACHINE = 'MACHINE'
const COLUMNS: readonly PsColumn[] = [
  {
    head: 'SESSION',
    dropped: 0,
    cell: row => ({ text: printable(row.title ?? shortSessionId(row.id)), style: 'bold' }),
  },
  { head: 'NAME', dropped: 1, least: 24, cell: row => ({ text: printable(row.name ?? '–') }) },
  {
    head: MACHINE,
    dropped: 2,
    least: 8,
    cell: ({ machine }) => ({ text: printable(machine ?? 'this one') }),
  },
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

/** Ten steps, as full as the context is. */
export function bar(percent: number): string {
  const full = Math.max(0, Math.min(10, Math.round(percent / 10)))
  return `${'█'.repeat(full)}${'░'.repeat(10 - full)}`
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
