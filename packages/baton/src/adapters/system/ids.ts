import { randomFillSync } from 'node:crypto'
import type { Ids } from '../../ports/ids.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

/** Random bytes in reserve: each hook needs several ids, and each system call costs more than its bytes. */
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
      // Clear the byte: it must not be used twice, nor reveal past ids in a memory dump.
      pool[used++] = 0
    }
    return id
  },
}
