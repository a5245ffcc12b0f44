import type { Backend } from '../ports/backend.ts'
import { isObject } from './session-file/entries.ts'
import type { SessionManager } from './session-file/session-manager.ts'

const NATIVE = 'baton-agent'

/** Stores the agent's own id of the conversation in the session file, so that the agent can resume it. */
export async function recordNativeSession(
  manager: SessionManager,
  { agent }: Backend,
  nativeSession: string,
): Promise<void> {
  await manager.appendCustomEntry(NATIVE, { agent, nativeSession })
}

/** The agent's own id of the conversation in the open file; none if another agent had it last. */
export async function nativeSessionOf(
  manager: SessionManager,
  { agent }: Backend,
): Promise<string | undefined> {
  const last = await manager.findLast(entry => entry.customType === NATIVE)
  const data = isObject(last?.data) ? last.data : undefined
  return data?.agent === agent && typeof data.nativeSession === 'string' ? data.nativeSession : undefined
}
