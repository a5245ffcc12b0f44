import { EntryId } from '@batonpass/contract/ids'
import type { EntryBody, NewEntry } from '@batonpass/contract/journal'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'

type About = {
  [Key in 'agent' | 'session' | 'nativeSession' | 'project']?: NewEntry[Key] | undefined
}

/** Builds a journal entry with a new id and the current time. */
export function newEntry(body: EntryBody, { agent, session, nativeSession, project }: About = {}): NewEntry {
  return {
    id: EntryId.parse(`ent_${systemIds.id(20)}`),
    at: new Date(systemClock.now()).toISOString(),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(nativeSession === undefined ? {} : { nativeSession }),
    ...(project === undefined ? {} : { project }),
    body,
  }
}
