import type { RulePlace } from '../../../ports/agent.ts'

/** What a shell call says besides its command. Codex's hooks are told the command alone. */
export interface ShellCall {
  /** It is to leave Codex's own sandbox: Codex asks, with its PermissionRequest hook, before it runs. */
  isEscalated: boolean
}

/** In the row of a call. Quotes in what models and commands say are escaped in a transcript, so only a field matches. */
export const callMark = (toolUseId: string): string => `"call_id":${JSON.stringify(toolUseId)}`

/** The call as the model made it. Codex writes it into its transcript when it calls its hooks, at times a moment later. Undefined: not found there. */
export function readShellCall({
  toolUseId,
  lastInTranscript,
}: Pick<RulePlace, 'toolUseId' | 'lastInTranscript'>): ShellCall | undefined {
  if (toolUseId === undefined) return undefined
  try {
    const { type, payload } = JSON.parse(lastInTranscript(callMark(toolUseId)) ?? '')
    if (type !== 'response_item' || payload.type !== 'function_call' || payload.call_id !== toolUseId)
      return undefined
    const { sandbox_permissions: wanted } = JSON.parse(payload.arguments)
    return { isEscalated: wanted === 'require_escalated' }
  } catch {
    return undefined
  }
}
