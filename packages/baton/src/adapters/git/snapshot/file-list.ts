import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { BytePath } from '../../../ports/snapshots.ts'
import { onDisk, splitNames } from './paths.ts'
import { gitAt, type Place } from './place.ts'
import { FACTS, findChanged } from './stat-helper.ts'
import { type FileClock, hasReliableTimes, isYoung } from './timestamps.ts'

/** What git says about a worktree's files. */
export interface FileList {
  /** Tracked files, and files that are neither tracked nor ignored. A nested repository ends with a slash. */
  readonly files: readonly BytePath[]
  /** Ignored files, and folders (with a slash) in which everything is ignored. */
  readonly ignored: readonly BytePath[]
}

export async function listFiles(place: Place): Promise<BytePath[]> {
  const { stdout } = await gitAt(place, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  return splitNames(stdout)
}

export async function listIgnoredNames(place: Place): Promise<BytePath[]> {
  const kinds = ['--others', '--ignored', '--exclude-standard', '--directory']
  const { stdout } = await gitAt(place, ['ls-files', '-z', ...kinds])
  return splitNames(stdout)
}

/** What git said last time, with the folders that were checked. */
export interface RecalledList extends FileList {
  /** The same as `files`. */
  readonly names: ReadonlySet<BytePath>
  /** Real folders, just now: no link is among them. */
  readonly folders: ReadonlySet<BytePath>
}

/**
 * Git's last answer about a worktree, unless something that decides about it may have changed: the names in the index, a
 * folder's entries, ignore rules or settings. A folder whose time changed, but not its entries, is as it was: most
 * programs replace a file when they save it.
 */
export async function recallList(
  place: Place,
  index: string | undefined,
  clock: FileClock,
): Promise<RecalledList | undefined> {
  const known = remembered.get(place.gitDir)
  if (known && known.root === place.root && known.index === index) {
    // What cannot be looked at any more has changed.
    const isSame = await isUnchanged(known, clock).catch(() => false)
    if (isSame) return known.listing
  }
  remembered.delete(place.gitDir)
  return undefined
}

/** Asks git for a worktree's files. `clock`: the file system's time just before. */
export async function listWorktree(
  place: Place,
  index: string | undefined,
  clock: FileClock,
): Promise<FileList> {
  const [files, ignored] = await Promise.all([listFiles(place), listIgnoredNames(place)])
  const listing = { files, ignored }
  // When the command no longer waits. Whatever changes meanwhile is too young to be remembered.
  setImmediate(() => void remember(place, index, clock, listing).catch(() => {}))
  return listing
}

interface Remembered {
  readonly root: string
  readonly index: string | undefined
  /** Files that decide what git ignores. */
  readonly rules: readonly (readonly [path: string | Buffer, stamp: string])[]
  readonly folders: readonly (string | Buffer)[]
  /** What the folders contain, and their facts. */
  readonly entries: readonly string[]
  readonly facts: Float64Array
  readonly listing: RecalledList
}

const remembered = new Map<string, Remembered>()

async function isUnchanged(known: Remembered, clock: FileClock): Promise<boolean> {
  for (const [path, stamp] of known.rules) if (stampOf(path).stamp !== stamp) return false
  for (const i of await findChanged(known.folders, known.facts, FACTS)) {
    const folder = known.folders[i] ?? ''
    const found = lstatSync(folder, { throwIfNoEntry: false })
    const at = FACTS * i
    // A link, another folder or another file system has taken its place.
    if (!found?.isDirectory() || found.ino !== known.facts[at] || found.dev !== known.facts[at + 5])
      return false
    if (describeEntries(readEntries(folder)) !== known.entries[i]) return false
    // What changes its entries from now on changes its time.
    if (!isYoung(found, clock)) known.facts.set(factsIn(found), at)
  }
  return true
}

async function remember(place: Place, index: string | undefined, clock: FileClock, listing: FileList) {
  if (!hasReliableTimes(place.root)) return
  const named = await ruleFiles(place)
  const rules: [string | Buffer, string][] = []
  /** False if it changed so shortly before git looked, or since, that a change might not show. */
  const addRule = (path: string | Buffer): boolean => {
    const { stamp, times } = stampOf(path)
    rules.push([path, stamp])
    return !times.some(time => isYoung(time, clock))
  }
  const device = lstatSync(place.root).dev
  const closed = new Set<string>(listing.ignored.filter(name => name.endsWith('/')))
  const seen = new Set<BytePath>()
  const onDiskNames: (string | Buffer)[] = []
  const contents: string[] = []
  const facts: number[] = []
  const folders: BytePath[] = ['' as BytePath]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    if (seen.size % BATCH === 0) await turn()
    const here = at === '' ? place.root : onDisk(place.root, at)
    const found = lstatSync(here)
    if (seen.size + rules.length > MOST_STAMPS || isYoung(found, clock) || found.dev !== device) return
    seen.add(at)
    const entries = readEntries(here)
    onDiskNames.push(here)
    contents.push(describeEntries(entries))
    facts.push(...factsIn(found))
    const isNested = at !== '' && entries.some(({ name }) => name.toString('latin1') === '.git')
    for (const entry of isNested ? [] : entries) {
      const name = entry.name.toString('latin1')
      const path = (at === '' ? name : `${at}/${name}`) as BytePath
      if (name === '.gitignore' && !addRule(onDisk(place.root, path))) return
      if (entry.isDirectory() && name !== '.git' && !closed.has(`${path}/`)) folders.push(path)
    }
  }
  if (!named.every(path => addRule(path))) return
  const [oldest] = remembered.size >= MOST_WORKTREES ? remembered.keys() : []
  if (oldest !== undefined) remembered.delete(oldest)
  remembered.set(place.gitDir, {
    root: place.root,
    index,
    rules,
    folders: onDiskNames,
    entries: contents,
    facts: Float64Array.from(facts),
    listing: { ...listing, names: new Set(listing.files), folders: seen },
  })
}

const readEntries = (folder: string | Buffer): Dirent<Buffer>[] =>
  readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })

/** The names and kinds in a folder. No name contains a slash. */
const describeEntries = (entries: readonly Dirent<Buffer>[]): string =>
  entries
    .map(entry => `${entry.name.toString('latin1')}/${kindOf(entry)}`)
    .sort()
    .join('/')

const kindOf = (entry: Dirent<Buffer>): string =>
  entry.isFile() ? 'f' : entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : 'o'

const factsIn = ({ ino, size, mtimeMs, ctimeMs, mode, dev }: Stats): number[] => [
  ino,
  size,
  mtimeMs,
  ctimeMs,
  mode,
  dev,
]

/** The files, present or not, whose content decides what git ignores here. */
async function ruleFiles(place: Place): Promise<string[]> {
  const common = resolve(place.objectDir, '..')
  const [origins, excludes] = await Promise.all([
    gitAt(place, ['config', '--list', '--show-origin', '--name-only', '-z']),
    gitAt(place, ['config', '--type=path', '--get', 'core.excludesFile'], { ok: [0, 1] }),
  ])
  const settings = origins.stdout
    .toString('utf8')
    .split('\0')
    .flatMap(word => (word.startsWith('file:') ? [resolve(place.root, word.slice('file:'.length))] : []))
  const own = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'git')
  const named = excludes.stdout.toString('utf8').trimEnd()
  return [
    ...new Set([
      ...settings,
      ...(named ? [resolve(place.root, named)] : []),
      join(own, 'ignore'),
      join(own, 'config'),
      join(homedir(), '.gitconfig'),
      '/etc/gitconfig',
      join(common, 'config'),
      join(common, 'info/exclude'),
      join(place.gitDir, 'config.worktree'),
      // Settings may depend on the branch.
      join(place.gitDir, 'HEAD'),
    ]),
  ]
}

function stampOf(path: string | Buffer): { stamp: string; times: readonly Stats[] } {
  const link = lstatSync(path, { throwIfNoEntry: false })
  if (!link) return { stamp: 'absent', times: [] }
  // Git reads settings through links.
  const found = link.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : link
  if (!found) return { stamp: `broken ${link.ino} ${link.ctimeMs}`, times: [link] }
  const { ino, size, mtimeMs, ctimeMs, dev } = found
  return {
    stamp: [dev, ino, size, mtimeMs, ctimeMs, link.ino, link.ctimeMs].join(':'),
    times: [found, link],
  }
}

const BATCH = 256
const MOST_STAMPS = 20_000
const MOST_WORKTREES = 8
