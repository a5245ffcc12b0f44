import { messageOf, type SessionEntry, type SessionMessage, textOfMessage } from './entries.ts'
import type { EntryHead } from './read-backwards.ts'

/** Visits the branch from a leaf to the root, newest first; without a leaf, from the last intact entry. Ends where a parent is missing. */
export async function branchFrom(
  pieces: AsyncIterable<Iterable<EntryHead>>,
  leaf: string | undefined,
  visit: (entry: SessionEntry) => boolean,
): Promise<void> {
  let wanted = leaf
  for await (const piece of pieces)
    for (const met of piece) {
      if (wanted !== undefined && met.id !== wanted) continue
      const entry = met.now()
      if (!entry) continue
      if (!visit(entry) || entry.parentId === null) return
      wanted = entry.parentId
    }
}

/** The messages the model sees: the last compaction's summary, what it kept, and everything later. */
export async function contextFrom(
  pieces: AsyncIterable<Iterable<EntryHead>>,
  leaf: string | undefined,
): Promise<SessionMessage[]> {
  const messages: SessionMessage[] = []
  for await (const some of contextFromEnd(pieces, leaf)) for (const message of some) messages.push(message)
  return messages.reverse()
}

/** The same messages, newest first and in batches, so that a caller who needs only the end reads only the end. */
export async function* contextFromEnd(
  pieces: AsyncIterable<Iterable<EntryHead>>,
  leaf: string | undefined,
): AsyncGenerator<SessionMessage[]> {
  const older: (() => Promise<SessionEntry | undefined>)[] = []
  let compaction: SessionEntry | undefined
  let wanted = leaf
  let found = false
  let ended = false
  for await (const piece of pieces) {
    const recent: SessionMessage[] = []
    for (const met of piece) {
      if (wanted !== undefined && met.id !== wanted) continue
      if (compaction) {
        older.push(met.later())
        found = met.id === compaction.firstKeptEntryId
      } else {
        // Nearly every line is a message here, so skip building the whole entry.
        const message = met.message()
        const entry = message ? undefined : met.now()
        if (!message && !entry) continue
        if (message) recent.push(message)
        else if (entry?.type === 'compaction') compaction = entry
        else if (entry) recent.push(...messagesOf(entry))
      }
      wanted = met.parentId ?? undefined
      ended = found || met.parentId === null || (compaction !== undefined && !hasKept(compaction))
      if (ended) break
    }
    yield recent
    if (ended) break
  }
  if (compaction)
    yield [...(found ? await wholeOf(older) : []).flatMap(messagesOf).reverse(), summaryOf(compaction)]
}

const hasKept = ({ firstKeptEntryId }: SessionEntry): boolean => typeof firstKeptEntryId === 'string'

/** The entries, oldest first; none if one of them is damaged, because the branch ends there. */
async function wholeOf(older: readonly (() => Promise<SessionEntry | undefined>)[]): Promise<SessionEntry[]> {
  const entries: SessionEntry[] = []
  for (const read of older.toReversed()) {
    const entry = await read()
    if (!entry) return []
    entries.push(entry)
  }
  return entries
}

/** The messages that an entry adds to the context. */
export function messagesOf(entry: SessionEntry): SessionMessage[] {
  switch (entry.type) {
    case 'message': {
      const message = messageOf(entry)
      return message ? [message] : []
    }
    case 'custom_message':
      return [
        {
          role: 'custom',
          customType: entry.customType,
          content: entry.content,
          display: entry.display === true,
          ...(entry.details === undefined ? {} : { details: entry.details }),
          timestamp: Date.parse(entry.timestamp),
        },
      ]
    case 'branch_summary':
      return typeof entry.summary === 'string' && entry.summary !== ''
        ? [
            {
              role: 'branchSummary',
              summary: entry.summary,
              fromId: entry.fromId,
              timestamp: Date.parse(entry.timestamp),
            },
          ]
        : []
    default:
      return []
  }
}

const summaryOf = ({ summary, tokensBefore, timestamp }: SessionEntry): SessionMessage => ({
  role: 'compactionSummary',
  summary,
  tokensBefore,
  timestamp: Date.parse(timestamp),
})

/** A context message as plain text, to quote in a prompt. */
export const wordsOfMessage = (message: SessionMessage): string =>
  typeof message.summary === 'string' ? message.summary : textOfMessage(message)
