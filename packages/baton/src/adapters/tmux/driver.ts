import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Driver } from '../../ports/driver.ts'

const CALL_MS = 3000
const TAKEN_MS = 4000
const TRIES = 3

/** Types into a tmux pane, named as hooks name it: `%5 /tmp/tmux-1000/default`. No shell, no key names from the text. */
export const tmuxDriver: Driver = {
  async type(pane, text) {
    const [, id, socket] = /^(%\d{1,9}) (\/[^\0\n]{1,200})$/.exec(pane) ?? []
    if (!id || !socket) return 'gone'
    const tmux = (args: readonly string[], input?: string) => call(['-S', socket, ...args], input)
    const screen = async () => (await tmux(['capture-pane', '-p', '-e', '-t', id]))?.out
    const alive = await tmux(['display-message', '-p', '-t', id, '#{pane_id} #{pane_dead} #{pane_in_mode}'])
    const [found, dead, inMode] = alive?.out.trim().split(' ') ?? []
    if (found !== id || dead !== '0') return 'gone'
    // In copy mode keys go to tmux; a dialog or a half-typed line belongs to a person.
    const before = await screen()
    if (inMode !== '0' || before === undefined || promptLine(before) !== '') return 'busy'

    const buffer = `baton-${process.pid}`
    if (!(await tmux(['load-buffer', '-b', buffer, '-'], typeable(text)))) return 'not-taken'
    // A bracketed paste arrives as one prompt, line breaks and all.
    if (!(await tmux(['paste-buffer', '-p', '-d', '-b', buffer, '-t', id]))) return 'not-taken'
    if (!(await eventually(async () => promptLine((await screen()) ?? '') !== ''))) return 'not-taken'
    // Enter in the same call can be swallowed, so it comes by itself and is checked.
    for (let tries = 0; tries < TRIES; tries++) {
      if (!(await tmux(['send-keys', '-t', id, 'Enter']))) return 'gone'
      if (await eventually(async () => !promptLine((await screen()) ?? ''))) return 'taken'
    }
    return 'not-taken'
  },
}

/** Nothing in a text may act as a key: no escape, no end of the paste. */
const typeable = (text: string): string => text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '').trimEnd()

/** What stands between the last two rules; undefined while something else covers the prompt line. Dim text is only a suggestion. */
export function promptLine(screen: string): string | undefined {
  const lines = screen
    .replaceAll(/\x1b\[(?:0;)?2m[^\x1b]*/g, '')
    .replaceAll(/\x1b\[[0-9;:]*[A-Za-z]/g, '')
    .split('\n')
  const isRule = (line: string) => /^─{10}/.test(line)
  const bottom = lines.findLastIndex(isRule)
  const top = lines.slice(0, Math.max(bottom, 0)).findLastIndex(isRule)
  if (top < 0) return undefined
  const [first = '', ...rest] = lines.slice(top + 1, bottom)
  return /^[❯>!]/.test(first) ? [first.slice(1), ...rest].join('\n').trim() : undefined
}

async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + TAKEN_MS
  for (;;) {
    if (await holds()) return true
    if (performance.now() > until) return false
    await pause(60)
  }
}

function call(args: readonly string[], input = ''): Promise<{ out: string } | undefined> {
  return new Promise(resolve => {
    const child = spawn('tmux', args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: CALL_MS,
      killSignal: 'SIGKILL',
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
    })
    child.stdin.on('error', () => {})
    child.once('error', () => resolve(undefined))
    child.once('close', code => resolve(code === 0 ? { out } : undefined))
    child.stdin.end(input)
  })
}
