import type { HandoffFinding } from '@batonpass/contract/handoff'
import { HANDOFFS } from '../document-name.ts'

/** Said beside `/handoff`: where the document goes, and what is compared. */
export function askWords(name: string, focus: string | undefined, form = false): string {
  return [
    `Baton: write the handoff document to ${HANDOFFS}/${name} in the project's root, then end your turn.`,
    ...(form
      ? [
          `It is for whoever goes on with this work and knows nothing of this session. Write it with these sections: ${SECTIONS}, ## Goal (what the user wants, in the user's words). Before it stands YAML front matter with branch: and, if tests were run, tests: {command, result: passed|failed}.`,
          'Say what is on disk and what is only intended, in the imperative; name the exact next step first. Do no other work now.',
        ]
      : []),
    'Tick a box only for what is done. Name files and commands in backticks. What you state in the front matter, and what ticked boxes name, is compared with git and with this session; leave out what you do not know.',
    ...(focus ? [`Additional focus: ${focus}`] : []),
  ].join('\n')
}

/** The second and last time of asking. */
export function askAgainWords(name: string, findings: readonly HandoffFinding[], found: boolean): string {
  const points = findings.slice(0, 20).map(({ message }) => `- ${message}`)
  const rest = findings.length > points.length ? [`- and ${findings.length - points.length} more`] : []
  return found
    ? [
        `The handoff document ${HANDOFFS}/${name} does not agree with what git and this session show:`,
        ...points,
        ...rest,
        'Correct exactly these points and write the whole file again, then end your turn. Change no other file.',
      ].join('\n')
    : [
        `There is no handoff document yet. Write it to ${HANDOFFS}/${name} in the project's root, with these sections:`,
        `${SECTIONS}.`,
        'Then end your turn. Change no other file.',
      ].join('\n')
}

const SECTIONS =
  '# Handoff Document (with **Created**, **Context Usage**, **Project**), ## Current Work (with **Active Epic**, **Progress**, **Current Task**), ## Completed Since Last Handoff (ticked boxes), ## Next Steps (numbered), ## Critical State, ## Blockers / Issues, ## Notes'
