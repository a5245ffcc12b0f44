import type { AgentEvent, AgentName } from '@batonpass/contract/event'
import type { DecodedEvent } from '../../ports/agent.ts'
import type { ReactionContext, Reactor } from '../../ports/reactor.ts'
import type { TranscriptReader } from '../../ports/transcript.ts'
import { advice, statusText } from './context-messages.ts'

export interface ContextPorts {
  readerOf(agent: AgentName): TranscriptReader | undefined
  /** Reports a figure as an event of its session. */
  tell(agent: AgentName, event: DecodedEvent): Promise<unknown>
  fault(during: string, cause: unknown): void
}

/** The shortest time between two readings of the transcript in a long turn. */
const WITHIN_A_TURN_MS = 20_000
/** Baton does not read the transcript if a status line or a plugin reported within this time. */
const FRESH_MS = 120_000

/** Shows how full the context is, advises the agent once per zone, and reads the transcript if no status line reports. */
export function contextReactor(ports: ContextPorts): Reactor {
  const reading = new Set<string>()
  const looked = new Map<string, number>()

  async function measureContext(event: AgentEvent, { session, now }: ReactionContext): Promise<void> {
    const path = event.transcript ?? session.transcript
    const reader = ports.readerOf(event.agent)
    if (!path || !reader || reading.has(session.id)) return
    reading.add(session.id)
    setBounded(looked, session.id, now)
    try {
      const found = reader.measure ? await reader.measure(path) : asFigure(await reader.contextSize(path))
      if (!found) return
      const { nativeSession } = event
      await ports.tell(event.agent, {
        type: 'ContextMeasured',
        nativeSession,
        source: 'transcript',
        ...found,
      })
    } catch (cause) {
      if (!(cause instanceof Error && cause.name === 'FileError')) ports.fault('measuring a context', cause)
    } finally {
      reading.delete(session.id)
    }
  }

  return {
    name: 'session',
    react(event, context) {
      const figure = context.session.context
      if (event.subagent) return undefined
      if (event.type === 'ContextMeasured') return figure && { now: { notice: statusText(figure) } }
      const reported =
        (figure?.source === 'status-line' || figure?.source === 'plugin') &&
        context.now - Date.parse(figure.at) < FRESH_MS
      const long = context.now - (looked.get(context.session.id) ?? 0) > WITHIN_A_TURN_MS
      if (!reported && (event.type === 'TurnEnded' || (event.type === 'ToolFinished' && long)))
        void measureContext(event, context)
      return figure?.advised?.event === event.id ? { now: { context: advice(figure) } } : undefined
    },
  }
}

const asFigure = (used: number | undefined): { used: number } | undefined =>
  used === undefined ? undefined : { used }

const MAX_SESSIONS = 1000

function setBounded(looked: Map<string, number>, session: string, now: number): void {
  looked.delete(session)
  looked.set(session, now)
  const [oldest] = looked.keys()
  if (looked.size > MAX_SESSIONS && oldest !== undefined) looked.delete(oldest)
}
