import type { StartOrder } from '../../ports/driver.ts'
import { unformatted } from './quote.ts'

/** Wide enough that an agent's screen is not cut; it becomes the person's size when somebody attaches. */
const SIZE = ['-x', '160', '-y', '50']

/** The lines that start a program in a tmux session of its own: no shell in between. */
export function startCommands({ launch, cwd, title, env = {} }: StartOrder): string[][] {
  const given = { ...env, ...launch.env }
  const name = sessionName(title)
  const session = `=${name}:`
  const variables = Object.entries(given).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const command = [launch.program, ...launch.args]
  // tmux hands a single word to a shell; several are a program and its arguments.
  const direct = command.length > 1 ? command : ['sh', '-c', 'exec "$0"', ...command]
  return [
    [
      ...['new-session', '-d', '-P', '-F', '#{pane_id} #{pane_pid}', ...SIZE],
      ...['-s', name, '-c', unformatted(cwd), ...variables, '--', ...direct],
    ],
    // By these a later look knows what Baton started, and why a program that failed did so.
    ['set-option', '-p', '-t', session, '@baton', name],
    ['set-option', '-t', session, '@baton-session', name],
    ['set-option', '-w', '-t', session, 'remain-on-exit', 'failed'],
  ]
}

/** tmux gives `.` and `:` a meaning in names. */
const sessionName = (title: string): string => title.replaceAll(/[^\w-]+/g, '-').slice(0, 60)
