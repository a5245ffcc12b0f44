import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Position } from '../../../ports/snapshots.ts'
import { objectId } from './details.ts'
import { gitAt, type Place } from './place.ts'

/** Where HEAD is. Reads git's files itself where it can: a process costs more than the rest of an unchanged snapshot. */
export async function readPosition(place: Place): Promise<Position> {
  const branch = await readBranch(place)
  const common = await commonDir(place)
  const loose = branch && objectId((await readFile(join(common, branch), 'utf8').catch(() => '')).trimEnd())
  const detached = branch
    ? undefined
    : objectId((await readFile(join(place.gitDir, 'HEAD'), 'utf8')).trimEnd())
  return { branch, head: loose ?? detached ?? (await resolveRef(place, 'HEAD')) }
}

/** The folder that all worktrees of a repository share. */
async function commonDir(place: Place): Promise<string> {
  return resolve(
    place.gitDir,
    (await readFile(join(place.gitDir, 'commondir'), 'utf8').catch(() => '.')).trim(),
  )
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

/** The stashes, newest first, from git's reflog. */
export async function readStash(place: Place): Promise<[commit: string, message: string][]> {
  const log = join(await commonDir(place), 'logs/refs/stash')
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
