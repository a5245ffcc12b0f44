import { randomFillSync } from 'node:crypto'
import type { Ids } from '../../ports/ids.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

/** Asked for in one go: each hook needs several ids, and each question to the system costs more than its bytes. */
const pool = Buffer.alloc(1024)
let used = pool.length

export const systemIds: Ids = {
  id(length) {
    let id = ''
    for (let i = 0; i < length; i++) {
      if (used === pool.length) {
        randomFillSync(pool)
        used = 0
      }
      id += ALPHABET[(pool[used] ?? 0) & 31]
      // No byte serves twice, nor stays where a dump of the memory would show the ids that were made.
      pool[used++] = 0
    }
    return id
  },
}
