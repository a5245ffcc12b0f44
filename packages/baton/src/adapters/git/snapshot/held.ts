import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Known } from './cache.ts'
import { readCommit, type WantedObject } from './copy-loose.ts'
import type { IndexFile } from './index-file.ts'
import { readLoose } from './objects.ts'
import type { Place, Repo } from './place.ts'
import type { Folder } from './trees.ts'

/** What the store surely has, because the newest snapshot refers to it. */
export class HeldObjects {
  readonly #place: Place
  readonly #store: Repo
  readonly #known: Known | undefined
  readonly #tree: Folder
  readonly #index: IndexFile | undefined
  #files: ReadonlySet<string> | undefined
  #history: ReadonlySet<string> | undefined
  #staged: ReadonlySet<string> | undefined

  constructor(
    place: Place,
    store: Repo,
    known: Known | undefined,
    tree: Folder,
    index: IndexFile | undefined,
  ) {
    this.#place = place
    this.#store = store
    this.#known = known
    this.#tree = tree
    this.#index = index
  }

  /** HEAD and the stashes of the last snapshot. */
  get commits(): readonly string[] {
    return this.#known?.held ?? []
  }

  /** The commits, and the staged contents, are in the store. */
  get isCertain(): boolean {
    return this.#known?.isHeld === true
  }

  /** Whether it is in the last snapshot at the same path, or a commit of its history. */
  hasAt({ id, path }: WantedObject): boolean {
    if (path !== undefined) return this.#tree.idAt(path) === id
    this.#history ??= this.isCertain ? this.#inHistory() : NONE
    return this.#history.has(id)
  }

  has(id: string): boolean {
    // From the cheapest to the most expensive: often the last one is not needed.
    if (this.hasAt({ id })) return true
    this.#files ??= this.#inFiles()
    if (this.#files.has(id)) return true
    // An entry in conflict has no tree, and one that is only intended to be added has no content.
    const isWhole = this.isCertain && this.#index?.flagged.length === 0
    this.#staged ??= isWhole ? new Set(this.#index?.ids()) : NONE
    return this.#staged.has(id)
  }

  #inFiles(): Set<string> {
    const ids = new Set(this.#tree.treeIds())
    for (const { content } of this.#known?.files.values() ?? []) ids.add(content)
    return ids
  }

  #inHistory(): Set<string> {
    return new Set(this.commits.flatMap(commit => [commit, ...this.#parentsOf(commit)]))
  }

  /** An amended commit has the parents of the one it replaces. */
  #parentsOf(commit: string): string[] {
    const shallow = join(this.#store.gitDir, 'shallow')
    if (existsSync(shallow) && readFileSync(shallow, 'utf8').split('\n').includes(commit)) return []
    const found = readLoose(this.#place.objectDir, this.#place, commit, 100_000)
    return (found?.type === 'commit' && readCommit(found.body)?.parents) || []
  }
}

const NONE: ReadonlySet<string> = new Set()
