import type { ConsentRequest } from '../../ports/backend.ts'
import type { ReactTo } from '../../ports/reactor.ts'

/** What the permission chain decides about a tool call; `ask` if it leaves the decision to the session's host. */
export async function askPermissionChain(
  ear: ReactTo,
  { nativeSession, call }: ConsentRequest,
  cwd: string,
  signal: AbortSignal,
): Promise<{ decision: 'allow' | 'deny' | 'ask'; reason?: string }> {
  const { tool, input, action, id } = call
  const { permission } = await ear(
    {
      type: 'PermissionAsked',
      nativeSession,
      cwd,
      tool,
      input,
      action,
      ...(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(id) ? { toolUseId: id } : {}),
    },
    signal,
  )
  return permission ?? { decision: 'ask' }
}
