import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { Driver, PlaceStatus, ScreenReading, Started, StartOrder } from '../../ports/driver.ts'
import type { AgentTerminal } from '../../ports/terminal.ts'
import { AgentPane, eventually } from './agent-pane.ts'
import { isTypedInto, type Pane, paneAt, panesOf, screenOf } from './pane.ts'
import { unformatted } from './quote.ts'
import { TmuxServer } from './server.ts'
import { erase, TAKEN_MS, typeInto } from './type-text.ts'

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
    const spot = parsePlace(place)
    return spot && { id: spot.id, server: serverOf(spot.socket) }
  }
  const paneOf = (place: string, agent: AgentName): AgentPane | undefined => {
    const spot = at(place)
    return spot && new AgentPane(spot.server, spot.id, terminals[agent], elapsed)
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

  const type: TmuxDriver['type'] = async (place, text, agent) => {
    const pane = paneOf(place, agent)
    return pane ? inTurn(place, () => typeInto(pane, text)) : 'gone'
  }

  return {
    kind: 'tmux',
    reaches: place => parsePlace(place) !== undefined,
    type,

    async readScreen(place, agent): Promise<ScreenReading> {
      const pane = paneOf(place, agent)
      if (!pane) return { state: 'gone', lines: [], pid: undefined }
      const { state, lines, pid } = await pane.look()
      return { state, lines, pid }
    },

    async showsAgent(place, agent) {
      const spot = at(place)
      const pane = spot && (await paneAt(spot.server, spot.id))
      const screen = pane && !pane.dead ? await screenOf(spot.server, pane.id) : undefined
      const state = screen === undefined ? 'unknown' : terminals[agent]?.read(screen, pane?.title).state
      return state === 'waiting' || state === 'working'
    },

    async checkPlaces(places) {
      const spots = places.flatMap(place => {
        const spot = parsePlace(place)
        return spot ? [{ place, ...spot }] : []
      })
      const bySocket = Map.groupBy(spots, ({ socket }) => socket)
      const found = await Promise.all(
        [...bySocket].map(async ([socket, wanted]) => {
          const panes = new Map((await panesOf(serverOf(socket))).map(pane => [pane.id, pane]))
          return wanted.map(({ place, id }): [string, PlaceStatus] => [place, glanceAt(panes.get(id))])
        }),
      )
      return new Map(found.flat())
    },

    async interrupt(place, agent) {
      const pane = paneOf(place, agent)
      return pane ? interruptIn(pane) : 'gone'
    },

    clear: async (place, agent) => {
      const words = terminals[agent]?.clear
      return words === undefined ? 'not-taken' : type(place, words, agent)
    },

    startsWithPrompt: agent => terminals[agent]?.startsWithPrompt === true,

    async start(order: StartOrder): Promise<Started> {
      const socket = order.where ?? defaultSocket(env)
      if (!parsePlace(`%0 ${socket}`))
        throw new BatonError('usage', `${JSON.stringify(socket)} is no tmux socket`, {
          remedy: 'Give the whole path of one, such as /tmp/tmux-1000/default.',
        })
      // tmux makes its own folder only when it chooses the socket itself.
      if (/\/tmux-\d+$/.test(dirname(socket))) await mkdir(dirname(socket), { mode: 0o700 }).catch(() => {})
      const answer = await serverOf(socket).once(startCommands(order), {
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
      if (killed && pane.pid !== undefined && !pane.dead)
        await killGroup(pane.pid, (holds, withinMs) => eventually(holds, withinMs, elapsed))
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

function glanceAt(pane: Pane | undefined): PlaceStatus {
  if (!pane) return { state: 'gone' }
  return { state: pane.dead ? 'dead' : 'there', pid: pane.pid, changedAt: pane.changedAt }
}

const PLACE = /^(%\d{1,9}) (\/[^\0\n]{1,200})$/

/** Reads a place as hooks name it: `%5 /tmp/tmux-1000/default`. */
function parsePlace(place: string): { id: string; socket: string } | undefined {
  const [, id, socket] = PLACE.exec(place) ?? []
  return id && socket ? { id, socket } : undefined
}

/** Where a person's own tmux listens. */
const defaultSocket = (env: NodeJS.ProcessEnv): string =>
  `${env.TMUX_TMPDIR || '/tmp'}/tmux-${process.getuid?.() ?? 0}/default`

/** How long a program may take to go when its terminal does, and when it is told to. */
const HUNG_UP_MS = 1500
const TOLD_MS = 3000

/** Ends what outlives its terminal, as Gemini CLI does: what a pane ran is the leader of its own process group. */
async function killGroup(
  pid: number,
  eventually: (holds: () => Promise<boolean>, withinMs: number) => Promise<boolean>,
): Promise<void> {
  const isGone = async () => !signal(pid, 0)
  if (await eventually(isGone, HUNG_UP_MS)) return
  signal(-pid, 'SIGTERM')
  if (!(await eventually(isGone, TOLD_MS))) signal(-pid, 'SIGKILL')
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** Wide enough that an agent's screen is not cut; it becomes the person's size when somebody attaches. */
const SIZE = ['-x', '160', '-y', '50']

/** The lines that start a program in a tmux session of its own: no shell in between. */
function startCommands({ launch, cwd, title, env = {} }: StartOrder): string[][] {
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

const STOPPED_MS = 5000
/** How long a stopped agent may take to put its prompt back. */
const PUT_BACK_MS = 600

/** Stops the turn that runs, and takes away what the agent then puts on its prompt line. */
async function interruptIn(pane: AgentPane): Promise<'interrupted' | 'idle' | 'gone'> {
  const { state, typed: before } = await pane.view()
  if (state === 'gone' || state === 'dead') return 'gone'
  if (state !== 'working') return 'idle'
  const { interrupt = 'Escape', interruptAgain, erase: canErase } = pane.terminal ?? {}
  await pane.press(interrupt)
  if (interruptAgain && (await asks(pane, interruptAgain))) await pane.press(interrupt)
  await pane.eventually(async () => (await pane.view()).state !== 'working', STOPPED_MS)
  // Nobody typed this: it is the stopped turn's own prompt, put back to be mended.
  if (
    canErase &&
    before === '' &&
    (await pane.eventually(async () => (await pane.view()).typed !== '', PUT_BACK_MS))
  ) {
    const { pane: shown } = await pane.view()
    if (shown && !(await isTypedInto(pane.server, shown))) await erase(pane)
  }
  return 'interrupted'
}

/** Whether a program that works says something; one that does not work any more is not waited for. */
async function asks(pane: AgentPane, words: RegExp): Promise<boolean> {
  let said = false
  await pane.eventually(async () => {
    const { state, lines } = await pane.view()
    said = state === 'working' && lines.some(line => words.test(line))
    return said || state !== 'working'
  }, TAKEN_MS)
  return said
}
