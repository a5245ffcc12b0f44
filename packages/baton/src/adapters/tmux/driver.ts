import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { Driver, Look, Typed } from '../../ports/driver.ts'
import type { AgentTerminal } from '../../ports/terminal.ts'

const CALL_MS = 3000
const TAKEN_MS = 4000
const TRIES = 3

/** Types into a tmux pane, named as hooks name it: `%5 /tmp/tmux-1000/default`. No shell, no key names from the text. */
export function tmuxDriver(terminals: Partial<Record<AgentName, AgentTerminal>>): Driver {
  const at = (place: string) => {
    const [, id, socket] = PLACE.exec(place) ?? []
    return id && socket
      ? { id, tmux: (args: readonly string[], input?: string) => call(['-S', socket, ...args], input) }
      : undefined
  }
  const look = async (place: string, agent: AgentName): Promise<Look & { typed: string }> => {
    const pane = at(place)
    const facts = await pane?.tmux([
      'display-message',
      '-p',
      '-t',
      pane.id,
      '#{pane_id} #{pane_dead} #{pane_in_mode} #{pane_pid}',
    ])
    const [found, dead, inMode, pid] = facts?.out.trim().split(' ') ?? []
    if (!pane || found !== pane.id) return { state: 'gone', lines: [], typed: '' }
    const screen = (await pane.tmux(['capture-pane', '-p', '-e', '-t', pane.id]))?.out ?? ''
    const { state, typed } = terminals[agent]?.read(screen) ?? { state: 'unknown' as const, typed: '' }
    const lines = screen
      .replaceAll(/\x1b\[[0-9;:]*[A-Za-z]/g, '')
      .trimEnd()
      .split('\n')
    // In copy mode keys go to tmux; a half-typed line belongs to a person.
    const seen = dead !== '0' ? 'dead' : inMode !== '0' || typed !== '' ? 'person' : state
    return { state: seen, lines, pid: Number(pid) || undefined, typed }
  }
  const type = async (place: string, text: string, agent: AgentName): Promise<Typed> => {
    const pane = at(place)
    const { state } = await look(place, agent)
    if (!pane || state === 'gone' || state === 'dead') return 'gone'
    if (state !== 'waiting' && state !== 'working') return 'busy'
    const empty = async () => (await look(place, agent)).typed === ''
    const buffer = `baton-${process.pid}`
    if (!(await pane.tmux(['load-buffer', '-b', buffer, '-'], typeable(text)))) return 'not-taken'
    // A bracketed paste arrives as one prompt, line breaks and all.
    if (!(await pane.tmux(['paste-buffer', '-p', '-d', '-b', buffer, '-t', pane.id]))) return 'not-taken'
    if (!(await eventually(async () => !(await empty())))) return 'not-taken'
    // Enter in the same call can be swallowed, so it comes by itself and is checked.
    for (let tries = 0; tries < TRIES; tries++) {
      if (!(await pane.tmux(['send-keys', '-t', pane.id, 'Enter']))) return 'gone'
      if (await eventually(empty)) return 'taken'
    }
    return 'not-taken'
  }
  return {
    kind: 'tmux',
    reaches: place => PLACE.test(place),
    look,
    type,
    async interrupt(place, agent) {
      const pane = at(place)
      const { state } = await look(place, agent)
      if (!pane || state === 'gone' || state === 'dead') return 'gone'
      if (state !== 'working') return 'idle'
      await pane.tmux(['send-keys', '-t', pane.id, terminals[agent]?.interrupt ?? 'Escape'])
      return 'interrupted'
    },
    clear: async (place, agent) => {
      const words = terminals[agent]?.clear
      return words === undefined ? 'not-taken' : type(place, words, agent)
    },
    start: async () => {
      throw new BatonError('internal', 'Starting a session in tmux is not there yet')
    },
    kill: async () => false,
  }
}

const PLACE = /^(%\d{1,9}) (\/[^\0\n]{1,200})$/

/** Nothing in a text may act as a key: no escape, no end of the paste. */
const typeable = (text: string): string => text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '').trimEnd()

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
