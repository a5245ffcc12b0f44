import { BatonError } from '@batonpass/contract/errors'
import type { Clock } from '../../ports/clock.ts'
import type { GitLogin } from '../../ports/git-work.ts'
import type {
  HeldLease,
  LeaseAttempt,
  LeaseHandle,
  LeaseName,
  LeaseOwner,
  Leases,
} from '../../ports/lease.ts'
import { LeaseRefs, type Payload, type Seen } from './lease-refs.ts'

/**
 * Leases as refs on the remote. Git remotes have no clock, so times come from the forge if it reports one, else from the
 * holder's machine. A lease counts as dead only if a difference between clocks cannot be the reason.
 */
export function gitLeases(parts: {
  clock: Clock
  /** The login to use if git itself cannot log in. */
  loginFor?(folder: string): Promise<GitLogin | undefined>
  /** How far the forge's clock is ahead of this machine's, if the forge has reported it. */
  offsetFor?(folder: string): Promise<number | undefined>
}): Leases {
  const refs = new LeaseRefs(async folder => parts.loginFor?.(folder))
  const time = async ({ folder }: Pick<LeaseName, 'folder'>): Promise<ClockReading> =>
    readClock(parts.clock.now(), await parts.offsetFor?.(folder))

  async function put(
    name: LeaseName,
    owner: LeaseOwner,
    ttlMs: number,
    seen: Seen | undefined,
  ): Promise<LeaseAttempt | undefined> {
    const reading = await time(name)
    const payload = payloadOf(owner, ttlMs, seen?.payload.token ?? 0, reading)
    const done = await refs.writeRef(name, seen, payload, reading.now)
    return done ? { held: true, handle: { claim: owner.claim, token: payload.token } } : undefined
  }

  async function holding(name: LeaseName, payload: Payload): Promise<HeldLease> {
    const { claim, agent, host, token, taken_at } = payload
    const { now, by } = await time(name)
    const until = Date.parse(payload.until)
    const from = deadFrom({ until, by: payload.clock }, by)
    const { issue } = name
    return {
      issue,
      claim,
      agent,
      host,
      token,
      takenAt: Date.parse(taken_at),
      until,
      dead: from < now,
      deadFrom: from,
    }
  }
  async function extendLease(name: LeaseName, seen: Seen, ttlMs: number): Promise<boolean> {
    const { now, by } = await time(name)
    const until = new Date(now + ttlMs).toISOString()
    return refs.writeRef(name, seen, { ...seen.payload, until, clock: by }, now)
  }

  async function acquireLease(
    name: LeaseName,
    owner: LeaseOwner,
    ttlMs: number,
    tries = 3,
  ): Promise<LeaseAttempt> {
    const seen = await refs.readRef(name)
    if (seen && seen.payload.claim === owner.claim) {
      const handle = { claim: owner.claim, token: seen.payload.token }
      if (await extendLease(name, seen, ttlMs)) return { held: true, handle }
    } else if (seen) return { held: false, by: await holding(name, seen.payload) }
    else {
      const taken = await put(name, owner, ttlMs, undefined)
      if (taken) return taken
    }
    // Another holder was faster or released the lease in between: check again.
    if (tries > 1) return acquireLease(name, owner, ttlMs, tries - 1)
    throw new BatonError('daemon_busy', `The claim of #${name.issue} keeps changing`, {
      remedy: 'Try again in a moment.',
    })
  }

  return {
    kind: 'git',
    take: (name, owner, ttlMs) => acquireLease(name, owner, ttlMs),
    async takeOver(name, owner, ttlMs, expected) {
      const seen = await refs.readRef(name)
      if (seen && seen.payload.claim !== owner.claim && seen.payload.token !== expected)
        return { held: false, by: await holding(name, seen.payload) }
      return (await put(name, owner, ttlMs, seen)) ?? acquireLease(name, owner, ttlMs)
    },
    holds: async (name, handle) => isOurs(await refs.readRef(name), handle),
    async renew(name, handle, ttlMs) {
      const seen = await refs.readRef(name)
      return isOurs(seen, handle) && (await extendLease(name, seen, ttlMs))
    },
    async release(name, handle) {
      const seen = await refs.readRef(name)
      return isOurs(seen, handle) && (await refs.deleteRef(name, seen))
    },
    async find(name) {
      const seen = await refs.readRef(name)
      return seen && (await holding(name, seen.payload))
    },
    async list(where) {
      const all: HeldLease[] = []
      for (const [name, payload] of await refs.listRefs(where)) all.push(await holding(name, payload))
      return all
    },
  }
}

const isOurs = (seen: Seen | undefined, handle: LeaseHandle): seen is Seen =>
  seen?.payload.claim === handle.claim && seen.payload.token === handle.token

const payloadOf = (owner: LeaseOwner, ttlMs: number, after: number, { now, by }: ClockReading): Payload => {
  const { claim, agent, host } = owner
  const at = new Date(now).toISOString()
  const until = new Date(now + ttlMs).toISOString()
  return { claim, agent, host, taken_at: at, until, token: Math.max(now, after + 1), clock: by }
}

/** Which clock a time is from: the forge's, which all machines share, or a machine's own. */
export type ClockOwner = 'forge' | 'machine'

interface ClockReading {
  now: number
  by: ClockOwner
}

/** Margin for clock differences, so that a live holder never looks dead. The forge's clock is coarse and was read a while ago. */
export const MARGIN_MS: Readonly<Record<ClockOwner, number>> = { forge: 2 * 60_000, machine: 15 * 60_000 }

/** When a lease counts as dead for a reader with this clock: never because of a clock difference alone. */
export const deadFrom = (lease: { until: number; by: ClockOwner }, reader: ClockOwner): number =>
  lease.until + MARGIN_MS[lease.by === 'forge' && reader === 'forge' ? 'forge' : 'machine']

/** The best available time: the forge's, if it has reported the difference to this machine. */
export function readClock(now: number, offset: number | undefined): ClockReading {
  return offset === undefined ? { now, by: 'machine' } : { now: Math.round(now + offset), by: 'forge' }
}
