import type { AgentName } from '@batonpass/contract/event'
import type { Driver } from '../../ports/driver.ts'
import { HostedAgent } from './hosted-agent.ts'
import type { AcpDriverParts } from './parts.ts'
import { endRemains } from './program.ts'
import { HOSTED_PLACE, type SavedSession } from './saved-sessions.ts'

/** What became of a session that the last process hosted. */
export interface Revived {
  place: string
  agent: AgentName
  /** The conversation that is now open there. */
  nativeSession?: string | undefined
  /** `resumed`: the same conversation. `afresh`: the agent could not resume it and started a new one. `failed`: nothing runs there. */
  how: 'resumed' | 'afresh' | 'failed'
  pid?: number | undefined
  /** Whether a turn was interrupted. */
  working: boolean
  why?: string
}

export interface AcpDriver extends Driver {
  /** Restarts the sessions of the previous process. Until then, their places are neither gone nor ready. */
  revive(): Promise<Revived[]>
  /** `leave`: the next process resumes the sessions. */
  close(how?: 'end' | 'leave'): Promise<void>
}

/** Sessions that have been stopped for longer are not restarted automatically. */
const MAX_LEFT_MS = 24 * 60 * 60_000
/** Stop restarting a session that crashes after every start. */
const MAX_REVIVALS = 5

/** Hosts sessions in this process, over the Agent Client Protocol: no terminal, no keystrokes. */
export function acpDriver(parts: AcpDriverParts): AcpDriver {
  const places = new Map<string, HostedAgent>()
  const alive = (place: string): HostedAgent | undefined => {
    const hosted = places.get(place)
    return hosted?.state === 'dead' ? undefined : hosted
  }

  async function reviveOne(kept: SavedSession, hosted: HostedAgent): Promise<Revived> {
    const { place, agent, working, revivals, seenAt, pid, born } = kept
    try {
      if (parts.processes) await endRemains(parts.processes, pid, born)
      if (parts.clock.now() - seenAt > MAX_LEFT_MS) throw new Error('it has been stopped for more than a day')
      if (revivals >= MAX_REVIVALS)
        throw new Error(`it was restarted ${revivals} times without finishing a turn`)
      const how = await hosted.revive(kept)
      return { place, agent, how, working, nativeSession: hosted.nativeSession, pid: hosted.pid }
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      await hosted.giveUp(why)
      return { place, agent, how: 'failed', working, nativeSession: kept.nativeSession, why }
    }
  }

  return {
    kind: 'acp',
    reaches: place => HOSTED_PLACE.test(place),
    async readScreen(place) {
      const hosted = places.get(place)
      return hosted ? hosted.look() : { state: 'gone', lines: [] }
    },
    async checkPlaces(wanted) {
      return new Map(wanted.map(place => [place, places.get(place)?.glance() ?? { state: 'gone' as const }]))
    },
    conversation: place => places.get(place)?.talk,
    type: async (place, text) => (await alive(place)?.type(text)) ?? 'gone',
    interrupt: async place => (await alive(place)?.interrupt()) ?? 'gone',
    clear: async place => (await alive(place)?.clear()) ?? 'gone',
    async start(order) {
      const place = `hosted ${parts.ids.id(12)}`
      const hosted = new HostedAgent(parts, order, place)
      await hosted.start()
      places.set(place, hosted)
      const { pid, nativeSession } = hosted
      return { place, pid, nativeSession }
    },
    async revive() {
      const left = ((await parts.kept?.all()) ?? []).map(kept => {
        const hosted = new HostedAgent(parts, kept, kept.place, 'unknown')
        places.set(kept.place, hosted)
        return { kept, hosted }
      })
      return Promise.all(left.map(({ kept, hosted }) => reviveOne(kept, hosted)))
    },
    async kill(place) {
      const hosted = places.get(place)
      places.delete(place)
      if (!hosted) return false
      await hosted.close()
      return true
    },
    async close(how = 'end') {
      await Promise.all([...places.values()].map(hosted => hosted.close(how).catch(() => {})))
      places.clear()
    },
  }
}
