import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder in which a program really runs; `./trip` and every change of a file show that it did more than read. */
export class TripWires {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'shell-verdict-')))
  readonly folder = join(this.#root, 'folder')
  readonly #tripped = join(this.#root, 'tripped')
  #before = ''

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.folder)
    const trip = join(this.folder, 'trip')
    writeFileSync(trip, `#!/bin/sh\necho ran >> '${this.#tripped}'\n`)
    chmodSync(trip, 0o755)
    writeFileSync(join(this.folder, 'f'), 'x\na b\n./trip\nfoo bar\n')
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text)
    this.arm()
  }

  /** The state of the folder from which a change is told. */
  arm(): void {
    rmSync(this.#tripped, { force: true })
    this.#before = this.#state()
  }

  get environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: this.folder,
      TMUX_TMPDIR: this.#root,
      TERM: 'xterm',
      LC_ALL: 'C',
    }
  }

  run(program: string, args: readonly string[]): void {
    spawnSync(program, args, {
      cwd: this.folder,
      env: this.environment,
      input: 'x\na b\n./trip\n',
      timeout: 1000,
      killSignal: 'SIGKILL',
      stdio: ['pipe', 'ignore', 'ignore'],
    })
  }

  /** What happened besides reading; the wires are set again. */
  whatTripped(): string | undefined {
    const ran = existsSync(this.#tripped)
    const changed = this.#state() !== this.#before
    if (!ran && !changed) return undefined
    for (const name of readdirSync(this.folder))
      if (name !== '.git' && !this.#before.includes(`${name}:`))
        rmSync(join(this.folder, name), { recursive: true, force: true })
    this.arm()
    return ran ? 'it ran ./trip' : 'it changed files'
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  #state(): string {
    return (
      readdirSync(this.folder, { withFileTypes: true, recursive: true })
        .map(
          entry =>
            join(entry.parentPath, entry.name).slice(this.folder.length + 1) + (entry.isFile() ? '' : '/'),
        )
        // git refreshes its index when it only looks.
        .filter(name => name !== '.git/' && !/^\.git\/(index|objects\/|.*\.lock)/.test(name))
        .map(name => `${name}:${name.endsWith('/') ? '' : readFileSync(join(this.folder, name), 'utf8')}`)
        .sort()
        .join('\n')
    )
  }
}
