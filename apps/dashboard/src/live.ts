import type { Entry } from '@batonpass/contract/journal'
import { signal } from '@preact/signals'
import { access, pageHeaders } from './api.ts'

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

/** No sign of life for this long is a dead line: the daemon beats every ten seconds. */
const SILENCE_MS = 25_000
const RETRY_MS = [300, 600, 1200, 2500, 5000]

/** Follows the daemon for as long as the page lives. By fetch, because an EventSource cannot send the page's key. */
export async function follow(): Promise<void> {
  let after: number | undefined
  for (let tries = 0; ; tries++) {
    try {
      const query = after === undefined ? '' : `?after=${after}`
      const stop = new AbortController()
      const response = await fetch(`/api/page/events${query}`, {
        headers: pageHeaders(),
        signal: stop.signal,
      })
      if (response.status === 401) access.value = 'out'
      if (!response.ok || !response.body) throw new Error(String(response.status))
      const away = connection.value === 'lost'
      connection.value = 'live'
      tries = 0
      if (away) for (const listener of returned) listener()
      after = await read(response.body, stop, after)
    } catch {
      // The daemon restarts, or the machine slept: it is tried again below.
    }
    connection.value = 'lost'
    await wait(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 5000)
    if (access.value === 'out') await new Promise<void>(resolve => untilIn(resolve))
  }
}

async function read(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  stop: AbortController,
  from: number | undefined,
): Promise<number | undefined> {
  let after = from
  let silence = 0
  const listen = () => {
    clearTimeout(silence)
    silence = setTimeout(() => stop.abort(), SILENCE_MS)
  }
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    listen()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return after
      listen()
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (!data) continue
        const entry = JSON.parse(data) as Entry
        after = entry.seq
        for (const listener of listeners) listener(entry)
      }
    }
  } catch {
    return after
  } finally {
    clearTimeout(silence)
  }
}

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

function untilIn(then: () => void): void {
  const stop = access.subscribe(value => {
    if (value === 'in') {
      then()
      queueMicrotask(() => stop())
    }
  })
}
