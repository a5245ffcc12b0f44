import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { TypeResult } from '../../ports/driver.ts'
import type { AgentPane } from './agent-pane.ts'
import type { TmuxServer } from './server.ts'

/** How long a program may take to show typed text, or to clear it. */
export const TAKEN_MS = 4000
/** How long to wait after one Ctrl-U: removing a line break may not change the screen. */
const ERASED_MS = 400
const MAX_PRESSES = 100
/** How long to wait for each Enter: short at first to notice a lost key, then longer for slow machines. */
const ENTER_MS = [1500, 3000, 4000]

/** Types a prompt and submits it, if the agent waits for one and no person is typing. */
export async function typeInto(pane: AgentPane, text: string): Promise<TypeResult> {
  const { server, id } = pane
  const before = await pane.look()
  if (before.state === 'gone' || before.state === 'dead') return 'gone'
  if (before.state !== 'waiting' || (await isShellPrompt(server, id))) return 'busy'
  const clean = typeable(text)
  if (clean === '') return 'not-taken'
  // A daemon that was killed before it pressed Enter left this text.
  if (before.typed !== '' && !(await erase(pane))) return 'busy'
  await server.run(['set-option', '-p', '-t', id, '@baton_typing', String(before.pane?.now ?? 0)])
  try {
    const pasted = await paste(pane, clean)
    return pasted === 'taken' ? await submit(pane) : pasted
  } finally {
    await server.run(['set-option', '-pu', '-t', id, '@baton_typing'])
  }
}

/** Clears the prompt line. False if text remains. */
export async function erase(pane: AgentPane): Promise<boolean> {
  const key = pane.terminal?.erase
  if (key === undefined) return false
  let { typed } = await pane.view()
  const changes = async (before: string) => {
    typed = (await pane.view()).typed
    return typed !== before
  }
  // Ctrl-U clears one line at a time and is harmless if pressed too often; other keys, such as Ctrl-C, are not.
  const [presses, withinMs] = key === 'C-u' ? [MAX_PRESSES, ERASED_MS] : [1, TAKEN_MS]
  for (let n = 0; n < presses && typed !== ''; n++) {
    const before = typed
    await pane.press(key)
    await pane.eventually(() => changes(before), withinMs)
  }
  return typed === ''
}

let buffers = 0

/** Pastes the text onto the prompt line. */
async function paste(pane: AgentPane, clean: string): Promise<TypeResult> {
  if (!(await pasteText(pane, clean))) return (await pane.view()).state === 'gone' ? 'gone' : 'not-taken'
  return (await pane.eventually(async () => !(await isEmpty(pane)), TAKEN_MS)) ? 'taken' : 'not-taken'
}

/** Pastes the text wherever the program takes it. False: tmux did not. */
export async function pasteText({ server, id }: AgentPane, clean: string): Promise<boolean> {
  const buffer = `baton-${process.pid}-${++buffers}`
  for (const [i, piece] of pieces(clean).entries()) {
    const filled = await server.run(['set-buffer', ...(i > 0 ? ['-a'] : []), '-b', buffer, '--', piece])
    if (!filled?.ok) return false
  }
  // A bracketed paste arrives as one prompt, line breaks and all.
  return (await server.run(['paste-buffer', '-p', '-d', '-b', buffer, '-t', id]))?.ok === true
}

/** Presses Enter and checks that it worked: an Enter in the same call as the paste can be lost. */
async function submit(pane: AgentPane): Promise<TypeResult> {
  let entered = false
  for (const withinMs of ENTER_MS) {
    // If a person scrolls back or a dialog has opened since, Enter would go there: do not press it.
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

/** Removes everything that could act as a key, such as an escape or the end of the paste. */
export const typeable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .trimEnd()

/** tmux reads whole lines, so a long text is sent in pieces. */
function pieces(text: string): string[] {
  const letters = [...text]
  return Array.from({ length: Math.ceil(letters.length / PIECE) }, (_, i) =>
    letters.slice(i * PIECE, (i + 1) * PIECE).join(''),
  )
}
const PIECE = 8000

const run = promisify(execFile)

/**
 * Whether a shell waits for a command in the pane. A killed agent leaves its prompt line on the screen; text typed there
 * would run as a shell command.
 */
async function isShellPrompt(server: TmuxServer, id: string): Promise<boolean> {
  const answer = await server.run(['display-message', '-p', '-t', id, '#{pane_tty} #{pane_current_command}'])
  const [, tty, command] = /^\/dev\/(\S+) (.*)$/.exec((answer?.ok && answer.lines[0]) || '') ?? []
  if (tty === undefined || command === undefined || !isShell(command)) return false
  // A script that started the agent is a shell, too: it counts only if no other program is in the foreground.
  const shown = await run('ps', ['-t', tty, '-o', 'pgid=', '-o', 'tpgid=', '-o', 'comm='], {
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    timeout: 3000,
  }).catch(() => undefined)
  return shown === undefined || onlyShells(shown.stdout)
}

/** Whether, in `PGID TPGID COMMAND` lines, only shells are in the foreground. */
export function onlyShells(lines: string): boolean {
  return lines.split('\n').every(line => {
    const [, group, front, command] = /^\s*(\d+)\s+(-?\d+)\s+(.*)$/.exec(line) ?? []
    return command === undefined || group !== front || isShell(command)
  })
}

const isShell = (command: string): boolean =>
  /^(?:-|.*\/)?(?:(?:ba|z|fi|da|a|k|mk|pdk|tc|c)?sh|nu|pwsh|xonsh|elvish)$/.test(command.trim())
