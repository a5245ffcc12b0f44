import type { HandoffFinding } from '@batonpass/contract/handoff'

/** What an in-process session is asked for: the context form, for a reader who knows nothing. */
export function contextPrompt(focus: string | undefined): string {
  return [
    'Write down where this work stands, for somebody who goes on with it and has seen nothing of this conversation.',
    '',
    'Answer with one markdown document and nothing else: no greeting, no tool calls, no remark about the document. Use exactly these sections, in this order:',
    '',
    '## Goal',
    'What is to be reached, in the words of the person where you can.',
    '',
    '## Constraints & Preferences',
    '- what must be kept to: rules, wishes, decisions of the person; `None` if there are none',
    '',
    '## Progress',
    '**Active Epic**: the larger piece of work',
    '**Progress**: how far it is',
    '**Current Task**: what is in hand right now',
    '- [x] what is done and stands on disk',
    '- [ ] what is begun, or only intended',
    '',
    '## Key Decisions',
    '- each decision with its reason',
    '',
    '## Critical Context',
    '- exact paths, names, commands, error messages and values that cannot be found out again easily',
    '',
    '## Next Steps',
    '1. each step in the imperative, in order, concrete enough to begin at once',
    '',
    'Tick a box only for what is done. Put files and commands into backticks. What ticked boxes name is compared with git and with this session.',
    ...(focus ? ['', `Additional focus: ${focus}`] : []),
  ].join('\n')
}

/** The second and last time of asking. */
export function correctionPrompt(findings: readonly HandoffFinding[]): string {
  const points = findings.slice(0, 20).map(({ message }) => `- ${message}`)
  const rest = findings.length > points.length ? [`- and ${findings.length - points.length} more`] : []
  return [
    'The document does not agree with what git and this session show:',
    ...points,
    ...rest,
    'Correct exactly these points and answer with the whole document again, and with nothing else.',
  ].join('\n')
}
