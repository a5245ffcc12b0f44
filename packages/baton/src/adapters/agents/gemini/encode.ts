import type { Reaction } from '@batonpass/contract/reaction'
import { answerText } from '../hook-answer.ts'
import { noQuestion } from '../no-question.ts'

type Answer = Record<string, unknown>

/** Our reaction as Gemini CLI's hook answer: only what each event reads. */
export function encode(reaction: Reaction, nativeEvent: string, onScreen = false): Answer {
  const shown = reaction.notice && nativeEvent !== 'SessionEnd' && nativeEvent !== 'Notification'
  const notice = shown ? { systemMessage: reaction.notice } : {}
  return { ...notice, ...answerTo(reaction, nativeEvent, onScreen) }
}

function answerTo(
  { permission, answer, goOn, refuse, context, notice, rewrite }: Reaction,
  nativeEvent: string,
  onScreen: boolean,
): Answer {
  const beside = context
    ? { hookSpecificOutput: { hookEventName: nativeEvent, additionalContext: context } }
    : {}
  switch (nativeEvent) {
    case 'BeforeTool':
      if (answer && permission?.decision !== 'deny') return { decision: 'deny', reason: answerText(answer) }
      if (rewrite && !permission)
        return {
          decision: 'allow',
          hookSpecificOutput: { hookEventName: nativeEvent, tool_input: rewrite.input },
        }
      if (!permission || permission.decision === 'allow') return permission ? { decision: 'allow' } : {}
      // Its dialog shows the message, not the reason.
      if (permission.decision === 'ask' && onScreen)
        return {
          decision: 'ask',
          reason: permission.reason,
          systemMessage: [permission.reason, ...(notice ? [notice] : [])].join('\n'),
        }
      // Without a terminal it waits forever for the answer to an `ask`, and it does not say whether it has one.
      return {
        decision: 'deny',
        reason:
          permission.decision === 'ask'
            ? `${permission.reason}\n${noQuestion('Gemini CLI')}`
            : permission.reason,
      }
    case 'AfterAgent':
      return goOn ? { decision: 'deny', reason: goOn.prompt } : {}
    case 'BeforeAgent':
      return { ...(refuse ? { decision: 'deny', reason: refuse.reason } : {}), ...beside }
    case 'SessionStart':
    case 'AfterTool':
      return beside
    default:
      return {}
  }
}
