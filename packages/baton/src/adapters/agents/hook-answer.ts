import type { Reaction } from '@batonpass/contract/reaction'

/**
 * What the model reads where a hook stops the tool that would have asked the person: their answers. No agent has another way
 * to give a tool's result from its hook, so the text says that this is not a failure.
 */
export function answerText({ accepted, replies = [], comment }: NonNullable<Reaction['answer']>): string {
  if (!accepted)
    return `${comment ?? 'The user declined to answer'}. Do not ask this again: continue without an answer, or say what you need.`
  const answers = replies.map(({ question, chosen = [], words }) => {
    const given = [...chosen, ...(words?.trim() ? [words.trim()] : [])]
    return `${JSON.stringify(question)}=${JSON.stringify(given.join(', '))}`
  })
  return [`${ANSWERED} Do not ask again; continue with these answers:`, ...answers].join('\n')
}

const ANSWERED =
  'The user has answered. This is not an error: Baton asked the user on another screen, so this one did not have to.'
