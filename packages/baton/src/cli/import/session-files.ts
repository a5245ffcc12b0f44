import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { systemIds } from '../../adapters/system/ids.ts'
import { asHeader, parseLine } from '../../chat/session-file/entries.ts'
import { ID_LENGTH, migrateRows } from '../../chat/session-file/session-file.ts'
import { isSessionFileName, sessionFileName, sessionFolder } from '../../chat/session-file/session-paths.ts'
import { folderOf } from '../daemon.ts'
import type { Io } from '../io.ts'

/** A longer file is not a conversation that an agent could be told. */
const MAX_BYTES = 500_000_000

/** A session file of pi or oh-my-pi, and where Baton's copy of it belongs. */
export interface SessionCopy {
  from: string
  to: string
  /** The copy's text: the original in its current version, with the folder in which it is continued. */
  text: string
}

/** The file that `--resume` names, if it names one. */
export const namedSessionFile = (wanted: string, io: Io): string | undefined => {
  const path = resolve(io.cwd, wanted.replace(/^~(?=\/)/, io.home))
  return (wanted.includes('/') || wanted.endsWith('.jsonl')) && existsSync(path) ? path : undefined
}

/** Copies a session file into Baton's folder and returns the copy's path. The original is never changed. */
export function importSession(from: string, io: Io): string {
  const copy = sessionCopy(from, io)
  // A copy that was continued is newer than its original.
  if (!existsSync(copy.to)) writeCopy(copy)
  return copy.to
}

export function writeCopy({ to, text }: SessionCopy): void {
  mkdirSync(join(to, '..'), { recursive: true, mode: 0o700 })
  writeFileSync(to, text, { mode: 0o600, flag: 'wx' })
}

/** What Baton's copy of a session file would be. */
export function sessionCopy(from: string, io: Io): SessionCopy {
  const size = statSync(from, { throwIfNoEntry: false })
  if (!size?.isFile() || size.size > MAX_BYTES) throw notASession(from)
  const whole = readFileSync(from, 'utf8')
  const end = whole.indexOf('\n')
  const first = parseLine(end < 0 ? whole : whole.slice(0, end))
  const header = asHeader(first)
  if (!header || !first) throw notASession(from)
  const name = basename(from)
  const to = join(
    sessionFolder(folderOf(io).dir, io.cwd),
    isSessionFileName(name) ? name : sessionFileName(header.timestamp, header.id),
  )
  const rows = whole
    .split('\n')
    .map(line => parseLine(line))
    .filter(row => row !== undefined)
  const migrated = migrateRows(rows, () => systemIds.id(ID_LENGTH)).map(row =>
    row.type === 'session' ? { ...row, cwd: io.cwd } : row,
  )
  return { from, to, text: migrated.map(row => `${JSON.stringify(row)}\n`).join('') }
}

/** The session files that oh-my-pi stored for this folder. */
export function ohMyPiSessions(io: Io): string[] {
  const homes = [io.env.PI_CODING_AGENT_DIR, join(io.home, '.omp', 'agent'), join(io.home, '.omp')]
  for (const home of homes) {
    const folder = home && sessionFolder(home, io.cwd)
    if (!folder || !existsSync(folder)) continue
    return readdirSync(folder)
      .filter(name => name.endsWith('.jsonl'))
      .sort()
      .map(name => join(folder, name))
  }
  return []
}

const notASession = (path: string): BatonError =>
  new BatonError('not_found', `${path} is not a session file of pi or oh-my-pi`, {
    remedy: 'Name a .jsonl file from its sessions folder, or a number from `/sessions`.',
  })
