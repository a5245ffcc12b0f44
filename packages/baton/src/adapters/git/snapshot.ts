import { existsSync, mkdirSync } from 'node:fs'
import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type {
  BytePath,
  KeptRef,
  Located,
  SnapshotFile,
  Snapshots,
  SnapshotWorktree,
  StepFiles,
  StepRecord,
} from '../../ports/snapshots.ts'
import { pendingWrite } from './snapshot/cache.ts'
import { capture, foretell, type Where } from './snapshot/capture.ts'
import { Contents } from './snapshot/contents.ts'
import { modeReader, parseDetails } from './snapshot/details.ts'
import { listFiles, listIgnoredNames } from './snapshot/file-list.ts'
import { keepIgnored } from './snapshot/ignored.ts'
import { takeUndoLock, type UndoLock } from './snapshot/lock.ts'
import { dropRefs, readKeptSteps, readSteps, readTips } from './snapshot/names.ts'
import { restoreOperation } from './snapshot/operation.ts'
import { bytePath, isPlain, splitNames } from './snapshot/paths.ts'
import { gitAt, type Place, Places } from './snapshot/place.ts'
import { branchFacts, giveStepBack, moveRefs, putIndexBack, putStashBack } from './snapshot/restore-refs.ts'
import { ensureStore, oldSteps, type Store, storeOf } from './snapshot/store.ts'
import { tidyStore } from './snapshot/tidy-store.ts'
import { changeFiles } from './snapshot/write.ts'

export interface GitSnapshotOptions {
  /** Baton's own folder for snapshots. */
  dir: string
}

/** Snapshots of git worktrees. All of them are in Baton's own folder, where an agent's git cannot remove them. */
export function gitSnapshots({ dir }: GitSnapshotOptions): Snapshots {
  const queues = new Map<string, Promise<unknown>>()
  const places = new Places()
  return {
    async open(folder) {
      const place = await places.find(folder)
      if (!place) return undefined
      const own = join(dir, place.key)
      return worktree({ place, store: storeOf(place, own), folder: own }, queues)
    },
  }
}

function worktree(where: Where, queues: Map<string, Promise<unknown>>): SnapshotWorktree {
  const { place, store, folder } = where
  let lock: UndoLock | undefined

  async function exclusively<T>(work: () => Promise<T>): Promise<T> {
    // Calls in this process queue up; the lock file excludes other processes.
    const before = queues.get(place.gitDir)
    let released: Promise<void> | undefined
    const turn = (before ?? Promise.resolve()).then(async () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const held = await takeUndoLock(join(folder, 'lock'))
      lock = held
      try {
        await ensureStore(place, store)
        return await work()
      } finally {
        lock = undefined
        released = pendingWrite(folder)?.then(() => held.release())
        if (!released) held.release()
      }
    })
    const settled = turn.catch(() => {}).then(() => released)
    queues.set(place.gitDir, settled)
    settled.then(() => {
      if (queues.get(place.gitDir) === settled) queues.delete(place.gitDir)
    })
    return turn
  }

  return {
    root: place.root,
    exclusively,
    tidy: () => tidyStore(store),
    async indexLock() {
      const path = join(place.gitDir, 'index.lock')
      return (await lstat(path).catch(() => undefined)) && path
    },
    capture: request => capture(where, request, lock?.sinceMs ?? 0),
    foretell: limits => foretell(where, limits),
    kept: async ({ tips }) => [...readKeptSteps(store), ...(tips ? await readTips(place) : [])],
    async steps() {
      // The first use moves the steps of an earlier Baton.
      if (!existsSync(store.gitDir)) {
        if ((await oldSteps(place)).length === 0) return []
        await exclusively(async () => {})
      }
      return readSteps(store)
    },
    async drop(refs) {
      const names = (kind: KeptRef['kind']) => refs.filter(ref => ref.kind === kind).map(({ name }) => name)
      await dropRefs(store, names('step'))
      await dropRefs(place, names('tip'))
    },
    files: step => readFiles(store, step),

    async patch(from, to) {
      const options = ['-r', '-p', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames']
      const { stdout } = await gitAt(store, ['diff-tree', ...options, '--relative=files/', from, to])
      return stdout.toString('utf8')
    },

    locate: path => locate(place, path),

    async ignored(paths) {
      if (paths.length === 0) return new Set()
      // A file name may start with characters that are special in a pathspec.
      const input = Buffer.from(paths.map(path => `./${path}`).join('\0'), 'latin1')
      const { stdout } = await gitAt(place, ['check-ignore', '-z', '--stdin'], { input, ok: [0, 1] })
      return new Set<string>(splitNames(stdout))
    },

    branch: ref => branchFacts(place, ref),

    async change(changes, held) {
      const contents = new Contents(store)
      try {
        return await changeFiles(place, changes, held, contents)
      } finally {
        await contents.close()
      }
    },

    async present({ ignored }) {
      const [listed, more] = await Promise.all([
        listFiles(place),
        ignored ? listIgnoredNames(place).then(names => keepIgnored(place, names)) : undefined,
      ])
      return [...listed, ...(more?.files ?? [])].filter(path => !path.endsWith('/') && isPlain(path))
    },
    giveBack: step => giveStepBack(where, step),

    move: (plan, step, atMs) => moveRefs(place, plan, step, atMs),
    restoreIndex: step => putIndexBack(where, step),
    restoreOperation: step => restoreOperation(place, store, step),
    restoreStash: step => putStashBack(where, step),
  }
}

async function readFiles(store: Store, step: StepRecord): Promise<StepFiles> {
  const contents = new Contents(store)
  try {
    const about = await contents.read(`${step.commit}:about`)
    const details = parseDetails(about.toString('utf8'))
    const modeOf = modeReader(details)
    const { stdout } = await gitAt(store, ['ls-tree', '-r', '-z', '--full-tree', step.commit])
    const files = new Map<BytePath, SnapshotFile>()
    for (const row of splitNames(stdout)) {
      const [, mode, content = '', name = ''] = /^(\d+) blob ([0-9a-f]+)\tfiles\/(.*)$/s.exec(row) ?? []
      const path = name as BytePath
      if (mode === undefined || !isPlain(path)) continue
      const kind = mode === '120000' ? 'link' : 'file'
      files.set(path, { content, kind, mode: kind === 'link' ? 0 : modeOf(path, mode === '100755') })
    }
    const leftOut = details.leftOut.map(([path, why]) => ({ path: path as BytePath, why }))
    return { files, leftOut, ignored: details.ignored }
  } finally {
    await contents.close()
  }
}

/** Follows links in the path's folders, as the system does when it opens the path. */
async function locate(place: Place, path: string): Promise<Located | undefined> {
  const wanted = resolve(place.root, path)
  const missing: string[] = []
  for (let at = wanted; ; at = dirname(at)) {
    const found = await lstat(at).catch(() => undefined)
    if (!found && dirname(at) !== at) {
      missing.unshift(basename(at))
      continue
    }
    // A link at the end of the path is kept; a link before a missing part is followed.
    const real =
      missing.length === 0 && at !== place.root
        ? join(await realpath(dirname(at)), basename(at))
        : await realpath(at).catch(() => undefined)
    if (real === undefined) return undefined
    const whole = join(real, ...missing)
    if (whole !== place.root && !whole.startsWith(`${place.root}/`)) return undefined
    const relative = bytePath(whole.slice(place.root.length + 1))
    if (relative !== '' && !isPlain(relative)) return undefined
    if (missing.length > 0) return { path: relative, kind: 'absent', target: undefined }
    if (found?.isSymbolicLink())
      return { path: relative, kind: 'link', target: resolve(dirname(real), await readlink(real)) }
    const kind = found?.isDirectory() ? 'folder' : found?.isFile() ? 'file' : 'other'
    return { path: relative, kind, target: undefined }
  }
}
