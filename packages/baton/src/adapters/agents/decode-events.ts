import type { Decoded, DecodedEvent } from '../../ports/agent.ts'
import { eventName, type Payload, printableName, readPayload } from './payload.ts'

/** Hook JSON as our event, by a table of the agent's own event names; what is not in it, or means nothing to us, is ignored. */
export function decodeBy(
  agent: string,
  events: Readonly<Record<string, (payload: Payload) => DecodedEvent | undefined>>,
  json: unknown,
  argument: string | undefined,
): Decoded {
  const payload = readPayload(agent, json)
  const nativeEvent = eventName(agent, payload, argument)
  const read = Object.hasOwn(events, nativeEvent) ? events[nativeEvent] : undefined
  const event = read?.(payload)
  return event ? { event, nativeEvent } : { ignored: printableName(nativeEvent) }
}
