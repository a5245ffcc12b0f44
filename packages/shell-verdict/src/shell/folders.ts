import { posix } from 'node:path'
import type { Word } from './word.ts'

/** Folders the shell may be in; none when that is unknown. */
export type Folders = readonly string[]

export const UNKNOWN_FOLDER: Folders = []

const MOST_FOLDERS = 8

/** Where `cd`, `pushd` or `popd` leads from each folder. */
export function moved(program: string, words: readonly Word[], from: Folders, home: string): Folders {
  const target = words.filter(word => !/^-[LPe@]+$|^--$/.test(word.value ?? ''))
  const word = target[0]
  if (program === 'popd' || target.length > 1 || /^[-+]/.test(word?.value ?? '')) return UNKNOWN_FOLDER
  if (word === undefined) return program === 'pushd' ? UNKNOWN_FOLDER : from.map(() => posix.join(home, ''))
  const text = word.value
  if (text === undefined || word.glob) return UNKNOWN_FOLDER
  if (word.tilde) {
    if (!/^~(\/|$)/.test(text)) return UNKNOWN_FOLDER
    return from.map(() => posix.join(home, text.slice(1)))
  }
  return text.startsWith('/') ? [posix.resolve(text)] : from.map(folder => posix.resolve(folder, text))
}

/** Where the shell may be when either has happened. */
export function either(left: Folders, right: Folders): Folders {
  if (left.length === 0 || right.length === 0) return UNKNOWN_FOLDER
  const all = [...new Set([...left, ...right])]
  return all.length > MOST_FOLDERS ? UNKNOWN_FOLDER : all
}

export function same(left: Folders, right: Folders): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index])
}
