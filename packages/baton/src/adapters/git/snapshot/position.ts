import { join, resolve } from 'node:path'
import type { Position } from '../../../ports/snapshots.ts'
import { objectId } from './details.ts'
import { gitAt, type Place } from './place.ts'
import { readRegularText } from './regular-file.ts'

/** Where HEAD is. Reads git's files itself where it can: a process costs more than the rest of an unchanged snapshot. */
export async function readPosition(place: Place): Promise<Position> {
  const branch = await readBranch(place)
  const named = branch ? join(commonDir(place), branch) : join(place.gitDir, 'HEAD')
  const head = objectId(readRegularText(named, MAX_REF)?.trimEnd())
  return { branch, head: head ?? (await resolveRef(place, 'HEAD')) }
}

/** The folder that all worktrees of a repository share. */
const commonDir = (place: Place): string =>
  resolve(place.gitDir, readRegularText(join(place.gitDir, 'commondir'), MAX_REF)?.trim() ?? '.')

async function readBranch(place: Place): Promise<string | undefined> {
  const text = readRegularText(join(place.gitDir, 'HEAD'), MAX_REF) ?? ''
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
  const text = readRegularText(join(commonDir(place), 'logs/refs/stash'), MAX_STASH_LOG, 'latin1') ?? ''
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
const MAX_STASH_LOG = 10_000_000
/** A name of a ref or a folder is not longer. */
const MAX_REF = 10_000
