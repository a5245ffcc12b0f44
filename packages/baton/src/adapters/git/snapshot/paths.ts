import type { BytePath } from '../../../ports/snapshots.ts'

/** A path's bytes for the file system. ASCII paths stay strings, which is faster. */
export function onDisk(root: string, path: BytePath): string | Buffer {
  if (ASCII.test(path)) return `${root}/${path}`
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
}

export const bytePath = (bytes: Buffer | string): BytePath =>
  (typeof bytes === 'string' ? Buffer.from(bytes) : bytes).toString('latin1') as BytePath

/** Splits names separated by NUL bytes, as git prints them with `-z`. */
export const splitNames = (output: Buffer): BytePath[] =>
  output
    .toString('latin1')
    .split('\0')
    .filter(name => name !== '') as BytePath[]

/**
 * Whether a path can only be a file of the worktree. A forged index or tree may name `../x` or `.git/hooks/x`, and
 * writing those would run code.
 */
export function isPlain(path: BytePath): boolean {
  // Fast path: most names contain nothing suspicious.
  if (!SUSPECT.test(path)) return true
  return !path.split('/').some(name => name === '' || name === '.' || name === '..' || isGitName(name))
}

/** macOS ignores case and some invisible characters in names. */
function isGitName(name: string): boolean {
  if (!/\.|\xe2|\xef/.test(name)) return false
  const seen = Buffer.from(name, 'latin1').toString('utf8').replace(INVISIBLE, '').toLowerCase()
  return seen === '.git' || /^git~\d+$/.test(seen)
}

export const parentOf = (path: BytePath): BytePath | undefined => {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? undefined : (path.slice(0, slash) as BytePath)
}

const SUSPECT = /(^|\/)(\.|\/|$|git~)|\xe2|\xef/i
const ASCII = /^[\x01-\x7f]*$/
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g
