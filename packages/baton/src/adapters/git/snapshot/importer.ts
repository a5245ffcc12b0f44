import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { collect, endOf, failed } from '../hardened.ts'
import { type Place, spawnGitAt } from './place.ts'

const ARGS = ['fast-import', '--quiet', '--force', '--done', '--depth=0', '--date-format=raw']
const TIMEOUT_MS = 120_000

/**
 * One `git fast-import`: contents, tree, commit and names in a single process, without index, filters or hooks.
 * Names are set only after everything else arrived, so a crash leaves at most objects that git collects later.
 */
export class Importer {
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

  /** Sends the rest and gives what git answered. */
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

  // It leaves a report beside the repository's own files when it fails.
  #sweep(): void {
    if (this.#child.pid !== undefined)
      rmSync(join(this.#place.gitDir, `fast_import_crash_${this.#child.pid}`), { force: true })
  }
}

/** A path as fast-import reads it, whatever bytes it has. */
export function quoted(path: string): string {
  return `"${path.replace(/[\x00-\x1f"\\\x7f-\xff]/g, c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
}
