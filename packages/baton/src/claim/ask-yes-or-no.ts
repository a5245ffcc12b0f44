import type { Asks } from '../ask/asks.ts'
import { fingerprintOf } from '../ask/fingerprint.ts'
import type { YesNo } from '../ask/yes-no-questions.ts'
import type { ClaimRecord } from './record.ts'

const WEEK_MS = 7 * 24 * 3_600_000

interface ClaimQuestion {
  title: string
  /** What the person has to know, one line each; empty ones are left out. */
  lines: readonly (string | undefined)[]
  /** The same key and subject are the same question, also after a restart. */
  key: string
  subject: { session: string; tool: string; input: object; cwd: string }
}

/** Asks a person on every channel about the issue or the pull request of a claim, and waits for the answer. */
export async function askYesOrNo(
  asks: Pick<Asks, 'ask'>,
  { session, nativeSession, agent }: Pick<ClaimRecord, 'session' | 'nativeSession' | 'agent'>,
  { title, lines, key, subject }: ClaimQuestion,
  signal: AbortSignal,
): Promise<YesNo> {
  const outcome = await asks.ask(
    {
      kind: 'confirm',
      title,
      detail: lines.filter(Boolean).join('\n'),
      key,
      fingerprint: fingerprintOf(subject),
      facts: {
        project: subject.cwd,
        ...(session ? { session } : {}),
        ...(nativeSession ? { nativeSession } : {}),
        ...(agent ? { agent } : {}),
      },
    },
    // If no channel reaches a person, the question stays open and `baton asks` lists it.
    { signal, withinMs: WEEK_MS, unreached: 'wait' },
  )
  if (outcome.result !== 'answered') return 'none'
  return outcome.option === 'yes' ? 'yes' : 'no'
}
