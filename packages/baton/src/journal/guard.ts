import type { NewEntry } from '@batonpass/contract/journal'
import type { Store } from '../ports/store.ts'
import { digestBody } from './digest.ts'
import type { Redactor } from './redact.ts'

export interface GuardOptions {
  redactor: Redactor
  /** The current `journal.content`, read at each write because the configuration can change. */
  content: () => 'full' | 'digest'
}

/** Wraps a store: removes secrets from everything it writes, and content if only digests are wanted. */
export function guardStore<S extends Store>(store: S, options: GuardOptions): S {
  return {
    ...store,
    record: (entries, sessions) =>
      store.record(
        entries.map(entry => guardEntry(entry, options)),
        sessions?.map(session => redactShape(session, options.redactor)),
      ),
  }
}

export function guardEntry<E extends NewEntry>(entry: E, { redactor, content }: GuardOptions): E {
  const body = redactShape(entry.body, redactor)
  return {
    ...entry,
    ...(entry.project === undefined ? {} : { project: redactor.text(entry.project) }),
    body: content() === 'digest' ? digestBody(body) : body,
  }
}

/** Ids, times and enum values. They are never redacted, because a secret that equals one would break the entry's schema. */
const KEPT = new Set([
  ...['id', 'at', 'kind', 'type', 'agent', 'session', 'nativeSession', 'promptId', 'toolUseId', 'parent'],
  ...[
    'startedAt',
    'lastSeenAt',
    'namedBy',
    'endedAt',
    'mode',
    'source',
    'outcome',
    'decision',
    'what',
    'code',
    'trigger',
  ],
])
/** Nested objects whose keys come from the contract. Below any other key everything is content. */
const PARTS = new Set(['event', 'subagent', 'action', 'reaction', 'permission', 'goOn', 'refuse', 'error'])

function redactShape<T extends object>(value: T, redactor: Redactor): T {
  const pairs = Object.entries(value).map(([key, item]: [string, unknown]) => {
    if (KEPT.has(key)) return [key, item]
    if (!PARTS.has(key)) return [key, redactor.redactAndCut(item)]
    return [key, typeof item === 'object' && item !== null ? redactShape(item, redactor) : item]
  })
  return Object.fromEntries(pairs) as T
}
