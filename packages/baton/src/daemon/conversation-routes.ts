import type { ConversationView } from '@batonpass/contract/conversation'
import { SayRequest } from '@batonpass/contract/dashboard'
import { BatonError } from '@batonpass/contract/errors'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import type { Conversations } from '../compose/conversations.ts'
import { answerError } from './answer-error.ts'
import type { MayAnswer } from './answerer-guard.ts'

const BEAT_MS = 10_000
/** An agent speaks in syllables: they are sent in bunches. */
const BUNCH_MS = 80

/** A session's conversation, live, and a person's own words in it. */
export function conversationRoutes(
  conversations: Conversations,
  mayAnswer: MayAnswer,
  beatMs = BEAT_MS,
): Hono {
  const api = new Hono()
  const open = async (id: string) => {
    const talk = await conversations.open(id)
    if (talk) return talk
    throw new BatonError('not_found', 'This session has no conversation here')
  }
  api.get('/api/page/sessions/:id/conversation', async c => {
    const talk = await open(c.req.param('id'))
    return c.json(talk.since(0))
  })
  api.get('/api/page/sessions/:id/conversation/events', async c => {
    const talk = await open(c.req.param('id'))
    const after = c.req.query('after') ?? ''
    return streamSSE(c, async stream => {
      const ended = new Promise<void>(resolve => stream.onAbort(() => resolve()))
      await followTalk(/^\d{1,15}$/.test(after) ? Number(after) : 0, talk, {
        beatMs,
        ended,
        send: view => stream.writeSSE({ data: JSON.stringify(view) }),
        beat: () => stream.write(': still here\n\n'),
      })
    })
  })
  api.post('/api/page/sessions/:id/say', bodyLimit({ maxSize: 128 * 1024 }), async c => {
    await mayAnswer(c.req.raw.headers)
    const parsed = SayRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) throw new BatonError('usage', 'text: from 1 to 20,000 characters')
    return c.json({ typed: await conversations.say(c.req.param('id'), parsed.data.text) })
  })
  api.post('/api/page/sessions/:id/interrupt', async c => {
    await mayAnswer(c.req.raw.headers)
    return c.json({ interrupted: await conversations.interrupt(c.req.param('id')) })
  })
  api.onError(answerError)
  return api
}

interface Follower {
  send(view: ConversationView): Promise<unknown>
  beat(): Promise<unknown>
  ended: Promise<void>
  beatMs: number
}

type Talk = NonNullable<Awaited<ReturnType<Conversations['open']>>>

async function followTalk(from: number, talk: Talk, to: Follower): Promise<void> {
  let open = true
  let wake = () => {}
  let news = true
  void to.ended.then(() => {
    open = false
    wake()
  })
  const unlisten = talk.listen(() => {
    news = true
    wake()
  })
  try {
    let last = from
    while (open) {
      if (news) {
        news = false
        const view = talk.since(last)
        last = view.rev
        await to.send(view)
        await pause(BUNCH_MS)
        continue
      }
      const woken = new Promise<void>(resolve => {
        wake = resolve
      })
      const beat = setTimeout(() => wake(), to.beatMs)
      await woken
      clearTimeout(beat)
      if (open && !news) await to.beat()
    }
  } finally {
    unlisten()
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
