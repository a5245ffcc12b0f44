import { hash } from 'node:crypto'
import { BatonError } from '@batonpass/contract/errors'

/** The call that an answer is bound to. */
export interface Asked {
  session: string
  tool: string
  input: unknown
  cwd: string | undefined
}

/** Equal for the same session, tool, input and folder, regardless of the order of the input's keys; otherwise different. */
export function fingerprintOf({ session, tool, input, cwd }: Asked): string {
  try {
    const canonical = JSON.stringify([session, tool, input ?? null, cwd ?? null], sortedKeys)
    return hash('sha256', canonical)
  } catch (cause) {
    throw new BatonError('payload_invalid', 'The tool input is nested too deeply for an ask', {
      cause,
    })
  }
}

/** For JSON.stringify: the same text regardless of the order of keys. */
export function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // fromEntries defines properties, so that a key like __proto__ counts, too.
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
