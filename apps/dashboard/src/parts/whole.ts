import type { Entry } from '@batonpass/contract/journal'
import { useEffect, useState } from 'preact/hooks'
import { get } from '../api.ts'

/** An entry of a list with its long texts whole, as soon as they are here. */
export function useWhole(entry: Entry): Entry {
  const [whole, setWhole] = useState(entry)
  useEffect(() => {
    let gone = false
    get<{ entries: Entry[] }>(`/api/journal?id=${entry.id}`).then(
      ({ entries: [found] }) => {
        if (found && !gone) setWhole(found)
      },
      // What was cut still says most of it.
      () => {},
    )
    return () => {
      gone = true
    }
  }, [entry.id])
  return whole
}
