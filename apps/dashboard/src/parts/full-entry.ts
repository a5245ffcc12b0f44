import type { Entry } from '@batonpass/contract/journal'
import { useEffect, useState } from 'preact/hooks'
import { get } from '../api.ts'

/** The entry with its long texts in full, as soon as they are loaded. */
export function useFullEntry(entry: Entry): Entry {
  const [full, setFull] = useState(entry)
  useEffect(() => {
    let gone = false
    get<{ entries: Entry[] }>(`/api/journal?id=${entry.id}`).then(
      ({ entries: [found] }) => {
        if (found && !gone) setFull(found)
      },
      // The shortened entry is still useful.
      () => {},
    )
    return () => {
      gone = true
    }
  }, [entry.id])
  return full
}
