import type { Reaction } from '@batonpass/contract/reaction'
import { dialogDecision, formAnswer } from './answers.ts'
import { fit } from './fit.ts'
import { modes, REPLACED_WITH_ALLOW } from './modes.ts'
import { STATUS_LINE } from './status-line-name.ts'

type Answer = Record<string, unknown>

/** Our reaction as Claude Code's hook answer. It reads only what its event allows, so the rest is left out. */
export function encode(
  reaction: Reaction,
  nativeEvent: string,
  _onScreen?: boolean,
  payload?: unknown,
): Answer {
  // The program of the status line shows it as it is.
  if (nativeEvent === STATUS_LINE) return reaction.notice ? { statusLine: reaction.notice } : {}
  return { ...answerTo(reaction, nativeEvent, payload), ...notice(reaction, nativeEvent) }
}

function answerTo(reaction: Reaction, nativeEvent: string, payload: unknown): Answer {
  const { permission, answer, refuse, goOn, rewrite } = reaction
  switch (nativeEvent) {
    case 'PreToolUse':
      return specific(nativeEvent, {
        ...(permission
          ? { permissionDecision: permission.decision, permissionDecisionReason: fit(permission.reason) }
          : {}),
        ...(rewrite && !permission && needsAllow(payload) ? { permissionDecision: 'allow' } : {}),
        ...(rewrite ? { updatedInput: rewrite.input } : {}),
        ...context(reaction),
      })
    case 'PermissionRequest':
      if (answer && permission?.decision !== 'deny')
        return specific(nativeEvent, { decision: dialogDecision(answer, payload) })
      // Its dialog is the asking: `ask` means that the dialog stays.
      if (!permission || permission.decision === 'ask') return {}
      return specific(nativeEvent, {
        decision:
          permission.decision === 'allow'
            ? { behavior: 'allow' }
            : { behavior: 'deny', message: fit(permission.reason) },
      })
    case 'Elicitation':
      return answer ? specific(nativeEvent, formAnswer(answer, payload)) : {}
    case 'Stop':
      // Context at a stop would itself make the agent continue, so it is sent only with a prompt.
      if (!goOn) return {}
      return { decision: 'block', reason: goOn.prompt, ...specific(nativeEvent, context(reaction)) }
    case 'UserPromptSubmit':
      return {
        ...(refuse ? { decision: 'block', reason: fit(refuse.reason) } : {}),
        ...specific(nativeEvent, context(reaction)),
      }
    case 'SessionStart':
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'SubagentStart':
      return specific(nativeEvent, context(reaction))
    default:
      return {}
  }
}

/** Whether Claude Code runs a replaced command in its present mode only if it is allowed at once. */
function needsAllow(payload: unknown): boolean {
  const native = typeof payload === 'object' && payload !== null && Reflect.get(payload, 'permission_mode')
  const mode = typeof native === 'string' && Object.hasOwn(modes, native) ? modes[native] : undefined
  return mode !== undefined && REPLACED_WITH_ALLOW.includes(mode)
}

/** Claude Code ignores these parts when they do not repeat the event's name. */
function specific(hookEventName: string, parts: Answer): Answer {
  return Object.keys(parts).length === 0 ? {} : { hookSpecificOutput: { hookEventName, ...parts } }
}

function context(reaction: Reaction): Answer {
  return reaction.context ? { additionalContext: fit(reaction.context) } : {}
}

/** Nothing is shown for an event that only tells us something. */
function notice(reaction: Reaction, nativeEvent: string): Answer {
  const silent = ['SessionEnd', 'StopFailure', 'Notification'].includes(nativeEvent)
  return reaction.notice && !silent ? { systemMessage: fit(reaction.notice) } : {}
}
