import { contextPrompt, correctionPrompt } from '../handoff/write/hosted-prompts.ts'
import type { About, HandoffWriter, Written } from '../handoff/write/hosted-writer.ts'
import type { HandoffOutcome } from './handoff-outcome.ts'
import type { SessionEvent } from './session-event.ts'

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
