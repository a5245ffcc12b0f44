import type { Ask } from '@batonpass/contract/ask'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Baton } from '../compose.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'
import { followJournal } from './follow-journal.ts'

export interface EditorRouteParts extends Pick<Baton, 'store' | 'live' | 'editors'> {
  mayAnswer: MayAnswer
  beatMs?: number
}

const BEAT_MS = 10_000

/**
 * GET /api/editor/events: tells an editor's window that something of a kind happened. While a window listens in which a
 * person may answer, asks reach that person. `notify` is `all`, `workspace` (with each `folder` of it) or `off`.
 */
export function editorRoutes({ store, live, editors, mayAnswer, beatMs = BEAT_MS }: EditorRouteParts): Hono {
  const api = new Hono()
  api.get('/api/editor/events', async c => {
    const { notify } = c.req.query()
    // In an editor that no person logged in, open asks are visible but cannot be answered.
    const answers = await mayAnswer(c).then(
      () => true,
      () => false,
    )
    const folders = c.req.queries('folder') ?? []
    return streamSSE(c, async stream => {
      const gone =
        notify === 'off' || !answers
          ? () => {}
          : editors.arrive(ask => notify !== 'workspace' || isIn(ask, folders))
      try {
        // The first heartbeat tells the window that it is connected.
        await stream.write(': here\n\n')
        await followJournal(undefined, store, live, {
          beatMs,
          send: ({ seq, body }) => stream.writeSSE({ id: String(seq), event: body.kind, data: '' }),
          beat: () => stream.write(': still here\n\n'),
          ended: new Promise(resolve => stream.onAbort(() => resolve())),
        })
      } finally {
        gone()
      }
    })
  })
  api.onError(errorResponse)
  return api
}

/** Must match the asks that the extension notifies about: see its `ask/notify.ts`. */
function isIn({ facts }: Pick<Ask, 'facts'>, folders: readonly string[]): boolean {
  const place = facts.project ?? facts.cwd
  return place === undefined || folders.some(folder => isWithin(place, folder) || isWithin(folder, place))
}

/** Whether a window shows the project, a folder inside it, or a folder that contains it. */
const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`)
