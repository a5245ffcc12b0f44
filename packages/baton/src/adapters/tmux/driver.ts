import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { Driver, Glance, Look, Started, StartOrder } from '../../ports/driver.ts'
import type { AgentTerminal } from '../../ports/terminal.ts'
import { AgentPane, eventually } from './agent-pane.ts'
import { interruptIn } from './interrupt-turn.ts'
import { killGroup } from './kill-group.ts'
import { type Pane, paneAt, panesOf, screenOf } from './pane.ts'
import { defaultSocket, parsePlace } from './place.ts'
import { TmuxServer } from './server.ts'
import { startCommands } from './start.ts'
import { typeInto } from './type-text.ts'

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

    async look(place, agent): Promise<Look> {
      const pane = paneOf(place, agent)
      if (!pane) return { state: 'gone', lines: [], pid: undefined }
      const { state, lines, pid } = await pane.look()
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
      const spots = places.flatMap(place => {
        const spot = parsePlace(place)
        return spot ? [{ place, ...spot }] : []
      })
      const bySocket = Map.groupBy(spots, ({ socket }) => socket)
      const found = await Promise.all(
        [...bySocket].map(async ([socket, wanted]) => {
          const panes = new Map((await panesOf(serverOf(socket))).map(pane => [pane.id, pane]))
          return wanted.map(({ place, id }): [string, Glance] => [place, glanceAt(panes.get(id))])
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

function glanceAt(pane: Pane | undefined): Glance {
  if (!pane) return { state: 'gone' }
  return { state: pane.dead ? 'dead' : 'there', pid: pane.pid, changedAt: pane.changedAt }
}
