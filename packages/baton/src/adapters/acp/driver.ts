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
  /** The conversation that is open there now. */
  nativeSession?: string | undefined
  /** `resumed`: the same conversation. `afresh`: the agent could not go back to it. `failed`: nothing runs there. */
  how: 'resumed' | 'afresh' | 'failed'
  pid?: number | undefined
  /** A turn was cut off. */
  working: boolean
  why?: string
}

export interface AcpDriver extends Driver {
  /** Starts again what the last process left. Until then its places are neither gone nor ready. */
  revive(): Promise<Revived[]>
  /** `leave`: the next process takes the sessions up. */
  close(how?: 'end' | 'leave'): Promise<void>
}

/** Work that was left longer ago is for a person to take up. */
const MAX_LEFT_MS = 24 * 60 * 60_000
/** One whose every start ends in a crash is not started for ever. */
const MAX_REVIVALS = 5

/** Sessions that live inside this process, over the Agent Client Protocol: no terminal, no keystrokes. */
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
      if (parts.clock.now() - seenAt > MAX_LEFT_MS) throw new Error('it was left more than a day ago')
      if (revivals >= MAX_REVIVALS)
        throw new Error(`it was started again ${revivals} times, and never finished a turn`)
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
