import { BatonError } from '@batonpass/contract/errors'
import { collect, endOf } from '../hardened.ts'
import { type Repo, spawnGitAt } from './place.ts'

const ARGS = ['cat-file', '--batch']

/** Reads contents by git id, one after another, with a single `git cat-file`. */
export class Contents {
  readonly #child: ReturnType<typeof spawnGitAt>
  readonly #end: Promise<number>
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(repo: Repo) {
    this.#child = spawnGitAt(repo, ARGS)
    this.#end = endOf(this.#child, 300_000, ARGS)
    this.#end.catch(() => {})
    this.#child.stdin.on('error', () => {})
    collect(this.#child)
    this.#chunks = this.#child.stdout[Symbol.asyncIterator]()
  }

  /** `name` is an id or `commit:path`. */
  async read(name: string): Promise<Buffer> {
    const bytes = await this.find(name)
    if (!bytes)
      throw new BatonError('undo_unavailable', `git no longer has the content ${name.slice(0, 12)}`, {
        remedy: 'Choose another step: run `baton undo --list`.',
      })
    return bytes
  }

  async find(name: string): Promise<Buffer | undefined> {
    this.#child.stdin.write(`${name}\n`)
    let end = this.#rest.indexOf(10)
    while (end < 0) {
      await this.#more()
      end = this.#rest.indexOf(10)
    }
    const [, type, size] = this.#rest.subarray(0, end).toString('latin1').split(' ')
    this.#rest = this.#rest.subarray(end + 1)
    if (size === undefined || !/^\d+$/.test(size)) return undefined
    const bytes = await this.#take(Number(size) + 1)
    return type === 'blob' ? bytes.subarray(0, -1) : undefined
  }

  async close(): Promise<void> {
    this.#child.stdin.end()
    this.#child.kill()
    await this.#end.catch(() => {})
  }

  async #take(length: number): Promise<Buffer> {
    const parts = [this.#rest]
    let have = this.#rest.length
    while (have < length) {
      const chunk = await this.#next()
      parts.push(chunk)
      have += chunk.length
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts)
    this.#rest = all.subarray(length)
    return all.subarray(0, length)
  }

  async #more(): Promise<void> {
    this.#rest = Buffer.concat([this.#rest, await this.#next()])
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next()
    if (done) throw new BatonError('undo_unavailable', 'git cat-file ended early')
    return value
  }
}
