import type { PsRow, WatchState } from '@batonpass/contract/watch'
import { useResource } from './resource.ts'
import type { Tone } from './words.ts'

const RELOAD_MS = 10_000

/** What the watch sees of each session from outside, by session id. */
export function useWatch(): ReadonlyMap<string, PsRow> {
  const { data } = useResource<{ sessions: PsRow[] }>(
    '/api/ps',
    ({ body }) => body.kind === 'health' || body.kind === 'spawn',
    RELOAD_MS,
  )
  return new Map(data?.sessions.flatMap(row => (row.session ? [[row.session, row] as const] : [])))
}

/** States that only the watch can see. The session's own events tell the others more reliably. */
export const WATCH_STATES: Partial<Record<WatchState, { word: string; tone: Tone }>> = {
  person: { word: 'a person is typing', tone: 'info' },
  dialog: { word: 'asks in its terminal', tone: 'wait' },
  stalled: { word: 'stalled', tone: 'bad' },
  dead: { word: 'died', tone: 'bad' },
  gone: { word: 'terminal gone', tone: 'bad' },
}
