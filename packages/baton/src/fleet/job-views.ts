import type { JobView } from '@batonpass/contract/fleet'
import type { QueuedJob } from '../ports/job-queue.ts'
import { type JobRecord, jobKey } from './job-record.ts'

/** The queue and this machine's own records as one list: what is worked on first, then what waits. */
export function jobViews(jobs: readonly QueuedJob[], records: readonly JobRecord[]): JobView[] {
  const byKey = new Map(records.map(record => [jobKey(record.data), record]))
  const queued = jobs.map(job => viewOf(job, byKey.get(jobKey(job.data))))
  const known = new Set(jobs.map(({ data }) => jobKey(data)))
  const reviewed = records.filter(record => !known.has(jobKey(record.data)) && record.stage !== 'waiting')
  return [...queued, ...reviewed.map(viewOfRecord)].sort(
    (a, b) =>
      ORDER[a.state] - ORDER[b.state] || b.priority - a.priority || a.addedAt.localeCompare(b.addedAt),
  )
}

const ORDER = { working: 0, review: 1, waiting: 2, failed: 3 }

function viewOf(job: QueuedJob, record: JobRecord | undefined): JobView {
  const { id, data, state, failures, addedAt, notBefore, evidence } = job
  const { repository, project, issue, priority, agent } = data
  const isOurs = record?.job === id
  const reason = state === 'active' ? (isOurs ? record.note : undefined) : (evidence?.reason ?? record?.note)
  return {
    id,
    ...{ repository, project, issue, priority, failures },
    state: state === 'active' ? 'working' : state,
    addedAt: new Date(addedAt).toISOString(),
    ...(notBefore > addedAt && state === 'waiting' ? { notBefore: new Date(notBefore).toISOString() } : {}),
    ...((record?.agent ?? agent) ? { agent: record?.agent ?? agent } : {}),
    ...(record ? { clone: record.clone } : {}),
    ...(isOurs && record.terminal ? { terminal: record.terminal } : {}),
    ...(reason ? { reason } : {}),
    ...(evidence ? { evidence } : {}),
  }
}

/** The job is done for the queue; this machine follows its pull request. */
function viewOfRecord({ job, data, agent, clone, terminal, takenAt, pull, stage }: JobRecord): JobView {
  const { repository, project, issue, priority } = data
  return {
    id: job,
    ...{ repository, project, issue, priority, agent, clone, failures: 0 },
    state: stage === 'review' ? 'review' : 'working',
    addedAt: new Date(takenAt).toISOString(),
    ...(terminal ? { terminal } : {}),
    ...(pull ? { pullRequest: pull.url } : {}),
  }
}
