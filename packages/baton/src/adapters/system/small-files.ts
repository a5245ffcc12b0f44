import { randomBytes } from 'node:crypto'
import { constants, lstatSync, type Stats } from 'node:fs'
import { link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { FileError } from '../../ports/files.ts'
import type { ReadResult, SmallFiles } from '../../ports/small-files.ts'

const LIMIT = 1_000_000

/** Small files on the real file system. */
export const systemSmallFiles: SmallFiles = {
  async read(root, name, limit = LIMIT) {
    try {
      const found = inspectPath(root, name)
      if (found.kind === 'absent') return { kind: 'absent' }
      if (found.kind === 'refused') return found
      const file = await open(
        join(root, name),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      )
      try {
        const facts = await file.stat()
        if (!facts.isFile()) return { kind: 'refused', why: `${name} is not a regular file` }
        if (facts.size > limit) return { kind: 'refused', why: `${name} is larger than ${limit} bytes` }
        return { kind: 'text', text: await file.readFile('utf8'), modifiedMs: facts.mtimeMs }
      } finally {
        await file.close()
      }
    } catch (error) {
      return absentOr(error, name)
    }
  },

  async write(root, name, text, { hasty = false, shared = false, fresh = false } = {}) {
    const path = await safePath(root, name, shared ? 0o755 : 0o700)
    // Random, too: in containers every daemon may have the same pid, and a killed one leaves its drafts behind.
    const draft = `${path}.${process.pid}.${++drafts}.${randomBytes(4).toString('hex')}.tmp`
    try {
      const file = await open(draft, 'wx', shared ? 0o644 : 0o600)
      try {
        await file.writeFile(text)
        if (!hasty) await file.sync()
      } finally {
        await file.close()
      }
      if (!fresh) return await rename(draft, path)
      await link(draft, path)
      await rm(draft, { force: true })
    } catch (error) {
      await rm(draft, { force: true })
      throw new FileError(codeOf(error) === 'EEXIST' ? 'busy' : 'failed', path, error)
    }
  },

  async append(root, name, text) {
    const path = await safePath(root, name)
    const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants
    const file = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try {
      if ((await file.stat()).isFile()) await file.writeFile(text)
    } finally {
      await file.close()
    }
  },

  async remove(root, name) {
    if (obstacle(root, dirname(name))) return false
    try {
      // This removes a link itself, not its target.
      await rm(join(root, name))
      return true
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      throw new FileError('failed', join(root, name), error)
    }
  },

  async list(root, folder) {
    if (obstacle(root, folder)) return []
    try {
      const entries = await readdir(join(root, folder), { withFileTypes: true })
      const files = entries.filter(entry => entry.isFile() && !DRAFT.test(entry.name))
      const found = await Promise.all(
        files.map(async ({ name }) => {
          const facts = await lstat(join(root, folder, name)).catch(() => undefined)
          return facts ? [{ name, modifiedMs: facts.mtimeMs }] : []
        }),
      )
      return found.flat()
    } catch {
      return []
    }
  },
}

let drafts = 0
/** A temporary file that a killed process left behind. */
const DRAFT = /\.\d+\.\d+(?:\.[0-9a-f]{8})?\.tmp$/
const user = process.geteuid?.()

/** Why `name` below the root must not be used, if there is a reason. A name that does not exist yet is fine. */
function obstacle(root: string, name: string): string | undefined {
  const found = inspectPath(root, name)
  return found.kind === 'refused' ? found.why : undefined
}

/**
 * Looks at every step of a path below the root. Synchronous, because every hook call looks for some files that mostly do not
 * exist: through Node's thread pool, each step would cost ten times as much.
 */
function inspectPath(root: string, name: string): { kind: 'present' } | { kind: 'absent' } | Refusal {
  const steps = normalize(name).split('/')
  if (name.startsWith('/') || steps.includes('..')) return refuse('the name leads out of its folder')
  let path = root
  for (const [i, step] of steps.entries()) {
    path = join(path, step)
    const facts = entryAt(path)
    if (!facts) return { kind: 'absent' }
    const shown = steps.slice(0, i + 1).join('/')
    if (facts.isSymbolicLink()) return refuse(`${shown} is a link`)
    if (user !== undefined && facts.uid !== user && facts.uid !== 0)
      return refuse(`${shown} belongs to another user`)
    if (i < steps.length - 1 && !facts.isDirectory()) return refuse(`${shown} is not a folder`)
  }
  return { kind: 'present' }
}

/** Undefined if there is none, also because a part of the path is a file. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

type Refusal = Extract<ReadResult, { kind: 'refused' }>
const refuse = (why: string): Refusal => ({ kind: 'refused', why })

async function safePath(root: string, name: string, mode = 0o700): Promise<string> {
  const path = join(root, name)
  const refused = obstacle(root, name)
  if (refused) throw new FileError('denied', path, new Error(refused))
  try {
    await mkdir(dirname(path), { recursive: true, mode })
    return path
  } catch (error) {
    throw new FileError('failed', path, error)
  }
}

function absentOr(error: unknown, name: string): ReadResult {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
  return { kind: 'refused', why: `${name} cannot be read (${code || 'error'})` }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
