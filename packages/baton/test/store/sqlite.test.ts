import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSqlite } from '../../src/store/sqlite.ts'
import { storeContract } from '../contracts/store.contract.ts'
import { scratch } from '../world/scratch.ts'

const folder = scratch()
afterAll(folder.remove)
let made = 0

storeContract('SQLite', () => openSqlite(join(folder.path, `${++made}`, 'journal.db')))
