import { FILE_VERSION, isObject } from './entries.ts'

type Row = Record<string, unknown>

/**
 * Rows of an older file as version 3 has them: version 1 knew neither ids nor parents and named the first entry that a
 * compaction kept by its place in the file; version 2 called an extension's message `hookMessage`.
 */
export function migrateRows(rows: readonly Row[], newId: () => string): Row[] {
  const version = rows.find(row => row.type === 'session')?.version
  const from = typeof version === 'number' ? version : 1
  return toThree(from < 2 ? toTwo(rows, newId) : rows, from)
}

function toTwo(rows: readonly Row[], newId: () => string): Row[] {
  const ids = rows.map(row => (row.type === 'session' ? undefined : newId()))
  let parentId: string | null = null
  return rows.map((row, i) => {
    const id = ids[i]
    if (id === undefined) return row
    const { firstKeptEntryIndex, ...rest } = row
    const kept = typeof firstKeptEntryIndex === 'number' ? ids[firstKeptEntryIndex] : undefined
    const entry: Row = { ...rest, id, parentId, ...(kept === undefined ? {} : { firstKeptEntryId: kept }) }
    parentId = id
    return entry
  })
}

function toThree(rows: readonly Row[], from: number): Row[] {
  if (from >= FILE_VERSION) return [...rows]
  return rows.map(row => {
    if (row.type === 'session') return { ...row, version: FILE_VERSION }
    const { message } = row
    return row.type === 'message' && isObject(message) && message.role === 'hookMessage'
      ? { ...row, message: { ...message, role: 'custom' } }
      : row
  })
}
