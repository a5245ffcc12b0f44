import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeyedQueue } from '../../src/session/keyed-queue.ts'

const lanes = ['a', 'b', 'c'] as const
const anyJobs = fc.array(fc.record({ lane: fc.constantFrom(...lanes), fails: fc.boolean() }), {
  maxLength: 12,
})

describe('turns', () => {
  it('run the work of one lane in its order, one at a time, whatever fails', async () => {
    await fc.assert(
      fc.asyncProperty(anyJobs, fc.scheduler(), async (jobs, scheduler) => {
        const queue = new KeyedQueue()
        const began: Record<string, number[]> = { a: [], b: [], c: [] }
        const running = new Set<string>()
        const results = jobs.map(({ lane, fails }, i) =>
          queue.run(lane, async () => {
            expect(running.has(lane)).toBe(false)
            running.add(lane)
            began[lane]?.push(i)
            await scheduler.schedule(Promise.resolve(), `job ${i}`)
            running.delete(lane)
            if (fails) throw new Error(`job ${i}`)
            return i
          }),
        )
        const settled = Promise.allSettled(results)
        await scheduler.waitFor(settled)
        for (const lane of lanes)
          expect(began[lane]).toEqual(jobs.flatMap((job, i) => (job.lane === lane ? [i] : [])))
        for (const [i, result] of (await settled).entries())
          expect(result.status).toBe(jobs[i]?.fails ? 'rejected' : 'fulfilled')
      }),
    )
  })

  it('run different lanes at once: a lane that waits holds up no other', async () => {
    const queue = new KeyedQueue()
    const { promise, resolve } = Promise.withResolvers<string>()
    const waiting = queue.run('a', () => promise)
    await expect(queue.run('b', async () => 'done')).resolves.toBe('done')
    resolve('late')
    await expect(waiting).resolves.toBe('late')
  })

  it('hold the queue against work that throws at once', async () => {
    const queue = new KeyedQueue()
    const failing = queue.run('a', () => {
      throw new Error('at once')
    })
    const next = queue.run('a', async () => 'next')
    await expect(failing).rejects.toThrow('at once')
    await expect(next).resolves.toBe('next')
  })

  it('forget a lane when its work has ended, and are idle when all has', async () => {
    await fc.assert(
      fc.asyncProperty(anyJobs, async jobs => {
        const queue = new KeyedQueue()
        let ended = 0
        for (const { lane, fails } of jobs) {
          const job = queue.run(lane, async () => {
            ended++
            if (fails) throw new Error('failed')
          })
          job.catch(() => {})
        }
        await queue.idle()
        expect(ended).toBe(jobs.length)
        for (const lane of lanes) expect(queue.has(lane)).toBe(false)
      }),
    )
  })
})
