import { posix } from 'node:path'
import type { Word } from '../shell/word.ts'

/** The file system as far as a judgement needs it. */
export interface PathPorts {
  /** The path with every symbolic link followed; for a missing file, its existing part followed. */
  realpath(path: string): string
  /** A name in this folder starts with a dash, so that `*` may become a flag. Left out: no. */
  hasDashNames?(folder: string): boolean
  /** The bare repository whose settings git would use in this folder. Left out: none. */
  findBareRepository?(folder: string): string | undefined
}

/** Without a file system every path is what it says. */
export const LEXICAL_PATHS: PathPorts = { realpath: path => posix.normalize(path) }

/** Every absolute path a word may stand for; undefined when that cannot be known. */
export function pathsOf(word: Word, folders: readonly string[], home: string): string[] | undefined {
  const texts = word.value !== undefined ? [word.value] : word.choices
  if (!texts) return undefined
  const out = new Set<string>()
  for (const text of texts.flatMap(fromAddress).flatMap(each => throughProc(each, folders))) {
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

/**
 * The same paths before `..` is taken away: the system follows a link first, so `link/../x` may lie elsewhere than it seems.
 * Empty for a word without such a step.
 */
export function unresolvedPaths(word: Word, folders: readonly string[], home: string): string[] {
  const text = word.value
  if (text === undefined || !/[^/.]\/+(?:\.\/+)*\.\.(?:\/|$)/.test(text)) return []
  if (text.startsWith('/')) return [text]
  if (word.tilde && text.startsWith('~/')) return [`${home}${text.slice(1)}`]
  return folders.map(folder => `${folder}/${text}`)
}

function absolutePath(text: string, tilde: boolean, home: string): string | undefined {
  const named = tilde ? /^~([\w.-]*)(\/.*)?$/s.exec(text) : undefined
  if (named) {
    const [, user = '', rest = ''] = named
    const folder = user === '' || user === posix.basename(home) ? home : user === 'root' ? '/root' : undefined
    return folder === undefined ? undefined : posix.resolve(posix.join(folder, rest))
  }
  return text.startsWith('/') ? posix.resolve(text) : undefined
}

/** `file:///x?mode=ro` is `/x`, for every program that takes such addresses; for the others it is a name like any other. */
function fromAddress(text: string): string[] {
  const path = /^file:(?:\/\/[^/?#]*)?([^?#]*)/i.exec(text)?.[1]
  if (path === undefined) return [text]
  try {
    return [text, decodeURIComponent(path)]
  } catch {
    return [text, path]
  }
}

/** `/proc/self/root/x` is `/x`, and `/proc/self/cwd/x` is in the folder of the process. */
function throughProc(text: string, folders: readonly string[]): string[] {
  if (!text.startsWith('/proc/')) return [text]
  const [, link, rest = ''] = /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/(root|cwd)(\/.*)?$/s.exec(text) ?? []
  if (link === undefined) return [text]
  return link === 'root' ? throughProc(`/${rest}`, folders) : [text, ...folders.map(folder => folder + rest)]
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
