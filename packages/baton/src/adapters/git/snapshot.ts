import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type {
  BytePath,
  Located,
  SnapshotFile,
  SnapshotFiles,
  Snapshots,
  SnapshotWorktree,
  StepRecord,
} from '../../ports/snapshots.ts'
import { capture } from './snapshot/capture.ts'
import { Contents } from './snapshot/contents.ts'
import { modeReader, parseDetails } from './snapshot/details.ts'
import { takeUndoLock, type UndoLock } from './snapshot/lock.ts'
import { dropRefs, readKept, readSteps } from './snapshot/names.ts'
import { bytePath, isPlain, splitNames } from './snapshot/paths.ts'
import { gitAt, type Place, Places } from './snapshot/place.ts'
import { readOperation } from './snapshot/position.ts'
import { branchFacts, moveRefs, putIndexBack, putStashBack } from './snapshot/restore-refs.ts'
import { listFiles } from './snapshot/scan.ts'
import { changeFiles } from './snapshot/write.ts'

export interface GitSnapshotOptions {
  /** Baton's own folder for its cache between snapshots. */
  dir: string
}

/** Snapshots of git worktrees: objects and refs are in the repository, the cache is in Baton's own folder. */
export function gitSnapshots({ dir }: GitSnapshotOptions): Snapshots {
  const queues = new Map<string, Promise<unknown>>()
  const places = new Places()
  return {
    async open(folder) {
      const place = await places.find(folder)
      return place && worktree(place, join(dir, place.key), queues)
    },
  }
}

function worktree(place: Place, folder: string, queues: Map<string, Promise<unknown>>): SnapshotWorktree {
  let lock: UndoLock | undefined
  return {
    root: place.root,

    async exclusively(work) {
      // Calls in this process queue up; the lock file excludes other processes.
      const before = queues.get(place.gitDir)
      const turn = (before ?? Promise.resolve()).then(async () => {
        lock = await takeUndoLock(join(place.gitDir, 'baton-undo.lock'))
        try {
          return await work()
        } finally {
          lock.release()
          lock = undefined
        }
      })
      const settled = turn.catch(() => {})
      queues.set(place.gitDir, settled)
      try {
        return await turn
      } finally {
        if (queues.get(place.gitDir) === settled) queues.delete(place.gitDir)
      }
    },

    operation: () => readOperation(place),
    async indexLock() {
      const path = join(place.gitDir, 'index.lock')
      return (await lstat(path).catch(() => undefined)) && path
    },
    capture: request => capture(place, folder, request, lock?.sinceMs ?? 0),
    kept: () => readKept(place),
    steps: () => readSteps(place),
    drop: refs =>
      dropRefs(
        place,
        refs.map(ref => ref.name),
      ),
    files: step => readFiles(place, step),

    async patch(from, to) {
      const options = ['-r', '-p', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames']
      const { stdout } = await gitAt(place, ['diff-tree', ...options, '--relative=files/', from, to])
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

    async holdsIgnored(path) {
      const name = Buffer.from(path, 'latin1').toString('utf8')
      const kinds = ['--others', '--ignored', '--exclude-standard', '--directory']
      const { stdout } = await gitAt(place, ['ls-files', '-z', ...kinds, '--', name === '' ? '.' : name], {
        env: { GIT_LITERAL_PATHSPECS: '1' },
      })
      return stdout.length > 0
    },

    branch: ref => branchFacts(place, ref),

    async change(changes, held) {
      const contents = new Contents(place)
      try {
        return await changeFiles(place, changes, held, contents)
      } finally {
        await contents.close()
      }
    },

    async present() {
      return (await listFiles(place)).filter(path => !path.endsWith('/') && isPlain(path))
    },

    move: (plan, step, atMs) => moveRefs(place, plan, step, atMs),
    restoreIndex: step => putIndexBack(place, folder, step),
    restoreStash: step => putStashBack(place, step),
  }
}

async function readFiles(place: Place, step: StepRecord): Promise<SnapshotFiles> {
  const contents = new Contents(place)
  try {
    const about = await contents.read(`${step.commit}:about`)
    const modeOf = modeReader(parseDetails(about.toString('utf8')))
    const { stdout } = await gitAt(place, ['ls-tree', '-r', '-z', '--full-tree', step.commit])
    const files = new Map<BytePath, SnapshotFile>()
    for (const row of splitNames(stdout)) {
      const [, mode, content = '', name = ''] = /^(\d+) blob ([0-9a-f]+)\tfiles\/(.*)$/s.exec(row) ?? []
      const path = name as BytePath
      if (mode === undefined || !isPlain(path)) continue
      const kind = mode === '120000' ? 'link' : 'file'
      files.set(path, { content, kind, mode: kind === 'link' ? 0 : modeOf(path, mode === '100755') })
    }
    return files
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
