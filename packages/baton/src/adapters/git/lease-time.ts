/** Whose clock a time is by: the forge's, which all machines share, or a machine's own. */
export type ClockOwner = 'forge' | 'machine'

export interface Reading {
  now: number
  by: ClockOwner
}

/** How far clocks may be apart before a living holder could look dead. The forge's tells whole seconds, a while ago. */
export const MARGIN_MS: Readonly<Record<ClockOwner, number>> = { forge: 2 * 60_000, machine: 15 * 60_000 }

/** From when on a lease counts as dead for whoever reads with such a clock: never by a difference of clocks alone. */
export const deadFrom = (lease: { until: number; by: ClockOwner }, reader: ClockOwner): number =>
  lease.until + MARGIN_MS[lease.by === 'forge' && reader === 'forge' ? 'forge' : 'machine']

/** The time as well as it can be had: by the forge where it has told how far this machine is off. */
export function reading(now: number, offset: number | undefined): Reading {
  return offset === undefined ? { now, by: 'machine' } : { now: Math.round(now + offset), by: 'forge' }
}
