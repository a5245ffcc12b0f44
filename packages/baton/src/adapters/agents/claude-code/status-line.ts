import { dirname, join } from 'node:path'
import { getNodeValue, type Node, parseTree } from 'jsonc-parser'
import type { InstallTarget } from '../../../ports/agent.ts'
import { quoted, runsProgram, wordsIn } from '../hook-command.ts'
import { insertChildren, removeChild } from '../jsonc-text.ts'

/** The file name of our status line, next to the launcher; Baton recognizes its own status line by it. */
export const STATUS_LINE_PROGRAM = 'baton-statusline'

/**
 * The settings with our status line. One that is there already is wrapped: ours runs it and shows what it prints, and its
 * command is in ours, so that removing ours restores it exactly.
 */
export function withStatusLine(text: string, target: Pick<InstallTarget, 'launcher' | 'scope'>): string {
  const root = rootOf(text)
  // Other people's own status lines must not be hidden by a committed file.
  if (!root || target.scope === 'project') return text
  const ours = [join(dirname(target.launcher), STATUS_LINE_PROGRAM), target.scope].map(quoted).join(' ')
  const found = find(root, 'statusLine')
  if (!found) {
    // The private settings of a project would hide the user's own line.
    if (target.scope === 'local') return text
    const property = `"statusLine": ${JSON.stringify({ type: 'command', command: ours })}`
    return insertChildren(text, root, [property], spacing(text))
  }
  const command = commandIn(found)
  if (!command) return text
  const theirs = isOurs(command)
    ? wrapped(command)
    : { command: String(command.value), raw: rawOf(text, command) }
  const exact = theirs && JSON.stringify(theirs.command) !== theirs.raw ? ` ${quoted(theirs.raw)}` : ''
  const wanted = theirs ? `${ours} ${quoted(theirs.command)}${exact}` : ours
  return wanted === command.value ? text : replaced(text, command, JSON.stringify(wanted))
}

/** The settings without our status line; undefined when nothing else was in them. */
export function withoutStatusLine(text: string): string | undefined {
  const root = rootOf(text)
  const found = root && find(root, 'statusLine')
  const command = found && commandIn(found)
  if (!found || !command || !isOurs(command)) return text
  const theirs = wrapped(command)
  return theirs ? replaced(text, command, theirs.raw) : removeChild(text, found.parent ?? found)
}

/** The user's own command inside ours, and how it was written in the file. */
function wrapped(command: Node): { command: string; raw: string } | undefined {
  const [, , theirs, raw] = wordsIn(String(command.value))
  return theirs === undefined ? undefined : { command: theirs, raw: raw ?? JSON.stringify(theirs) }
}

const isOurs = (command: Node): boolean => runsProgram(command.value, STATUS_LINE_PROGRAM)

/** The command's own node, where the status line is a command. */
function commandIn(line: Node): Node | undefined {
  const command = line.type === 'object' ? find(line, 'command') : undefined
  const { type } = (getNodeValue(line) ?? {}) as { type?: unknown }
  return command?.type === 'string' && type === 'command' ? command : undefined
}

/** Of a key that is there twice the last one counts, as for the agent. */
const find = (object: Node, key: string): Node | undefined =>
  object.children?.findLast(entry => entry.children?.[0]?.value === key)?.children?.[1]

/** Only a file that the hooks' own reader took comes here; a byte order mark is a blank to the parser. */
function rootOf(text: string): Node | undefined {
  const root = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true })
  return root?.type === 'object' ? root : undefined
}

const rawOf = (text: string, { offset, length }: Node): string => text.slice(offset, offset + length)

const replaced = (text: string, { offset, length }: Node, by: string): string =>
  text.slice(0, offset) + by + text.slice(offset + length)

function spacing(text: string): { eol: string; indent: string } {
  const indent = /\{\r?\n([ \t]{1,8})"/.exec(text)?.[1] ?? '  '
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', indent }
}
