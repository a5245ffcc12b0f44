import { hash } from 'node:crypto'
import type { AgentName } from '@batonpass/contract/event'
import { SessionId } from '@batonpass/contract/ids'

const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

/** Baton's session id is derived from the agent and its own id, so that a hook needs no lookup. */
export function sessionId(agent: AgentName, native: string): SessionId {
  const name = `${agent}\0${native}`
  // One event needs the same id several times.
  if (last?.name === name) return last.id
  const digest = hash('sha256', name, 'buffer')
  let id = ''
  for (let i = 0; i < 16; i++) id += ALPHABET[(digest[i] ?? 0) & 31]
  last = { name, id: SessionId.parse(`ses_${id}`) }
  return last.id
}

let last: { name: string; id: SessionId } | undefined
