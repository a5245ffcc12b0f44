import { fingerprintOf } from '../ask/fingerprint.ts'
import type { YesNo } from '../ask/yes-no-questions.ts'
import { confirmed } from './next-step.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

const WEEK_MS = 7 * 24 * 3_600_000

/** Records that the person has to be asked whether the issue may be closed; awaitAnswer asks, also after a restart. */
export async function askToClose(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  const { id: claim, issue } = record
  await ports.records.change(record, known => ({ ...known, closing: 'asked' }))
  await ports.journal(record, { kind: 'claim', what: 'asked', claim, issue })
}

/** Asks on every channel and waits for the answer. Called again after each daemon start; the key keeps it one question. */
export async function awaitAnswer(
  ports: ClaimPorts,
  record: ClaimRecord,
  signal: AbortSignal,
): Promise<YesNo> {
  const { issue, pr, project, session, nativeSession, agent } = record
  const title = pr
    ? `PR #${pr.number} merged! Should I close issue #${issue}?`
    : `Should I close issue #${issue}, which has no pull request?`
  const outcome = await ports.asks.ask(
    {
      kind: 'confirm',
      title,
      detail: [
        `${record.repository}#${issue} ${record.title}`.trim(),
        pr?.url,
        'Yes: Baton comments on the issue, closes it and moves it to Done.',
      ]
        .filter(Boolean)
        .join('\n'),
      key: `claim ${record.id}`,
      fingerprint: fingerprintOf({
        session: record.id,
        tool: 'close-issue',
        input: { repository: record.repository, issue, pr: pr?.number },
        cwd: project,
      }),
      facts: {
        project,
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

/** Applies the answer. After a no, everything stays as it is and the person is not asked again. */
export async function answered(ports: ClaimPorts, record: ClaimRecord, answer: YesNo): Promise<void> {
  const closing = answer === 'none' ? 'not-asked' : answer
  const changed = await ports.records.change(record, known =>
    known.closing === 'asked' ? { ...known, closing } : known,
  )
  if (changed?.closing !== closing || answer === 'none') return
  const { id: claim, issue } = record
  await ports.journal(record, { kind: 'claim', what: 'answered', claim, issue, reason: answer })
  if (answer === 'yes') await ports.signals.change(record.project, confirmed)
}
