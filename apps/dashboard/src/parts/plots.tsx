import type { History, HourTally } from '@batonpass/contract/dashboard'
import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { theme } from '../theme.ts'
import { folderName } from '../words.ts'
import { PlotTable } from './plot-table.tsx'

export interface Series {
  name: string
  /** The name of a CSS custom property. */
  colour: string
  values: (number | null)[]
  bars?: boolean
  /** Marks each value: a line needs two. */
  points?: boolean
  /** The values for the table, if the plot draws something else, such as a sum. */
  tableValues?: (number | null)[]
}

interface PlotProps {
  label: string
  /** Heading of the table's first column. */
  when: string
  times: number[]
  series: Series[]
  unit?: string
  top?: number
  /** Times to mark, in seconds. */
  marks?: readonly number[]
  height?: number
}

/** A plot with a legend and a table of the same figures, for screen readers and for exact values. */
export function Plot({ label, when, times, series, unit = '', top, marks = NONE, height = 190 }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let plot: uPlot | undefined
    let gone = false
    const box = place.current
    if (!box) return
    const observer = new ResizeObserver(() => plot?.setSize({ width: box.clientWidth, height }))
    // The plotting library is half of the dashboard's code: load it only on pages that plot.
    void import('uplot').then(({ default: make }) => {
      if (gone) return
      const style = getComputedStyle(box)
      const hasBars = series.some(({ bars }) => bars)
      const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2 || HALF_HOUR
      const colour = (name: string) => resolved(style.getPropertyValue(name))
      const axis = {
        stroke: colour('--dim'),
        grid: { stroke: colour('--line'), width: 1 },
        ticks: { show: false },
        font: `11px ${style.fontFamily}`,
      }
      plot = new make(
        {
          width: box.clientWidth,
          height,
          legend: { show: false },
          cursor: { y: false, points: { size: 6 } },
          padding: [10, 8, 0, 0],
          axes: [
            { ...axis, values: TIMES },
            { ...axis, size: 46, values: (_, marks) => marks.map(mark => `${mark}${unit}`) },
          ],
          hooks: { draw: [drawn => drawMarks(drawn, marks, colour('--dim'))] },
          scales: {
            // A bar is centred on its time: without padding, the first and the last bar are cut in half.
            ...(hasBars ? { x: { range: (_, from, to) => [from - half, to + half] } } : {}),
            y: { range: (_, __, most) => [0, top ?? Math.max(4, most * 1.1)] },
          },
          series: [
            {},
            ...series.map(({ name, colour: own, bars, points }) => ({
              label: name,
              stroke: colour(own),
              width: bars ? 0 : 1.8,
              points: { show: points === true, size: 6, fill: colour(own) },
              spanGaps: true,
              ...(bars && make.paths.bars
                ? { fill: colour(own), paths: make.paths.bars({ size: [0.72, 26] }) }
                : {}),
            })),
          ],
        },
        [times, ...series.map(({ values }) => values)],
        box,
      )
      observer.observe(box)
    })
    return () => {
      gone = true
      observer.disconnect()
      plot?.destroy()
    }
  }, [times, series, height, top, unit, marks, theme.value])
  return (
    <figure class="plot">
      <figcaption class="legend">
        {series.map(({ name, colour }) => (
          <span key={name}>
            <i style={{ background: `var(${colour})` }} /> {name}
          </span>
        ))}
        {marks.length > 0 ? (
          <span>
            <i class="mark" /> handoff
          </span>
        ) : null}
      </figcaption>
      <div ref={place} role="img" aria-label={label} style={{ height: `${height}px` }} />
      <PlotTable
        label={label}
        when={when}
        times={times}
        columns={series.map(({ name, values, tableValues = values }) => ({ name, values: tableValues }))}
        unit={unit}
      />
    </figure>
  )
}

const NONE: readonly number[] = []
const HALF_HOUR = 1800

/** Hours with two digits, as on the rest of the page. */
const TIMES: uPlot.Axis.Values = [
  [86_400, '{D} {MMM}', null, null, null, null, null, null, 1],
  [3600, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
]

function drawMarks(plot: uPlot, marks: readonly number[], colour: string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = colour
  ctx.setLineDash([3, 3])
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark, 'x', true)) + 0.5
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

/** Canvas does not support light-dark(), so the browser computes the colour. */
function resolved(value: string): string {
  const probe = document.createElement('i')
  probe.style.color = value
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const secondsOf = (at: string): number => Date.parse(at) / 1000

export function DecisionPlot({ hours }: { hours: readonly HourTally[] }) {
  const times = hours.map(({ hour }) => secondsOf(hour))
  // Bars are drawn on top of each other, so each value is a sum and the tallest bar is the total.
  const series: Series[] = [
    {
      name: 'left to you',
      colour: '--wait',
      bars: true,
      values: hours.map(h => h.allowed + h.denied + h.asked || null),
      tableValues: hours.map(h => h.asked || null),
    },
    {
      name: 'denied',
      colour: '--bad',
      bars: true,
      values: hours.map(h => h.allowed + h.denied || null),
      tableValues: hours.map(h => h.denied || null),
    },
    { name: 'allowed', colour: '--accent', bars: true, values: hours.map(h => h.allowed || null) },
  ]
  const all = hours.reduce((sum, h) => sum + h.allowed + h.denied + h.asked, 0)
  return <Plot label={`Decisions by the hour, ${all} in total`} when="Hour" times={times} series={series} />
}

export function SparedPlot({ hours }: { hours: readonly HourTally[] }) {
  const times = hours.map(({ hour }) => secondsOf(hour))
  const added = (pick: (hour: HourTally) => number) => {
    let sum = 0
    return hours.map(hour => {
      sum += pick(hour)
      return sum
    })
  }
  const rules = added(h => h.byRules)
  const sandbox = added(h => h.bySandbox)
  const undo = added(h => h.byUndo)
  const others = added(h => h.bySession + h.byModel)
  const you = added(h => h.byPerson + h.asked)
  const series: Series[] = [
    { name: 'avoided by rules', colour: '--accent', values: rules },
    { name: 'avoided by the sandbox', colour: '--good', values: sandbox },
    { name: 'avoided by undo', colour: '--info', values: undo },
    { name: 'avoided by an earlier yes or the permission model', colour: '--dim', values: others },
    { name: 'left to you', colour: '--wait', values: you },
  ]
  return (
    <Plot
      label={`Questions avoided: ${rules.at(-1) ?? 0} by rules, ${sandbox.at(-1) ?? 0} by the sandbox, ${undo.at(-1) ?? 0} by undo; ${you.at(-1) ?? 0} were left to you`}
      when="Up to the end of"
      times={times}
      series={series}
    />
  )
}

const COLOURS = ['--accent', '--info', '--wait', '--good', '--bad', '--dim']

/** One line per session; it drops where the session was handed off. */
export function ContextPlot({ contexts }: { contexts: History['contexts'] }) {
  const lines = contexts.slice(0, COLOURS.length).toReversed()
  const times = [...new Set(lines.flatMap(({ points }) => points.map(({ at }) => secondsOf(at))))].sort(
    (a, b) => a - b,
  )
  const index = new Map(times.map((time, place) => [time, place]))
  const series = lines.map(({ points, project, nativeSession }, nth): Series => {
    const values: (number | null)[] = times.map(() => null)
    for (const { at, percent } of points) values[index.get(secondsOf(at)) ?? 0] = percent ?? null
    return {
      name: `${folderName(project)} ${nativeSession.slice(0, 8)}`,
      colour: COLOURS[nth] ?? '--dim',
      values,
    }
  })
  const handoffs = lines.flatMap(line => line.handoffs.map(secondsOf))
  return (
    <Plot
      label={`Context in percent of ${lines.length} sessions over time`}
      when="Measured"
      times={times}
      series={series}
      marks={handoffs}
      unit=" %"
      top={100}
    />
  )
}
