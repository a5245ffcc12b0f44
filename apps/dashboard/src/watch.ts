import type { PsRow, WatchState } from '@batonpass/contract/watch'
import { useResource } from './resource.ts'
import type { Tone } from './words.ts'

const AGAIN_MS = 10_000

/** What the watch sees of each session from outside, by session. */
export function useWatch(): ReadonlyMap<string, PsRow> {
  const { data } = useResource<{ sessions: PsRow[] }>(
    '/api/ps',
    ({ body }) => body.kind === 'health' || body.kind === 'spawn',
    AGAIN_MS,
  )
  return new Map(data?.sessions.flatMap(row => (row.session ? [[row.session, row] as const] : [])))
}

/** What only a look from outside can tell; the rest is known better from the session's own events. */
export const SEEN: Partial<Record<WatchState, { word: string; tone: Tone }>> = {
  person: { word: 'somebody types', tone: 'info' },
  dialog: { word: 'asks in its terminal', tone: 'wait' },
  stalled: { word: 'stalled', tone: 'bad' },
  dead: { word: 'died', tone: 'bad' },
  gone: { word: 'terminal gone', tone: 'bad' },
}
