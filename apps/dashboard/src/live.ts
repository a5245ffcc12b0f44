import type { Entry } from '@batonpass/contract/journal'
import { signal } from '@preact/signals'
import { access, markLoggedOut } from './api.ts'
import { pageFetch } from './page-key.ts'
import { readEvents, waitBeforeRetry } from './sse.ts'
import { currentTime } from './time.tsx'

/** State of the event stream from the daemon. After `lost`, the page reconnects and catches up by itself. */
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

type Listener = (entry: Entry) => void
const listeners = new Set<Listener>()
const reconnectListeners = new Set<() => void>()

/** Calls the listener for each journal entry as it is written. */
export function onEntry(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Calls the listener after a reconnect. Missed entries arrive by themselves, but data fetched before may be out of date. */
export function onReconnect(listener: () => void): () => void {
  reconnectListeners.add(listener)
  return () => reconnectListeners.delete(listener)
}

/** Follows the journal as long as the page is open. Uses fetch because an EventSource cannot send the page's key. */
export async function followJournal(): Promise<void> {
  let after: number | undefined
  for (let tries = 0; ; tries++) {
    const stop = new AbortController()
    const stopDetecting = detectSleep(() => stop.abort())
    try {
      const query = after === undefined ? '' : `?after=${after}`
      const response = await pageFetch(`/api/page/events${query}`, {
        signal: stop.signal,
      })
      if (response.status === 401) markLoggedOut()
      if (!response.ok || !response.body) throw new Error(String(response.status))
      const away = connection.value === 'lost'
      connection.value = 'live'
      tries = 0
      if (away) for (const listener of reconnectListeners) listener()
      await readEvents(response.body, stop, data => {
        const entry = data as Entry
        after = entry.seq
        for (const listener of listeners) listener(entry)
      })
    } catch {
      // The daemon restarted or the machine slept: the loop tries again below.
    }
    stopDetecting()
    connection.value = 'lost'
    await waitBeforeRetry(tries)
    if (access.value === 'out') await new Promise<void>(resolve => waitForLogin(resolve))
  }
}

const TICK_MS = 5000

/** Calls back when the machine has slept (a timer fired far too late): the connection may be dead without an error. */
function detectSleep(woke: () => void): () => void {
  let last = currentTime()
  const timer = setInterval(() => {
    const slept = currentTime() - last > 4 * TICK_MS
    last = currentTime()
    // Browsers slow timers of hidden pages down to a minute, so only a visible page can tell that it slept.
    if (slept && !document.hidden) woke()
  }, TICK_MS)
  return () => clearInterval(timer)
}

function waitForLogin(then: () => void): void {
  const stop = access.subscribe(value => {
    if (value === 'in') {
      then()
      queueMicrotask(() => stop())
    }
  })
}
