import { BatonError } from '@batonpass/contract/errors'
import { AgentEvent } from '@batonpass/contract/event'
import {
  HostedCall,
  HostedOwnTurn,
  HostedSession,
  HostedTalk,
  type HostedWord,
} from '@batonpass/contract/hosted'
import { EventId } from '@batonpass/contract/ids'
import { MAX_PAYLOAD_BYTES } from '@batonpass/contract/protocol'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import type { HostedConversations } from '../chat/hosted-conversations.ts'
import type { Intake } from '../engine/intake.ts'
import type { DecodedEvent } from '../ports/agent.ts'
import type { ContainedCaller } from '../ports/contained-caller.ts'
import { sessionId } from '../session/id.ts'
import { streamUpdates } from './stream-updates.ts'

/**
 * Events of agents that another program of Baton hosts, such as `baton chat`. They have the same rights as hook calls: the
 * caller can ask and get an answer, but cannot decide anything.
 */
export function hostedRoutes(
  intake: Pick<Intake, 'handleEvent' | 'ownTurn'>,
  talks: Pick<HostedConversations, 'tell' | 'hear'>,
  callerOf: (sandbox: string) => ContainedCaller | undefined = () => undefined,
  beatMs = BEAT_MS,
): Hono {
  const api = new Hono()
  api.post('/api/hosted', bodyLimit({ maxSize: MAX_PAYLOAD_BYTES }), async c => {
    const parsed = HostedCall.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) throw new BatonError('usage', 'The body is not a valid event of a hosted agent')
    const { agent, event, cwd, attended, pid, sandbox } = parsed.data
    const contained = sandbox === undefined ? undefined : callerOf(sandbox)
    if (sandbox !== undefined && contained?.agent !== agent)
      throw new BatonError('not_allowed', 'This sandbox has ended')
    const about = {
      cwd,
      attended,
      hosted: true,
      signal: c.req.raw.signal,
      ...(contained ? { contained } : {}),
      ...(pid === undefined ? {} : { pid }),
    }
    return c.json(await intake.handleEvent(agent, decoded(agent, event), about))
  })
  api.post('/api/hosted/own', bodyLimit({ maxSize: SMALL }), async c => {
    const parsed = HostedOwnTurn.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) throw new BatonError('usage', 'The body is not a valid turn of a hosted agent')
    const { agent, nativeSession, on } = parsed.data
    intake.ownTurn(agent, nativeSession, on)
    return c.json({})
  })
  api.post('/api/hosted/conversation', bodyLimit({ maxSize: MAX_PAYLOAD_BYTES }), async c => {
    const parsed = HostedTalk.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success)
      throw new BatonError('usage', 'The body is not a valid conversation of a hosted agent')
    const { agent, nativeSession, news } = parsed.data
    talks.tell(sessionId(agent, nativeSession), news)
    return c.json({ heard: news.rev })
  })
  api.get('/api/hosted/words', c => {
    const parsed = HostedSession.safeParse(c.req.query())
    if (!parsed.success) throw new BatonError('usage', 'The body is not a valid session of a hosted agent')
    const { agent, nativeSession } = parsed.data
    return streamSSE(c, async stream => {
      const words: HostedWord[] = []
      const told = async () => {
        for (const word of words.splice(0)) await stream.writeSSE({ data: JSON.stringify(word) })
        return false
      }
      const ended = new Promise<void>(resolve => stream.onAbort(resolve))
      const hear = (heard: () => void) =>
        talks.hear(sessionId(agent, nativeSession), word => {
          words.push(word)
          heard()
        })
      await streamUpdates(hear, told, { beatMs, ended, beat: () => stream.write(': still here\n\n') })
    })
  })
  return api
}

const SMALL = 10_000
const BEAT_MS = 10_000

/** Decodes an event. The id and time only satisfy the schema: the intake replaces them. */
function decoded(agent: HostedCall['agent'], event: HostedCall['event']): DecodedEvent {
  const native = typeof event.nativeSession === 'string' ? event.nativeSession : ''
  const stamps = { id: EventId.parse(`evt_${'0'.repeat(20)}`), at: '1970-01-01T00:00:00Z', agent }
  const parsed = AgentEvent.safeParse({ ...event, ...stamps, session: sessionId(agent, native) })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('usage', `The event's ${issue?.path.join('.') || 'form'} is not valid`)
}
