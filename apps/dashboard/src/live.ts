import type { Entry } from '@batonpass/contract/journal'
import { signal } from '@preact/signals'
import { access, turnedAway } from './api.ts'
import { pageFetch } from './page-key.ts'
import { beforeRetry, readEvents } from './sse.ts'
import { clock } from './time.tsx'

/** How the stream from the daemon stands; after `lost` the page catches up by itself. */
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

type Listener = (entry: Entry) => void
const listeners = new Set<Listener>()
const returned = new Set<() => void>()

/** Calls for each journal entry as it is written. */
export function onEntry(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Calls after the stream was away and is back: what was missed comes as entries, but what was fetched may be old. */
export function onReturn(listener: () => void): () => void {
  returned.add(listener)
  return () => returned.delete(listener)
}

/** Follows the daemon for as long as the page lives. By fetch, because an EventSource cannot send the page's key. */
export async function follow(): Promise<void> {
  let after: number | undefined
  for (let tries = 0; ; tries++) {
    const stop = new AbortController()
    const unmind = mindSleep(() => stop.abort())
    try {
      const query = after === undefined ? '' : `?after=${after}`
      const response = await pageFetch(`/api/page/events${query}`, {
        signal: stop.signal,
      })
      if (response.status === 401) turnedAway()
      if (!response.ok || !response.body) throw new Error(String(response.status))
      const away = connection.value === 'lost'
      connection.value = 'live'
      tries = 0
      if (away) for (const listener of returned) listener()
      await readEvents(response.body, stop, data => {
        const entry = data as Entry
        after = entry.seq
        for (const listener of listeners) listener(entry)
      })
    } catch {
      // The daemon restarts, or the machine slept: it is tried again below.
    }
    unmind()
    connection.value = 'lost'
    await beforeRetry(tries)
    if (access.value === 'out') await new Promise<void>(resolve => untilIn(resolve))
  }
}

const LOOK_MS = 5000

/** A timer that comes far too late slept with the machine: the line it left behind is not to be trusted. */
function mindSleep(woke: () => void): () => void {
  let last = clock()
  const timer = setInterval(() => {
    const slept = clock() - last > 4 * LOOK_MS
    last = clock()
    // Timers of hidden pages are slowed down to a minute; only a page in view knows that it slept.
    if (slept && !document.hidden) woke()
  }, LOOK_MS)
  return () => clearInterval(timer)
}

function untilIn(then: () => void): void {
  const stop = access.subscribe(value => {
    if (value === 'in') {
      then()
      queueMicrotask(() => stop())
    }
  })
}
