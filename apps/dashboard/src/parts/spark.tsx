import type { ContextPoint } from '@batonpass/contract/dashboard'
import { clockTime } from '../time.tsx'

/** A small line of context over time; the dashed line is where Baton hands the session off. */
export function Spark({ points }: { points: readonly ContextPoint[] }) {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 2) return null
  const [from, to] = [Date.parse(first.at), Date.parse(last.at)]
  const most = Math.max(...points.map(point => point.used))
  const y = ({ percent, used }: ContextPoint) => 100 - (percent ?? (used / most) * 90)
  const line = points
    .map((point, index) => {
      const x = to === from ? 0 : ((Date.parse(point.at) - from) / (to - from)) * 100
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(2)} ${y(point).toFixed(2)}`
    })
    .join('')
  return (
    <figure>
      <svg
        class="spark"
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Context over time, now ${Math.round(last.percent ?? 0)} percent`}
      >
        <path class="area" d={`${line}L100 100L0 100Z`} />
        <path d={line} />
        {last.percent === undefined ? null : <line x1="0" x2="100" y1="15" y2="15" />}
      </svg>
      <figcaption class="spark-words">
        <span>context since {clockTime(first.at)}</span>
        {last.percent === undefined ? null : <span>Baton hands off at the dashed line</span>}
      </figcaption>
    </figure>
  )
}
