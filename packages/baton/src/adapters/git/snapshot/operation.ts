import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { StepRecord } from '../../../ports/snapshots.ts'
import { Contents } from './contents.ts'
import { objectId } from './details.ts'
import { splitNames } from './paths.ts'
import { gitAt, type Place } from './place.ts'
import { readRegularFile } from './regular-file.ts'
import type { Store } from './store.ts'

/** Git's own files about an unfinished merge, rebase, cherry-pick or revert, by their path in git's folder. */
export type OperationFiles = ReadonlyMap<string, Buffer>

/** Each of these exists only while an operation is in progress. */
const SIGNS = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply', 'sequencer']
const FILES = [
  ...['MERGE_HEAD', 'MERGE_MODE', 'MERGE_MSG', 'MERGE_AUTOSTASH', 'AUTO_MERGE'],
  ...['CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'],
]
const FOLDERS = ['rebase-merge', 'rebase-apply', 'sequencer']
const MAX_BYTES = 20_000_000
const MAX_FILES = 20_000

/** Empty when no operation is in progress. */
export function readOperationFiles(place: Place): OperationFiles {
  const found = new Map<string, Buffer>()
  if (!SIGNS.some(name => lstatSync(join(place.gitDir, name), { throwIfNoEntry: false }))) return found
  let size = 0
  const read = (name: string): void => {
    const path = join(place.gitDir, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts?.isDirectory()) for (const inner of readdirSync(path)) read(`${name}/${inner}`)
    if (!facts?.isFile()) return
    // Never through a link or from a pipe that has taken its place.
    const bytes = readRegularFile(path, MAX_BYTES - size)?.bytes
    // Git has removed it meanwhile.
    if (!bytes && !lstatSync(path, { throwIfNoEntry: false })) return
    if (!bytes || found.size >= MAX_FILES)
      throw new BatonError(
        'undo_unavailable',
        `Git's files about the operation in ${place.root} are too large, too many or unreadable`,
        { remedy: 'Finish or abort the operation.' },
      )
    size += bytes.length
    found.set(name, bytes)
  }
  for (const name of [...FILES, ...FOLDERS]) read(name)
  return found
}

/** The commits that these files name. */
export function operationCommits(files: OperationFiles): string[] {
  const found = new Set<string>()
  for (const bytes of files.values())
    for (const word of bytes.subarray(0, 100_000).toString('latin1').split(/\s+/))
      if (objectId(word)) found.add(word)
  return [...found].slice(0, 500)
}

/** Puts git's files about an operation back, and removes those of an operation that began later. */
export async function restoreOperation(place: Place, store: Store, step: StepRecord): Promise<void> {
  const { stdout } = await gitAt(store, ['ls-tree', '-r', '-z', '--full-tree', step.commit, 'git/'])
  const then = new Map<string, Buffer>()
  const contents = new Contents(store)
  try {
    for (const row of splitNames(stdout)) {
      const [, content = '', name = ''] = /^\d+ blob ([0-9a-f]+)\tgit\/(.*)$/s.exec(row) ?? []
      if (isOperationFile(name)) then.set(utf8(name), await contents.read(content))
    }
  } finally {
    await contents.close()
  }
  const now = readOperationFiles(place)
  if (now.size > 0 || then.size > 0)
    for (const name of [...FILES, ...FOLDERS])
      rmSync(join(place.gitDir, name), { recursive: true, force: true })
  for (const [name, bytes] of then) {
    const path = join(place.gitDir, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes, { flag: 'wx' })
  }
}

const utf8 = (name: string): string => Buffer.from(name, 'latin1').toString('utf8')

function isOperationFile(name: string): boolean {
  const [top = '', ...rest] = name.split('/')
  if (rest.some(part => part === '' || part === '.' || part === '..')) return false
  return rest.length === 0 ? FILES.includes(top) : FOLDERS.includes(top)
}
