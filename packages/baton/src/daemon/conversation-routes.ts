import type { ConversationView } from '@batonpass/contract/conversation'
import { SayRequest } from '@batonpass/contract/dashboard'
import { BatonError } from '@batonpass/contract/errors'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import type { Baton } from '../compose.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'
import { streamUpdates } from './stream-updates.ts'

const BEAT_MS = 10_000
/** Agents send text in tiny pieces: collect them for this long before sending. */
const BATCH_MS = 80
const POLL_MS = 2000
const BEAT = ': still here\n\n'
const NOTHING: ConversationView = { state: 'none', rev: 0, items: [], plan: [] }

/** Streams a session's conversation, and accepts a person's prompts for it. */
export function conversationRoutes(
  conversations: Conversations,
  mayAnswer: MayAnswer,
  beatMs = BEAT_MS,
): Hono {
  const api = new Hono()
  api.get('/api/page/sessions/:id/conversation', async c => {
    const id = c.req.param('id')
    let talk = await conversations.open(id)
    const after = c.req.query('after') ?? ''
    return streamSSE(c, async stream => {
      let open = true
      const ended = new Promise<void>(resolve => stream.onAbort(resolve))
      void ended.then(() => {
        open = false
      })
      const send = (view: ConversationView) => stream.writeSSE({ data: JSON.stringify(view) })
      const beat = () => stream.write(BEAT)
      if (!talk) await send(NOTHING)
      // A session that is resumed after a restart gets its conversation a little later.
      for (let n = 1; open && !talk; n++) {
        await pause(POLL_MS)
        talk = await conversations.open(id)
        if (n % 5 === 0) await beat()
      }
      if (!talk) return
      const current = talk
      let last = /^\d{1,15}$/.test(after) ? Number(after) : 0
      const tell = async () => {
        const view = current.since(last)
        last = view.rev
        await send(view)
        await pause(BATCH_MS)
        return false
      }
      await streamUpdates(heard => current.listen(heard), tell, { beatMs, ended, beat })
    })
  })
  api.post('/api/page/sessions/:id/say', bodyLimit({ maxSize: 128 * 1024 }), async c => {
    await mayAnswer(c)
    const parsed = SayRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) throw new BatonError('usage', 'text: from 1 to 20,000 characters')
    return c.json({ typed: await conversations.say(c.req.param('id'), parsed.data.text) })
  })
  api.post('/api/page/sessions/:id/interrupt', async c => {
    await mayAnswer(c)
    return c.json({ interrupted: await conversations.interrupt(c.req.param('id')) })
  })
  api.onError(errorResponse)
  return api
}

type Conversations = Baton['dashboard']['conversations']

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
