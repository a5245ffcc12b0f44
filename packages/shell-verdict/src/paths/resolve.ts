import { posix } from 'node:path'
import type { Word } from '../shell/word.ts'

/** The file system as far as a judgement needs it. */
export interface PathPorts {
  /** The path with every symbolic link followed; for a missing file, its existing part followed. */
  realpath(path: string): string
  /** A name in this folder starts with a dash, so that `*` may become a flag. Left out: no. */
  hasDashNames?(folder: string): boolean
}

/** Without a file system every path is what it says. */
export const LEXICAL_PATHS: PathPorts = { realpath: path => path }

/** Every absolute path a word may stand for; undefined when that cannot be known. */
export function pathsOf(word: Word, folders: readonly string[], home: string): string[] | undefined {
  const texts = word.value !== undefined ? [word.value] : word.choices
  if (!texts) return undefined
  const out = new Set<string>()
  for (const text of texts) {
    const absolute = absolutePath(text, word.tilde, home)
    if (absolute !== undefined) out.add(absolute)
    else if (word.tilde && text.startsWith('~')) return undefined
    else {
      if (folders.length === 0) return undefined
      for (const folder of folders) out.add(posix.resolve(folder, text))
    }
  }
  return [...out]
}

function absolutePath(text: string, tilde: boolean, home: string): string | undefined {
  if (tilde && (text === '~' || text.startsWith('~/'))) return posix.resolve(posix.join(home, text.slice(1)))
  return text.startsWith('/') ? posix.resolve(text) : undefined
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
