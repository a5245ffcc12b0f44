import { lstatSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { BytePath } from '../../../ports/snapshots.ts'
import { onDisk, splitNames } from './paths.ts'
import { gitAt, type Place } from './place.ts'

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
  /** Real folders, just now: no link is among them. */
  readonly folders: ReadonlySet<BytePath>
}

/**
 * Git's last answer about a worktree, unless something that decides about it may have changed: the names in the index, a
 * folder's entries, ignore rules or settings.
 */
export async function recallList(place: Place, index: string | undefined): Promise<RecalledList | undefined> {
  const known = remembered.get(place.gitDir)
  if (known && known.root === place.root && known.index === index && (await isUnchanged(known.stamps)))
    return known.listing
  remembered.delete(place.gitDir)
  return undefined
}

/** Asks git for a worktree's files. `sinceMs`: the file system's time just before. */
export async function listWorktree(
  place: Place,
  index: string | undefined,
  sinceMs: number,
): Promise<FileList> {
  const [files, ignored] = await Promise.all([listFiles(place), listIgnoredNames(place)])
  const listing = { files, ignored }
  // When the command no longer waits. Whatever changes meanwhile is too young to be remembered.
  setImmediate(() => void remember(place, index, sinceMs, listing).catch(() => {}))
  return listing
}

type Stamps = readonly (readonly [path: string | Buffer, stamp: string])[]

interface Remembered {
  readonly root: string
  readonly index: string | undefined
  readonly stamps: Stamps
  readonly listing: RecalledList
}

const remembered = new Map<string, Remembered>()

async function isUnchanged(stamps: Stamps): Promise<boolean> {
  let work = 0
  for (const [path, stamp] of stamps) {
    if (++work % BATCH === 0) await turn()
    if (stampOf(path).stamp !== stamp) return false
  }
  return true
}

async function remember(place: Place, index: string | undefined, sinceMs: number, listing: FileList) {
  if (!RELIABLE.has(statfsSync(place.root).type)) return
  const rules = await ruleFiles(place)
  const stamps: [string | Buffer, string][] = []
  /** False if it changed so shortly before git looked, or since, that a change might not show. */
  const add = (path: string | Buffer, device?: number): boolean => {
    const { stamp, changedMs, on } = stampOf(path)
    stamps.push([path, stamp])
    return changedMs < sinceMs - YOUNG_MS && (device === undefined || device === on)
  }
  const device = lstatSync(place.root).dev
  const closed = new Set<string>(listing.ignored.filter(name => name.endsWith('/')))
  const seen = new Set<BytePath>()
  const folders: BytePath[] = ['' as BytePath]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    if (stamps.length % BATCH === 0) await turn()
    const here = at === '' ? place.root : onDisk(place.root, at)
    if (stamps.length > MOST_STAMPS || !add(here, device)) return
    seen.add(at)
    const entries = readdirSync(here, { withFileTypes: true, encoding: 'buffer' })
    const isNested = at !== '' && entries.some(entry => entry.name.toString('latin1') === '.git')
    for (const entry of isNested ? [] : entries) {
      const name = entry.name.toString('latin1')
      const path = (at === '' ? name : `${at}/${name}`) as BytePath
      if (name === '.gitignore' && !add(onDisk(place.root, path))) return
      if (entry.isDirectory() && name !== '.git' && !closed.has(`${path}/`)) folders.push(path)
    }
  }
  if (!rules.every(path => add(path))) return
  const [oldest] = remembered.size >= MOST_WORKTREES ? remembered.keys() : []
  if (oldest !== undefined) remembered.delete(oldest)
  remembered.set(place.gitDir, { root: place.root, index, stamps, listing: { ...listing, folders: seen } })
}

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

function stampOf(path: string | Buffer): { stamp: string; changedMs: number; on: number } {
  const link = lstatSync(path, { throwIfNoEntry: false })
  if (!link) return { stamp: 'absent', changedMs: 0, on: 0 }
  // Git reads settings through links.
  const found = link.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : link
  if (!found) return { stamp: `broken ${link.ino} ${link.ctimeMs}`, changedMs: link.ctimeMs, on: link.dev }
  const { ino, size, mtimeMs, ctimeMs, dev } = found
  const changedMs = Math.max(mtimeMs, ctimeMs, link.ctimeMs)
  return { stamp: [dev, ino, size, mtimeMs, ctimeMs, link.ino, link.ctimeMs].join(':'), changedMs, on: dev }
}

/** File systems whose folders change their time with their entries: ext4, btrfs, xfs, tmpfs, overlayfs, zfs, f2fs. */
const RELIABLE: ReadonlySet<number> = new Set([
  0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010,
])
/** Some file systems store times in steps of one or two seconds. */
const YOUNG_MS = 2000
const BATCH = 256
const MOST_STAMPS = 20_000
const MOST_WORKTREES = 8
