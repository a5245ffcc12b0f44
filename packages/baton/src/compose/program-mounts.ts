import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { onPath } from '../adapters/system/on-path.ts'
import type { Mount } from '../ports/sandbox.ts'

/** The program's own file. By its name it may be a link in a folder that looks different inside. */
export function programOf(name: string, path: string, cwd: string, remedy?: string): string {
  if (name.includes('/')) return programAt(resolve(cwd, name))
  const found = onPath(name, { PATH: path })
  if (found) return programAt(found)
  throw new BatonError('missing_tool', `${name} is not installed`, {
    remedy: remedy ?? `Install ${name}, or add it to your PATH.`,
  })
}

function programAt(path: string): string {
  try {
    accessSync(path, constants.X_OK)
    if (statSync(path).isFile()) return realpathSync(path)
  } catch {
    // Absent, or closed to the user.
  }
  throw new BatonError('missing_tool', `${path} is not a program that you can start`, {
    remedy: 'Correct the path in the variable or setting that names it, or install the program there.',
  })
}

/** The program wherever it is installed: its file, and the packages around a script. */
export function programMounts(program: string): Mount[] {
  const packages = /^(.*?\/node_modules)\//.exec(program)?.[1]
  return ownMount('read-only', packages ?? program)
}

/** The host's own, at its own place; nothing if it is absent or not a file or folder. */
export function ownMount(kind: 'read-only' | 'writable', path: string): Mount[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile() && !found?.isDirectory()) return []
  return [{ kind, path, source: realpathSync(path) }]
}
