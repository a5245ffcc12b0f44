import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STUBS } from './generate-shell.ts'

/** Real programs that start others; everything they can reach is a stub. */
const WRAPPERS = ['env', 'nohup', 'timeout', 'nice', 'xargs', 'find', 'bash', 'sh', 'setsid', 'stdbuf', 'cat']

/** A folder in which bash finds recording stubs and nothing else. */
export class RealBash {
  readonly #root = mkdtempSync(join(tmpdir(), 'baton-bash-'))
  #count = 0

  /** The argument lists of every stub that really ran. */
  async run(text: string): Promise<string[][]> {
    const folder = join(this.#root, String(this.#count++))
    mkdirSync(folder)
    writeFileSync(join(folder, 'in'), 'ee from file\n')
    // The place of the record is in the stub itself: `env -i` would empty a variable.
    const record = join(folder, '.record')
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    const stub = join(bin, '.stub')
    writeFileSync(
      stub,
      `#!/bin/sh\nprintf '%s\\0' "\${0##*/}" "$@" '<end>' >>'${record}'\nprintf '%s ' "$@"\n`,
    )
    chmodSync(stub, 0o755)
    for (const name of STUBS) symlinkSync(stub, join(bin, name))
    for (const name of WRAPPERS) {
      const real = [`/usr/bin/${name}`, `/bin/${name}`].find(path => existsSync(path))
      if (real) symlinkSync(real, join(bin, name))
    }
    await new Promise<void>(resolve => {
      const child = spawn('/bin/bash', ['-c', `${text}\nwait`, 'bash', 'dd', 'positional'], {
        cwd: folder,
        env: { PATH: bin, HOME: folder, CI: 'old' },
        stdio: ['ignore', 'ignore', 'ignore'],
        detached: true,
      })
      const stop = setTimeout(() => {
        if (child.pid) process.kill(-child.pid, 'SIGKILL')
      }, 8000)
      child.on('close', () => {
        clearTimeout(stop)
        void groupEnded(child.pid ?? 0).then(resolve)
      })
    })
    const log = existsSync(record) ? readFileSync(record, 'utf8') : ''
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 })
    const calls: string[][] = [[]]
    for (const field of log.split('\0')) {
      if (field === '<end>') calls.push([])
      else calls.at(-1)?.push(field)
    }
    return calls.filter(call => call.length > 0 && call[0] !== '')
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }
}

/** bash does not wait for process substitutions: the group does. */
async function groupEnded(group: number): Promise<void> {
  for (let turn = 0; turn < 1000; turn++) {
    try {
      process.kill(-group, 0)
    } catch {
      return
    }
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}
