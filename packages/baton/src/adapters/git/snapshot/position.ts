import { lstat, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Position } from '../../../ports/snapshots.ts'
import { objectId } from './details.ts'
import { gitAt, type Place } from './place.ts'

/** Reads HEAD and the tree of another ref in one call. */
export async function readRefs(
  place: Place,
  other: string,
): Promise<{ position: Position; tree: string | undefined }> {
  const [branch, found] = await Promise.all([
    readBranch(place),
    gitAt(place, ['cat-file', '--batch-check=%(objectname)'], { input: `HEAD^{commit}\n${other}^{tree}\n` }),
  ])
  // For a ref that does not exist, git prints its name.
  const [head, tree] = found.stdout.toString('utf8').split('\n').map(objectId)
  return { position: { branch, head }, tree }
}

async function readBranch(place: Place): Promise<string | undefined> {
  const text = await readFile(join(place.gitDir, 'HEAD'), 'utf8').catch(() => '')
  const plain = /^ref: (refs\/heads\/\S+)\n?$/.exec(text)?.[1]
  // With other ref storage formats, this file has no branch.
  if (plain !== undefined && plain !== 'refs/heads/.invalid') return plain
  if (objectId(text.trimEnd())) return undefined
  const { stdout } = await gitAt(place, ['symbolic-ref', '-q', 'HEAD'], { ok: [0, 1] })
  return stdout.toString('utf8').trimEnd() || undefined
}

export async function resolveRef(place: Place, ref: string): Promise<string | undefined> {
  const { stdout } = await gitAt(
    place,
    ['rev-parse', '-q', '--verify', '--end-of-options', `${ref}^{commit}`],
    {
      ok: [0, 1, 128],
    },
  )
  return objectId(stdout.toString('utf8').trimEnd())
}

/** The unfinished git operation (merge, rebase and so on), recognized by its files. */
export async function readOperation(place: Place): Promise<string | undefined> {
  const found = await Promise.all(
    Object.entries(OPERATIONS).map(async ([name, what]) =>
      (await lstat(join(place.gitDir, name)).catch(() => undefined)) ? what : undefined,
    ),
  )
  return found.find(what => what !== undefined)
}

const OPERATIONS = {
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  sequencer: 'cherry-pick',
}

/** The stashes, newest first, from git's reflog. */
export async function readStash(place: Place): Promise<[commit: string, message: string][]> {
  const common = (await readFile(join(place.gitDir, 'commondir'), 'utf8').catch(() => '.')).trim()
  const log = join(resolve(place.gitDir, common), 'logs/refs/stash')
  const text = await readFile(log, 'latin1').catch(() => '')
  return text
    .split('\n')
    .flatMap((line): [string, string][] => {
      const [facts = '', message = ''] = line.split('\t')
      const commit = objectId(facts.split(' ')[1])
      return commit ? [[commit, message]] : []
    })
    .reverse()
    .slice(0, MAX_STASH)
}

const MAX_STASH = 50
