import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type {
  BytePath,
  Capture,
  CaptureLimits,
  CaptureRequest,
  Contained,
  LeftOut,
} from '../../../ports/snapshots.ts'
import { forgetKnown, type Known, type KnownFile, readKnown, saveKnown } from './cache.ts'
import { type Details, detailsOf, isProgram, messageText } from './details.ts'
import { HeldObjects } from './held.ts'
import { type IndexFile, parseIndex } from './index-file.ts'
import { readNow, setRefs, stampStep } from './names.ts'
import { idOf, ObjectWriter } from './objects.ts'
import { type OperationFiles, operationCommits, readOperationFiles } from './operation.ts'
import { bytePath } from './paths.ts'
import type { Place } from './place.ts'
import { readPosition, readStash } from './position.ts'
import { readRegularFile } from './regular-file.ts'
import { contentId, sameFile, scan } from './scan.ts'
import { readStaged, type Staged } from './staged.ts'
import { commitsAmong, holdObjects, type Store } from './store.ts'
import { fileClock } from './timestamps.ts'
import { Folder } from './trees.ts'

/** A larger index is not copied byte for byte; its contents are saved anyway. */
const INDEX_BYTES = 8_000_000
/** A worktree with as many files as a snapshot can have needs a quarter of this. */
const MOST_INDEX_BYTES = 64_000_000

/**
 * Writes the worktree's files, the index and the position of HEAD into one commit of Baton's own repository:
 * `files/` as on disk, `staged/` as in the index, `index` byte for byte, `git/` for an unfinished merge or rebase,
 * `about` for the rest. Writes nothing if the newest step already holds exactly this.
 */
export async function capture(where: Where, request: CaptureRequest, sinceMs: number): Promise<Capture> {
  const hadCache = readKnown(where.folder) !== undefined
  try {
    return await captureOnce(where, request, sinceMs)
  } catch (cause) {
    // A cache that does not match the store must not make every snapshot fail.
    forgetKnown(where.folder)
    const isLimit = cause instanceof BatonError && cause.remedy !== undefined
    if (!hadCache || isLimit) throw cause
    return await captureOnce(where, request, sinceMs)
  }
}

/** What a capture would contain, by the same scan. Writes nothing, and throws where a capture would fail. */
export async function foretell({ place, store, folder }: Where, limits: CaptureLimits): Promise<Contained> {
  // What makes a snapshot fail are these, the number of files, and a state folder that cannot be written to.
  const { index } = await readGitState(place)
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  accessSync(`${existing}/`, constants.W_OK | constants.X_OK)
  const { files, leftOut } = await scan(place, {
    known: trustedKnown(folder, store)?.files ?? new Map(),
    names: index && contentId(place, index),
    limits,
    also: [],
    // Without the lock's time, no list of files is recent enough to be remembered.
    clock: { sinceMs: 0 },
    store: () => {},
  })
  return { files, leftOut }
}

/** What a snapshot needs to know from git, apart from the files. */
async function readGitState(place: Place) {
  const [position, stash] = await Promise.all([readPosition(place), readStash(place)])
  return { position, stash, operation: readOperationFiles(place), index: readIndex(place) }
}

async function captureOnce(
  { place, store, folder }: Where,
  request: CaptureRequest,
  sinceMs: number,
): Promise<Capture> {
  const writer = new ObjectWriter(store)
  try {
    const known = trustedKnown(folder, store)
    const before: ReadonlyMap<BytePath, KnownFile> = known?.files ?? new Map()
    const { position, stash, operation, index } = await readGitState(place)
    const indexId = index && contentId(place, index)
    const isSameIndex = known !== undefined && known.index === indexId
    const parsed = index && !isSameIndex ? parseIndex(index, place, lastIndex.get(before)) : undefined
    const hasSameNames = isSameIndex || (parsed && parsed.names === lastIndex.get(before)?.names)
    const names = known && hasSameNames ? known.names : parsed ? contentId(place, parsed.names) : indexId
    const commits = parents(position.head, stash)
    const tree = known ? folderOf(known, place) : new Folder()
    const holdStaged = async () => {
      const staged = isSameIndex
        ? { id: known.staged, tree: undefined, contents: [] }
        : await readStaged({ place, store, folder, writer }, index, parsed)
      const isSame = known && sameIds(known.held, commits) && known.staged === staged.id
      const held = new HeldObjects(place, store, known, tree, lastIndex.get(before))
      const what = { commits, operation, staged: staged.contents, held }
      const isHeld = isSame && operation.size === 0 ? known.isHeld : await holdAll(place, store, writer, what)
      return { staged, isHeld }
    }
    const kept = index && index.length <= INDEX_BYTES ? index : undefined
    const scanning = scan(place, {
      known: before,
      names,
      limits: request.limits,
      also: request.also ?? [],
      clock: fileClock(place.root, folder, sinceMs),
      store: async bytes => void (await writer.writeContent(bytes)),
    })
    const holding = holdStaged()
    // If one fails, the other must not write objects after the writer was abandoned.
    await Promise.allSettled([scanning, holding])
    const { files, leftOut, changed, touched } = await scanning
    const { staged, isHeld } = await holding
    const details = detailsOf(files, leftOut, stash)
    const about = Buffer.from(JSON.stringify(details))
    const around = contentId(place, Buffer.concat([Buffer.from(JSON.stringify(position)), about]))
    const isSame = known !== undefined && !changed && known.staged === staged.id && operation.size === 0
    const stamp = (path: BytePath) => files.get(path)?.stamp.join(':')
    const remember = (next: Omit<Known, 'files' | 'index' | 'names'>) => {
      trees.set(files, tree)
      const index = isSameIndex ? lastIndex.get(before) : parsed
      if (index) lastIndex.set(files, index)
      saveKnown(folder, { ...next, files, index: indexId, names })
    }
    const { last } = known ?? {}
    if (
      isSame &&
      !known.inOperation &&
      last?.around === around &&
      (request.about ? last.step !== undefined && request.reuse?.(last.step) : true)
    ) {
      if (touched || !isSameIndex) remember(known)
      else trees.set(before, tree)
      writer.abandon()
      const { state } = known
      return { step: request.about && last.step, commit: last.commit, state, position, files, leftOut, stamp }
    }

    if (files !== before) for (const path of before.keys()) if (!files.has(path)) tree.delete(path)
    for (const [path, file] of files === before ? [] : files) {
      const was = before.get(path)
      if (!was || !sameFile(was, file)) tree.set(path, { mode: gitMode(file), id: file.content })
    }
    const write: ObjectWriter['write'] = (type, body) => writer.write(type, body)
    const filesTree = tree.write(write)
    const state = stateId(place, { filesTree, modes: details.modes, staged: staged.id, operation })
    const stagedTree = isSameIndex ? known.stagedTree : isHeld ? staged.tree : undefined
    const root = new Folder()
    root.set('about', { mode: '100644', id: writer.writePlain(about) })
    if (!tree.isEmpty) root.set('files', { mode: '40000', id: filesTree })
    for (const [name, bytes] of operation)
      root.set(`git/${bytePath(name)}`, { mode: '100644', id: writer.write('blob', bytes) })
    if (kept && indexId) {
      if (!isSameIndex) writer.writePlain(kept, indexId)
      root.set('index', { mode: '100644', id: indexId })
    }
    if (stagedTree) root.set('staged', { mode: '40000', id: stagedTree })
    const step = request.about
    const text = commitText({
      tree: root.write(write),
      // As parents, these commits survive in the store.
      parents: isHeld ? commits : [],
      atMs: request.atMs,
      message: step
        ? messageText({ about: step, position, state, leftOut: countLeftOut(leftOut) })
        : 'baton undo: as it is now\n',
    })
    const commit = writer.write('commit', Buffer.from(text))
    writer.finish()
    setRefs(store, step ? ['now', String(step.step)] : ['now'], commit)
    if (step) stampStep(store, step.step, request.atMs)
    remember({
      filesTree,
      stagedTree,
      commit,
      staged: staged.id,
      state,
      held: commits,
      isHeld,
      inOperation: operation.size > 0,
      last: { step: step?.step, commit, around },
    })
    return { step: step?.step, commit, state, position, files, leftOut, stamp }
  } catch (cause) {
    writer.abandon()
    throw cause
  }
}

/** The trees of the last snapshot, by its files: the next one changes them. */
const trees = new WeakMap<Known['files'], Folder>()
const lastIndex = new WeakMap<Known['files'], IndexFile>()

/** The cache, if its snapshot is the newest one: then the store has everything that it names. */
function trustedKnown(folder: string, store: Store): Known | undefined {
  const known = readKnown(folder)
  return known && readNow(store) === known.commit ? known : undefined
}

function folderOf(known: Known, place: Place): Folder {
  const kept = trees.get(known.files)
  // A snapshot that fails in the middle must not leave half-changed trees behind.
  trees.delete(known.files)
  if (kept) return kept
  const made = new Folder()
  for (const [path, file] of known.files) made.set(path, { mode: gitMode(file), id: file.content })
  if (made.write((type, body) => idOf(place, type, body)) === known.filesTree) return made
  throw new BatonError('undo_unavailable', 'The cache of the last snapshot does not match it')
}

function commitText(what: {
  tree: string
  parents: readonly string[]
  atMs: number
  message: string
}): string {
  const by = `Baton <baton@localhost> ${Math.floor(what.atMs / 1000)} +0000`
  const lines = [`tree ${what.tree}`, ...what.parents.map(id => `parent ${id}`)]
  return [...lines, `author ${by}`, `committer ${by}`, '', what.message].join('\n')
}

export interface Where {
  readonly place: Place
  readonly store: Store
  readonly folder: string
}

/** What a build creates again is no loss. */
const countLeftOut = (leftOut: readonly LeftOut[]): number =>
  leftOut.filter(({ why }) => why !== 'rebuildable').length

const sameIds = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i])

/** Copies into the store what the step refers to. */
async function holdAll(
  place: Place,
  store: Store,
  writer: ObjectWriter,
  what: { commits: string[]; operation: OperationFiles; staged: Staged['contents']; held: HeldObjects },
): Promise<boolean> {
  const named = operationCommits(what.operation)
  // A commit that the files of an operation name may be missing; HEAD and the stash may not.
  if (named.length > 0) await holdObjects(place, store, await commitsAmong(place, named), [], what.held)
  return holdObjects(place, store, what.commits, what.staged, what.held, writer)
}

const gitMode = (file: KnownFile): string =>
  file.kind === 'link' ? '120000' : isProgram(file.mode) ? '100755' : '100644'

function parents(
  head: string | undefined,
  stash: readonly (readonly [commit: string, message: string])[],
): string[] {
  const all = [...(head ? [head] : []), ...stash.map(([commit]) => commit)]
  // Git rejects more parents than this.
  return [...new Set(all)].slice(0, 16)
}

/** Two captures with the same id have the same files, permission bits and staged content. */
function stateId(
  place: Place,
  what: { filesTree: string; modes: Details['modes']; staged: string | undefined; operation: OperationFiles },
): string {
  const rows = Array.from(what.operation, ([name, bytes]) => [name, contentId(place, bytes)])
  return contentId(place, Buffer.from(JSON.stringify([what.filesTree, what.modes, what.staged ?? '', rows])))
}

function readIndex(place: Place): Buffer | undefined {
  const path = join(place.gitDir, 'index')
  if (!lstatSync(path, { throwIfNoEntry: false })) return undefined
  // Git replaces the index file as a whole, so a read always sees one consistent state.
  const read = readRegularFile(path, MOST_INDEX_BYTES)
  if (read) return read.bytes
  // Undo to a step without an index would remove it.
  throw new BatonError('undo_unavailable', `Baton cannot read git's index in ${place.root}`, {
    remedy: `It has to be a regular file of at most ${MOST_INDEX_BYTES / 1_000_000} MB: check ${path}.`,
  })
}
