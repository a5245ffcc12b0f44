import type { Cycle } from '@batonpass/contract/cycle'
import { HANDOFFS } from '../document-name.ts'
import { ASKED_BY_CYCLE } from '../write/command.ts'
import { CHECK } from './essentials.ts'

/** What asks a session for its document. A typed one is recognised by its beginning. */
export const askDocumentWords = (percent: number | undefined): string =>
  `${ASKED_BY_CYCLE}${Math.round(percent ?? 0)}%`

/** What a new session is asked to show before it goes on. */
export function resumeWords(document: string): string {
  return [
    `${resumeBeginning(document)}. First show that you have it: answer with exactly this block, copied word for word from the document, and end your turn. Do nothing else in this turn.`,
    `<${CHECK}>`,
    'goal: (the first line of its section Goal; without that section, its Active Epic)',
    'branch: (its branch)',
    'next: (the first of its Next Steps)',
    `</${CHECK}>`,
  ].join('\n')
}

/** By this a resume prompt of ours is told from everything else that is typed. */
export const resumeBeginning = (document: string): string =>
  `Read handoff from ${HANDOFFS}/${document} and resume work`

export function askAgainWords(document: string, wrong: readonly string[]): string {
  return [
    `That is not what the handoff document says: ${wrong.join('; ')}.`,
    `Read ${HANDOFFS}/${document} again and answer with the block once more, each line copied word for word from the document:`,
    `<${CHECK}>\ngoal: …\nbranch: …\nnext: …\n</${CHECK}>`,
  ].join('\n')
}

export function goOnWords({ essentials, document }: Cycle): string {
  const next = essentials?.next ? `: ${essentials.next}` : ''
  return `Right. Now go on with the work from ${HANDOFFS}/${document ?? ''}, beginning with the next step${next}`
}

/** What a person is asked when a cycle goes no further. */
export function personWords(cycle: Cycle): { title: string; detail: string } {
  const { nativeSession, project, document, stuckAt, why, agent } = cycle
  const yes =
    stuckAt === 'verifying' ? 'yes: let the new session go on all the same' : 'yes: try it once more'
  return {
    title: `A handoff needs you: ${why ?? 'it goes no further'}`.slice(0, 300),
    detail: [
      `Session ${nativeSession} of ${agent} in ${project}, at the step "${stuckAt ?? ''}": ${why ?? ''}.`,
      ...(document ? [`Its handoff document is ${HANDOFFS}/${document}.`] : []),
      cycle.successor
        ? `The old session is complete; to go back to it: ${agent === 'claude-code' ? `claude -r ${nativeSession}` : nativeSession}`
        : 'The old session is as it was; nothing was cleared.',
      `${yes}. no: leave everything to you.`,
    ].join('\n'),
  }
}
