import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { useEffect, useState } from 'preact/hooks'
import { get } from '../api.ts'
import { onEntry, onReconnect } from '../live.ts'
import { Entries, Timeline } from './entries.tsx'
import { Empty } from './tag.tsx'

const BATCH = 100

/** The session's entries, newest first; new entries appear at the top as they are written. */
export function SessionJournal({ session, kind, none }: { session: Session; kind?: string; none: string }) {
  const [entries, setEntries] = useState<Entry[]>()
  const [more, setMore] = useState(false)
  const query = `/api/page/entries?session=${session.id}&order=desc&limit=${BATCH}${kind ? `&kind=${kind}` : ''}`
  const fits = ({ body }: Entry) => kind === undefined || body.kind === kind

  useEffect(() => {
    let gone = false
    const load = () =>
      get<{ entries: Entry[] }>(query).then(
        found => {
          if (gone) return
          setEntries(found.entries)
          setMore(found.entries.length === BATCH)
        },
        () => {},
      )
    void load()
    const stop = [
      onEntry(entry => {
        if (entry.session === session.id)
          setEntries(old => (old && !old.some(each => each.seq === entry.seq) ? [entry, ...old] : old))
      }),
      onReconnect(() => void load()),
    ]
    return () => {
      gone = true
      for (const each of stop) each()
    }
  }, [query, session.id])

  if (!entries) return <p class="dim">Loading …</p>
  const shown = entries.filter(fits)
  if (shown.length === 0) return <Empty title={none} />
  const older = async () => {
    const found = await get<{ entries: Entry[] }>(`${query}&before=${entries.at(-1)?.seq ?? 1}`)
    setEntries([...entries, ...found.entries])
    setMore(found.entries.length === BATCH)
  }
  return (
    <>
      {kind ? <Entries entries={shown} named={false} /> : <Timeline entries={shown} />}
      {more ? (
        <p>
          <button type="button" class="quiet" onClick={() => void older()}>
            Show older entries
          </button>
        </p>
      ) : null}
    </>
  )
}
