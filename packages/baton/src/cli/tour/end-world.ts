import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stateArgument } from '../../hook/spawn.ts'

export const WORLD_PREFIX = 'baton-tour-'
/** Holds the number of the process whose tour it is. */
export const OWNER = 'tour.pid'
export const TMUX_SOCKET = 'tmux'

/** A process that was ended is gone within a few of these, each of which takes as long as `ps` does. */
const MAX_LOOKS = 200

/**
 * Ends everything that runs in a tour's folder, sees it gone, and removes the folder unless it is to be kept. Without a
 * pause: the process that calls this may be about to end.
 */
export function endWorld(dir: string, keep = false): void {
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-S', join(dir, TMUX_SOCKET), '-f', '/dev/null', ...words], { encoding: 'utf8' })
      .stdout ?? ''
  // The agent and its hooks first: a hook that finds no daemon would start one.
  for (const line of tmux('list-panes', '-a', '-F', '#{pane_pid}').split('\n')) kill(-Number(line))
  tmux('kill-server')
  for (let look = 0; look < MAX_LOOKS; look++) {
    const left = runningIn(dir)
    if (left.length === 0) break
    for (const { pid, isDaemon } of left) if (isDaemon) kill(pid)
  }
  if (keep) rmSync(join(dir, OWNER), { force: true })
  else rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
}

/** Takes away what tours that were killed outright left behind. */
export function sweepWorlds(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(WORLD_PREFIX)) continue
    const dir = join(folder, name)
    try {
      if (statSync(dir).uid !== process.getuid?.()) continue
      const owner = Number(readFileSync(join(dir, OWNER), 'utf8'))
      if (owner > 1 && !isAlive(owner)) endWorld(dir)
    } catch {
      // Kept on purpose, just being made, or none of ours.
    }
  }
}

/** Daemons and tmux, by their command line: a daemon that has not come up yet answers no question. */
function runningIn(dir: string): { pid: number; isDaemon: boolean }[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
  const [daemon, tmux] = [stateArgument(join(dir, 'home')), `-S ${join(dir, TMUX_SOCKET)} `]
  return (stdout ?? '')
    .split('\n')
    .filter(line => line.includes(daemon) || line.includes(tmux))
    .map(line => ({ pid: Number.parseInt(line, 10), isDaemon: line.includes(daemon) }))
}

function kill(pid: number): void {
  try {
    // -1 and 0 would be everybody.
    if (Math.abs(pid) > 1) process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}
