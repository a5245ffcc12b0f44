/** What is held: an issue of a repository. `folder` is a clone of it on this machine. */
export interface LeaseName {
  /** `host/owner/name`, lower case. */
  repository: string
  issue: number
  folder: string
}

/** Who holds it, for everybody to see. */
export interface LeaseOwner {
  /** The claim's id: the same owner may take its own lease again, nobody else can. */
  claim: string
  agent: string
  host: string
}

export interface HeldLease extends LeaseOwner {
  issue: number
  /** Larger than that of every earlier holder. */
  token: number
  /** Milliseconds since the epoch, by the keeper's clock where it has one. */
  takenAt: number
  until: number
  /** Nobody has renewed it for as long as it may live, and clocks that differ are not the reason. */
  dead: boolean
  /** From when on it is dead, where that is later than `until`. */
  deadFrom?: number
}

/** Proof of a lease, to be shown before each outside action. */
export interface LeaseHandle {
  claim: string
  token: number
}

export type LeaseAttempt = { held: true; grip: LeaseHandle } | { held: false; by: HeldLease }

/**
 * Exclusive holds on issues, for all machines that share a repository. A hold that is not renewed counts as dead but stays:
 * only `takeOver` ends another's. Failures to reach the keeper are BatonErrors; they never mean "free".
 */
export interface Leases {
  readonly kind: 'postgres' | 'git'
  /** Takes what is free. What the same claim holds already is given again, and renewed. */
  take(name: LeaseName, owner: LeaseOwner, ttlMs: number): Promise<LeaseAttempt>
  /** Takes it from the holder that was seen with this token; somebody quicker keeps it. */
  takeOver(name: LeaseName, owner: LeaseOwner, ttlMs: number, seen: number): Promise<LeaseAttempt>
  /** False: it is somebody else's now, or gone. */
  holds(name: LeaseName, grip: LeaseHandle): Promise<boolean>
  /** Prolongs it; false as above. */
  renew(name: LeaseName, grip: LeaseHandle, ttlMs: number): Promise<boolean>
  /** False: it was not ours any more. */
  release(name: LeaseName, grip: LeaseHandle): Promise<boolean>
  find(name: LeaseName): Promise<HeldLease | undefined>
  /** Every hold in a repository. */
  list(name: Pick<LeaseName, 'repository' | 'folder'>): Promise<HeldLease[]>
}
