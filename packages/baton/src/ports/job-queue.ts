import type { JobData, JobEvidence, MergedJob } from '@batonpass/contract/fleet'

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

/**
 * What a machine left in the database about an issue it took, so that another one can resume. It stays until the issue is
 * merged or removed, also when the queue has done its part.
 */
export interface JobProgress {
  data: JobData
  /** The machine that has the issue; empty: it vanished, and the issue is free. */
  machine: string
  /** The claim with which that machine, or the one before it, holds the issue. */
  claim?: string | undefined
  /** The newest verified handoff document. */
  handoff?: { name: string; text: string } | undefined
  /** The pull request is open. */
  isInReview: boolean
  /** A person removed the issue on another machine: this one ends its agent, releases its claim and forgets it. */
  isRemoved?: boolean | undefined
}

/** Jobs in PostgreSQL. Failures are BatonError `database_failed`. */
export interface JobQueue {
  /** Undefined if the issue is in the queue already, or an agent works on it. */
  add(data: JobData): Promise<QueuedJob | undefined>
  /** Jobs that wait, are taken, or failed permanently. */
  list(): Promise<QueuedJob[]>
  /**
   * Takes a waiting job for a machine; undefined if it is gone or the limit is reached. Survives a crash: `list` shows who
   * took it. The progress belongs to that machine from now on, with the contents that the machine before it left.
   */
  take(id: string, machine: string, perRepository: number): Promise<QueuedJob | undefined>
  complete(id: string): Promise<void>
  /** Counts a failure. `failed`: that was the last attempt. */
  fail(id: string, evidence: JobEvidence): Promise<'waiting' | 'failed'>
  /** Puts a taken job back without counting a failure. Returns its new id. */
  putBack(id: string, delaySeconds: number, evidence: JobEvidence): Promise<string | undefined>
  /** Lets a job that failed permanently start again. */
  retry(id: string): Promise<void>
  remove(id: string): Promise<void>
  progress(): Promise<JobProgress[]>
  /**
   * Stores what `progress.machine` reached. False: another machine has the issue now, or merged it: what is gone comes back
   * only for an open pull request. That an issue was removed stays until a machine takes it again.
   */
  saveProgress(progress: JobProgress): Promise<boolean>
  /** The issue is merged (then `merged` says when) or given up. Does nothing if another machine has it now. */
  dropProgress(
    data: Pick<JobData, 'repository' | 'issue'>,
    machine: string,
    merged?: MergedJob,
  ): Promise<void>
  /** What was merged in the last 30 days, the oldest first. */
  merged(): Promise<MergedJob[]>
  /**
   * Puts what a vanished machine has back into the queue, whether an agent worked on it or its pull request was open, without
   * counting a failure. False: it has ended, or another machine was faster.
   */
  reclaim(data: Pick<JobData, 'repository' | 'issue'>, from: string, evidence: JobEvidence): Promise<boolean>
  close(): Promise<void>
}
