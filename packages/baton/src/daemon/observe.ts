import type { IncomingMessage } from 'node:http'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { profiles } from '../adapters/agents/profiles.ts'
import { sameSecret } from './loopback-guard.ts'

/** What the address of an HTTP hook says about the call. */
export interface Observation {
  agent: string
  event: string
  protocol: number
  source?: string
}

/**
 * `/observe/KEY/AGENT/EVENT?source=user`: an HTTP hook. Its key stands in a settings file that the agent can
 * read, so it opens nothing but events that only tell; an event that decides never comes this way.
 */
export function observation(
  { url = '', method }: Pick<IncomingMessage, 'url' | 'method'>,
  key: string,
): Observation | undefined {
  const [, given, agent, event, source] =
    /^\/observe\/([0-9a-f]{64})\/([a-z-]{1,32})\/([A-Za-z.]{1,64})(?:\?source=([a-z]{1,16}))?$/.exec(url) ??
    []
  if (!given || !agent || !event || method !== 'POST' || !sameSecret(given, key)) return undefined
  const point = profiles.find(({ name }) => name === agent)?.hooks.find(hook => hook.event === event)
  if (point?.role !== 'observe') return undefined
  return { agent, event, protocol: PROTOCOL, ...(source ? { source } : {}) }
}
