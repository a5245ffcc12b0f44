import type { Found } from '@batonpass/contract/dashboard'
import type { Entry } from '@batonpass/contract/journal'
import { useEffect, useState } from 'preact/hooks'
import { get } from '../api.ts'
import { Entries } from '../parts/entries.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/tag.tsx'
import { countOf } from '../words.ts'

const KINDS = [
  'event',
  'decision',
  'ask',
  'workflow',
  'handoff',
  'cycle',
  'claim',
  'stage',
  'health',
  'reaction',
  'fault',
  'daemon',
  'config',
]
/** Wait for the user to stop typing before searching. */
const PAUSE_MS = 250
const ENOUGH = 50

/** Searches the journal. A long search continues by itself until it has a page full of hits. */
export function JournalPage() {
  const [words, setWords] = useState(() => new URLSearchParams(location.search).get('q') ?? '')
  const [kind, setKind] = useState('')
  const [found, setFound] = useState<{
    entries: Entry[]
    looked: number
    next: number | undefined
    busy: boolean
  }>({ entries: [], looked: 0, next: undefined, busy: true })

  const search = async (from: number | undefined, known: Entry[], looked: number, isOld: () => boolean) => {
    let next = from
    let entries = known
    let count = looked
    const enough = known.length + ENOUGH
    do {
      const query = new URLSearchParams({
        q: words,
        ...(kind ? { kind } : {}),
        ...(next === undefined ? {} : { before: String(next) }),
      })
      const answer = await get<Found>(`/api/page/search?${query}`).catch(() => undefined)
      if (isOld()) return
      entries = [...entries, ...(answer?.entries ?? [])]
      count += answer?.looked ?? 0
      next = answer?.next
      setFound({ entries, looked: count, next, busy: next !== undefined && entries.length < enough })
    } while (next !== undefined && entries.length < enough)
  }

  useEffect(() => {
    let old = false
    const timer = setTimeout(() => void search(undefined, [], 0, () => old), PAUSE_MS)
    return () => {
      old = true
      clearTimeout(timer)
    }
  }, [words, kind])

  return (
    <Page
      title="Journal"
      tools={
        <>
          <label class="hidden" for="words">
            Search the journal
          </label>
          <input
            id="words"
            type="search"
            placeholder="Search: a command, a path, a reason …"
            value={words}
            size={34}
            onInput={event => setWords(event.currentTarget.value)}
          />
          <label class="hidden" for="kind">
            Kind of entry
          </label>
          <select id="kind" value={kind} onChange={event => setKind(event.currentTarget.value)}>
            <option value="">everything</option>
            {KINDS.map(each => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </>
      }
    >
      <p class="dim" role="status">
        {found.looked === 0 && found.busy
          ? 'Searching …'
          : `${found.entries.length} found, ${countOf(found.looked, 'entry', 'entries')} searched${found.busy ? ' …' : ''}`}
      </p>
      {found.entries.length === 0 && !found.busy ? (
        <Empty title="No journal entry contains these words" />
      ) : null}
      <Entries entries={found.entries} />
      {found.next !== undefined && !found.busy ? (
        <button
          type="button"
          onClick={() => void search(found.next, found.entries, found.looked, () => false)}
        >
          Search further back
        </button>
      ) : null}
    </Page>
  )
}
