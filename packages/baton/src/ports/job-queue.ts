import type { JobData, JobEvidence } from '@batonpass/contract/fleet'

/** A job as the queue keeps it. */
export interface QueuedJob {
  id: string
  data: JobData
  state: 'waiting' | 'active' | 'failed'
  failures: number
  /** Milliseconds since the epoch, by the database's clock. */
  addedAt: number
  notBefore: number
  evidence?: JobEvidence | undefined
}

/** Jobs in PostgreSQL. Failures are BatonError `database_failed`. */
export interface JobQueue {
  /** Undefined if the issue is in the queue already, or an agent works on it. */
  add(data: JobData): Promise<QueuedJob | undefined>
  /** Jobs that wait, are taken, or failed for good. */
  list(): Promise<QueuedJob[]>
  /** Takes a waiting job for a machine; undefined if it is gone or the limit is reached. Survives a crash: `list` shows who took it. */
  take(id: string, machine: string, perRepository: number): Promise<QueuedJob | undefined>
  complete(id: string): Promise<void>
  /** Counts a failure. `failed`: that was the last attempt. */
  fail(id: string, evidence: JobEvidence): Promise<'waiting' | 'failed'>
  /** Puts a taken job back without counting a failure. Returns its new id. */
  putBack(id: string, delaySeconds: number, evidence: JobEvidence): Promise<string | undefined>
  /** Lets a job that failed for good start again. */
  retry(id: string): Promise<void>
  remove(id: string): Promise<void>
  close(): Promise<void>
}
