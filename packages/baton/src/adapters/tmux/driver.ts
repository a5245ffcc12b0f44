import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { Driver, Glance, Look, Started, StartOrder, Typed } from '../../ports/driver.ts'
import type { AgentTerminal } from '../../ports/terminal.ts'
import { endGroup } from './end-group.ts'
import { isShellPrompt } from './foreground.ts'
import { isOwnTyping, isTypedInto, type Pane, paneAt, panesOf, screenOf } from './pane.ts'
import { TmuxServer } from './server.ts'
import { startWords } from './start.ts'

/** How long a program may take to show what was typed, or to let go of it. */
const TAKEN_MS = 4000
const STOPPED_MS = 5000
/** How long a stopped agent may take to put its prompt back. */
const PUT_BACK_MS = 600
const LOOK_AGAIN_MS = 40
/** How long one press of Ctrl-U is given: that a line break went may not show. */
const ERASED_MS = 400
const MOST_PRESSES = 100
/** How long each Enter is given to act: a lost one shows soon, a slow machine shows late. */
const ENTER_MS = [1500, 3000, 4000]

export interface TmuxParts {
  terminals: Partial<Record<AgentName, AgentTerminal>>
  /** Monotonic milliseconds. */
  elapsed(): number
  /** The environment of tmux itself. */
  env: NodeJS.ProcessEnv
}

export interface TmuxDriver extends Driver {
  kind: 'tmux'
  /** Lets go of every connection; what runs goes on. */
  close(): void
}

/** Acts on panes, named as hooks name them: `%5 /tmp/tmux-1000/default`. No shell, no key names from the text. */
export function tmuxDriver({ terminals, elapsed, env }: TmuxParts): TmuxDriver {
  const servers = new Map<string, TmuxServer>()
  const serverOf = (socket: string): TmuxServer => {
    const known = servers.get(socket) ?? new TmuxServer(socket, { env, elapsed })
    servers.set(socket, known)
    return known
  }
  const at = (place: string): { id: string; server: TmuxServer } | undefined => {
    const [, id, socket] = PLACE.exec(place) ?? []
    return id && socket ? { id, server: serverOf(socket) } : undefined
  }

  async function view(place: string, agent: AgentName): Promise<View> {
    const spot = at(place)
    const pane = spot && (await paneAt(spot.server, spot.id))
    if (!pane) return { state: 'gone', typed: '', lines: [] }
    const screen = (await screenOf(spot.server, pane.id)) ?? ''
    const { state, typed } = terminals[agent]?.read(screen, pane.title) ?? {
      state: 'unknown' as const,
      typed: '',
    }
    const seen = { typed, lines: linesOf(screen), pid: pane.pid }
    if (pane.dead) return { ...seen, state: 'dead' }
    return { ...seen, state: pane.inMode ? 'person' : state, pane }
  }

  async function look(place: string, agent: AgentName): Promise<View> {
    const seen = await view(place, agent)
    const { pane } = seen
    if (!pane) return seen
    const server = serverOf(socketOf(place))
    const halfTyped = seen.typed !== '' && !(await isOwnTyping(server, pane))
    return halfTyped || (await isTypedInto(server, pane)) ? { ...seen, state: 'person' } : seen
  }

  async function eventually(holds: () => Promise<boolean>, withinMs: number): Promise<boolean> {
    for (const until = elapsed() + withinMs; ; await pause(LOOK_AGAIN_MS)) {
      if (await holds()) return true
      if (elapsed() > until) return false
    }
  }

  /** Whether a program that works says something; one that does not work any more is not waited for. */
  async function asks(place: string, agent: AgentName, words: RegExp): Promise<boolean> {
    let said = false
    await eventually(async () => {
      const { state, lines } = await view(place, agent)
      said = state === 'working' && lines.some(line => words.test(line))
      return said || state !== 'working'
    }, TAKEN_MS)
    return said
  }

  /** Two at once would type into each other's words. */
  const turns = new Map<string, Promise<unknown>>()
  function inTurn<T>(place: string, work: () => Promise<T>): Promise<T> {
    const turn = (turns.get(place) ?? Promise.resolve()).then(work, work)
    turns.set(place, turn)
    void turn.then(end, end)
    return turn
    function end() {
      if (turns.get(place) === turn) turns.delete(place)
    }
  }

  let buffers = 0
  async function type(place: string, text: string, agent: AgentName): Promise<Typed> {
    const spot = at(place)
    const before = await look(place, agent)
    if (!spot || before.state === 'gone' || before.state === 'dead') return 'gone'
    const { server, id } = spot
    if (before.state !== 'waiting' || (await isShellPrompt(server, id))) return 'busy'
    const clean = typeable(text)
    if (clean === '') return 'not-taken'
    // Left there by a daemon that was killed between the words and the Enter.
    if (before.typed !== '' && !(await erased(spot, place, agent))) return 'busy'
    await server.run(['set-option', '-p', '-t', id, '@baton_typing', String(before.pane?.now ?? 0)])
    try {
      return await submit(spot, place, clean, agent)
    } finally {
      await server.run(['set-option', '-pu', '-t', id, '@baton_typing'])
    }
  }

  async function erased(
    { server, id }: { server: TmuxServer; id: string },
    place: string,
    agent: AgentName,
  ): Promise<boolean> {
    const key = terminals[agent]?.erase
    if (key === undefined) return false
    let { typed } = await view(place, agent)
    const changes = async (before: string) => {
      typed = (await view(place, agent)).typed
      return typed !== before
    }
    // It takes a line at a time and may be pressed too often; Ctrl-C may not.
    const [presses, withinMs] = key === 'C-u' ? [MOST_PRESSES, ERASED_MS] : [1, TAKEN_MS]
    for (let n = 0; n < presses && typed !== ''; n++) {
      const before = typed
      await server.run(['send-keys', '-t', id, key])
      await eventually(() => changes(before), withinMs)
    }
    return typed === ''
  }

  async function submit(
    { server, id }: { server: TmuxServer; id: string },
    place: string,
    clean: string,
    agent: AgentName,
  ): Promise<Typed> {
    const buffer = `baton-${process.pid}-${++buffers}`
    for (const [i, piece] of pieces(clean).entries()) {
      const filled = await server.run(['set-buffer', ...(i > 0 ? ['-a'] : []), '-b', buffer, '--', piece])
      if (!filled?.ok) return 'not-taken'
    }
    // A bracketed paste arrives as one prompt, line breaks and all.
    const pasted = await server.run(['paste-buffer', '-p', '-d', '-b', buffer, '-t', id])
    if (!pasted?.ok) return (await view(place, agent)).state === 'gone' ? 'gone' : 'not-taken'
    const empty = async () => {
      const { state, typed } = await view(place, agent)
      return state === 'gone' || state === 'dead' || (state !== 'person' && typed === '')
    }
    if (!(await eventually(async () => !(await empty()), TAKEN_MS))) return 'not-taken'
    // Enter in the same call can be swallowed, so it comes by itself and is checked.
    let entered = false
    for (const withinMs of ENTER_MS) {
      // A person who went to read back would get the key, and so would a dialog that has come up since.
      const { state, typed } = await view(place, agent)
      if (state !== 'person' && typed !== '') {
        await server.run(['send-keys', '-t', id, 'Enter'])
        entered = true
      }
      if ((await eventually(empty, withinMs)) && entered) {
        const { state } = await view(place, agent)
        return state === 'gone' || state === 'dead' ? 'gone' : 'taken'
      }
    }
    return 'not-taken'
  }

  return {
    kind: 'tmux',
    reaches: place => PLACE.test(place),
    type: (place, text, agent) => inTurn(place, () => type(place, text, agent)),

    async look(place, agent): Promise<Look> {
      const { state, lines, pid } = await look(place, agent)
      return { state, lines, pid }
    },

    async shows(place, agent) {
      const spot = at(place)
      const pane = spot && (await paneAt(spot.server, spot.id))
      const screen = pane && !pane.dead ? await screenOf(spot.server, pane.id) : undefined
      const state = screen === undefined ? 'unknown' : terminals[agent]?.read(screen, pane?.title).state
      return state === 'waiting' || state === 'working'
    },

    async glance(places) {
      const bySocket = Map.groupBy(
        places.filter(place => PLACE.test(place)),
        socketOf,
      )
      const found = await Promise.all(
        [...bySocket].map(async ([socket, wanted]) => {
          const panes = new Map((await panesOf(serverOf(socket))).map(pane => [pane.id, pane]))
          return wanted.map((place): [string, Glance] => [place, glanceAt(panes.get(idOf(place)))])
        }),
      )
      return new Map(found.flat())
    },

    async interrupt(place, agent) {
      const spot = at(place)
      const { state, typed: before } = await view(place, agent)
      if (!spot || state === 'gone' || state === 'dead') return 'gone'
      if (state !== 'working') return 'idle'
      const { interrupt = 'Escape', interruptAgain, erase } = terminals[agent] ?? {}
      await spot.server.run(['send-keys', '-t', spot.id, interrupt])
      if (interruptAgain && (await asks(place, agent, interruptAgain)))
        await spot.server.run(['send-keys', '-t', spot.id, interrupt])
      await eventually(async () => (await view(place, agent)).state !== 'working', STOPPED_MS)
      // Nobody typed this: it is the stopped turn's own prompt, put back to be mended.
      if (
        erase &&
        before === '' &&
        (await eventually(async () => (await view(place, agent)).typed !== '', PUT_BACK_MS))
      ) {
        const { pane } = await view(place, agent)
        if (pane && !(await isTypedInto(spot.server, pane))) await erased(spot, place, agent)
      }
      return 'interrupted'
    },

    clear: async (place, agent) => {
      const words = terminals[agent]?.clear
      return words === undefined ? 'not-taken' : inTurn(place, () => type(place, words, agent))
    },

    startsWithPrompt: agent => terminals[agent]?.startsWithPrompt === true,

    async start(order: StartOrder): Promise<Started> {
      const socket = order.where ?? defaultSocket(env)
      if (!PLACE.test(`%0 ${socket}`))
        throw new BatonError('usage', `${JSON.stringify(socket)} is no tmux socket`)
      // tmux makes its own folder only when it chooses the socket itself.
      if (/\/tmux-\d+$/.test(dirname(socket))) await mkdir(dirname(socket), { mode: 0o700 }).catch(() => {})
      const answer = await serverOf(socket).once(startWords(order), {
        start: true,
        env: { ...env, ...order.env },
      })
      const [, id, pid] = /^(%\d+) (\d+)$/.exec((answer?.ok && answer.lines[0]) || '') ?? []
      if (!id) throw notStarted(order, answer?.ok === false ? answer.why : '')
      return { place: `${id} ${socket}`, pid: Number(pid) || undefined }
    },

    async kill(place) {
      const spot = at(place)
      const pane = spot && (await paneAt(spot.server, spot.id))
      // A pane that Baton did not start has no mark; a number that tmux gave out anew has none either.
      if (!spot || !pane?.mark) return false
      const killed = (await spot.server.run(['kill-pane', '-t', spot.id]))?.ok === true
      if (killed && pane.pid !== undefined && !pane.dead) await endGroup(pane.pid, eventually)
      return killed
    },

    close() {
      for (const server of servers.values()) server.close()
      servers.clear()
    },
  }
}

function notStarted({ title }: StartOrder, why: string): BatonError {
  if (why.includes('duplicate session'))
    return new BatonError('usage', `There is a tmux session ${title} already`, {
      remedy: 'Choose another title.',
    })
  return new BatonError('missing_tool', `tmux did not start it${why ? `: ${why}` : ''}`, {
    remedy: 'Is tmux 3.2 or newer installed? See `baton doctor`, or use `baton run --hosted`.',
  })
}

interface View extends Look {
  typed: string
  pane?: (Pane & { now: number }) | undefined
}

const PLACE = /^(%\d{1,9}) (\/[^\0\n]{1,200})$/
const idOf = (place: string): string => PLACE.exec(place)?.[1] ?? ''
const socketOf = (place: string): string => PLACE.exec(place)?.[2] ?? ''

/** Where a person's own tmux listens. */
const defaultSocket = (env: NodeJS.ProcessEnv): string =>
  `${env.TMUX_TMPDIR || '/tmp'}/tmux-${process.getuid?.() ?? 0}/default`

function glanceAt(pane: Pane | undefined): Glance {
  if (!pane) return { state: 'gone' }
  return { state: pane.dead ? 'dead' : 'there', pid: pane.pid, changedAt: pane.changedAt }
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

const linesOf = (screen: string): string[] =>
  screen
    .replaceAll(/\x1b(?:\[[0-9;:?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])/g, '')
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .trimEnd()
    .split('\n')
