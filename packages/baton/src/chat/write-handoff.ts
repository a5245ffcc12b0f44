import type { HandoffFinding } from '@batonpass/contract/handoff'
import type { About, HandoffWriter, Written } from '../handoff/write/hosted-writer.ts'
import type { HandoffOutcome, SessionEvent } from './session-event.ts'

export interface WriteHandoffParts {
  writer: HandoffWriter
  about: About
  signal: AbortSignal
  /** The reply to a question of our own, or why there is none. */
  ask(words: string): Promise<string | HandoffOutcome>
  tell(event: SessionEvent): void
  now(): number
}

/** Has a session write down where its work stands, checks that, asks once more where it does not hold, and stores it. */
export async function writeHandoff(parts: WriteHandoffParts): Promise<Written | HandoffOutcome> {
  const { writer, about, signal, ask, tell } = parts
  const before = await writer.evidence(about)
  tell({ type: 'handoff', step: 'asked' })
  const reply = await ask(contextPrompt(about.focus))
  if (typeof reply !== 'string') return reply
  tell({ type: 'handoff', step: 'checking' })
  let judged = await writer.judge(reply, about)
  if (judged.findings.length > 0 && !signal.aborted) {
    tell({ type: 'handoff', step: 'asked-again' })
    const better = await ask(correctionPrompt(judged.findings))
    if (typeof better === 'string') judged = await writer.judge(better, about)
    else if (better.kind !== 'empty' && better.kind !== 'refused') return better
  }
  if (signal.aborted) return { kind: 'cancelled' }
  tell({ type: 'handoff', step: 'switching' })
  return writer.store(judged, before, about, parts.now())
}

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
function correctionPrompt(findings: readonly HandoffFinding[]): string {
  const points = findings.slice(0, 20).map(({ message }) => `- ${message}`)
  const rest = findings.length > points.length ? [`- and ${findings.length - points.length} more`] : []
  return [
    'The document does not agree with what git and this session show:',
    ...points,
    ...rest,
    'Correct exactly these points and answer with the whole document again, and with nothing else.',
  ].join('\n')
}
