import { SessionList } from '@batonpass/contract/api'
import { type Ask, AskList } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { type Pause, PauseList } from '@batonpass/contract/pause'
import type { Session } from '@batonpass/contract/session'
import { WorkList, type WorkSummary } from '@batonpass/contract/work'
import type { Daemon, WindowFacts } from './client.ts'

/** The work items of one folder, newest first. */
export interface FolderWork {
  project: string
  items: WorkSummary[]
}

/** What the views show. `problem` tells the user why there is nothing to show. */
export interface Picture {
  daemon: 'connecting' | 'absent' | 'running'
  problem?: string
  sessions: Session[]
  asks: Ask[]
  work: FolderWork[]
  /** Where a person paused Baton. */
  pauses?: readonly Pause[]
}

export interface LiveParts {
  daemon: Daemon
  /** The folders whose work items are shown, and which asks to show. */
  window(): WindowFacts
  changed(picture: Picture): void
  /** Waits between two attempts, or until the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

const BLANK: Picture = { daemon: 'connecting', sessions: [], asks: [], work: [] }
const MIN_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000
/** Entries arrive in bursts: wait this long and load once. */
const GATHER_MS = 150

/** Keeps the window's picture of the daemon's state up to date. */
export class Live {
  readonly #parts: LiveParts
  readonly #end = new AbortController()
  #picture: Picture = BLANK
  #dirty = false
  #loading: Promise<void> | undefined
  #connection = new AbortController()

  constructor(parts: LiveParts) {
    this.#parts = parts
  }

  get picture(): Picture {
    return this.#picture
  }

  /** Runs until disposed. */
  async run(): Promise<void> {
    const { signal } = this.#end
    let pauseMs = MIN_PAUSE_MS
    while (!signal.aborted) {
      this.#connection = new AbortController()
      const connected = AbortSignal.any([signal, this.#connection.signal])
      const problem = await this.#parts.daemon
        .follow(this.#parts.window(), connected, {
          open: () => {
            pauseMs = MIN_PAUSE_MS
            this.refresh()
          },
          entry: kind => {
            // An event and its reaction come in pairs: one reload is enough for both.
            if (kind !== 'reaction') this.refresh()
          },
        })
        .then(() => undefined, sentence)
      if (signal.aborted) return
      if (this.#connection.signal.aborted) continue
      this.#show({ ...BLANK, daemon: 'absent', ...(problem && { problem }) })
      await this.#parts.pause(pauseMs, connected)
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
  }

  /** Reconnects at once: the daemon was started, or this window shows other folders. */
  reconnect(): void {
    this.#connection.abort()
  }

  /** Reloads soon; further calls until then are merged into one reload. */
  refresh(): void {
    this.#dirty = true
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
      if (this.#dirty && !this.#end.signal.aborted) this.refresh()
    })
  }

  async #load(): Promise<void> {
    await this.#parts.pause(GATHER_MS, this.#end.signal)
    if (this.#end.signal.aborted) return
    this.#dirty = false
    const { daemon, window } = this.#parts
    try {
      const [{ sessions }, { asks }, { pauses }, work] = await Promise.all([
        daemon.get('/api/sessions?live=true&limit=200', SessionList),
        daemon.get('/api/asks', AskList),
        // An older daemon has no pauses.
        daemon.get('/api/pauses', PauseList).catch(() => ({ pauses: [] })),
        Promise.all(window().folders.map(folder => workIn(daemon, folder))),
      ])
      this.#show({ daemon: 'running', sessions, asks, work, pauses })
    } catch (cause) {
      const absent = cause instanceof BatonError && cause.code === 'daemon_absent'
      this.#show({ ...(absent ? BLANK : this.#picture), daemon: 'absent', problem: sentence(cause) })
    }
  }

  #show(picture: Picture): void {
    if (this.#end.signal.aborted) return
    this.#picture = picture
    this.#parts.changed(picture)
  }

  dispose(): void {
    this.#end.abort()
  }
}

/** The work items of a folder. A folder that cannot be read counts as empty, so that it does not hide the others. */
export async function workIn(daemon: Daemon, folder: string): Promise<FolderWork> {
  try {
    const { items } = await daemon.get(`/api/work?project=${encodeURIComponent(folder)}`, WorkList)
    return { project: folder, items }
  } catch (cause) {
    if (cause instanceof BatonError && cause.code === 'daemon_absent') throw cause
    return { project: folder, items: [] }
  }
}

/** What happened and what to do next, in one or two sentences. */
export function sentence(cause: unknown): string {
  if (!(cause instanceof BatonError)) return cause instanceof Error ? cause.message : String(cause)
  return cause.remedy === undefined ? cause.message : `${cause.message}. ${cause.remedy}`
}
