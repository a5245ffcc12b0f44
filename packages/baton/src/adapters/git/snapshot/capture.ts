import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { BytePath, Capture, CaptureRequest } from '../../../ports/snapshots.ts'
import { collect, endOf, failed } from '../hardened.ts'
import { type Known, type KnownFile, readKnown, writeKnown } from './cache.ts'
import { detailsOf, isProgram, messageText, objectId } from './details.ts'
import { splitNames } from './paths.ts'
import { gitAt, type Place, spawnGitAt } from './place.ts'
import { readRefs, readStash } from './position.ts'
import { contentId, sameFile, scan } from './scan.ts'

/** A larger index is not copied byte for byte; its contents are saved anyway. */
const INDEX_BYTES = 8_000_000

/**
 * Writes the worktree's files, the index and the position of HEAD into one commit that only Baton's refs reach:
 * `files/` as on disk, `staged/` as in the index, `index` byte for byte, `about` for the rest.
 */
export async function capture(
  place: Place,
  folder: string,
  request: CaptureRequest,
  sinceMs: number,
): Promise<Capture> {
  const now = `${place.refs}now`
  const importer = new Importer(place)
  try {
    const [{ position, tree }, stash] = await Promise.all([readRefs(place, now), readStash(place)])
    const cached = readKnown(folder)
    const known = cached && cached.tree === tree ? cached : undefined
    const before: ReadonlyMap<BytePath, KnownFile> = known?.files ?? new Map()
    const index = readIndex(place)
    const indexId = index && contentId(place, index)
    const [{ files, leftOut, changed, touched }, staged] = await Promise.all([
      scan(place, {
        known: before,
        limits: request.limits,
        also: request.also ?? [],
        sinceMs,
        store: bytes => importer.blob(bytes),
      }),
      known && known.index === indexId ? { id: known.staged, lines: [] } : readStaged(place, folder, index),
    ])
    const kept = index && index.length <= INDEX_BYTES ? index : undefined
    if (kept && known?.index !== indexId) await importer.blob(kept)

    const details = detailsOf(files, leftOut, stash)
    const lines: string[] = []
    // Two trees with the same files can differ only in the names at the root.
    lines.push(known ? `M 040000 ${known.tree} ""` : 'deleteall')
    for (const path of before.keys()) if (!files.has(path)) lines.push(`D ${quoted(`files/${path}`)}`)
    for (const [path, file] of files) {
      const was = before.get(path)
      if (was && sameFile(was, file)) continue
      lines.push(`M ${gitMode(file)} ${file.content} ${quoted(`files/${path}`)}`)
    }
    lines.push(...stagedLines(known, indexId, kept !== undefined, staged.lines))
    const about = Buffer.from(JSON.stringify(details))
    const state =
      known && !changed && known.staged === staged.id ? known.state : stateText(place, files, staged.id)

    const seconds = Math.floor(request.atMs / 1000)
    const step = await request.about
    const message = step
      ? messageText({ about: step, position, state, leftOut: leftOut.length })
      : 'baton undo: as it is now\n'
    const commands = [
      `commit ${now}`,
      'mark :1',
      `committer Baton <baton@localhost> ${seconds} +0000`,
      `data ${Buffer.byteLength(message)}\n${message}`,
      // As parents, these commits survive even if no other ref reaches them.
      ...parents(position.head, stash).map((commit, i) => `${i === 0 ? 'from' : 'merge'} ${commit}`),
      ...lines,
      `M 100644 inline about\ndata ${about.length}`,
      about.toString('utf8'),
      '',
      'get-mark :1',
      'ls :1 ""',
      ...(step ? [`reset ${place.refs}${step.step}`, 'from :1', ''] : []),
      '',
    ]
    const answer = await importer.finish(Buffer.from(commands.join('\n')))
    const [, commit, newTree] = /^([0-9a-f]+)\n040000 tree ([0-9a-f]+)\t/.exec(answer) ?? []
    if (!commit || !newTree) throw new BatonError('undo_unavailable', 'git fast-import returned nothing')
    if (changed || touched || newTree !== known?.tree)
      writeKnown(folder, { tree: newTree, files, index: indexId, staged: staged.id, state })
    return { commit, state, position, files, leftOut, stamp: path => files.get(path)?.stamp.join(':') }
  } catch (cause) {
    await importer.abandon()
    throw cause
  }
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
): string {
  const rows = Array.from(files, ([path, { content, mode }]) => `${path}\0${mode}\0${content}`).sort()
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
  folder: string,
  index: Buffer | undefined,
): Promise<{ id: string | undefined; lines: string[] }> {
  if (!index) return { id: undefined, lines: [] }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, 'index')
  writeFileSync(copy, index, { mode: 0o600 })
  const env = { GIT_INDEX_FILE: copy }
  const [written, listed] = await Promise.all([
    gitAt(place, ['write-tree', '--missing-ok'], { env, ok: [0, 128] }),
    gitAt(place, ['ls-files', '-z', '--stage', '-v'], { env }),
  ])
  const tree = objectId(written.stdout.toString('utf8').trimEnd())
  // The tree distinguishes an empty file from one that is only intended to be added; the list shows flags and conflicts.
  const id = `${tree ?? 'conflict'} ${contentId(place, listed.stdout)}`
  if (tree) return { id, lines: [`M 040000 ${tree} staged`] }
  const lines = splitNames(listed.stdout).flatMap(side => {
    const [, mode, content, stage, path = ''] = /^\S (\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(side) ?? []
    return path === '' ? [] : `M ${mode} ${content} ${quoted(`staged/${stage}/${path}`)}`
  })
  return { id, lines }
}

const ARGS = ['fast-import', '--quiet', '--force', '--done', '--depth=0', '--date-format=raw']
const TIMEOUT_MS = 120_000

/**
 * One `git fast-import`: writes contents, tree, commit and refs in a single process, without index, filters or hooks.
 * Git sets the refs last, so a crash leaves at most objects that git collects later.
 */
class Importer {
  readonly #place: Place
  readonly #child: ReturnType<typeof spawnGitAt>
  readonly #end: Promise<number>
  readonly #stderr: () => string
  readonly #answers: Buffer[] = []

  constructor(place: Place) {
    this.#place = place
    this.#child = spawnGitAt(place, ARGS)
    this.#stderr = collect(this.#child)
    this.#end = endOf(this.#child, TIMEOUT_MS, ARGS)
    this.#end.catch(() => {})
    this.#child.stdin.on('error', () => {})
    this.#child.stdout.on('data', (chunk: Buffer) => this.#answers.push(chunk))
  }

  async blob(bytes: Buffer): Promise<void> {
    this.#child.stdin.write(`blob\ndata ${bytes.length}\n`)
    this.#child.stdin.write(bytes)
    if (!this.#child.stdin.write('\n') && this.#child.stdin.writable)
      await Promise.race([once(this.#child.stdin, 'drain'), this.#end])
  }

  /** Sends the rest and returns git's answer. */
  async finish(commands: Buffer): Promise<string> {
    this.#child.stdin.write(commands)
    this.#child.stdin.end('done\n')
    const code = await this.#end
    if (code === 0) return Buffer.concat(this.#answers).toString('latin1')
    this.#sweep()
    throw failed(ARGS, this.#stderr())
  }

  async abandon(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#end.catch(() => {})
    this.#sweep()
  }

  // If it fails, it leaves a crash report next to the repository's own files.
  #sweep(): void {
    if (this.#child.pid !== undefined)
      rmSync(join(this.#place.gitDir, `fast_import_crash_${this.#child.pid}`), { force: true })
  }
}

/** Quotes a path for fast-import, whatever bytes it contains. */
function quoted(path: string): string {
  return `"${path.replace(/[\x00-\x1f"\\\x7f-\xff]/g, c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
}
