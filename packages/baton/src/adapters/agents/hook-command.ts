import { BatonError } from '@batonpass/contract/errors'
import type { InstallTarget } from '../../ports/agent.ts'

/** The launcher's file name: by it we know our own entries again. */
export const LAUNCHER = 'baton-hook'

/** The command line that a hook entry holds. Agents run it through a shell. */
export function hookCommand(
  target: Pick<InstallTarget, 'launcher' | 'home' | 'scope'>,
  agent: string,
  event: string,
): string {
  return `${launcherWord(target)} ${hookArguments(agent, event, target.scope)}`
}

export function hookArguments(agent: string, event: string, source: string): string {
  return `${agent} ${event} --source ${source}`
}

/** Whether a command line runs our launcher, wherever it lies. */
export const runsLauncher = (command: unknown): command is string => runsProgram(command, LAUNCHER)

/** Whether a command line runs a program of that name, wherever it lies. */
export function runsProgram(command: unknown, program: string): command is string {
  if (typeof command !== 'string' || command.length > 32_768) return false
  // The first word of a shell command, made of plain and quoted pieces.
  const word = /^\s*((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+)(?=\s|$)/s.exec(command)?.[1]
  if (word === undefined) return false
  return (
    word
      .replace(/['"\\]/g, '')
      .split('/')
      .at(-1) === program
  )
}

/** The words of a command line that `quoted` made. */
export function wordsIn(command: string): string[] {
  const words = command.match(/(?:'[^']*'|\\'|[^\s'\\])+/g) ?? []
  return words.map(word =>
    word.replaceAll(/'([^']*)'|\\(')/g, (_, inside?: string, quote?: string) => quote ?? inside ?? ''),
  )
}

/** A committed file names the launcher by `$HOME`: the next person's home is another. */
function launcherWord({ launcher, home, scope }: Pick<InstallTarget, 'launcher' | 'home' | 'scope'>): string {
  if (launcher.includes('\0') || /[\r\n]/.test(launcher)) {
    throw new BatonError('usage', "The launcher's path holds a line break.", {
      remedy: 'Set BATON_HOME to a folder without one.',
    })
  }
  const folder = home.endsWith('/') ? home : `${home}/`
  if (scope === 'project' && launcher.startsWith(folder))
    return `"$HOME"/${quoted(launcher.slice(folder.length))}`
  return quoted(launcher)
}

/** A word as a shell takes it: nothing in it means anything. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
