import type { Reaction } from '@batonpass/contract/reaction'
import { answerText } from '../hook-answer.ts'
import { noQuestion } from '../no-question.ts'

type Answer = Record<string, unknown>

/** Our reaction as Codex's hook answer: only what each event reads. */
export function encode(reaction: Reaction, nativeEvent: string): Answer {
  return { ...answerTo(reaction, nativeEvent), ...notice(reaction, nativeEvent) }
}

function answerTo(reaction: Reaction, nativeEvent: string): Answer {
  const { permission, answer, refuse, goOn, rewrite } = reaction
  switch (nativeEvent) {
    case 'PreToolUse':
      if (answer && permission?.decision !== 'deny')
        return specific(nativeEvent, {
          permissionDecision: 'deny',
          permissionDecisionReason: answerText(answer),
        })
      // Codex takes a replacement only with an allow: without one, it runs the command itself.
      if (rewrite && !permission)
        return specific(nativeEvent, {
          permissionDecision: 'allow',
          updatedInput: rewrite.input,
          ...context(reaction),
        })
      if (!permission || permission.decision === 'allow') return specific(nativeEvent, context(reaction))
      // A hook's `ask` is waved through without a word, so it is a refusal here.
      return specific(nativeEvent, {
        permissionDecision: 'deny',
        permissionDecisionReason:
          permission.decision === 'ask' ? `${permission.reason}\n${noQuestion('Codex')}` : permission.reason,
      })
    case 'PermissionRequest':
      // Its dialog is the asking: `ask` means that the dialog stays.
      if (!permission || permission.decision === 'ask') return {}
      return specific(nativeEvent, {
        decision:
          permission.decision === 'allow'
            ? { behavior: 'allow' }
            : { behavior: 'deny', message: permission.reason },
      })
    case 'Stop':
      return goOn ? { decision: 'block', reason: goOn.prompt } : {}
    case 'UserPromptSubmit':
      return {
        ...(refuse ? { decision: 'block', reason: refuse.reason } : {}),
        ...specific(nativeEvent, context(reaction)),
      }
    case 'SessionStart':
    case 'PostToolUse':
      return specific(nativeEvent, context(reaction))
    default:
      return {}
  }
}

function specific(hookEventName: string, parts: Answer): Answer {
  return Object.keys(parts).length === 0 ? {} : { hookSpecificOutput: { hookEventName, ...parts } }
}

function context(reaction: Reaction): Answer {
  return reaction.context ? { additionalContext: reaction.context } : {}
}

function notice(reaction: Reaction, nativeEvent: string): Answer {
  return reaction.notice && nativeEvent !== 'SessionEnd' ? { systemMessage: reaction.notice } : {}
}
