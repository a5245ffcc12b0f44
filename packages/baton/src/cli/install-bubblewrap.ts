import { spawn } from 'node:child_process'
import { onPath } from '../adapters/system/on-path.ts'
import type { Io } from './io.ts'
import { isInteractive } from './questions.ts'

/** How each package manager installs without questions of its own: the person was asked before. */
const MANAGERS: Readonly<Record<string, readonly string[]>> = {
  'apt-get': ['install', '-y'],
  dnf: ['install', '-y'],
  zypper: ['--non-interactive', 'install'],
  pacman: ['-S', '--noconfirm', '--needed'],
  apk: ['add'],
}
const WITHIN_MS = 10 * 60_000

/** The machine that bubblewrap would be installed on. */
export interface InstallHost {
  platform: string
  uid: number
}

const thisHost = (): InstallHost => ({ platform: process.platform, uid: process.getuid?.() ?? -1 })

/** Whether the sandbox is missing only because bubblewrap is not installed. */
export const lacksBubblewrap = ({ env }: Pick<Io, 'env'>, { platform } = thisHost()): boolean =>
  platform === 'linux' && onPath('bwrap', env) === undefined

/** The words of the command that installs bubblewrap here; undefined if Baton knows none. */
export function installWords({ env }: Pick<Io, 'env'>, host = thisHost()): string[] | undefined {
  if (host.platform !== 'linux') return undefined
  const manager = Object.keys(MANAGERS).find(name => onPath(name, env) !== undefined)
  if (manager === undefined) return undefined
  const words = [manager, ...(MANAGERS[manager] ?? []), 'bubblewrap']
  if (host.uid === 0) return words
  return onPath('sudo', env) === undefined ? undefined : ['sudo', ...words]
}

/** Installs bubblewrap by the machine's package manager, and says what came of it. Only after a yes, or `--sandbox`. */
export async function installBubblewrap(words: readonly string[], io: Io, isQuiet: boolean): Promise<string> {
  const shown = words.join(' ')
  const canType = !isQuiet && isInteractive(io)
  // Without a terminal a password prompt would wait forever.
  const [program = '', ...rest] = words[0] === 'sudo' && !canType ? ['sudo', '-n', ...words.slice(1)] : words
  const isDone = await new Promise<boolean>(resolve => {
    const child = spawn(program, rest, {
      env: io.env as NodeJS.ProcessEnv,
      cwd: io.home,
      stdio: canType ? 'inherit' : 'ignore',
      timeout: WITHIN_MS,
    })
    child.once('error', () => resolve(false))
    child.once('close', code => resolve(code === 0))
  })
  return isDone && !lacksBubblewrap(io)
    ? 'Installed bubblewrap. Check the sandbox: baton doctor'
    : `Could not install bubblewrap. Commands are judged by their text until it is there. Try: ${shown}`
}
