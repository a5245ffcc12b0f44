import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { KeptRef, StepRecord } from '../../../ports/snapshots.ts'
import { objectId, parseMessage } from './details.ts'
import { gitAt, type Place, type Repo, UNDO_REFS } from './place.ts'
import type { Store } from './store.ts'

/** The stored steps. Reads the ref files itself: Baton alone writes this repository, and never packs its refs. */
export function readKeptSteps(store: Store): KeptRef[] {
  const kept: KeptRef[] = []
  for (const folder of namesIn(join(store.gitDir, UNDO_REFS))) {
    const refs = `${UNDO_REFS}${folder}/`
    for (const name of namesIn(join(store.gitDir, refs))) {
      if (!/^\d+$/.test(name)) continue
      const { mtimeMs } = statSync(join(store.gitDir, refs, name))
      kept.push({
        name: refs + name,
        kind: 'step',
        foreign: refs !== store.refs,
        step: Number(name),
        atMs: mtimeMs,
      })
    }
  }
  return kept
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** The commit of the last snapshot, as the store knows it. */
export function readNow(store: Store): string | undefined {
  try {
    return objectId(readFileSync(join(store.gitDir, `${store.refs}now`), 'utf8').trimEnd())
  } catch {
    return undefined
  }
}

/** Points refs of this worktree to a commit, one after another. Each changes at once. */
export function setRefs(store: Store, names: readonly string[], commit: string): void {
  const folder = join(store.gitDir, store.refs)
  // Not in the folder of the refs: git would take what a crash leaves there for a lock.
  const draft = join(store.gitDir, 'ref.new')
  for (const name of names) {
    writeFileSync(draft, `${commit}\n`, { mode: 0o600 })
    try {
      renameSync(draft, join(folder, name))
    } catch {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      renameSync(draft, join(folder, name))
    }
  }
}

/** Sets the time of a step's ref, by which it expires. */
export function stampStep(store: Store, step: number, atMs: number): void {
  utimesSync(join(store.gitDir, store.refs, String(step)), atMs / 1000, atMs / 1000)
}

/** The commits that an undo set aside in the project, of all its worktrees. */
export async function readTips(place: Place): Promise<KeptRef[]> {
  const { stdout } = await gitAt(place, ['for-each-ref', '--format=%(refname)', UNDO_REFS])
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((name): KeptRef[] => {
      const [, refs, step, atMs] = TIP.exec(name) ?? []
      if (step === undefined) return []
      return [{ name, kind: 'tip', foreign: refs !== place.refs, step: Number(step), atMs: Number(atMs) }]
    })
}

export const tipName = (place: Place, step: number, atMs: number, number: number): string =>
  `${place.refs}tip/${step}-${atMs}-${number}`

/** This worktree's steps, oldest first. */
export async function readSteps(store: Store): Promise<StepRecord[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(contents)%00'
  const { stdout } = await gitAt(store, ['for-each-ref', format, store.refs])
  const fields = stdout.toString('utf8').split('\0')
  const steps: StepRecord[] = []
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [name = '', commit = '', text = ''] = fields.slice(i, i + 3)
    const number = name.trimStart().slice(store.refs.length)
    const message = /^\d+$/.test(number) ? parseMessage(text.trimEnd()) : undefined
    if (!message) continue
    const { about, position, state, leftOut } = message
    steps.push({ ...about, step: Number(number), commit, position, state, leftOut })
  }
  return steps.sort((a, b) => a.step - b.step)
}

export async function dropRefs(repo: Repo, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const input = names.map(name => `delete ${name}\0\0`).join('')
  await gitAt(repo, ['update-ref', '-z', '--stdin'], { input })
}

const TIP = /^(refs\/baton\/undo\/[0-9a-f]+\/)tip\/(\d+)-(\d+)-\d+$/
