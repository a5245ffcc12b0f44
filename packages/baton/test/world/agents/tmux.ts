import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratch } from '../scratch.ts'
import { until } from '../wait.ts'

const run = promisify(execFile)

/** A program in a terminal of a private tmux server. */
export interface Terminal extends AsyncDisposable {
  /** What `tmux -L` and `-t` need to reach this pane, and the socket's path for `tmux -S`. */
  server: string
  socket: string
  pane: string
  pid: number
  screen: () => Promise<string>
  /** The screen together with what has scrolled away. */
  history: () => Promise<string>
  /** The same, with the lines that were too long for the terminal in one piece. */
  joinedHistory: () => Promise<string>
  waitForScreen: (wanted: RegExp | ((screen: string) => boolean), options?: WaitOptions) => Promise<string>
  type: (text: string) => Promise<void>
  /** Several lines as one bracketed paste, which agents take as one prompt. */
  pasteLines: (lines: string[]) => Promise<void>
  /** tmux key names: Enter, Escape, C-c, Up … */
  press: (...keys: string[]) => Promise<void>
  hasExited: () => Promise<boolean>
  /** Gives the exit code where `tellsExit` was asked for, else undefined. */
  waitForExit: (options?: { timeout?: number }) => Promise<number | undefined>
  kill: () => Promise<void>
}

export interface WaitOptions {
  timeout?: number
  what?: string
}

export interface TerminalOptions {
  command: string[]
  cwd: string
  env: Record<string, string>
  columns?: number
  rows?: number
  /** A shell around the program writes down how it ended: tmux does not always learn it. */
  tellsExit?: boolean
  /** Added to the error when waiting for the screen fails. */
  evidence?: () => string
}

export async function startTerminal(options: TerminalOptions): Promise<Terminal> {
  const { cwd, env, columns = 120, rows = 40, evidence } = options
  const folder = options.tellsExit ? scratch('bt-') : undefined
  const told = folder && join(folder.path, 'exit')
  const around = told ? ['sh', '-c', '"$@"; echo $? > "$0"', told] : []
  const command = [...around, ...options.command]
  const server = `baton-test-${process.pid}-${randomBytes(4).toString('hex')}`
  const base = ['-L', server, '-f', '/dev/null']
  const tmux = async (...args: string[]) => (await run('tmux', [...base, ...args], { env, cwd })).stdout

  const killNow = () => void spawnSync('tmux', [...base, 'kill-server'], { env, stdio: 'ignore' })
  process.once('exit', killNow)
  // The pane must outlive its program, or the last screen and the exit code are lost.
  const before = [
    'start-server',
    ';',
    'set',
    '-g',
    'remain-on-exit',
    'on',
    ';',
    'set',
    '-g',
    'status',
    'off',
    ';',
  ]
  const size = ['-x', String(columns), '-y', String(rows)]
  const format = '#{socket_path}\t#{pane_id}\t#{pane_pid}'
  const born = await tmux(
    ...before,
    'new-session',
    '-d',
    ...size,
    '-c',
    cwd,
    '-P',
    '-F',
    format,
    '--',
    ...command,
  )
  const [socket = '', pane = '', pid = ''] = born.trim().split('\t')

  const screen = () => tmux('capture-pane', '-p', '-t', pane)
  const shown = async () => {
    const picture = await screen().catch(error => `(no screen: ${error})`)
    return `--- screen ---\n${picture.trimEnd()}\n--- end ---\n${evidence?.() ?? ''}`
  }
  const waitForScreen: Terminal['waitForScreen'] = (wanted, { timeout = 120_000, what } = {}) =>
    until(
      async () => {
        const picture = await screen()
        return (wanted instanceof RegExp ? wanted.test(picture) : wanted(picture)) && picture
      },
      { what: what ?? `the screen to show ${wanted}`, timeout, every: 30, evidence: shown },
    )
  const hasExited = async () => (await tmux('display', '-p', '-t', pane, '#{pane_dead}')).trim() === '1'

  const kill = async () => {
    process.off('exit', killNow)
    await tmux('kill-server').catch(() => undefined)
    await ended(Number(pid))
    // tmux leaves the socket of a killed server behind.
    rmSync(socket, { force: true })
    folder?.remove()
  }

  return {
    server,
    socket,
    pane,
    pid: Number(pid),
    screen,
    history: () => tmux('capture-pane', '-p', '-S', '-', '-t', pane),
    joinedHistory: () => tmux('capture-pane', '-p', '-J', '-S', '-', '-t', pane),
    waitForScreen,
    type: async text => void (await tmux('send-keys', '-t', pane, '-l', '--', text)),
    pasteLines: async lines => {
      await tmux('set-buffer', '-b', 'paste', '--', lines.join('\n'))
      await tmux('paste-buffer', '-p', '-d', '-b', 'paste', '-t', pane)
    },
    press: async (...keys) => void (await tmux('send-keys', '-t', pane, ...keys)),
    hasExited,
    waitForExit: async ({ timeout = 120_000 } = {}) => {
      await until(hasExited, { what: 'the program to exit', timeout, evidence: shown })
      return told ? Number(readFileSync(told, 'utf8')) : undefined
    },
    kill,
    [Symbol.asyncDispose]: kill,
  }
}

/** Runs a program to its end in a terminal; how it ended and all that it showed. */
export async function runInTerminal(options: TerminalOptions): Promise<{ code: number; screen: string }> {
  await using terminal = await startTerminal({ ...options, tellsExit: true })
  const code = (await terminal.waitForExit({ timeout: 120_000 })) ?? Number.NaN
  return { code, screen: (await terminal.history()).replaceAll('\n', '') }
}

/** Waits for a hung-up program to go, and ends its process group if it will not. */
async function ended(pid: number): Promise<void> {
  if (!(pid > 1)) return
  const gone = () => !signal(pid, 0)
  await until(gone, { what: 'the program to end', timeout: 3_000 }).catch(() => signal(-pid, 'SIGKILL'))
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
