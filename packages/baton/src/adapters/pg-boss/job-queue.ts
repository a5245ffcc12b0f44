import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BatonError } from '@batonpass/contract/errors'
import { JobData, JobEvidence } from '@batonpass/contract/fleet'
import type { Db, JobWithMetadata } from 'pg-boss'
import type { JobQueue, QueuedJob } from '../../ports/job-queue.ts'
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
  const merged = mergedJobs(queue)
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
    await merged.create()
  } catch (cause) {
    await pool.end().catch(() => {})
    throw failure(cause)
  }

  /** Several steps of pg-boss as one. */
  async function transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch(cause => {
      throw failure(cause)
    })
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
  const find = async (id: string, db?: Db) =>
    (await queue.findJobs(QUEUE, { id, ...(db ? { db } : {}) })).map(jobOf)[0]
  const send = (data: JobData, db: Db, startAfter = 0) =>
    queue.send(QUEUE, data, {
      db,
      singletonKey: keyOf(data),
      priority: data.priority,
      group: { id: data.repository },
      startAfter,
    })

  const progress = jobProgress(queue)

  return {
    add: data =>
      transaction(async db => {
        const id = await send(data, db)
        return id ? find(id, db) : undefined
      }),
    async list() {
      const jobs = await queue.findJobs(QUEUE).catch(cause => {
        throw failure(cause)
      })
      return jobs.flatMap(job => jobOf(job) ?? [])
    },
    take: (id, machine, perRepository) =>
      transaction(async db => {
        const job = await find(id, db)
        if (job?.state !== 'waiting') return undefined
        // pg-boss takes the most urgent job: this makes it the one that Baton chose, and notes who takes it.
        await queue.update(QUEUE, { ...job.data, machine }, { id, priority: CHOSEN, db })
        const options = { db, minPriority: CHOSEN, groupConcurrency: perRepository }
        const [taken] = await queue.fetch(QUEUE, options)
        if (taken) {
          await progress.take(job.data, machine, db)
          return find(taken.id, db)
        }
        await queue.update(QUEUE, job.data, { id, priority: job.data.priority, db })
        return undefined
      }),
    async complete(id) {
      await transaction(async db => {
        if ((await find(id, db))?.state === 'active') await queue.complete(QUEUE, id, null, { db })
      })
    },
    fail: (id, evidence) =>
      transaction(async db => {
        // Only once: the daemon may have been killed after it reported the failure.
        if ((await find(id, db))?.state === 'active') await queue.fail(QUEUE, id, evidence, { db })
        const job = await find(id, db)
        if (job?.state !== 'waiting') return 'failed'
        const { machine: _, ...data } = job.data
        await queue.update(QUEUE, data, { id, priority: data.priority, db })
        return 'waiting'
      }),
    putBack: (id, delaySeconds, evidence) =>
      transaction(async db => {
        const job = await find(id, db)
        if (job?.state !== 'active') return undefined
        const { machine: _, ...data } = job.data
        await queue.complete(QUEUE, id, evidence, { db })
        return (await send(data, db, delaySeconds)) ?? undefined
      }),
    async retry(id) {
      await transaction(async db => {
        await queue.retry(QUEUE, id, { db })
        const job = await find(id, db)
        if (!job) return
        const { machine: _, ...data } = job.data
        await queue.update(QUEUE, data, { id, priority: data.priority, startAfter: 0, db })
      })
    },
    async remove(id) {
      await transaction(db => queue.deleteJob(QUEUE, id, { db }))
    },
    progress: () =>
      progress.all().catch(cause => {
        throw failure(cause)
      }),
    saveProgress: next => transaction(db => progress.save(next, db)),
    async dropProgress(data, machine, job) {
      await transaction(async db => {
        const isDropped = await progress.drop(data, machine, db)
        if (isDropped && job) await merged.put(job, db)
      })
    },
    merged: () =>
      merged.all().catch(cause => {
        throw failure(cause)
      }),
    reclaim: (data, from, evidence) =>
      transaction(async db => {
        const known = await progress.locked(data, db)
        if (known?.machine !== from) return false
        await progress.put({ ...known, machine: '' }, db)
        const jobs = await queue.findJobs(QUEUE, { key: keyOf(data), db })
        const active = jobs.map(jobOf).find(job => job?.state === 'active' && job.data.machine === from)
        if (active) await queue.complete(QUEUE, active.id, evidence, { db })
        else if (!known.isInReview) return false
        const { machine: _, ...again } = active?.data ?? known.data
        return (await send(again, db)) !== null
      }),
    async close() {
      await queue.stop({ graceful: false }).catch(() => {})
      await pool.end().catch(() => {})
    },
  }
}

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
