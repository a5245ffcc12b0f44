import type { Entry } from '@batonpass/contract/journal'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, get } from './api.ts'
import { onEntry, onReconnect } from './live.ts'

export interface Resource<T> {
  data: T | undefined
  error: ApiError | undefined
  /** The daemon has no such route: it does not have this capability. */
  absent: boolean
  reload(): void
}

/** At most one request in this time, however many entries arrive. */
const CALM_MS = 600
const LATER_MS = 400

/** Loads a route of the daemon, and loads it again after each journal entry that concerns it. */
export function useResource<T>(
  path: string,
  concerns: (entry: Entry) => boolean = () => false,
  /** For data that changes without a journal entry: load again at this interval while the page is visible. */
  everyMs?: number,
): Resource<T> {
  const [state, setState] = useState<{ path: string; data?: T; error?: ApiError }>({ path })
  const test = useRef(concerns)
  test.current = concerns
  const reload = useRef(() => {})

  useEffect(() => {
    const stop = new AbortController()
    let timer = 0
    let busy = false
    let wanted = false
    const load = async () => {
      if (busy) {
        wanted = true
        return
      }
      busy = true
      try {
        const data = await get<T>(path, stop.signal)
        if (!stop.signal.aborted) setState({ path, data })
      } catch (cause) {
        // While the daemon is away, the page keeps what it has.
        if (!stop.signal.aborted && cause instanceof ApiError)
          setState(old => ({ ...(old.path === path ? old : { path }), error: cause }))
      }
      busy = false
      if (wanted) {
        wanted = false
        loadSoon()
      }
    }
    const loadSoon = (ms = CALM_MS) => {
      if (timer) return
      timer = setTimeout(() => {
        timer = 0
        void load()
      }, ms)
    }
    reload.current = () => void load()
    // Data that is polled must not delay the first paint.
    if (everyMs === undefined) void load()
    else loadSoon(LATER_MS)
    const stopEntries = onEntry(entry => {
      if (test.current(entry)) loadSoon()
    })
    const stopReturns = onReconnect(() => void load())
    const polling = everyMs === undefined ? 0 : setInterval(() => document.hidden || void load(), everyMs)
    return () => {
      stop.abort()
      clearTimeout(timer)
      clearInterval(polling)
      stopEntries()
      stopReturns()
    }
  }, [path, everyMs])

  const current = state.path === path ? state : { path }
  return {
    data: current.data,
    error: current.error,
    absent: current.error?.status === 404,
    reload: () => reload.current(),
  }
}
