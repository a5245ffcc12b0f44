import { ForgeError } from '../../ports/forge.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import { FolderPeople, FolderState } from './state.ts'

/** The files of a folder forge. */
export class ForgeFolder {
  readonly path: string
  readonly #files: SmallFiles
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string, files: SmallFiles) {
    this.path = path
    this.#files = files
  }

  read(): Promise<FolderState> {
    return this.#parsed(FolderState, 'forge.json')
  }

  people(): Promise<FolderPeople> {
    return this.#parsed(FolderPeople, 'people.json')
  }

  /** Runs one change at a time: each reads, changes and writes the whole file. */
  change<T>(work: (state: FolderState) => T | Promise<T>): Promise<T> {
    const next = this.#last.then(async () => {
      const state = await this.read()
      const result = await work(state)
      await this.#files.write(this.path, 'forge.json', `${JSON.stringify(state, null, 2)}\n`)
      return result
    })
    this.#last = next.catch(() => {})
    return next
  }

  async #parsed<T>(shape: { parse(value: unknown): T }, name: string): Promise<T> {
    const found = await this.#files.read(this.path, name)
    if (found.kind === 'refused') throw new ForgeError('unreachable', found.why)
    try {
      return shape.parse(found.kind === 'absent' ? {} : JSON.parse(found.text))
    } catch (cause) {
      throw new ForgeError('unreachable', `Cannot read ${name} of the folder forge`, { cause })
    }
  }
}
