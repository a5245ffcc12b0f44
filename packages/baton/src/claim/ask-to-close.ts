import type { YesNo } from '../ask/yes-no-questions.ts'
import { askYesOrNo } from './ask-yes-or-no.ts'
import { confirmed } from './next-step.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

/** Records that the person has to be asked whether the issue may be closed; awaitAnswer asks, also after a restart. */
export async function askToClose(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  const { id: claim, issue } = record
  await ports.records.change(record, known => ({ ...known, closing: 'asked' }))
  await ports.journal(record, { kind: 'claim', what: 'asked', claim, issue })
}

/** Asks on every channel and waits for the answer. Called again after each daemon start; the key keeps it one question. */
export function awaitAnswer(ports: ClaimPorts, record: ClaimRecord, signal: AbortSignal): Promise<YesNo> {
  const { issue, pr, project: cwd, repository } = record
  const question = {
    title: pr
      ? `PR #${pr.number} merged! Should I close issue #${issue}?`
      : `Should I close issue #${issue}, which has no pull request?`,
    lines: [
      `${repository}#${issue} ${record.title}`.trim(),
      pr?.url,
      'Yes: Baton comments on the issue, closes it and moves it to Done.',
    ],
    key: `claim ${record.id}`,
    subject: { session: record.id, tool: 'close-issue', input: { repository, issue, pr: pr?.number }, cwd },
  }
  return askYesOrNo(ports.asks, record, question, signal)
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
