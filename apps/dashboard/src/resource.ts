import type { Entry } from '@batonpass/contract/journal'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, get } from './api.ts'
import { onEntry, onReturn } from './live.ts'

export interface Resource<T> {
  data: T | undefined
  error: ApiError | undefined
  /** The daemon has no such address: that capability is not there. */
  absent: boolean
  reload(): void
}

/** At most one look in this time, however much happens. */
const CALM_MS = 600
const LATER_MS = 400

/** What an address of the daemon holds, looked at again when something happened that concerns it. */
export function useResource<T>(
  path: string,
  concerns: (entry: Entry) => boolean = () => false,
  /** For what changes without an entry in the journal: looked at again after this long, while somebody looks. */
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
    const look = async () => {
      if (busy) {
        wanted = true
        return
      }
      busy = true
      try {
        const data = await get<T>(path, stop.signal)
        if (!stop.signal.aborted) setState({ path, data })
      } catch (cause) {
        // While the daemon is away, what was known stays on the page.
        if (!stop.signal.aborted && cause instanceof ApiError)
          setState(old => ({ ...(old.path === path ? old : { path }), error: cause }))
      }
      busy = false
      if (wanted) {
        wanted = false
        soon()
      }
    }
    const soon = (ms = CALM_MS) => {
      if (timer) return
      timer = setTimeout(() => {
        timer = 0
        void look()
      }, ms)
    }
    reload.current = () => void look()
    // What is looked at again and again anyway does not stand in the way of the first paint.
    if (everyMs === undefined) void look()
    else soon(LATER_MS)
    const stopEntries = onEntry(entry => {
      if (test.current(entry)) soon()
    })
    const stopReturns = onReturn(() => void look())
    const again = everyMs === undefined ? 0 : setInterval(() => document.hidden || void look(), everyMs)
    return () => {
      stop.abort()
      clearTimeout(timer)
      clearInterval(again)
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
