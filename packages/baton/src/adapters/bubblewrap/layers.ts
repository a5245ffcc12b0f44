import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mount } from '../../ports/sandbox.ts'
import type { Holder } from './holder.ts'

type Layered = Extract<Mount, { kind: 'layered' }>

/** Folders of the host that commands may change for their session only: an overlay in the session's own mount namespace. */
export class Layers {
  readonly #made = new Map<string, Promise<Mount>>()
  readonly #folder: string
  readonly #programs: { nsenter: string; mount: string | undefined; path: string }

  constructor(folder: string, programs: { nsenter: string; mount: string | undefined; path: string }) {
    this.#folder = folder
    this.#programs = programs
  }

  /** Replaces layered mounts by what bubblewrap can bind. Without namespaces of the session they are read-only. */
  async resolve(mounts: readonly Mount[], holder: Holder | undefined): Promise<Mount[]> {
    return Promise.all(
      mounts.map(async mount => {
        if (mount.kind !== 'layered') return mount
        if (!holder) return { kind: 'read-only', path: mount.path, source: mount.source } as const
        const key = `${holder.pid} ${holder.started} ${mount.source}`
        const making = this.#made.get(key) ?? this.#make(mount, holder)
        this.#made.set(key, making)
        return { ...(await making), path: mount.path } as Mount
      }),
    )
  }

  async #make({ path, source }: Layered, holder: Holder): Promise<Mount> {
    const own = join(this.#folder, createHash('sha256').update(source).digest('hex').slice(0, 16))
    const [upper, work, merged, empty] = ['upper', 'work', 'merged', 'private'].map(name => join(own, name))
    for (const folder of [upper, work, merged, empty])
      if (folder) await mkdir(folder, { recursive: true, mode: 0o700 })
    // The kernel reads these characters as separators.
    const isPlain = ![source, own].some(name => /[,:\\]/.test(name))
    const options = `lowerdir=${source},upperdir=${upper},workdir=${work},userxattr`
    const isMounted = isPlain && (await this.#mount(options, merged ?? '', holder))
    // Where the kernel has no such overlay, the session starts with an empty folder.
    return { kind: 'writable', path, source: (isMounted ? merged : empty) ?? '' }
  }

  #mount(options: string, target: string, { pid }: Holder): Promise<boolean> {
    const { nsenter, mount, path } = this.#programs
    if (!mount) return Promise.resolve(false)
    const enter = ['-t', String(pid), '-U', '-m', '--preserve-credentials', '--']
    const args = [...enter, mount, '-t', 'overlay', 'overlay', '-o', options, target]
    return new Promise(done => {
      execFile(nsenter, args, { cwd: '/', env: { PATH: path }, timeout: 10_000 }, error => done(!error))
    })
  }
}
