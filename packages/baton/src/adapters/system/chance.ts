import { randomBytes } from 'node:crypto'
import type { Chance } from '../../ports/chance.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

export const systemChance: Chance = {
  id(length) {
    let id = ''
    for (const byte of randomBytes(length)) id += ALPHABET[byte & 31]
    return id
  },
}
