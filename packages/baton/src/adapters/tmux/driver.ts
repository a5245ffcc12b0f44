import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { Driver, PlaceStatus, ScreenReading, Started, StartOrder } from '../../ports/driver.ts'
import type { AgentTerminal } from '../../ports/terminal.ts'
import { AgentPane, eventually } from './agent-pane.ts'
import { answerIn, showsReview } from './answer-questions.ts'
import { chooseIn } from './choose-option.ts'
import { isTypedInto, type Pane, paneAt, panesOf, screenOf } from './pane.ts'
import { findQuestion, fitsScreen } from './question-form.ts'
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
  /** Closes every connection; the programs keep running. */
  close(): void
}

/** Acts on panes, named as in hooks: `%5 /tmp/tmux-1000/default`. Uses no shell and never interprets text as key names. */
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

  /** One at a time per pane: two callers would mix their text. */
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
      const { state, lines, pid, dialog } = await pane.look()
      return { state, lines, pid, ...(state === 'dialog' && dialog ? { dialog } : {}) }
    },

    async choose(place, agent, dialog, option, words) {
      const pane = paneOf(place, agent)
      return pane ? inTurn(place, () => chooseIn(pane, dialog, option, words)) : 'gone'
    },

    async canAnswer(place, agent, questions) {
      const pane = paneOf(place, agent)
      const style = pane?.terminal?.dialog
      if (!pane || !style) return false
      const shown = await pane.view()
      const isAgent = shown.state === 'working' || shown.state === 'waiting'
      const opens = shown.lines.slice(-LAST_LINES).some(line => style.opensAfter?.test(line) ?? true)
      return isAgent && opens && shown.pane !== undefined && fitsScreen(questions, shown.pane, style)
    },

    async findQuestions(place, agent, questions) {
      const pane = paneOf(place, agent)
      const style = pane?.terminal?.dialog
      if (!pane || !style) return 'gone'
      const { lines, state } = await pane.view()
      if (state === 'gone' || state === 'dead') return 'gone'
      if (questions.some(question => findQuestion(lines, question, style)) || showsReview(lines, style))
        return 'shown'
      return state === 'working' || state === 'waiting' ? 'gone' : 'unclear'
    },

    async answer(place, agent, questions, replies) {
      const pane = paneOf(place, agent)
      return pane ? inTurn(place, () => answerIn(pane, questions, replies)) : 'gone'
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
      const command = terminals[agent]?.clear
      return command === undefined ? 'not-taken' : type(place, command, agent)
    },

    startsWithPrompt: agent => terminals[agent]?.startsWithPrompt === true,

    async start(order: StartOrder): Promise<Started> {
      const socket = order.where ?? defaultSocket(env)
      if (!parsePlace(`%0 ${socket}`))
        throw new BatonError('usage', `${JSON.stringify(socket)} is not a tmux socket`, {
          remedy: 'Give its whole path, such as /tmp/tmux-1000/default.',
        })
      // tmux creates this folder only for its default socket.
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
      // Only panes that Baton started have a mark; a pane id that tmux has reused has none.
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
    return new BatonError('usage', `A tmux session named ${title} already exists`, {
      remedy: 'Choose another title.',
    })
  return new BatonError('missing_tool', `tmux could not start the session${why ? `: ${why}` : ''}`, {
    remedy: 'Install tmux 3.2 or newer (`baton doctor` checks it), or use `baton run --hosted`.',
  })
}

function glanceAt(pane: Pane | undefined): PlaceStatus {
  if (!pane) return { state: 'gone' }
  return { state: pane.dead ? 'dead' : 'there', pid: pane.pid, changedAt: pane.changedAt }
}

/** Below the prompt line. */
const LAST_LINES = 4

const PLACE = /^(%\d{1,9}) (\/[^\0\n]{1,200})$/

/** Parses a place as hooks name it: `%5 /tmp/tmux-1000/default`. */
function parsePlace(place: string): { id: string; socket: string } | undefined {
  const [, id, socket] = PLACE.exec(place) ?? []
  return id && socket ? { id, socket } : undefined
}

/** The socket of the user's own tmux server. */
const defaultSocket = (env: NodeJS.ProcessEnv): string =>
  `${env.TMUX_TMPDIR || '/tmp'}/tmux-${process.getuid?.() ?? 0}/default`

/** How long a program may take to exit after its terminal closed. */
const HANGUP_MS = 1500
/** How long a program may take to exit after SIGTERM. */
const TERMINATE_MS = 3000

/** Kills a program that survives its terminal, as Gemini CLI does. A pane's program leads its own process group. */
async function killGroup(
  pid: number,
  eventually: (holds: () => Promise<boolean>, withinMs: number) => Promise<boolean>,
): Promise<void> {
  const isGone = async () => !signal(pid, 0)
  if (await eventually(isGone, HANGUP_MS)) return
  signal(-pid, 'SIGTERM')
  if (!(await eventually(isGone, TERMINATE_MS))) signal(-pid, 'SIGKILL')
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** Wide enough that an agent's screen is not cut; it adapts when a person attaches. */
const SIZE = ['-x', '160', '-y', '50']

/** The tmux commands that start a program in its own tmux session, without a shell in between. */
function startCommands({ launch, cwd, title, env = {} }: StartOrder): string[][] {
  const given = { ...env, ...launch.env }
  const name = sessionName(title)
  const session = `=${name}:`
  const variables = Object.entries(given).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const command = [launch.program, ...launch.args]
  // tmux passes a single word to a shell, but runs several words directly as a program with arguments.
  const direct = command.length > 1 ? command : ['sh', '-c', 'exec "$0"', ...command]
  return [
    [
      ...['new-session', '-d', '-P', '-F', '#{pane_id} #{pane_pid}', ...SIZE],
      ...['-s', name, '-c', unformatted(cwd), ...variables, '--', ...direct],
    ],
    // These options show later what Baton started, and keep the output of a program that failed.
    ['set-option', '-p', '-t', session, '@baton', name],
    ['set-option', '-t', session, '@baton-session', name],
    ['set-option', '-w', '-t', session, 'remain-on-exit', 'failed'],
  ]
}

/** In tmux names, `.` and `:` have a special meaning. */
const sessionName = (title: string): string => title.replaceAll(/[^\w-]+/g, '-').slice(0, 60)

const STOPPED_MS = 5000
/** How long an interrupted agent may take to restore its prompt. */
const RESTORE_MS = 600

/** Interrupts the running turn, and clears the prompt that the agent then restores on its prompt line. */
async function interruptIn(pane: AgentPane): Promise<'interrupted' | 'idle' | 'gone'> {
  const { state, typed: before } = await pane.view()
  if (state === 'gone' || state === 'dead') return 'gone'
  if (state !== 'working') return 'idle'
  const { interrupt = 'Escape', interruptAgain, erase: canErase } = pane.terminal ?? {}
  await pane.press(interrupt)
  if (interruptAgain && (await showsText(pane, interruptAgain))) await pane.press(interrupt)
  await pane.eventually(async () => (await pane.view()).state !== 'working', STOPPED_MS)
  // No one typed this text: it is the interrupted turn's prompt, restored by the agent for editing.
  if (
    canErase &&
    before === '' &&
    (await pane.eventually(async () => (await pane.view()).typed !== '', RESTORE_MS))
  ) {
    const { pane: shown } = await pane.view()
    if (shown && !(await isTypedInto(pane.server, shown))) await erase(pane)
  }
  return 'interrupted'
}

/** Whether a working program shows this text. Returns early if the program stops working. */
async function showsText(pane: AgentPane, text: RegExp): Promise<boolean> {
  let isShown = false
  await pane.eventually(async () => {
    const { state, lines } = await pane.view()
    isShown = state === 'working' && lines.some(line => text.test(line))
    return isShown || state !== 'working'
  }, TAKEN_MS)
  return isShown
}
