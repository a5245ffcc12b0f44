import { existsSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { PositionPlan, StepRecord } from '../../../ports/snapshots.ts'
import type { Where } from './capture.ts'
import { Contents } from './contents.ts'
import { objectId, parseDetails } from './details.ts'
import { tipName } from './names.ts'
import { splitNames } from './paths.ts'
import { gitAt, type Place } from './place.ts'
import { readStash, resolveRef } from './position.ts'
import { giveBack } from './store.ts'

export async function branchFacts(
  place: Place,
  ref: string,
): Promise<{ at: string | undefined; elsewhere: boolean }> {
  const [at, list, own] = await Promise.all([
    resolveRef(place, ref),
    gitAt(place, ['worktree', 'list', '--porcelain']),
    gitAt(place, ['symbolic-ref', '-q', 'HEAD'], { ok: [0, 1] }),
  ])
  const holders = list.stdout
    .toString('utf8')
    .split('\n')
    .filter(line => line === `branch ${ref}`).length
  const here = own.stdout.toString('utf8').trimEnd() === ref ? 1 : 0
  return { at, elsewhere: holders > here }
}

/** Saves the tips, then moves branches and HEAD. Fails if another process has moved a branch meanwhile. */
export async function moveRefs(place: Place, plan: PositionPlan, step: number, atMs: number): Promise<void> {
  const none = '0'.repeat(place.format === 'sha256' ? 64 : 40)
  const tips = plan.tips.map((commit, i) => `create ${tipName(place, step, atMs, i)}\0${commit}\0`)
  if (tips.length > 0) await gitAt(place, ['update-ref', '-z', '--stdin'], { input: tips.join('') })
  const log = ['-m', `baton undo: back to step ${step}`]
  if (plan.moves.length > 0) {
    const input = plan.moves.map(({ ref, from, to }) =>
      to === undefined ? `delete ${ref}\0${from ?? ''}\0` : `update ${ref}\0${to}\0${from ?? none}\0`,
    )
    await gitAt(place, ['update-ref', ...log, '--no-deref', '-z', '--stdin'], {
      input: input.join(''),
      reflog: true,
    })
  }
  if (!plan.head) return
  const args =
    'branch' in plan.head
      ? ['symbolic-ref', ...log, 'HEAD', plan.head.branch]
      : ['update-ref', ...log, '--no-deref', 'HEAD', plan.head.detached]
  await gitAt(place, args, { reflog: true })
}

/** Restores the index as git itself does: as a whole file, under git's own lock. */
export async function putIndexBack({ place, store, folder }: Where, step: StepRecord): Promise<void> {
  const bytes = await indexOf({ place, store, folder }, step)
  const index = join(place.gitDir, 'index')
  const lock = `${index}.lock`
  const mode = (statSync(index, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777
  try {
    writeFileSync(lock, bytes ?? '', { flag: 'wx', mode })
  } catch (cause) {
    throw new BatonError('undo_unavailable', 'The index is locked by another git command', {
      remedy: 'The files are restored. When that command has ended, undo to the same step again.',
      cause,
    })
  }
  try {
    if (bytes) renameSync(lock, index)
    else if (existsSync(index)) unlinkSync(index)
  } finally {
    rmSync(lock, { force: true })
  }
}

async function indexOf({ place, store, folder }: Where, step: StepRecord): Promise<Buffer | undefined> {
  const contents = new Contents(store)
  const bytes = await contents.find(`${step.commit}:index`).finally(() => contents.close())
  const copy = join(folder, 'index')
  const env = { GIT_INDEX_FILE: copy }
  if (bytes) {
    writeFileSync(copy, bytes, { mode: 0o600 })
    // It may depend on a shared index that git has removed since.
    const { code } = await gitAt(place, ['ls-files', '-z', '--stage'], { env, ok: [0, 128] })
    if (code === 0) return bytes
  }
  const staged = await gitAt(store, ['rev-parse', '-q', '--verify', `${step.commit}:staged`], {
    ok: [0, 1, 128],
  })
  if (staged.code !== 0) return undefined
  rmSync(copy, { force: true })
  await gitAt(store, ['read-tree', staged.stdout.toString('utf8').trim()], { env })
  return readFileSync(copy)
}

/** Returns what the step's HEAD, stash and index refer to, if the project's repository lost it. */
export async function giveStepBack({ place, store, folder }: Where, step: StepRecord): Promise<boolean> {
  const contents = new Contents(store)
  const about = await contents.read(`${step.commit}:about`).finally(() => contents.close())
  const stash = parseDetails(about.toString('utf8')).stash.map(([commit]) => commit)
  const commits = [...(step.position.head ? [step.position.head] : []), ...stash].filter(objectId)
  return giveBack(place, store, commits, await stagedContents({ place, store, folder }, step))
}

/** Git's ids of the contents that the step's index names. */
async function stagedContents(where: Where, step: StepRecord): Promise<string[]> {
  const bytes = await indexOf(where, step)
  if (!bytes) return []
  const copy = join(where.folder, 'index')
  writeFileSync(copy, bytes, { mode: 0o600 })
  const { stdout } = await gitAt(where.place, ['ls-files', '-z', '--stage'], {
    env: { GIT_INDEX_FILE: copy },
  })
  return splitNames(stdout).flatMap(row => {
    const [, mode, content = ''] = /^(\d+) ([0-9a-f]+) /.exec(row) ?? []
    return mode === '160000' || content === '' ? [] : [content]
  })
}

/** Restores stashes that have disappeared since, oldest first. */
export async function putStashBack({ place, store }: Where, step: StepRecord): Promise<number> {
  const contents = new Contents(store)
  const about = await contents.read(`${step.commit}:about`).finally(() => contents.close())
  const now = new Set((await readStash(place)).map(([commit]) => commit))
  const gone = parseDetails(about.toString('utf8')).stash.filter(([commit]) => !now.has(commit))
  for (const [commit, message] of gone.reverse())
    await gitAt(place, ['stash', 'store', '-m', Buffer.from(message, 'latin1').toString('utf8'), commit], {
      reflog: true,
    })
  return gone.length
}
