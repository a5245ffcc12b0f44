import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { AppendFile, AppendFiles } from '../../ports/append-files.ts'
import type { Clock } from '../../ports/clock.ts'
import { FileError } from '../../ports/files.ts'
import type { Ids } from '../../ports/ids.ts'
import { branchFrom } from './branch.ts'
import {
  asEntry,
  asHeader,
  FILE_VERSION,
  isObject,
  parseLine,
  type SessionEntry,
  type SessionHeader,
} from './entries.ts'
import { entriesFromEnd } from './read-backwards.ts'
import { sessionFileName, sessionFolder } from './session-paths.ts'

export interface SessionPorts {
  files: AppendFiles
  clock: Pick<Clock, 'now'>
  ids: Ids
  /** The folder that contains `sessions`. */
  home: string
}

export type Stored =
  /** Nothing is on disk yet, or an older file that the first new entry rewrites. */
  | { kind: 'memory'; entries: SessionEntry[]; rewrites: boolean }
  | { kind: 'file'; file: AppendFile; torn: boolean }

const HEADER_BYTES = 64 * 1024
export const ID_LENGTH = 12

/** An open session, positioned at its newest entry. */
export interface Opened {
  header: SessionHeader
  path: string
  stored: Stored
  leaf: string | null
}

export const lineOf = (row: object): string => `${JSON.stringify(row)}\n`

/** Creates a session without writing anything to disk. */
export function fresh(
  ports: SessionPorts,
  cwd: string,
  { parentSession }: { parentSession?: string },
): Opened {
  const id = ports.ids.id(20)
  const timestamp = new Date(ports.clock.now()).toISOString()
  const header: SessionHeader = {
    type: 'session',
    version: FILE_VERSION,
    id,
    timestamp,
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  }
  const path = join(sessionFolder(ports.home, cwd), sessionFileName(timestamp, id))
  const stored: Stored = { kind: 'memory', entries: [], rewrites: false }
  return { header, path, stored, leaf: null }
}

/** Opens a session file of any version; does not change it. */
export async function openExisting(ports: SessionPorts, path: string): Promise<Opened> {
  const file = await ports.files.open(path).catch(cause => {
    throw unreadable(path, cause)
  })
  try {
    const size = await file.size()
    const header = await headerIn(file, size)
    if (!header) throw unreadable(path)
    if (header.version > FILE_VERSION)
      throw new BatonError(
        'not_allowed',
        `${path} was written by a newer program (version ${header.version})`,
        {
          remedy: 'Update Baton, or open it with the program that wrote it.',
        },
      )
    if (header.version === FILE_VERSION) {
      const [last] = await file.read(size - 1, size)
      const stored: Stored = { kind: 'file', file, torn: last !== 10 }
      return { header, path, stored, leaf: await lastId(file, size) }
    }
    const { header: migrated, entries } = await wholeOf(file, size, header, ports.ids)
    await file.close()
    const stored: Stored = { kind: 'memory', entries, rewrites: true }
    return { header: migrated, path, stored, leaf: entries.at(-1)?.id ?? null }
  } catch (cause) {
    await file.close().catch(() => {})
    throw cause
  }
}

async function headerIn(file: AppendFile, size: number): Promise<SessionHeader | undefined> {
  const head = await file.read(0, Math.min(size, HEADER_BYTES))
  const end = head.indexOf(10)
  return asHeader(parseLine(Buffer.from(end < 0 ? head : head.subarray(0, end)).toString('utf8')))
}

async function lastId(file: AppendFile, size: number): Promise<string | null> {
  let id: string | null = null
  await branchFrom(entriesFromEnd(file, size), undefined, entry => {
    id = entry.id
    return false
  })
  return id
}

/** Reads an older file completely to migrate it; old files are small. */
async function wholeOf(file: AppendFile, size: number, header: SessionHeader, ids: Ids) {
  const text = Buffer.from(await file.read(0, size)).toString('utf8')
  const rows = text
    .split('\n')
    .map(line => parseLine(line))
    .filter(row => row !== undefined)
  const migrated = migrateRows(rows, () => ids.id(ID_LENGTH))
  return {
    header: asHeader(migrated.find(row => row.type === 'session')) ?? header,
    entries: migrated.flatMap(row => asEntry(row) ?? []),
  }
}

const unreadable = (path: string, cause?: unknown) =>
  new BatonError('not_found', `${path} is not a session file that Baton can open`, {
    remedy: 'Use `/sessions` to list the sessions of this folder.',
    cause,
  })

export function notStored(cause: unknown, path: string): BatonError {
  const inner = cause instanceof FileError ? cause.cause : cause
  const code = inner instanceof Error && 'code' in inner ? inner.code : undefined
  const full = code === 'ENOSPC' || code === 'EDQUOT'
  return new BatonError(
    full ? 'disk_full' : 'not_allowed',
    full ? 'Cannot store the session: the disk is full' : `Cannot store the session in ${path}`,
    {
      remedy: full
        ? 'Free some disk space and continue. What was stored before is unchanged.'
        : 'Check that the folder is writable.',
      cause,
    },
  )
}

type Row = Record<string, unknown>

/**
 * Migrates the rows of an older file to version 3. Version 1 had neither ids nor parents and named the first entry that a
 * compaction kept by its index; version 2 called an extension's message `hookMessage`.
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
