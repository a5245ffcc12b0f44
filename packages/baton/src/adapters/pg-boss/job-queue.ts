import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BatonError } from '@batonpass/contract/errors'
import { JobData, JobEvidence, type MergedJob } from '@batonpass/contract/fleet'
import type { Pool } from 'pg'
import type { Db, JobWithMetadata, PgBoss } from 'pg-boss'
import type { JobProgress, JobQueue, QueuedJob } from '../../ports/job-queue.ts'
import { jobProgress, keyOf, PROGRESS } from './job-progress.ts'
import { mergedJobs } from './merged-jobs.ts'

const QUEUE = 'issues'
const SCHEMA = 'baton_fleet'
/** pg-boss's own limit is one day. A job that an agent works on for longer counts as failed once. */
const EXPIRE_SECONDS = 24 * 60 * 60 - 60
const YEAR_SECONDS = 365 * 24 * 60 * 60
/** Higher than any priority of a person: the job that Baton chose. */
const CHOSEN = 1_000_000

/** The queue, kept by pg-boss (docs/decisions/0014-pg-boss.md). `boss` is the folder of the package. */
export async function openJobQueue(url: string, boss: string): Promise<JobQueue> {
  const [{ default: pg }, { PgBoss }] = await Promise.all([
    import('pg'),
    import(pathToFileURL(join(boss, 'dist', 'index.js')).href) as Promise<typeof import('pg-boss')>,
  ])
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    application_name: 'baton-fleet',
    connectionTimeoutMillis: 5000,
    query_timeout: 30_000,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  // Without this listener, a broken idle connection would end the process.
  pool.on('error', () => {})
  const db: Db = { executeSql: (text, values) => pool.query(text, values) }
  const queue = new PgBoss({ db, schema: SCHEMA, schedule: false, supervise: true })
  queue.on('error', () => {})
  try {
    await queue.start()
    await queue.createQueue(QUEUE, {
      policy: 'exclusive',
      retryLimit: 1,
      retryDelay: 5,
      expireInSeconds: EXPIRE_SECONDS,
      retentionSeconds: YEAR_SECONDS,
      deleteAfterSeconds: 30 * 24 * 60 * 60,
    })
    await queue.createQueue(PROGRESS, { policy: 'exclusive', retentionSeconds: YEAR_SECONDS })
    await mergedJobs(queue).create()
  } catch (cause) {
    await pool.end().catch(() => {})
    throw failure(cause)
  }
  return new BossQueue(pool, queue)
}

type IssueName = Pick<JobData, 'repository' | 'issue'>

class BossQueue implements JobQueue {
  readonly #pool: Pool
  readonly #boss: PgBoss
  readonly #progress: ReturnType<typeof jobProgress>
  readonly #merged: ReturnType<typeof mergedJobs>

  constructor(pool: Pool, boss: PgBoss) {
    this.#pool = pool
    this.#boss = boss
    this.#progress = jobProgress(boss)
    this.#merged = mergedJobs(boss)
  }

  add(data: JobData): Promise<QueuedJob | undefined> {
    return this.#transaction(async db => {
      const id = await this.#send(data, db)
      return id ? this.#find(id, db) : undefined
    })
  }

  async list(): Promise<QueuedJob[]> {
    const jobs = await orFailure(this.#boss.findJobs(QUEUE))
    return jobs.flatMap(job => jobOf(job) ?? [])
  }

  take(id: string, machine: string, perRepository: number): Promise<QueuedJob | undefined> {
    return this.#transaction(async db => {
      const job = await this.#find(id, db)
      if (job?.state !== 'waiting') return undefined
      // pg-boss takes the most urgent job: this makes it the one that Baton chose, and notes who takes it.
      await this.#boss.update(QUEUE, { ...job.data, machine }, { id, priority: CHOSEN, db })
      const options = { db, minPriority: CHOSEN, groupConcurrency: perRepository }
      const [taken] = await this.#boss.fetch(QUEUE, options)
      if (taken) {
        await this.#progress.take(job.data, machine, db)
        return this.#find(taken.id, db)
      }
      await this.#boss.update(QUEUE, job.data, { id, priority: job.data.priority, db })
      return undefined
    })
  }

  async complete(id: string): Promise<void> {
    await this.#transaction(async db => {
      if ((await this.#find(id, db))?.state === 'active') await this.#boss.complete(QUEUE, id, null, { db })
    })
  }

  fail(id: string, evidence: JobEvidence): Promise<'waiting' | 'failed'> {
    return this.#transaction(async db => {
      // Only once: the daemon may have been killed after it reported the failure.
      if ((await this.#find(id, db))?.state === 'active') await this.#boss.fail(QUEUE, id, evidence, { db })
      const job = await this.#find(id, db)
      if (job?.state !== 'waiting') return 'failed'
      const data = ofNoMachine(job.data)
      await this.#boss.update(QUEUE, data, { id, priority: data.priority, db })
      return 'waiting'
    })
  }

  putBack(id: string, delaySeconds: number, evidence: JobEvidence): Promise<string | undefined> {
    return this.#transaction(async db => {
      const job = await this.#find(id, db)
      if (job?.state !== 'active') return undefined
      await this.#boss.complete(QUEUE, id, evidence, { db })
      return (await this.#send(ofNoMachine(job.data), db, delaySeconds)) ?? undefined
    })
  }

  async retry(id: string): Promise<void> {
    await this.#transaction(async db => {
      await this.#boss.retry(QUEUE, id, { db })
      const job = await this.#find(id, db)
      if (!job) return
      const data = ofNoMachine(job.data)
      await this.#boss.update(QUEUE, data, { id, priority: data.priority, startAfter: 0, db })
    })
  }

  async remove(id: string): Promise<void> {
    await this.#transaction(db => this.#boss.deleteJob(QUEUE, id, { db }))
  }

  progress(): Promise<JobProgress[]> {
    return orFailure(this.#progress.all())
  }

  saveProgress(next: JobProgress): Promise<boolean> {
    return this.#transaction(db => this.#progress.save(next, db))
  }

  async dropProgress(data: IssueName, machine: string, job?: MergedJob): Promise<void> {
    await this.#transaction(async db => {
      const isDropped = await this.#progress.drop(data, machine, db)
      if (isDropped && job) await this.#merged.put(job, db)
    })
  }

  merged(): Promise<MergedJob[]> {
    return orFailure(this.#merged.all())
  }

  reclaim(data: IssueName, from: string, evidence: JobEvidence): Promise<boolean> {
    return this.#transaction(async db => {
      const known = await this.#progress.locked(data, db)
      if (known?.machine !== from) return false
      await this.#progress.put({ ...known, machine: '' }, db)
      const jobs = await this.#boss.findJobs(QUEUE, { key: keyOf(data), db })
      const active = jobs.map(jobOf).find(job => job?.state === 'active' && job.data.machine === from)
      if (active) await this.#boss.complete(QUEUE, active.id, evidence, { db })
      else if (!known.isInReview) return false
      return (await this.#send(ofNoMachine(active?.data ?? known.data), db)) !== null
    })
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false }).catch(() => {})
    await this.#pool.end().catch(() => {})
  }

  /** Several steps of pg-boss as one. */
  async #transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const client = await orFailure(this.#pool.connect())
    try {
      await client.query('begin')
      const result = await work({ executeSql: (text, values) => client.query(text, values) })
      await client.query('commit')
      return result
    } catch (cause) {
      await client.query('rollback').catch(() => {})
      throw failure(cause)
    } finally {
      client.release()
    }
  }

  async #find(id: string, db: Db): Promise<QueuedJob | undefined> {
    return (await this.#boss.findJobs(QUEUE, { id, db })).map(jobOf)[0]
  }

  #send(data: JobData, db: Db, startAfter = 0): Promise<string | null> {
    return this.#boss.send(QUEUE, data, {
      db,
      singletonKey: keyOf(data),
      priority: data.priority,
      group: { id: data.repository },
      startAfter,
    })
  }
}

const ofNoMachine = ({ machine: _, ...data }: JobData): JobData => data

/** A row of pg-boss as a job; undefined if it is over, or its content is not ours. */
function jobOf(row: JobWithMetadata<unknown>): QueuedJob | undefined {
  const data = JobData.safeParse(row.data)
  const state =
    row.state === 'created' || row.state === 'retry'
      ? 'waiting'
      : row.state === 'active' || row.state === 'failed'
        ? row.state
        : undefined
  if (!data.success || !state) return undefined
  const { retryCount } = row as JobWithMetadata<unknown> & { retryCount?: number }
  return {
    id: row.id,
    data: data.data,
    state,
    // pg-boss counts an attempt when it begins.
    failures: (retryCount ?? 0) + (row.state === 'failed' || row.state === 'retry' ? 1 : 0),
    addedAt: row.createdOn.getTime(),
    notBefore: row.startAfter.getTime(),
    evidence: JobEvidence.safeParse(row.output).data,
  }
}

function failure(cause: unknown): BatonError {
  if (cause instanceof BatonError) return cause
  const why = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new BatonError('database_failed', `The queue's database failed: ${why}`, {
    cause,
    remedy: 'Baton tries again by itself. If it lasts, check fleet.postgres.',
  })
}

const orFailure = <T>(work: Promise<T>): Promise<T> =>
  work.catch(cause => {
    throw failure(cause)
  })
