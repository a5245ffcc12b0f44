import type { Reaction } from '@batonpass/contract/reaction'

type Answer = Record<string, unknown>

/** Our reaction as Cursor's hook answer: flat, in snake_case, and only what each event reads. */
export function encode(reaction: Reaction, nativeEvent: string): Answer {
  switch (nativeEvent) {
    case 'beforeShellExecution':
    case 'beforeMCPExecution':
    case 'preToolUse':
    case 'beforeReadFile':
      return permission(reaction)
    case 'beforeSubmitPrompt':
      return reaction.refuse ? { continue: false, user_message: reaction.refuse.reason } : {}
    case 'stop':
      return reaction.goOn ? { followup_message: reaction.goOn.prompt } : {}
    case 'sessionStart':
    case 'postToolUse':
      return reaction.context ? { additional_context: reaction.context } : {}
    case 'preCompact':
      return reaction.notice ? { user_message: reaction.notice } : {}
    default:
      return {}
  }
}

function permission({ permission: answer, context, notice }: Reaction): Answer {
  if (!answer) return {}
  if (answer.decision === 'allow')
    return { permission: 'allow', ...(context ? { agent_message: context } : {}) }
  // Cursor shows no question for a hook's `ask`: it refuses. So we refuse, and say what happened.
  const reason = answer.decision === 'ask' ? `${answer.reason}\n${NO_QUESTION}` : answer.reason
  return {
    permission: 'deny',
    user_message: notice ? `${reason}\n${notice}` : reason,
    agent_message: context ? `${reason}\n\n${context}` : reason,
  }
}

const NO_QUESTION =
  'A person must decide this, and Cursor cannot ask one from a hook, so the call was stopped. Do not repeat it: continue without it, or tell the person what you need.'
