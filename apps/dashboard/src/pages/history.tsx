import type { History } from '@batonpass/contract/dashboard'
import { useState } from 'preact/hooks'
import { Page } from '../parts/page.tsx'
import { ContextPlot, DecisionPlot, SparedPlot } from '../parts/plots.tsx'
import { Empty } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'

const SPANS = [
  [24, '24 hours'],
  [48, '2 days'],
  [168, '7 days'],
  [720, '30 days'],
] as const

/** Decisions by the hour, questions that Baton answered without a person, and contexts with their handoffs. */
export function HistoryPage() {
  const [hours, setHours] = useState(48)
  const { data, error } = useResource<History>(
    `/api/page/history?hours=${hours}`,
    ({ body }) => body.kind === 'decision',
  )
  const tools = (
    <>
      <label class="hidden" for="span">
        Period
      </label>
      <select id="span" value={String(hours)} onChange={event => setHours(Number(event.currentTarget.value))}>
        {SPANS.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </>
  )
  if (!data) return <Page title="History" tools={tools} error={error} />
  const sum = (
    key:
      | 'allowed'
      | 'denied'
      | 'asked'
      | 'byRules'
      | 'bySandbox'
      | 'byUndo'
      | 'byModel'
      | 'bySession'
      | 'byPerson',
  ) => data.hours.reduce((total, hour) => total + hour[key], 0)
  if (sum('allowed') + sum('denied') + sum('asked') === 0 && data.contexts.length === 0)
    return (
      <Page title="History" tools={tools}>
        <Empty title="Nothing was decided in this time">
          Start an agent as usual: Baton counts here what it allowed, denied and asked, and how full contexts
          were. If an agent ran and nothing appears, run <code>baton doctor</code>.
        </Empty>
      </Page>
    )
  return (
    <Page title="History" tools={tools}>
      <dl class="figures">
        {(
          [
            ['allowed by rules', sum('byRules')],
            ['in the sandbox', sum('bySandbox')],
            ['by undo', sum('byUndo')],
            ['by your earlier yes', sum('bySession')],
            ['by the permission model', sum('byModel')],
            ['denied', sum('denied')],
            ['answered by you', sum('byPerson')],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value.toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      <section aria-labelledby="decisions">
        <h2 id="decisions">Decisions by the hour</h2>
        <DecisionPlot hours={data.hours} />
      </section>
      <section aria-labelledby="spared">
        <h2 id="spared">Questions avoided, cumulative</h2>
        <SparedPlot hours={data.hours} />
      </section>
      <section aria-labelledby="contexts">
        <h2 id="contexts">Context over time</h2>
        {data.contexts.length === 0 ? (
          <Empty title="No context measured in this time" />
        ) : (
          <ContextPlot contexts={data.contexts} />
        )}
      </section>
    </Page>
  )
}
