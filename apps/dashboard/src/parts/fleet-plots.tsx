import type { MergedJob } from '@batonpass/contract/fleet'
import { useMemo, useState } from 'preact/hooks'
import { now } from '../time.tsx'
import { countOf } from '../words.ts'
import { throughputOf } from './fleet-figures.ts'
import { Plot } from './plots.tsx'

const SPANS = {
  hours: { span: 'hour', count: 48, title: '48 hours' },
  days: { span: 'day', count: 30, title: '30 days' },
} as const

/** How much the fleet merges, and how long an issue takes from the queue to the merge. */
export function FleetPlots({ merged }: { merged: readonly MergedJob[] }) {
  const [name, setName] = useState<keyof typeof SPANS>('hours')
  const { span, count } = SPANS[name]
  // Not each second: a plot is drawn again when its figures change.
  const minute = Math.floor(now.value / 60_000)
  const {
    times,
    merged: counts,
    leadHours,
  } = useMemo(
    () => throughputOf(merged, minute * 60_000, span, count),
    [JSON.stringify(merged), minute, span, count],
  )
  const series = useMemo(
    () => ({
      merged: [{ name: 'merged', colour: '--accent', bars: true, values: counts.map(each => each || null) }],
      lead: [
        {
          name: 'median hours from the queue to the merge',
          colour: '--info',
          points: true,
          values: leadHours,
        },
      ],
    }),
    [counts, leadHours],
  )
  const all = counts.reduce((sum, each) => sum + each, 0)
  return (
    <section aria-labelledby="throughput" class="below">
      <div class="row">
        <h2 id="throughput">Throughput and lead time</h2>
        <label class="hidden" for="fleet-span">
          Period
        </label>
        <select
          id="fleet-span"
          value={name}
          onChange={event => setName(event.currentTarget.value as keyof typeof SPANS)}
        >
          {Object.entries(SPANS).map(([key, { title }]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <div class="plots">
        <Plot
          label={`${countOf(all, 'issue')} merged, by the ${span}`}
          when={span === 'hour' ? 'Hour' : 'Day'}
          times={times}
          series={series.merged}
        />
        <Plot
          label={`Median hours from the queue to the merge, by the ${span}`}
          when={span === 'hour' ? 'Hour' : 'Day'}
          times={times}
          series={series.lead}
          unit=" h"
        />
      </div>
    </section>
  )
}
