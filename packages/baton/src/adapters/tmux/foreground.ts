import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { TmuxServer } from './server.ts'

const run = promisify(execFile)

/**
 * Whether a shell waits for a command in a pane. An agent that was killed leaves its picture on the screen with its
 * prompt line in it: what is typed there would be run.
 */
export async function isShellPrompt(server: TmuxServer, id: string): Promise<boolean> {
  const answer = await server.run(['display-message', '-p', '-t', id, '#{pane_tty} #{pane_current_command}'])
  const [, tty, command] = /^\/dev\/(\S+) (.*)$/.exec((answer?.ok && answer.lines[0]) || '') ?? []
  if (tty === undefined || command === undefined || !isShell(command)) return false
  // A script around the agent is a shell, too: it counts as one only when nothing else is in front.
  const shown = await run('ps', ['-t', tty, '-o', 'pgid=', '-o', 'tpgid=', '-o', 'comm='], {
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    timeout: 3000,
  }).catch(() => undefined)
  return shown === undefined || onlyShells(shown.stdout)
}

/** Of `PGID TPGID COMMAND` lines: nothing but shells is in the foreground. */
export function onlyShells(lines: string): boolean {
  return lines.split('\n').every(line => {
    const [, group, front, command] = /^\s*(\d+)\s+(-?\d+)\s+(.*)$/.exec(line) ?? []
    return command === undefined || group !== front || isShell(command)
  })
}

const isShell = (command: string): boolean =>
  /^(?:-|.*\/)?(?:(?:ba|z|fi|da|a|k|mk|pdk|tc|c)?sh|nu|pwsh|xonsh|elvish)$/.test(command.trim())
