import { JobData } from '@batonpass/contract/fleet'
import type { Db, PgBoss } from 'pg-boss'
import { z } from 'zod'
import type { JobProgress } from '../../ports/job-queue.ts'

/** A queue from which nothing is fetched: pg-boss keeps one row for each issue that a machine has. */
export const PROGRESS = 'progress'

type IssueName = Pick<JobData, 'repository' | 'issue'>
export const keyOf = ({ repository, issue }: IssueName): string => `${repository}#${issue}`

const Stored: z.ZodType<JobProgress> = z.object({
  data: JobData,
  machine: z.string(),
  claim: z.string().optional(),
  handoff: z.object({ name: z.string(), text: z.string() }).optional(),
  isInReview: z.boolean(),
  isRemoved: z.boolean().optional(),
})

/** What machines left about the issues they took. Every change waits for the others about the same issue. */
export function jobProgress(boss: Pick<PgBoss, 'findJobs' | 'send' | 'update' | 'deleteJob'>) {
  const rowOf = async (data: IssueName, db: Db) => {
    const rows = await boss.findJobs(PROGRESS, { key: keyOf(data), queued: true, db })
    return rows.flatMap(({ id, data: stored }) => {
      const read = Stored.safeParse(stored)
      return read.success ? [{ id, progress: read.data }] : []
    })[0]
  }
  const lock = (data: IssueName, db: Db) =>
    db.executeSql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`baton ${keyOf(data)}`])

  async function locked(data: IssueName, db: Db): Promise<JobProgress | undefined> {
    await lock(data, db)
    return (await rowOf(data, db))?.progress
  }

  async function put(progress: JobProgress, db: Db): Promise<void> {
    const row = await rowOf(progress.data, db)
    if (row) await boss.update(PROGRESS, progress, { id: row.id, db })
    else await boss.send(PROGRESS, progress, { singletonKey: keyOf(progress.data), db })
  }

  return {
    locked,
    put,
    async all(): Promise<JobProgress[]> {
      const rows = await boss.findJobs(PROGRESS, { queued: true })
      return rows.flatMap(({ data }) => Stored.safeParse(data).data ?? [])
    },
    /** The machine takes what is there; what the one before it left stays until it saves its own. */
    async take(data: JobData, machine: string, db: Db): Promise<void> {
      const known = await locked(data, db)
      await put({ isInReview: false, ...known, data, machine, isRemoved: undefined }, db)
    },
    async save(progress: JobProgress, db: Db): Promise<boolean> {
      const known = await locked(progress.data, db)
      if (known ? known.machine !== progress.machine : !progress.isInReview) return false
      await put({ ...progress, isRemoved: progress.isRemoved || known?.isRemoved }, db)
      return true
    },
    /** False: another machine has the issue, or it is gone. */
    async drop(data: IssueName, machine: string, db: Db): Promise<boolean> {
      await lock(data, db)
      const row = await rowOf(data, db)
      if (row?.progress.machine !== machine) return false
      await boss.deleteJob(PROGRESS, row.id, { db })
      return true
    },
  }
}
