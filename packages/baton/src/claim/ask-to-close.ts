import { fingerprintOf } from '../ask/fingerprint.ts'
import { confirmed } from './next-step.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

const WEEK_MS = 7 * 24 * 3_600_000

/** Asks the person whether the issue may be closed: one question, on every channel, also after a restart. */
export async function askToClose(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  const { id: claim, issue } = record
  await ports.records.change(record, known => ({ ...known, closing: 'asked' }))
  await ports.journal(record, { kind: 'claim', what: 'asked', claim, issue })
}

/** Waits for the answer; called for each claim that is asked about, and again after each start. */
export async function awaitAnswer(
  ports: ClaimPorts,
  record: ClaimRecord,
  signal: AbortSignal,
): Promise<'yes' | 'no' | 'none'> {
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
        `Yes: it is commented, closed and moved to Done.`,
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
    // Where no channel reaches anybody, it still stands in `baton asks`.
    { signal, withinMs: WEEK_MS, unreached: 'wait' },
  )
  if (outcome.result !== 'answered') return 'none'
  return outcome.option === 'yes' ? 'yes' : 'no'
}

/** What the answer does. A no leaves everything as it is, and nobody is asked again. */
export async function answered(
  ports: ClaimPorts,
  record: ClaimRecord,
  answer: 'yes' | 'no' | 'none',
): Promise<void> {
  const closing = answer === 'none' ? 'not-asked' : answer
  const changed = await ports.records.change(record, known =>
    known.closing === 'asked' ? { ...known, closing } : known,
  )
  if (changed?.closing !== closing || answer === 'none') return
  const { id: claim, issue } = record
  await ports.journal(record, { kind: 'claim', what: 'answered', claim, issue, reason: answer })
  if (answer === 'yes') await ports.signals.change(record.project, confirmed)
}
