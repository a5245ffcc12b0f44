import type { Cycle, EssentialFact, Essentials } from '@batonpass/contract/cycle'
import { HANDOFFS_FOLDER } from '../document-name.ts'
import { ASKED_BY_CYCLE } from '../write/command.ts'
import { CHECK } from './essentials.ts'

/** Asks a session for its document. `/handoff`'s reactor recognizes the typed prompt by its start. */
export const requestDocumentPrompt = (percent: number | undefined): string =>
  `${ASKED_BY_CYCLE}${Math.round(percent ?? 0)}%`

/** Asks the new session to repeat the essentials before it continues the work. */
export function resumePrompt({ document = '', essentials }: Pick<Cycle, 'document' | 'essentials'>): string {
  return [
    `${resumePromptStart(document)}. First show that you have it: answer with exactly this block and end your turn. Do nothing else in this turn. Behind a fact, the handoff context shows its id in brackets: name the id, or copy the fact word for word.`,
    `<${CHECK}>`,
    'goal: (the goal, with its id)',
    'branch: (the branch)',
    'next: (the next step, with its id)',
    ...lists(essentials),
    `</${CHECK}>`,
  ].join('\n')
}

function lists(essentials: Essentials | undefined): string[] {
  const has = (part: EssentialFact['part']) => essentials?.facts?.some(fact => fact.part === part)
  return [
    ...(has('instruction') ? ["instructions: (the id of each of the user's instructions)"] : []),
    ...(has('todo') ? ['todos: (the id of each open todo)'] : []),
  ]
}

/** How Baton's resume prompt starts; this distinguishes it from a person's prompts. */
export const resumePromptStart = (document: string): string =>
  `Read handoff from ${HANDOFFS_FOLDER}/${document} and resume work`

export function repeatEssentialsPrompt({ document, essentials }: Cycle, wrong: readonly string[]): string {
  return [
    `That is not what the handoff document says: ${wrong.join('; ')}.`,
    `Read ${HANDOFFS_FOLDER}/${document ?? ''} again and answer with the block again, each line with its id or copied word for word:`,
    [`<${CHECK}>`, 'goal: …', 'branch: …', 'next: …', ...lists(essentials), `</${CHECK}>`].join('\n'),
  ].join('\n')
}

export function continuePrompt({ essentials, document }: Cycle): string {
  const next = essentials?.next ? `: ${essentials.next}` : ''
  // No agent wrote this document: what was done so far shows only in the repository.
  if (essentials?.unproven)
    return `Correct. Now continue the work from ${HANDOFFS_FOLDER}/${document ?? ''}. It was written without the previous session: look at git and the code to see what is already done${next ? `, then continue with the next step${next}` : ''}`
  return `Correct. Now continue the work from ${HANDOFFS_FOLDER}/${document ?? ''}, starting with the next step${next}`
}

/** The question to a person when a cycle is stuck. */
export function stuckCycleQuestion(cycle: Cycle): { title: string; detail: string } {
  const { nativeSession, project, document, stuckAt, why, agent } = cycle
  const yes = stuckAt === 'verifying' ? 'yes: let the new session continue anyway' : 'yes: try again'
  return {
    title: `A handoff needs you: ${why ?? 'it is stuck'}`.slice(0, 300),
    detail: [
      `Session ${nativeSession} of ${agent} in ${project}, at the step "${stuckAt ?? ''}": ${why ?? ''}.`,
      ...(document ? [`Its handoff document is ${HANDOFFS_FOLDER}/${document}.`] : []),
      cycle.successor
        ? `The old session is unchanged; to return to it: ${agent === 'claude-code' ? `claude -r ${nativeSession}` : nativeSession}`
        : 'The old session is unchanged; nothing was cleared.',
      `${yes}. no: leave the handoff to you.`,
    ].join('\n'),
  }
}
