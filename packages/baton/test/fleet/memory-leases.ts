import type { HeldLease, LeaseName, Leases } from '../../src/ports/lease.ts'

/** Leases as the database keeps them: one clock, and tokens that only grow. */
export function memoryLeases(now: () => number): Leases {
  type Row = Omit<HeldLease, 'dead'> & { isFree: boolean }
  const rows = new Map<string, Row>()
  const keyOf = ({ repository, issue }: LeaseName) => `${repository} ${issue}`
  const view = ({ isFree: _, ...row }: Row): HeldLease => ({ ...row, dead: row.until < now() })
  const at = (name: LeaseName) => {
    const row = rows.get(keyOf(name))
    return row && !row.isFree ? row : undefined
  }
  const own = (name: LeaseName, handle: { claim: string; token: number }) => {
    const row = at(name)
    return row?.claim === handle.claim && row.token === handle.token ? row : undefined
  }
  const leases: Leases = {
    kind: 'postgres',
    async take(name, owner, ttlMs) {
      const known = at(name)
      if (known && known.claim !== owner.claim) return { held: false, by: view(known) }
      const token = known?.token ?? (rows.get(keyOf(name))?.token ?? 0) + 1
      rows.set(keyOf(name), {
        ...owner,
        issue: name.issue,
        token,
        takenAt: now(),
        until: now() + ttlMs,
        isFree: false,
      })
      return { held: true, handle: { claim: owner.claim, token } }
    },
    async takeOver(name, owner, ttlMs, seen) {
      const known = at(name)
      if (known && known.token !== seen) return { held: false, by: view(known) }
      const token = (rows.get(keyOf(name))?.token ?? 0) + 1
      rows.set(keyOf(name), {
        ...owner,
        issue: name.issue,
        token,
        takenAt: now(),
        until: now() + ttlMs,
        isFree: false,
      })
      return { held: true, handle: { claim: owner.claim, token } }
    },
    holds: async (name, handle) => own(name, handle) !== undefined,
    async renew(name, handle, ttlMs) {
      const row = own(name, handle)
      if (row) row.until = now() + ttlMs
      return row !== undefined
    },
    async release(name, handle) {
      const row = own(name, handle)
      if (row) row.isFree = true
      return row !== undefined
    },
    find: async name => {
      const row = at(name)
      return row && view(row)
    },
    list: async ({ repository }) =>
      [...rows].flatMap(([key, row]) => (key.startsWith(`${repository} `) && !row.isFree ? [view(row)] : [])),
  }
  return leases
}
