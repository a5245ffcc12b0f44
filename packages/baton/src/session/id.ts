import { createHash } from 'node:crypto'
import type { AgentName } from '@batonpass/contract/event'
import { SessionId } from '@batonpass/contract/ids'

const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

/** Our id follows from the agent and its own id, so that no look-up stands in a hook's way. */
export function sessionId(agent: AgentName, native: string): SessionId {
  const digest = createHash('sha256').update(`${agent}\0${native}`).digest()
  let id = ''
  for (let i = 0; i < 16; i++) id += ALPHABET[(digest[i] ?? 0) & 31]
  return SessionId.parse(`ses_${id}`)
}
