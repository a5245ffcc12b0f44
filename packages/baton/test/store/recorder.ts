// A process of its own that records entries and says each number once it is safe. Killed by the durability test.
import { writeSync } from 'node:fs'
import { openSqlite } from '../../src/store/sqlite.ts'
import { anEntry, aSession } from '../world/journal.ts'

const [, , path = '', name = '', count = '0'] = process.argv
const store = await openSqlite(path)
for (let n = 0; n < Number(count); n++) {
  const text = n % 7 === 0 ? 'words '.repeat(3000) : `${name} ${n}`
  const [entry] = await store.record(
    [anEntry(text, { request: `${name}-${n}` })],
    [aSession(1, { events: n })],
  )
  writeSync(1, `${entry?.seq}\n`)
}
await store.close()
