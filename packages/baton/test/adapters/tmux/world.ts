import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { terminals } from '../../../src/adapters/agents/terminals.ts'
import { type TmuxDriver, tmuxDriver } from '../../../src/adapters/tmux/driver.ts'
import type { StartOrder } from '../../../src/ports/driver.ts'
import { scratch } from '../../world/scratch.ts'

const TUI = join(import.meta.dirname, '../../world/agents/scripted-tui.mjs')

/** A tmux server of its own and a driver, with small agents that remember what they took. */
export interface TmuxWorld extends AsyncDisposable {
  driver: TmuxDriver
  folder: string
  socket: string
  tmux(...args: string[]): string
  order(title: string): StartOrder
  /** Starts one, and gives its place and the file it writes to. */
  agent(title?: string): Promise<string>
  /** Everything an agent wrote down, oldest first. */
  told(place: string): unknown[]
}

export function tmuxWorld(): TmuxWorld {
  const folder = scratch('bt-')
  const socket = join(folder.path, 's')
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  const driver = tmuxDriver({ terminals, elapsed: () => performance.now(), env })
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const order = (title: string): StartOrder => {
    const name = `${title}-${randomBytes(4).toString('hex')}`
    return {
      agent: 'claude-code',
      launch: { program: process.execPath, args: [TUI, join(folder.path, name)] },
      cwd: folder.path,
      title: name,
      where: socket,
    }
  }
  return {
    driver,
    folder: folder.path,
    socket,
    tmux,
    order,
    async agent(title = 'agent') {
      return (await driver.start(order(title))).place
    },
    told(place) {
      const name = tmux('display-message', '-p', '-t', place.split(' ')[0] ?? '', '#{session_name}').trim()
      const file = join(folder.path, name)
      if (!existsSync(file)) return []
      return readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as unknown)
    },
    async [Symbol.asyncDispose]() {
      driver.close()
      try {
        tmux('kill-server')
      } catch {
        // Gone already.
      }
      rmSync(socket, { force: true })
      folder.remove()
    },
  }
}
