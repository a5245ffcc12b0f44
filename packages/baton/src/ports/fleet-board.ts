/** Longer texts are neither published nor read: bytes, as the database counts them. */
export const MAX_TEXT = 256 * 1024
export const MAX_SIGNATURE = 200

/** A text with the signature of a machine's key. Every machine checks it: those who can write to the database are not trusted. */
export interface SignedText {
  text: string
  signature: string
}

export interface NumberedText extends SignedText {
  seq: number
}

/** An ask as its machine published it. */
export interface PublishedText extends SignedText {
  ask: string
  isOpen: boolean
}

/**
 * What the machines of a fleet show each other in the database they share. Its contents may be forged, reordered or missing.
 * Failures are BatonErrors.
 */
export interface FleetBoard {
  /** Adds a statement. Numbers become visible in their order. */
  append(fleet: string, statement: SignedText): Promise<void>
  /** Adds the first statement of a fleet. False: there is a fleet already. */
  found(fleet: string, statement: SignedText): Promise<boolean>
  hasFleet(): Promise<boolean>
  /** Statements of a fleet with a higher number, in their order; at most a page of them. */
  statements(fleet: string, after: number): Promise<NumberedText[]>
  putAsk(fleet: string, machine: string, ask: PublishedText): Promise<void>
  /** One ask, or all that are open. */
  asks(fleet: string, ask?: string): Promise<PublishedText[]>
  /** Deletes what a machine published about asks that ended more than a day ago. */
  tidyAsks(fleet: string, machine: string): Promise<void>
  close(): Promise<void>
}
