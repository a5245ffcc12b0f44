import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { TypeResult } from '../../ports/driver.ts'
import type { AgentPane } from './agent-pane.ts'
import type { TmuxServer } from './server.ts'

/** How long a program may take to show what was typed, or to let go of it. */
export const TAKEN_MS = 4000
/** How long one press of Ctrl-U is given: that a line break went may not show. */
const ERASED_MS = 400
const MAX_PRESSES = 100
/** How long each Enter is given to act: a lost one shows soon, a slow machine shows late. */
const ENTER_MS = [1500, 3000, 4000]

/** Types a text and sends it off, if the agent waits for one and nobody else is about to type. */
export async function typeInto(pane: AgentPane, text: string): Promise<TypeResult> {
  const { server, id } = pane
  const before = await pane.look()
  if (before.state === 'gone' || before.state === 'dead') return 'gone'
  if (before.state !== 'waiting' || (await isShellPrompt(server, id))) return 'busy'
  const clean = typeable(text)
  if (clean === '') return 'not-taken'
  // Left there by a daemon that was killed between the words and the Enter.
  if (before.typed !== '' && !(await erase(pane))) return 'busy'
  await server.run(['set-option', '-p', '-t', id, '@baton_typing', String(before.pane?.now ?? 0)])
  try {
    const pasted = await paste(pane, clean)
    return pasted === 'taken' ? await submit(pane) : pasted
  } finally {
    await server.run(['set-option', '-pu', '-t', id, '@baton_typing'])
  }
}

/** Empties the prompt line; false where something stays. */
export async function erase(pane: AgentPane): Promise<boolean> {
  const key = pane.terminal?.erase
  if (key === undefined) return false
  let { typed } = await pane.view()
  const changes = async (before: string) => {
    typed = (await pane.view()).typed
    return typed !== before
  }
  // It takes a line at a time and may be pressed too often; Ctrl-C may not.
  const [presses, withinMs] = key === 'C-u' ? [MAX_PRESSES, ERASED_MS] : [1, TAKEN_MS]
  for (let n = 0; n < presses && typed !== ''; n++) {
    const before = typed
    await pane.press(key)
    await pane.eventually(() => changes(before), withinMs)
  }
  return typed === ''
}

let buffers = 0

/** Puts the words on the prompt line. */
async function paste(pane: AgentPane, clean: string): Promise<TypeResult> {
  const { server, id } = pane
  const buffer = `baton-${process.pid}-${++buffers}`
  for (const [i, piece] of pieces(clean).entries()) {
    const filled = await server.run(['set-buffer', ...(i > 0 ? ['-a'] : []), '-b', buffer, '--', piece])
    if (!filled?.ok) return 'not-taken'
  }
  // A bracketed paste arrives as one prompt, line breaks and all.
  const pasted = await server.run(['paste-buffer', '-p', '-d', '-b', buffer, '-t', id])
  if (!pasted?.ok) return (await pane.view()).state === 'gone' ? 'gone' : 'not-taken'
  return (await pane.eventually(async () => !(await isEmpty(pane)), TAKEN_MS)) ? 'taken' : 'not-taken'
}

/** Enter in the same call can be swallowed, so it comes by itself and is checked. */
async function submit(pane: AgentPane): Promise<TypeResult> {
  let entered = false
  for (const withinMs of ENTER_MS) {
    // A person who went to read back would get the key, and so would a dialog that has come up since.
    const { state, typed } = await pane.view()
    if (state !== 'person' && typed !== '') {
      await pane.press('Enter')
      entered = true
    }
    if ((await pane.eventually(() => isEmpty(pane), withinMs)) && entered) {
      const { state } = await pane.view()
      return state === 'gone' || state === 'dead' ? 'gone' : 'taken'
    }
  }
  return 'not-taken'
}

async function isEmpty(pane: AgentPane): Promise<boolean> {
  const { state, typed } = await pane.view()
  return state === 'gone' || state === 'dead' || (state !== 'person' && typed === '')
}

/** Nothing in a text may act as a key: no escape, no end of the paste. */
const typeable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .trimEnd()

/** tmux reads a line at once: a long text goes in pieces. */
function pieces(text: string): string[] {
  const letters = [...text]
  return Array.from({ length: Math.ceil(letters.length / PIECE) }, (_, i) =>
    letters.slice(i * PIECE, (i + 1) * PIECE).join(''),
  )
}
const PIECE = 8000

const run = promisify(execFile)

/**
 * Whether a shell waits for a command in a pane. An agent that was killed leaves its picture on the screen with its
 * prompt line in it: what is typed there would be run.
 */
async function isShellPrompt(server: TmuxServer, id: string): Promise<boolean> {
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
