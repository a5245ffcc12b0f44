import { BatonError } from '@batonpass/contract/errors'
import type { JobData, JobView, QueueAdd } from '@batonpass/contract/fleet'
import type { JobProgress, QueuedJob } from '../ports/job-queue.ts'
import type { FleetView } from './fleet-view.ts'
import { aboutJob } from './job-follower.ts'
import { jobKey } from './job-record.ts'
import type { FleetPorts } from './ports.ts'

/** What people change in the queue. */
export class QueueChanges {
  readonly #ports: FleetPorts
  readonly #view: FleetView

  constructor(ports: FleetPorts, view: FleetView) {
    this.#ports = ports
    this.#view = view
  }

  /** This machine may work on the issues of the project's repository. */
  async addProject(project: string): Promise<string> {
    const repository = await this.#ports.repositoryOf(project)
    await this.#ports.settings.addProject(repository, project)
    return repository
  }

  /** Adds an issue, with its labels if the caller knows them. */
  async add(
    { project, issue, priority, agent }: QueueAdd,
    known?: { labels: string[] },
  ): Promise<{ job: JobView; fresh: boolean }> {
    const repository = await this.addProject(project)
    const labels = known?.labels ?? (await this.#ports.labelsOf(project, issue))
    const data: JobData = {
      ...{ repository, project, issue, priority },
      addedAt: new Date(this.#ports.clock.now()).toISOString(),
      ...(agent ? { agent } : {}),
      ...(labels.length > 0 ? { labels } : {}),
    }
    const queue = await this.#ports.queue()
    const isIt = (view: JobView) => jobKey(view) === jobKey(data)
    const there = (await this.#view.look()).views.find(isIt)
    if (there) return { job: there, fresh: false }
    const added = await queue.add(data)
    if (added) await this.#ports.journal({ what: 'added', ...aboutJob(added) })
    const view = (await this.#view.look()).views.find(isIt)
    if (!view) throw new BatonError('internal', `Issue #${issue} was added, but the queue does not show it`)
    return { job: view, fresh: added !== undefined }
  }

  /** Lets a job that failed twice start again, in the clone it has. */
  async retry(project: string, issue: number): Promise<JobView> {
    const { job, view } = await this.#find(project, issue)
    if (view.state !== 'failed' || !job)
      throw new BatonError('usage', `Issue #${issue} did not fail: it is ${view.state}`, {
        remedy: 'See `baton queue`.',
      })
    await (await this.#ports.queue()).retry(job.id)
    await this.#ports.journal({ what: 'retried', ...aboutJob(job) })
    return (await this.#find(project, issue)).view
  }

  /** Takes an issue out of the queue: ends its agent, releases the claim, and deletes the clone unless work would be lost. */
  async remove(project: string, issue: number): Promise<{ job: JobView; note?: string }> {
    const { job, view, progress } = await this.#find(project, issue)
    await this.#ports.sources.dismiss(view)
    const queue = await this.#ports.queue()
    if (job) await queue.remove(job.id)
    const record = await this.#ports.records.of(view)
    const row = progress.find(each => jobKey(each.data) === jobKey(view))
    const { machine } = await this.#ports.settings.read()
    // Another machine has its clone, its agent and its claim: that one forgets it.
    const isElsewhere = this.#ports.machines !== undefined && row?.machine !== '' && row?.machine !== machine
    if (row && isElsewhere) await queue.saveProgress({ ...row, isRemoved: true })
    else if (row) await queue.dropProgress(view, row.machine)
    await this.#ports.journal({ what: 'removed', repository: view.repository, issue })
    if (!record) return { job: view }
    if (record.terminal) await this.#ports.endAgent(record.terminal)
    await this.#ports
      .releaseClaim(record.clone, issue, 'removed from the queue')
      .catch(cause => this.#ports.fault(`releasing the claim of #${issue}`, cause))
    const left = await this.#ports.clones.remove(record)
    await this.#ports.records.remove(record)
    return { job: view, ...(left === 'removed' ? {} : { note: `${record.clone} stays: ${left.kept}` }) }
  }

  async #find(
    project: string,
    issue: number,
  ): Promise<{ view: JobView; job: QueuedJob | undefined; progress: JobProgress[] }> {
    const repository = await this.#ports.repositoryOf(project)
    const { jobs, views, progress } = await this.#view.look()
    const key = jobKey({ repository, issue })
    const view = views.find(each => jobKey(each) === key)
    if (!view)
      throw new BatonError('not_found', `Issue #${issue} of ${repository} is not in the queue`, {
        remedy: 'See `baton queue`.',
      })
    return { view, progress, job: jobs.find(({ data }) => jobKey(data) === key) }
  }
}
