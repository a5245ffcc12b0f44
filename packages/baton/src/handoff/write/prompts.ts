import type { HandoffFinding } from '@batonpass/contract/handoff'
import { HANDOFFS_FOLDER } from '../document-name.ts'

/** Context added to `/handoff`: where to write the document, and what Baton checks. */
export function writeDocumentPrompt(name: string, focus: string | undefined, form = false): string {
  return [
    `Baton: write the handoff document to ${HANDOFFS_FOLDER}/${name} in the project's root, then end your turn.`,
    ...(form
      ? [
          `Its reader will continue this work and knows nothing about this session. Write it with these sections: ${SECTIONS}, ## Goal (what the user wants, in the user's words). Start the file with YAML front matter that has branch: and, if tests were run, tests: {command, result: passed|failed}.`,
          'Say what is on disk and what is only planned. Write the next steps in the imperative and put the exact next step first. Do no other work now.',
        ]
      : []),
    'Tick a box only for what is done. Put file names and commands in backticks. Baton compares the front matter, and what ticked boxes name, with git and with this session; leave out what you do not know. The next session sees which statements nothing shows.',
    ...(focus ? [`Additional focus: ${focus}`] : []),
  ].join('\n')
}

/** Asks the agent a second and last time: to correct the document, or to write it at all. */
export function correctDocumentPrompt(
  name: string,
  findings: readonly HandoffFinding[],
  found: boolean,
): string {
  return found
    ? [
        `The handoff document ${HANDOFFS_FOLDER}/${name} does not agree with what git and this session show:`,
        ...listFindings(findings),
        'Correct exactly these points and write the whole file again, then end your turn. Change no other file.',
      ].join('\n')
    : [
        `There is no handoff document yet. Write it to ${HANDOFFS_FOLDER}/${name} in the project's root, with these sections:`,
        `${SECTIONS}.`,
        'Then end your turn. Change no other file.',
      ].join('\n')
}

/** The findings as a list of limited length. */
export function listFindings(findings: readonly HandoffFinding[]): string[] {
  const points = findings.slice(0, MAX_FINDINGS).map(({ message }) => `- ${message}`)
  return findings.length > points.length
    ? [...points, `- and ${findings.length - points.length} more`]
    : points
}

const MAX_FINDINGS = 20

const SECTIONS =
  '# Handoff Document (with **Created**, **Context Usage**, **Project**), ## Current Work (with **Active Epic**, **Progress**, **Current Task**), ## Completed Since Last Handoff (ticked boxes), ## Next Steps (numbered), ## Critical State, ## Blockers / Issues, ## Notes'
