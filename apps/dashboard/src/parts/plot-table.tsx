import { useId, useState } from 'preact/hooks'
import { Scroller } from './scroller.tsx'

interface PlotTableProps {
  label: string
  /** Heading of the first column. */
  when: string
  /** In seconds. */
  times: readonly number[]
  columns: readonly { name: string; values: readonly (number | null)[] }[]
  unit: string
}

const MAX_ROWS = 300

/** The figures of a plot as a table, for screen readers and for exact values. Rendered only when opened. */
export function PlotTable({ label, when, times, columns, unit }: PlotTableProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <button
        type="button"
        class="quiet figures-button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {open ? 'Hide the figures' : 'Show the figures'}
        <span class="hidden"> of: {label}</span>
      </button>
      <div id={id}>
        {open ? <Rows label={label} when={when} times={times} columns={columns} unit={unit} /> : null}
      </div>
    </>
  )
}

/** Newest first; leaves out times without any value. */
function Rows({ label, when, times, columns, unit }: PlotTableProps) {
  const rows = times
    .map((time, index) => ({ time, values: columns.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some(value => value !== null))
    .reverse()
  return (
    <Scroller look="scroll" label={`Figures: ${label}`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{when}</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map(({ time, values }) => (
            <tr key={time}>
              <th scope="row">{new Date(time * 1000).toLocaleString([], WHEN)}</th>
              {values.map((value, index) => (
                <td key={columns[index]?.name}>
                  {value === null ? '' : `${Math.round(value * 10) / 10}${unit}`}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS ? (
        <p class="dim">
          The newest {MAX_ROWS} of {rows.length} rows.
        </p>
      ) : null}
    </Scroller>
  )
}

const WHEN = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
