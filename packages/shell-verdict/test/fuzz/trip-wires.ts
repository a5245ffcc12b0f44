import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs that others start by themselves: pagers, editors, viewers. Here each of them is the wire. */
const HELPERS =
  'vi vim nano ed editor sensible-editor less more pager sensible-pager man ssh w3m xdg-open gpg emacs'.split(
    ' ',
  )
const CANARY = 'canary-7c1f'

/**
 * A folder in which programs really run. What they do besides reading shows: files that appear or change, programs that are
 * started (`./trip` and every helper), connections to a listener, and the content of a file that no argument names.
 */
export class TripWires {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'shell-verdict-')))
  readonly folder = join(this.#root, 'folder')
  /** The folder as it was when the wires were first set. */
  readonly #original = join(this.#root, 'original')
  readonly #tripped = join(this.#root, 'tripped')
  readonly #output = join(this.#root, 'output')
  readonly #listener: Server
  #connections = 0
  #port = 0
  #before = ''

  constructor() {
    // A database server runs as another user.
    chmodSync(this.#root, 0o777)
    mkdirSync(this.folder)
    const trip = join(this.folder, 'trip')
    writeFileSync(trip, `#!/bin/sh\necho ran >> '${this.#tripped}'\n`)
    chmodSync(trip, 0o755)
    writeFileSync(join(this.folder, 'f'), 'x\na b\n./trip\nfoo bar\n')
    writeFileSync(join(this.#root, 'secret'), `${CANARY}\n`)
    writeFileSync(join(this.#root, 'input'), 'x\na b\n./trip\n')
    mkdirSync(join(this.#root, 'bin'))
    for (const name of HELPERS) symlinkSync(trip, join(this.#root, 'bin', name))
    this.#listener = createServer(socket => {
      this.#connections++
      socket.on('error', () => {})
      socket.end()
    })
  }

  /** Until then connections are not seen. */
  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.#listener.listen(0, '127.0.0.1', resolve))
    const address = this.#listener.address()
    this.#port = typeof address === 'object' && address ? address.port : 0
  }

  /** Keeps the folder as it is now: after every trip it is brought back. */
  keep(): void {
    cpSync(this.folder, this.#original, { recursive: true })
    this.arm()
  }

  /** The state from which a change is told. */
  arm(): void {
    rmSync(this.#tripped, { force: true })
    rmSync(this.#output, { force: true })
    this.#connections = 0
    this.#before = this.#state()
  }

  get environment(): NodeJS.ProcessEnv {
    return {
      PATH: `${join(this.#root, 'bin')}:${process.env['PATH']}`,
      HOME: this.folder,
      TMUX_TMPDIR: this.#root,
      TERM: 'xterm',
      LC_ALL: 'C',
      WIRE: CANARY,
    }
  }

  /** Runs a program to set things up. */
  prepare(program: string, ...args: string[]): void {
    execFileSync(program, args, { cwd: this.folder, env: this.environment, stdio: 'ignore' })
  }

  /** Runs command lines one after the other, in one shell: starting a process for each would take most of the time. */
  async run(
    program: string,
    lines: readonly (readonly string[])[],
    more: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    const script = lines
      .map(
        words =>
          `timeout -s KILL 2 ${[program, ...words].map(word => quote(this.#fill(word))).join(' ')} < ../input >> ../output 2>&1`,
      )
      .join('\n')
    await new Promise(resolve => {
      const shell = spawn('sh', ['-s'], {
        cwd: this.folder,
        env: { ...this.environment, ...more },
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      shell.once('close', resolve)
      shell.once('error', resolve)
      shell.stdin.on('error', () => {})
      shell.stdin.end(script)
    })
  }

  /** What happened besides reading; the wires are set again. */
  whatTripped(): string | undefined {
    const showed = existsSync(this.#output) && readFileSync(this.#output, 'latin1').includes(CANARY)
    const what = existsSync(this.#tripped)
      ? 'it ran a program'
      : this.#connections > 0
        ? 'it opened a connection'
        : this.#state() !== this.#before
          ? 'it changed files'
          : showed
            ? 'it showed what it was not told to read'
            : undefined
    if (!what) {
      rmSync(this.#output, { force: true })
      return undefined
    }
    rmSync(this.folder, { recursive: true, force: true })
    cpSync(this.#original, this.folder, { recursive: true })
    this.arm()
    return what
  }

  close(): void {
    this.#listener.close()
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** Names that are replaced by what is only known here. */
  #fill(word: string): string {
    return word
      .replaceAll('PORT', String(this.#port))
      .replaceAll('SECRET', join(this.#root, 'secret'))
      .replaceAll('TRIP', join(this.folder, 'trip'))
      .replaceAll('ROOT', this.#root)
  }

  #state(): string {
    const outside = readdirSync(this.#root).filter(name => !/^(output|tripped|tmux-.*)$/.test(name))
    const inside = readdirSync(this.folder, { withFileTypes: true, recursive: true })
      .map(
        entry =>
          join(entry.parentPath, entry.name).slice(this.folder.length + 1) + (entry.isFile() ? '' : '/'),
      )
      // git refreshes its index when it only looks.
      .filter(name => !/^\.git\/(index|.*\.lock)$/.test(name))
      .map(name => `${name}:${name.endsWith('/') ? '' : readFileSync(join(this.folder, name), 'latin1')}`)
    return [...outside, ...inside].sort().join('\n')
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
