/**
 * The issue that a lease is for. `folder` is a clone of the repository on this machine. In PostgreSQL, the fleet also leases
 * base branches and machines, under names that no repository has (fleet/machine-leases.ts).
 */
export interface LeaseName {
  /** `host/owner/name`, lower case. */
  repository: string
  issue: number
  folder: string
}

/** The holder of a lease, as every machine can see it. */
export interface LeaseOwner {
  /** The claim's id. Only the same claim may take its own lease again. */
  claim: string
  agent: string
  host: string
  /** What other machines may know in addition; only in PostgreSQL. */
  details?: string | undefined
}

export interface HeldLease extends LeaseOwner {
  issue: number
  /** Larger than the token of every earlier holder. */
  token: number
  /** Milliseconds since the epoch, by the shared store's clock if it has one. */
  takenAt: number
  until: number
  /** The lease was not renewed within its lifetime, even allowing for clock differences. */
  dead: boolean
  /** When the lease becomes dead, if that is later than `until`. */
  deadFrom?: number
}

/** Proof of a lease, checked before each action outside this machine. */
export interface LeaseHandle {
  claim: string
  token: number
}

export type LeaseAttempt = { held: true; handle: LeaseHandle } | { held: false; by: HeldLease }

/**
 * Exclusive leases on issues, for all machines that share a repository. A lease that is not renewed counts as dead but stays:
 * only `takeOver` ends another holder's lease. Failures to reach the shared store are BatonErrors; they never mean "free".
 */
export interface Leases {
  readonly kind: 'postgres' | 'git'
  /** Takes a free lease. If the same claim already holds it, returns and renews it. */
  take(name: LeaseName, owner: LeaseOwner, ttlMs: number): Promise<LeaseAttempt>
  /** Takes the lease from the holder with the token `seen`. If another machine was faster, that machine keeps it. */
  takeOver(name: LeaseName, owner: LeaseOwner, ttlMs: number, seen: number): Promise<LeaseAttempt>
  /** False: another holder has it now, or it is gone. */
  holds(name: LeaseName, handle: LeaseHandle): Promise<boolean>
  /** Extends the lease; false as above. */
  renew(name: LeaseName, handle: LeaseHandle, ttlMs: number): Promise<boolean>
  /** False: this claim no longer held it. */
  release(name: LeaseName, handle: LeaseHandle): Promise<boolean>
  find(name: LeaseName): Promise<HeldLease | undefined>
  /** Every lease in a repository. */
  list(name: Pick<LeaseName, 'repository' | 'folder'>): Promise<HeldLease[]>
}
