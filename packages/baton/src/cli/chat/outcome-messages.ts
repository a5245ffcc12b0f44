import type { HandoffOutcome } from '../../chat/session-event.ts'
import type { ListedSession } from '../../chat/session-file/list-sessions.ts'
import { HANDOFFS_FOLDER } from '../../handoff/document-name.ts'

/** What a person is told when a handoff has ended. */
export function outcomeMessage(outcome: HandoffOutcome): { good: boolean; words: string; more?: string } {
  switch (outcome.kind) {
    case 'switched':
      return {
        good: true,
        words: 'New session started with handoff context',
        more: `${HANDOFFS_FOLDER}/${outcome.name}${outcome.writtenBy === 'baton' ? ' (written by Baton from evidence: the agent’s document did not hold)' : ''}`,
      }
    case 'cancelled':
      return { good: false, words: 'Handoff cancelled' }
    case 'empty':
      return { good: false, words: 'Handoff failed: the agent wrote nothing', more: BY_EVIDENCE }
    case 'refused':
      return { good: false, words: 'Handoff failed: the model refused', more: BY_EVIDENCE }
    case 'failed':
      return {
        good: false,
        words: `Handoff failed: ${outcome.error.message}`,
        ...(outcome.error.remedy ? { more: outcome.error.remedy } : {}),
      }
  }
}

const BY_EVIDENCE = 'The session has not changed. Try again, with another focus after /handoff.'

/** A session by its number in the list, or the start of its id. */
export function pickSession(listed: readonly ListedSession[], wanted: string): ListedSession | undefined {
  if (/^\d{1,3}$/.test(wanted)) return listed[Number(wanted) - 1]
  const fitting = wanted === '' ? [] : listed.filter(({ id }) => id.startsWith(wanted))
  return fitting.length === 1 ? fitting[0] : undefined
}

export function listWords(listed: readonly ListedSession[], current: string): string[] {
  if (listed.length === 0) return ['No sessions in this folder yet.']
  return listed.map(({ id, title, modifiedMs, parentSession }, i) => {
    const mark = id === current ? '*' : ' '
    const after = parentSession ? ' (continues another)' : ''
    const day = new Date(modifiedMs).toISOString().slice(0, 16).replace('T', ' ')
    return `${mark}${String(i + 1).padStart(3)}  ${id}  ${day}  ${title || '(nothing said yet)'}${after}`
  })
}
