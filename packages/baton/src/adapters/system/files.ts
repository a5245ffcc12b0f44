import { type BigIntStats, constants, lstatSync, statSync } from 'node:fs'
import { type FileHandle, link, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FileError, type FileFacts, type Files, type FileTrouble } from '../../ports/files.ts'

/** The real file system. */
export const systemFiles: Files = {
  user: process.geteuid?.() ?? 0,

  // Synchronous: a hook waits, and waking a worker thread takes many times longer than the call itself.
  async facts(path) {
    try {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false })
      return found && factsOf(found)
    } catch (error) {
      if (troubleOf(error) === 'absent') return undefined
      throw asFileError(error, path)
    }
  },

  async taken(path) {
    try {
      return lstatSync(path, { throwIfNoEntry: false }) !== undefined
    } catch (error) {
      if (troubleOf(error) === 'absent') return false
      throw asFileError(error, path)
    }
  },

  async realPath(path) {
    try {
      return await realpath(path)
    } catch (error) {
      throw asFileError(error, path)
    }
  },

  async read(path, limit) {
    let file: FileHandle | undefined
    try {
      // Without O_NONBLOCK, opening a pipe would wait for its writer.
      file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
      const facts = factsOf(await file.stat({ bigint: true }))
      if (facts.kind !== 'file') throw new FileError('not-a-file', path)
      if (facts.size > limit) throw new FileError('too-large', path)
      return { bytes: await readAtMost(file, limit, path), facts }
    } catch (error) {
      throw asFileError(error, path)
    } finally {
      await file?.close()
    }
  },

  async replace(path, content, mode) {
    const draft = `${path}.${process.pid}.${++drafts}.tmp`
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeDurably(draft, content, mode)
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw asFileError(error, path)
    }
  },

  async exclusively(path, work) {
    const lock = `${path}.lock`
    await takeLock(lock)
    try {
      return await work()
    } finally {
      await rm(lock, { force: true })
    }
  },
}

let drafts = 0
const MAX_LOCK_ATTEMPTS = 100
const LOCK_PAUSE_MS = 30

async function readAtMost(file: FileHandle, limit: number, path: string): Promise<Uint8Array> {
  // One byte beyond the limit reveals a file that grew after its size was read.
  const buffer = new Uint8Array(limit + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) return buffer.slice(0, length)
    length += bytesRead
  }
  throw new FileError('too-large', path)
}

async function writeDurably(path: string, content: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.chmod(mode)
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function takeLock(lock: string): Promise<void> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
  for (let tries = 0; tries < MAX_LOCK_ATTEMPTS; tries++) {
    try {
      await linkLock(lock)
      return
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw asFileError(error, lock)
    }
    if (tries % 10 === 9) await dropDeadLock(lock)
    await pause(LOCK_PAUSE_MS)
  }
  throw new FileError('busy', lock)
}

// The lock file appears with the holder's pid already in it: a process killed in between would leave a lock without a holder.
async function linkLock(lock: string): Promise<void> {
  const draft = `${lock}.${process.pid}.${++drafts}`
  try {
    await writeDurably(draft, String(process.pid), 0o600)
    await link(draft, lock)
  } finally {
    await rm(draft, { force: true })
  }
}

// A killed holder cannot remove its lock. Renaming the lock first ensures that only one waiter removes it.
async function dropDeadLock(lock: string): Promise<void> {
  try {
    const { bytes } = await systemFiles.read(lock, 32)
    const holder = Number(new TextDecoder().decode(bytes))
    if (!Number.isInteger(holder) || holder <= 0 || isAlive(holder)) return
    const aside = `${lock}.${process.pid}.dead`
    await rename(lock, aside)
    await rm(aside, { force: true })
  } catch {
    // Another process removed it.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function factsOf(found: BigIntStats): FileFacts {
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  const parts = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs, found.mode, found.uid]
  return {
    kind,
    size: Number(found.size),
    mode: Number(found.mode) & 0o7777,
    owner: Number(found.uid),
    modifiedMs: Number(found.mtimeMs),
    stamp: parts.join(':'),
  }
}

const troubles: Record<string, FileTrouble> = {
  ENOENT: 'absent',
  ENOTDIR: 'absent',
  EACCES: 'denied',
  EPERM: 'denied',
  EISDIR: 'not-a-file',
  ENXIO: 'not-a-file',
  ELOOP: 'link-loop',
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const troubleOf = (error: unknown): FileTrouble => troubles[codeOf(error)] ?? 'failed'

export const asFileError = (error: unknown, path: string): FileError =>
  error instanceof FileError ? error : new FileError(troubleOf(error), path, error)
