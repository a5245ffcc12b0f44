import type { ContextFigure } from '@batonpass/contract/context'

const ZONES = {
  unknown: 'size unknown',
  fine: 'fine',
  note: 'half full',
  warn: 'getting full',
  trigger: 'full',
} as const

/** Where the zones start by default: marks on the bar. */
const TICKS = [50, 70, 85]

/** How full a context is, its zone, and how many turns are left. */
export function Gauge({ context }: { context: ContextFigure }) {
  const { used, size, zone, turnsLeft, overflows } = context
  const percent = context.percent ?? (size ? (used / size) * 100 : undefined)
  const shown = percent === undefined ? undefined : Math.round(percent)
  const left = overflows
    ? 'next turn may not fit'
    : turnsLeft === undefined
      ? ''
      : `about ${turnsLeft} turn${turnsLeft === 1 ? '' : 's'} left`
  return (
    <div class="gauge" data-zone={zone}>
      <div class="bar" aria-hidden="true">
        <div class="fill" style={{ width: `${Math.min(percent ?? 0, 100)}%` }} />
        {TICKS.map(tick => (
          <i key={tick} class="tick" style={{ left: `${tick}%` }} />
        ))}
      </div>
      <div class="words">
        <span>
          {shown === undefined ? '' : <b>{shown} % </b>}
          {tokens(used)}
          {size ? ` of ${tokens(size)}` : ' tokens'}
        </span>
        <span>{[ZONES[zone], left].filter(Boolean).join(' · ')}</span>
      </div>
    </div>
  )
}

function tokens(count: number): string {
  return count >= 1e6
    ? `${(count / 1e6).toFixed(1)}M`
    : count >= 1000
      ? `${Math.round(count / 1000)}k`
      : String(count)
}
