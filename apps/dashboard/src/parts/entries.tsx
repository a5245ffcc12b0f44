import type { Entry } from '@batonpass/contract/journal'
import { useState } from 'preact/hooks'
import { get } from '../api.ts'
import { Link } from '../router.tsx'
import { clockTime } from '../time.tsx'
import { baseOf, lineOf } from '../words.ts'
import { Trail } from './analysis.tsx'

/** Journal entries, one under the other; each opens to all that is recorded. */
export function Entries({
  entries,
  withSession = false,
}: {
  entries: readonly Entry[]
  withSession?: boolean
}) {
  return (
    <ol class="entries">
      {entries.map(entry => (
        <Row key={entry.seq} entry={entry} withSession={withSession} />
      ))}
    </ol>
  )
}

function Row({ entry, withSession }: { entry: Entry; withSession: boolean }) {
  const { title, detail, tone, code, mark } = lineOf(entry)
  const { body } = entry
  return (
    <li class={`entry ${mark}`} data-tone={tone} data-kind={body.kind}>
      <time dateTime={entry.at} title={new Date(entry.at).toLocaleString()}>
        {clockTime(entry.at)}
      </time>
      <i class="dot" aria-hidden="true" />
      <div class="what">
        <div class="clip">
          <b>{title}</b>
          <span class={code ? 'mono' : ''}>{detail}</span>
        </div>
      </div>
      <span class="dim">
        {withSession && entry.session ? (
          <Link to={`/sessions/${entry.session}`}>{baseOf(entry.project)}</Link>
        ) : null}
      </span>
      <Whole entry={entry} />
    </li>
  )
}

/** Everything an entry holds, fetched when it is opened. */
function Whole({ entry }: { entry: Entry }) {
  const [whole, setWhole] = useState<Entry>()
  const { body } = entry
  return (
    <details
      onToggle={async event => {
        if (!event.currentTarget.open || whole) return
        const { entries } = await get<{ entries: Entry[] }>(`/api/journal?id=${entry.id}`)
        setWhole(entries[0])
      }}
    >
      <summary>
        {body.kind === 'decision' ? `${body.subject.slice(0, 120)} · how it was decided` : 'all of it'}
      </summary>
      {body.kind === 'decision' ? <Trail steps={body.trail} /> : null}
      <pre>{JSON.stringify(whole?.body ?? body, undefined, 2)}</pre>
    </details>
  )
}
