import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { BytePath, Capture, CaptureRequest, LeftOut } from '../../../ports/snapshots.ts'
import { collect, endOf, failed } from '../hardened.ts'
import { forgetKnown, type Known, type KnownFile, readKnown, saveKnown } from './cache.ts'
import { detailsOf, isProgram, messageText, objectId } from './details.ts'
import { type IndexFile, parseIndex } from './index-file.ts'
import { readNow, stampStep } from './names.ts'
import { type OperationFiles, operationCommits, readOperationFiles } from './operation.ts'
import { splitNames } from './paths.ts'
import { gitAt, type Place, type Repo, spawnGitAt } from './place.ts'
import { readPosition, readStash } from './position.ts'
import { contentId, sameFile, scan } from './scan.ts'
import { commitsAmong, holdObjects, type Store, writingTo } from './store.ts'

/** A larger index is not copied byte for byte; its contents are saved anyway. */
const INDEX_BYTES = 8_000_000

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

async function captureOnce(
  { place, store, folder }: Where,
  request: CaptureRequest,
  sinceMs: number,
): Promise<Capture> {
  const importer = new Importer(store)
  try {
    const known = readKnown(folder)
    const before: ReadonlyMap<BytePath, KnownFile> = known?.files ?? new Map()
    const [position, stash] = await Promise.all([readPosition(place), readStash(place)])
    const operation = readOperationFiles(place)
    const index = readIndex(place)
    const indexId = index && contentId(place, index)
    const isSameIndex = known !== undefined && known.index === indexId
    const parsed = index && !isSameIndex ? parseIndex(index, place) : undefined
    const names = isSameIndex ? known.names : parsed ? contentId(place, parsed.names) : indexId
    const commits = parents(position.head, stash)
    // Git takes as long to start as to write: let it start while the files are looked at.
    if (known && !sameIds(known.held, commits)) importer.start()
    const holdStaged = async () => {
      const staged = isSameIndex
        ? { id: known.staged, lines: [], contents: [] }
        : await readStaged(place, store, folder, index, parsed)
      const isSame = known && sameIds(known.held, commits) && known.staged === staged.id
      const held = known?.held ?? []
      // The commit of the last snapshot has them as parents, and its ref is still there.
      const isCertain = known?.isHeld === true && readNow(store) === known.commit
      const what = { commits, operation, staged: staged.contents, held, isCertain }
      const isHeld = isSame && operation.size === 0 ? known.isHeld : await holdAll(place, store, what)
      return { staged, isHeld }
    }
    const [{ files, leftOut, changed, touched }, { staged, isHeld }] = await Promise.all([
      scan(place, {
        known: before,
        names,
        limits: request.limits,
        also: request.also ?? [],
        sinceMs,
        store: bytes => importer.blob(bytes),
      }),
      holdStaged(),
    ])
    const about = Buffer.from(JSON.stringify(detailsOf(files, leftOut, stash)))
    const around = contentId(place, Buffer.concat([Buffer.from(JSON.stringify(position)), about]))
    const isSame = known !== undefined && !changed && known.staged === staged.id && operation.size === 0
    const state = isSame && !known.inOperation ? known.state : stateText(place, files, staged.id, operation)
    const stamp = (path: BytePath) => files.get(path)?.stamp.join(':')
    const { last } = known ?? {}
    if (isSame && last?.around === around && (request.about ? request.reuse?.(last.step) : true)) {
      if (touched || known.index !== indexId) saveKnown(folder, { ...known, files, index: indexId, names })
      await importer.abandon()
      return { step: request.about && last.step, commit: last.commit, state, position, files, leftOut, stamp }
    }

    const kept = index && index.length <= INDEX_BYTES ? index : undefined
    if (kept && known?.index !== indexId) await importer.blob(kept)
    const lines: string[] = []
    // Two trees with the same files can differ only in the names at the root.
    lines.push(known ? `M 040000 ${known.tree} ""` : 'deleteall')
    for (const path of before.keys()) if (!files.has(path)) lines.push(`D ${quoted(`files/${path}`)}`)
    for (const [path, file] of files) {
      const was = before.get(path)
      if (was && sameFile(was, file)) continue
      lines.push(`M ${gitMode(file)} ${file.content} ${quoted(`files/${path}`)}`)
    }
    lines.push(...stagedLines(known, indexId, kept !== undefined, isHeld ? staged.lines : []))
    if (known) lines.push('D git')
    for (const [name, bytes] of operation) {
      await importer.blob(bytes)
      lines.push(`M 100644 ${contentId(place, bytes)} ${quoted(`git/${name}`)}`)
    }
    const seconds = Math.floor(request.atMs / 1000)
    const step = request.about
    const message = step
      ? messageText({ about: step, position, state, leftOut: countLeftOut(leftOut) })
      : 'baton undo: as it is now\n'
    const commands = [
      `commit ${store.refs}now`,
      'mark :1',
      `committer Baton <baton@localhost> ${seconds} +0000`,
      `data ${Buffer.byteLength(message)}\n${message}`,
      // As parents, these commits survive in the store.
      ...(isHeld ? commits : []).map((commit, i) => `${i === 0 ? 'from' : 'merge'} ${commit}`),
      ...lines,
      `M 100644 inline about\ndata ${about.length}`,
      about.toString('utf8'),
      '',
      'get-mark :1',
      'ls :1 ""',
      ...(step ? [`reset ${store.refs}${step.step}`, 'from :1', ''] : []),
      '',
    ]
    const answer = await importer.finish(Buffer.from(commands.join('\n')))
    const [, commit, tree] = /^([0-9a-f]+)\n040000 tree ([0-9a-f]+)\t/.exec(answer) ?? []
    if (!commit || !tree) throw new BatonError('undo_unavailable', 'git fast-import returned nothing')
    if (step) stampStep(store, step.step, request.atMs)
    saveKnown(folder, {
      tree,
      commit,
      files,
      index: indexId,
      names,
      staged: staged.id,
      state,
      held: commits,
      isHeld,
      inOperation: operation.size > 0,
      last: step ? { step: step.step, commit, around } : undefined,
    })
    return { step: step?.step, commit, state, position, files, leftOut, stamp }
  } catch (cause) {
    await importer.abandon()
    throw cause
  }
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
  what: {
    commits: string[]
    operation: OperationFiles
    staged: string[]
    held: readonly string[]
    isCertain: boolean
  },
): Promise<boolean> {
  const named = operationCommits(what.operation)
  // A commit that the files of an operation name may be missing; HEAD and the stash may not.
  if (named.length > 0) await holdObjects(place, store, await commitsAmong(place, named), [], what.held)
  return holdObjects(place, store, what.commits, what.staged, what.held, what.isCertain)
}

const gitMode = (file: KnownFile): string =>
  file.kind === 'link' ? '120000' : isProgram(file.mode) ? '100755' : '100644'

function stagedLines(
  known: Known | undefined,
  index: string | undefined,
  copied: boolean,
  staged: readonly string[],
) {
  if (known && known.index === index) return []
  const lines = known ? ['D index', 'D staged'] : []
  if (index && copied) lines.push(`M 100644 ${index} index`)
  return [...lines, ...staged]
}

function parents(
  head: string | undefined,
  stash: readonly (readonly [commit: string, message: string])[],
): string[] {
  const all = [...(head ? [head] : []), ...stash.map(([commit]) => commit)]
  // Git rejects more parents than this.
  return [...new Set(all)].slice(0, 16)
}

/** Two captures with the same id have the same files, permission bits and staged content. */
function stateText(
  place: Place,
  files: ReadonlyMap<BytePath, KnownFile>,
  staged: string | undefined,
  operation: OperationFiles,
): string {
  const rows = Array.from(files, ([path, { content, mode }]) => `${path}\0${mode}\0${content}`).sort()
  for (const [name, bytes] of operation) rows.push(`${name}\0${contentId(place, bytes)}`)
  return contentId(place, Buffer.from(`${staged ?? ''}\0${rows.join('\0')}`, 'latin1'))
}

function readIndex(place: Place): Buffer | undefined {
  try {
    // Git replaces the index file as a whole, so a read always sees one consistent state.
    return readFileSync(join(place.gitDir, 'index'))
  } catch {
    return undefined
  }
}

/** The contents of the index: an id, and the fast-import lines that save it. A tree made from a private copy, or each side of a conflict. */
async function readStaged(
  place: Place,
  store: Store,
  folder: string,
  index: Buffer | undefined,
  parsed: IndexFile | undefined,
): Promise<{ id: string | undefined; lines: string[]; contents: string[] }> {
  if (!index) return { id: undefined, lines: [], contents: [] }
  if (parsed?.tree) return stagedTree(place, parsed.tree, parsed.flagged)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, 'index')
  writeFileSync(copy, index, { mode: 0o600 })
  const env = { GIT_INDEX_FILE: copy }
  const hasConflict = parsed?.flagged.some(row => /^m/i.test(row)) === true
  const [written, listed] = await Promise.all([
    gitAt(writingTo(place, store), ['write-tree', '--missing-ok'], { env, ok: [0, 128] }),
    parsed && !hasConflict ? undefined : gitAt(place, ['ls-files', '-z', '--stage', '-v'], { env }),
  ])
  const tree = objectId(written.stdout.toString('utf8').trimEnd())
  if (tree && parsed) return stagedTree(place, tree, parsed.flagged)
  // Git fails for other reasons than a conflict, too, such as a name that is not allowed in a tree.
  const rows = (listed ?? (await gitAt(place, ['ls-files', '-z', '--stage', '-v'], { env }))).stdout
  if (tree) return stagedTree(place, tree, splitNames(rows))
  const lines: string[] = []
  const contents: string[] = []
  for (const side of splitNames(rows)) {
    const [, mode, content = '', stage, path = ''] = /^\S (\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(side) ?? []
    if (path === '') continue
    lines.push(`M ${mode} ${content} ${quoted(`staged/${stage}/${path}`)}`)
    // A submodule's commit is in another repository.
    if (mode !== '160000') contents.push(content)
  }
  return { id: `conflict ${contentId(place, rows)}`, lines, contents }
}

/** The tree says everything but the flags of entries. */
const stagedTree = (place: Place, tree: string, flagged: readonly string[]) => ({
  id: `${tree} ${contentId(place, Buffer.from(flagged.join('\0'), 'latin1'))}`,
  lines: [`M 040000 ${tree} staged`],
  contents: [tree],
})

const ARGS = ['fast-import', '--quiet', '--force', '--done', '--depth=0', '--date-format=raw']
const TIMEOUT_MS = 120_000

/**
 * One `git fast-import`: writes contents, tree, commit and refs in a single process, without index, filters or hooks.
 * Git sets the refs last, so a crash leaves at most objects that git collects later.
 */
class Importer {
  readonly #store: Repo
  readonly #answers: Buffer[] = []
  #child: ReturnType<typeof spawnGitAt> | undefined
  #end: Promise<number> = Promise.resolve(0)
  #stderr = () => ''

  constructor(store: Repo) {
    this.#store = store
  }

  /** Starts git ahead of time. */
  start(): void {
    this.#input()
  }

  /** Starts git when there is something to write: often nothing has changed. */
  #input() {
    if (this.#child) return this.#child.stdin
    const child = spawnGitAt(this.#store, ARGS)
    this.#child = child
    this.#stderr = collect(child)
    this.#end = endOf(child, TIMEOUT_MS, ARGS)
    this.#end.catch(() => {})
    child.stdin.on('error', () => {})
    child.stdout.on('data', (chunk: Buffer) => this.#answers.push(chunk))
    return child.stdin
  }

  async blob(bytes: Buffer): Promise<void> {
    const input = this.#input()
    input.write(`blob\ndata ${bytes.length}\n`)
    input.write(bytes)
    if (!input.write('\n') && input.writable) await Promise.race([once(input, 'drain'), this.#end])
  }

  /** Sends the rest and returns git's answer. */
  async finish(commands: Buffer): Promise<string> {
    const input = this.#input()
    input.write(commands)
    input.end('done\n')
    const code = await this.#end
    if (code === 0) return Buffer.concat(this.#answers).toString('latin1')
    this.#sweep()
    throw failed(ARGS, this.#stderr())
  }

  async abandon(): Promise<void> {
    if (!this.#child) return
    this.#child.kill('SIGKILL')
    await this.#end.catch(() => {})
    this.#sweep()
  }

  // If it fails, it leaves a crash report next to the repository's own files.
  #sweep(): void {
    if (this.#child?.pid !== undefined)
      rmSync(join(this.#store.gitDir, `fast_import_crash_${this.#child.pid}`), { force: true })
  }
}

/** Quotes a path for fast-import, whatever bytes it contains. */
function quoted(path: string): string {
  return `"${path.replace(/[\x00-\x1f"\\\x7f-\xff]/g, c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
}
