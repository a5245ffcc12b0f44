import { programName } from '@batonpass/shell-verdict/shell/program'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'

/** A command that its words describe completely, in one normal form. */
export interface ExactCommand {
  readonly text: string
  /** Without links, which may lead elsewhere tomorrow. Undefined where it may run in several folders, or in an unknown one. */
  readonly folder: string | undefined
}

/** A pattern may have 500 characters, and each may need a backslash. */
const LONGEST_TEXT = 240

/** The words of a command as rules see them; undefined where the same text would cover other words, too. */
export function exactText({ words }: Pick<SimpleCommand, 'words'>): string | undefined {
  const values = words.map(word => word.value)
  if (values.some(value => value === undefined || value === '' || /[\s\p{C}]/u.test(value))) return undefined
  const [program = '', ...rest] = values.map(value => value ?? '')
  const name = programName(program)
  // `./deploy` is another program in every folder.
  if (name === '' || (name.includes('/') && !name.startsWith('/'))) return undefined
  const text = [name, ...rest].join(' ')
  return text.length <= LONGEST_TEXT ? text : undefined
}

/** Undefined if anything besides its words and its folder decides what it does: a variable, a file pattern, an input. */
export function exactCommand(
  command: SimpleCommand,
  realpath: (path: string) => string,
): ExactCommand | undefined {
  const { words, assignments, redirections, upstream, elsewhere, folders } = command
  if (assignments.length > 0 || upstream.length > 0 || elsewhere) return undefined
  if (redirections.some(({ operator }) => operator.startsWith('<'))) return undefined
  if (words.some(({ glob, tilde, many, choices }) => glob || tilde || many || choices)) return undefined
  const text = exactText(command)
  const [folder, ...others] = folders
  return text === undefined
    ? undefined
    : { text, folder: folder === undefined || others.length > 0 ? undefined : realpath(folder) }
}
