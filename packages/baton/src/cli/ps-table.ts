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
  const cells = rows.map(row => cellsOf(row, look))
  const widths = HEAD.map((name, i) => Math.max(name.length, ...cells.map(line => line[i]?.text.length ?? 0)))
  const fit = (line: readonly Cell[]) => {
    let left = look.columns
    return line
      .map(({ text, style }, i) => {
        const width = Math.min(i === HEAD.length - 1 ? text.length : (widths[i] ?? 0), Math.max(0, left))
        left -= width + 2
        const shown =
          text.length > width
            ? `${text.slice(0, Math.max(0, width - 1))}…`.slice(0, width)
            : text.padEnd(width)
        return style ? look.colour(style, shown) : shown
      })
      .join('  ')
      .trimEnd()
  }
  return [
    fit(HEAD.map(text => ({ text, style: 'dim' as const }))),
    ...rows.flatMap((row, i) => [
      fit(cells[i] ?? []),
      ...row.problems.map(({ status, check, message }) => {
        const text = printable(`  ${check}: ${message}`.replaceAll('\n', ' ')).slice(0, look.columns)
        return look.colour(status === 'critical' ? 'red' : 'yellow', text)
      }),
    ]),
  ]
}

const HEAD = ['SESSION', 'AGENT', 'STATE', 'CONTEXT', 'LEFT', 'WORKFLOW', 'ACTIVE', 'PROJECT']

type Style = Parameters<ReturnType<typeof paint>>[0]
interface Cell {
  text: string
  style?: Style
}

function cellsOf(row: PsRow, { now, home }: TableLook): Cell[] {
  const { context, workflow } = row
  return [
    { text: printable(row.title ?? row.id.slice(0, 8)), style: 'bold' },
    { text: row.agent === 'claude-code' ? 'claude' : row.agent },
    { text: WORDS[row.state], ...(STYLES[row.state] ? { style: STYLES[row.state] } : {}) },
    context?.percent === undefined
      ? { text: '–' }
      : {
          text: `${bar(context.percent)} ${Math.round(context.percent)}% ${context.zone}`,
          ...zoneStyle(context.zone),
        },
    { text: context?.turnsLeft === undefined ? '–' : `~${context.turnsLeft} turns` },
    { text: workflow ? printable(describeWorkflow(workflow)) : '–' },
    { text: ago(now - Date.parse(row.lastActivityAt)) },
    { text: printable(shortened(row.project ?? '', home)) },
  ]
}

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
