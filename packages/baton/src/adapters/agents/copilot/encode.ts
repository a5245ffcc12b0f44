import type { Reaction } from '@batonpass/contract/reaction'
import { answerText } from '../hook-answer.ts'

/** Our reaction as Copilot CLI's hook answer: flat, and only what each event reads. */
export function encode(reaction: Reaction, nativeEvent: string): Record<string, unknown> {
  const { permission, answer, goOn, context, rewrite } = reaction
  switch (nativeEvent) {
    case 'preToolUse':
      if (answer && permission?.decision !== 'deny')
        return { permissionDecision: 'deny', permissionDecisionReason: answerText(answer) }
      if (rewrite && !permission) return { permissionDecision: 'allow', modifiedArgs: rewrite.input }
      // Without a terminal it makes a refusal of `ask`, and says why.
      return permission
        ? { permissionDecision: permission.decision, permissionDecisionReason: permission.reason }
        : {}
    case 'permissionRequest':
      // Its dialog is the asking: `ask` means that the dialog stays.
      if (!permission || permission.decision === 'ask') return {}
      return permission.decision === 'allow'
        ? { behavior: 'allow' }
        : { behavior: 'deny', message: permission.reason }
    case 'agentStop':
      return goOn ? { decision: 'block', reason: goOn.prompt } : {}
    case 'sessionStart':
    case 'userPromptSubmitted':
    case 'postToolUse':
      return context ? { additionalContext: context } : {}
    default:
      return {}
  }
}
