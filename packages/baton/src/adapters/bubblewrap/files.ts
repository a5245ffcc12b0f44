import { constants } from 'node:fs'
import { access, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises'
import type { PathFact, SandboxFiles } from '../../ports/sandbox.ts'
import { kindOf, WorktreeScanner } from './scan.ts'

const SHORT_FILE = 256 * 1024

/** The host's file system, read without trusting what is in a worktree. */
export function hostFiles(): SandboxFiles {
  const scanners = new Map<string, WorktreeScanner>()
  return {
    async look(paths) {
      const facts = new Map<string, PathFact>()
      await Promise.all(
        paths.map(async path => {
          const fact = await factOf(path)
          if (fact) facts.set(path, fact)
        }),
      )
      // In the order of the question: mounts follow it.
      return new Map(
        paths.flatMap(path => {
          const fact = facts.get(path)
          return fact ? [[path, fact] as const] : []
        }),
      )
    },
    scan(root, isNamed) {
      const scanner = scanners.get(root) ?? new WorktreeScanner(root)
      scanners.set(root, scanner)
      return scanner.scan(isNamed)
    },
    readShort,
    async names(folder) {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      return Promise.all(
        entries.map(async entry => ({
          name: entry.name,
          kind: kindOf(entry),
          executable: await access(`${folder}/${entry.name}`, constants.X_OK).then(
            () => true,
            () => false,
          ),
        })),
      )
    },
  }
}

async function factOf(path: string): Promise<PathFact | undefined> {
  try {
    const [own, real] = await Promise.all([lstat(path), realpath(path)])
    const found = own.isSymbolicLink() ? await stat(real) : own
    const target = own.isSymbolicLink() ? await readlink(path) : undefined
    return { kind: found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other', real, target }
  } catch {
    return undefined
  }
}

async function readShort(path: string): Promise<string | undefined> {
  // Without waiting: a named pipe in a worktree would hold the daemon up.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  )
  if (!file) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size > SHORT_FILE) return undefined
    return await file.readFile('utf8')
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}
