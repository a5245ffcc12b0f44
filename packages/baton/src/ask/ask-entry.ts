import type { Ask, AskEntry } from '@batonpass/contract/ask'
import type { EntryId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'

/** What the journal says about an ask as it stands now: that it was opened, or how it was settled. */
export function askEntry(ask: Ask, id: EntryId): NewEntry {
  const { title, detail, fingerprint, key, expiresAt, answer, withdrawn, state } = ask
  const { agent, session, nativeSession, project } = ask.facts
  const body: AskEntry = {
    kind: 'ask',
    what: state === 'open' ? 'opened' : state,
    ask: ask.id,
    title,
    fingerprint,
    key,
    ...(state === 'open' ? { detail, expiresAt } : {}),
    ...(answer ? { answer } : {}),
    ...(withdrawn ? { why: withdrawn } : {}),
  }
  return {
    id,
    at: ask.settledAt ?? ask.createdAt,
    ...(agent ? { agent } : {}),
    ...(session ? { session } : {}),
    ...(nativeSession ? { nativeSession } : {}),
    ...(project ? { project } : {}),
    body,
  }
}
