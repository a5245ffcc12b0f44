import { AnswerRequest, type Ask } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { outcomeLabel } from '@batonpass/contract/labels'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Asks } from '../ask/asks.ts'
import type { Answered } from '../ports/channel.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'

type AsksOverApi = Pick<Asks, 'open' | 'recent' | 'find' | 'answer'>

const MAX_BYTES = 64 * 1024

/** Lists and answers asks. Read access is checked before a request gets here; the right to answer is checked here. */
export function askRoutes(asks: AsksOverApi, mayAnswer: MayAnswer): Hono {
  const api = new Hono()
  api.get('/api/asks', async c => {
    const all = c.req.query('all') === 'true'
    return c.json({ asks: all ? await asks.recent(limitOf(c.req.query('limit'))) : asks.open() })
  })
  api.get('/api/asks/:id', async c => c.json(await the(asks, c.req.param('id'))))
  api.post('/api/asks/:id/answer', bodyLimit({ maxSize: MAX_BYTES }), async c => {
    const by = await mayAnswer(c)
    const { option, reason, replies, fingerprint } = readAnswer(await c.req.json().catch(() => undefined))
    const { id } = await the(asks, c.req.param('id'))
    const answered = await asks.answer(id, { option, by, reason, replies, fingerprint })
    if (answered.verdict !== 'taken' || !answered.ask) throw refusal(answered, id)
    return c.json(answered.ask)
  })
  api.onError(errorResponse)
  return api
}

async function the(asks: AsksOverApi, name: string): Promise<Ask> {
  const ask = await asks.find(name)
  if (!ask) throw new BatonError('not_found', `No ask ${name}`, { remedy: 'See `baton asks`.' })
  return ask
}

function readAnswer(body: unknown): AnswerRequest {
  const parsed = AnswerRequest.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('usage', `${issue?.path.join('.') || 'body'}: ${issue?.message}`)
}

/** Explains to the person who answered why the answer did not count. */
function refusal({ verdict, ask, problem }: Answered, id: string): BatonError {
  switch (verdict) {
    case 'not-offered':
      return new BatonError('usage', `${id} offers ${ask?.options.join(', ')}`)
    case 'reason-missing':
      return new BatonError('usage', 'A reason is missing')
    case 'invalid':
      return new BatonError('usage', `${id}: ${problem}`, { remedy: `Look again: baton asks ${id}` })
    case 'another':
      return new BatonError('not_allowed', `${id} has changed since you saw it`, {
        remedy: `Look again: baton asks ${id}`,
      })
    default:
      return new BatonError('ask_closed', `${id} is no longer open: ${howItEnded(ask)}`)
  }
}

function howItEnded(ask: Ask | undefined): string {
  if (!ask) return 'it was withdrawn'
  const by = ask.answer ? ` by ${ask.answer.by.who} (${ask.answer.by.channel})` : ''
  return `${outcomeLabel(ask)}${by}`
}

const limitOf = (text: string | undefined): number =>
  Math.min(Math.max(Math.trunc(Number(text)) || 50, 1), 1000)
