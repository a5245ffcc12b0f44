import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { openJobQueue } from '../../packages/baton/src/adapters/pg-boss/job-queue.ts'
import { findQueuePackages } from '../../packages/baton/src/adapters/pg-boss/queue-packages.ts'
import type { JobQueue } from '../../packages/baton/src/ports/job-queue.ts'
import { postgres } from '../../packages/baton/test/world/postgres.ts'

/** How long the agent of a bench thinks about an issue. */
const THINK_MS = 100
const JOBS_OF_WORKER = 60
const REPOSITORIES = 20

export interface QueueRate {
  workers: number
  jobs: number
  'jobs per second': number
  'of what thinking allows, %': number
  'operations per second': number
}

/** Workers, each with a connection of its own to a real PostgreSQL, list the queue, take a job, think and complete it. */
export async function measureQueue(counts: readonly number[]): Promise<QueueRate[]> {
  await using server = await postgres()
  const rates: QueueRate[] = []
  for (const workers of counts) {
    const url = await server.database()
    const boss = findQueuePackages('/nowhere')?.boss ?? ''
    const queues: JobQueue[] = []
    for (let nth = 0; nth < workers; nth++) queues.push(await openJobQueue(url, boss))
    const jobs = workers * JOBS_OF_WORKER
    for (let issue = 1; issue <= jobs; issue++) {
      const repository = `github.com/acme/app${issue % REPOSITORIES}`
      await queues[0]?.add({ repository, project: '/work/app', issue, priority: 0 })
    }
    let operations = 0
    const began = performance.now()
    const work = async (queue: JobQueue, machine: string) => {
      for (;;) {
        const waiting = (await queue.list()).filter(({ state }) => state === 'waiting')
        operations++
        if (waiting.length === 0) return
        const wanted = waiting[Math.floor(Math.random() * waiting.length)]
        const taken = await queue.take(wanted?.id ?? '', machine, jobs)
        operations++
        if (!taken) continue
        await pause(THINK_MS)
        await queue.complete(taken.id)
        operations++
      }
    }
    await Promise.all(queues.map((queue, nth) => work(queue, `m${nth}`)))
    const seconds = (performance.now() - began) / 1000
    for (const queue of queues) await queue.close()
    rates.push({
      workers,
      jobs,
      'jobs per second': rounded(jobs / seconds),
      'of what thinking allows, %': Math.round((jobs / seconds / ((workers * 1000) / THINK_MS)) * 100),
      'operations per second': Math.round(operations / seconds),
    })
  }
  return rates
}

const rounded = (value: number): number => Math.round(value * 10) / 10
