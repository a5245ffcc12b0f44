import type { HandoffFinding } from '@batonpass/contract/handoff'
import type { HandoffWriter, HostedHandoff, WrittenHandoff } from '../handoff/write/hosted-writer.ts'
import { listFindings } from '../handoff/write/prompts.ts'
import type { HandoffOutcome, SessionEvent } from './session-event.ts'

export interface WriteHandoffParts {
  writer: HandoffWriter
  about: HostedHandoff
  signal: AbortSignal
  /** Returns the reply to Baton's prompt, or why there is none. */
  ask(prompt: string): Promise<string | HandoffOutcome>
  tell(event: SessionEvent): void
  now(): number
}

/** Asks a session for its handoff document, checks it, asks once for corrections, and stores it. */
export async function writeHandoff(parts: WriteHandoffParts): Promise<WrittenHandoff | HandoffOutcome> {
  const { writer, about, signal, ask, tell } = parts
  // Before the request: the turn that answers it must not count as work.
  const evidence = await writer.gatherEvidence(about)
  tell({ type: 'handoff', step: 'asked' })
  const reply = await ask(contextPrompt(about.focus))
  if (typeof reply !== 'string') return reply
  tell({ type: 'handoff', step: 'checking' })
  let checked = await writer.checkReply(reply, about)
  if (checked.findings.length > 0 && !signal.aborted) {
    tell({ type: 'handoff', step: 'asked-again' })
    const better = await ask(correctionPrompt(checked.findings))
    if (typeof better === 'string') checked = await writer.checkReply(better, about)
    else if (better.kind !== 'empty' && better.kind !== 'refused') return better
  }
  if (signal.aborted) return { kind: 'cancelled' }
  tell({ type: 'handoff', step: 'switching' })
  return writer.storeDocument({ ...checked, evidence }, about, parts.now())
}

/** Asks a hosted session for its document in the context form, for a reader who knows nothing about the work. */
export function contextPrompt(focus: string | undefined): string {
  return [
    'Describe the state of this work for a reader who will continue it and has not seen this conversation.',
    '',
    'Answer with one markdown document and nothing else: no greeting, no tool calls, no remarks about the document. Use exactly these sections, in this order:',
    '',
    '## Goal',
    "What the work should achieve, in the user's words where possible.",
    '',
    '## Constraints & Preferences',
    "- what must be respected: the user's rules, preferences and decisions; `None` if there are none",
    '',
    '## Progress',
    '**Active Epic**: the larger piece of work',
    '**Progress**: how far it has come',
    '**Current Task**: what you are working on right now',
    '- [x] what is done and is on disk',
    '- [ ] what is started or only planned',
    '',
    '## Key Decisions',
    '- each decision with its reason',
    '',
    '## Critical Context',
    '- exact paths, names, commands, error messages and values that are hard to find again',
    '',
    '## Next Steps',
    '1. each step in the imperative, in order, concrete enough to start at once',
    '',
    'Tick a box only for what is done. Put file names and commands in backticks. Baton compares what ticked boxes name with git and with this session.',
    ...(focus ? ['', `Additional focus: ${focus}`] : []),
  ].join('\n')
}

/** Asks a second and last time, with the findings to correct. */
function correctionPrompt(findings: readonly HandoffFinding[]): string {
  return [
    'The document does not agree with what git and this session show:',
    ...listFindings(findings),
    'Correct exactly these points and answer with the whole document again, and with nothing else.',
  ].join('\n')
}
