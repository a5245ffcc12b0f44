import type { Entry } from '@batonpass/contract/journal'

const MAX_DEPTH = 12
const MAX_ITEMS = 40

/** Shortens long texts and lists, for lists of entries. The full entry can be requested by its id. */
export function slimEntry(entry: Entry, longest = 400): Entry {
  return { ...entry, body: truncate(entry.body, longest, 0) as Entry['body'] }
}

function truncate(value: unknown, longest: number, depth: number): unknown {
  if (typeof value === 'string')
    return value.length > longest ? `${value.slice(0, longest).toWellFormed()}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(item => truncate(item, longest, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([key, item]) => [key, truncate(item, longest, depth + 1)]),
  )
}
