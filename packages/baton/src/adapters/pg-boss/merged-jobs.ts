import { MergedJob } from '@batonpass/contract/fleet'
import type { Db, PgBoss } from 'pg-boss'

/** A queue from which nothing is fetched: pg-boss keeps one row for each issue that was merged, and deletes old ones. */
const MERGED = 'merged'
const KEPT_SECONDS = 30 * 24 * 60 * 60

/** What the fleet merged, for its figures. */
export const mergedJobs = (boss: Pick<PgBoss, 'createQueue' | 'findJobs' | 'send'>) => ({
  create: () => boss.createQueue(MERGED, { retentionSeconds: KEPT_SECONDS }),
  async put(job: MergedJob, db: Db): Promise<void> {
    await boss.send(MERGED, job, { db })
  },
  async all(): Promise<MergedJob[]> {
    const rows = await boss.findJobs(MERGED, { queued: true })
    return rows
      .flatMap(({ data }) => MergedJob.safeParse(data).data ?? [])
      .sort((a, b) => a.mergedAt.localeCompare(b.mergedAt))
  },
})
