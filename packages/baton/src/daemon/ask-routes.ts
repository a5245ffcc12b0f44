import { AnswerRequest, type Ask } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { outcomeLabel } from '@batonpass/contract/labels'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Asks } from '../ask/asks.ts'
import type { FleetAsks } from '../fleet/fleet-asks.ts'
import type { Answered } from '../ports/channel.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'

type AsksOverApi = Pick<Asks, 'open' | 'recent' | 'find' | 'answer'>

const MAX_BYTES = 64 * 1024
/** An id of an ask, or the start of one that has at least a letter. */
const SOME_ID = /^ask_[0-9a-z]{1,40}$/

/** Lists and answers asks. Read access is checked before a request gets here; the right to answer is checked here. */
export function askRoutes(
  asks: AsksOverApi,
  mayAnswer: MayAnswer,
  fleet: () => Promise<Pick<FleetAsks, 'others' | 'find' | 'answer'> | undefined> = async () => undefined,
): Hono {
  const api = new Hono()
  api.get('/api/asks', async c => {
    const all = c.req.query('all') === 'true'
    if (c.req.query('fleet') === 'true')
      return c.json({ asks: [...asks.open(), ...((await (await fleet())?.others()) ?? [])] })
    return c.json({ asks: all ? await asks.recent(limitOf(c.req.query('limit'))) : asks.open() })
  })
  api.get('/api/asks/:id', async c => c.json((await find(asks, fleet, c.req.param('id'))).ask))
  api.post('/api/asks/:id/answer', bodyLimit({ maxSize: MAX_BYTES }), async c => {
    const by = await mayAnswer(c)
    const { option, reason, replies, fingerprint } = readAnswer(await c.req.json().catch(() => undefined))
    const {
      ask: { id },
      where,
    } = await find(asks, fleet, c.req.param('id'))
    const answered = await where.answer(id, { option, by, reason, replies, fingerprint })
    if (answered.verdict !== 'taken' || !answered.ask) throw refusal(answered, id)
    return c.json(answered.ask)
  })
  api.onError(errorResponse)
  return api
}

/** An ask of this machine, or of another one of its fleet, and what answers it. */
async function find(
  asks: AsksOverApi,
  fleet: () => Promise<Pick<FleetAsks, 'find' | 'answer'> | undefined>,
  name: string,
): Promise<{ ask: Ask; where: Pick<AsksOverApi, 'answer'> }> {
  const here = await asks.find(name)
  if (here?.id === name || here?.state === 'open') return { ask: here, where: asks }
  const where = SOME_ID.test(name) ? await fleet() : undefined
  const ask = await where?.find(name)
  // The start of an id may also be that of an ask of this machine that has ended.
  if (!ask && here) return { ask: here, where: asks }
  if (!ask || !where) throw new BatonError('not_found', `No ask ${name}`, { remedy: 'See `baton asks`.' })
  return { ask, where }
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
