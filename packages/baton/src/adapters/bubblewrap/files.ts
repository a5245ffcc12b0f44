import { constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { access, open, readdir } from 'node:fs/promises'
import type { PathFact, SandboxFiles } from '../../ports/sandbox.ts'
import { kindOf, WorktreeScanner } from './scan.ts'

const SHORT_FILE = 256 * 1024

/** The host's file system, read without trusting what is in a worktree. */
export function hostFiles(): SandboxFiles {
  const scanners = new Map<string, WorktreeScanner>()
  return {
    async look(paths) {
      // At once: some hundred calls of a few microseconds each, most of them for paths that do not exist.
      return new Map(
        paths.flatMap(path => {
          const fact = factOf(path)
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

function factOf(path: string): PathFact | undefined {
  try {
    const own = lstatSync(path, { throwIfNoEntry: false })
    if (!own) return undefined
    const real = realpathSync.native(path)
    const found = own.isSymbolicLink() ? statSync(real) : own
    const target = own.isSymbolicLink() ? readlinkSync(path) : undefined
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
