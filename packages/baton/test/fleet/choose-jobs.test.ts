import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AGEING_MS, chooseAgent, chooseJobs, type WaitingJob } from '../../src/fleet/choose-jobs.ts'

const NOW = 1_800_000_000_000
const repository = fc.constantFrom('h/a/one', 'h/a/two', 'h/b/three')
const waiting = fc
  .array(
    fc.record({
      repository,
      issue: fc.integer({ min: 1, max: 999 }),
      priority: fc.integer({ min: -100, max: 100 }),
      addedAt: fc.integer({ min: NOW - 100 * AGEING_MS, max: NOW }),
      notBefore: fc.integer({ min: NOW - 1000, max: NOW + 1000 }),
    }),
    { maxLength: 30 },
  )
  .map(jobs => jobs.map((job, at): WaitingJob => ({ ...job, id: `job-${at}` })))
const load = fc.record({
  slots: fc.integer({ min: 1, max: 8 }),
  perRepository: fc.integer({ min: 1, max: 4 }),
  working: fc.array(fc.record({ repository }), { maxLength: 8 }),
  waiting,
  now: fc.constant(NOW),
})

describe('the choice of jobs', () => {
  test('never fills more than the slots, nor a repository beyond its limit, and takes no job twice', () => {
    fc.assert(
      fc.property(load, given => {
        const chosen = chooseJobs(given)
        expect(given.working.length + chosen.length).toBeLessThanOrEqual(
          Math.max(given.slots, given.working.length),
        )
        for (const name of new Set(chosen.map(job => job.repository))) {
          const before = given.working.filter(job => job.repository === name).length
          const added = chosen.filter(job => job.repository === name).length
          expect(before + added).toBeLessThanOrEqual(given.perRepository)
        }
        expect(new Set(chosen.map(({ id }) => id)).size).toBe(chosen.length)
        for (const job of chosen) expect(job.notBefore).toBeLessThanOrEqual(NOW)
      }),
    )
  })

  test('leaves no slot free while a job could use it', () => {
    fc.assert(
      fc.property(load, given => {
        const chosen = chooseJobs(given)
        if (given.working.length + chosen.length >= given.slots) return
        const now = [...given.working, ...chosen]
        for (const job of given.waiting.filter(each => !chosen.includes(each) && each.notBefore <= NOW))
          expect(now.filter(each => each.repository === job.repository).length).toBeGreaterThanOrEqual(
            given.perRepository,
          )
      }),
    )
  })

  test('of two jobs of one repository that were added at the same time, takes the one with the higher priority', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 99 }), fc.integer({ min: 1, max: 10 }), (priority, more) => {
        const job = { repository: 'h/a/one', issue: 1, addedAt: NOW, notBefore: NOW }
        const jobs = [
          { ...job, id: 'low', priority },
          { ...job, id: 'high', priority: Math.min(100, priority + more) },
        ]
        const [first] = chooseJobs({ slots: 1, perRepository: 1, working: [], waiting: jobs, now: NOW })
        expect(first?.id).toBe('high')
      }),
    )
  })

  test('does not depend on the order in which the jobs are listed', () => {
    fc.assert(
      fc.property(load, given => {
        const turned = { ...given, waiting: given.waiting.toReversed() }
        expect(chooseJobs(turned)).toEqual(chooseJobs(given))
      }),
    )
  })

  test('starves no job: no job that was added 34 hours later goes first, however urgent it is', () => {
    const patient: WaitingJob = {
      ...{ id: 'patient', repository: 'h/a/one', issue: 1, priority: -100 },
      ...{ addedAt: NOW, notBefore: NOW },
    }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 }), (slots, perStep) => {
        let queue = [patient]
        // In each step all running jobs end and new urgent ones arrive, perhaps more than there are slots.
        for (let step = 0; step < 300; step++) {
          const now = NOW + step * AGEING_MS
          for (let i = 0; i < perStep; i++)
            queue.push({ ...patient, id: `urgent-${step}-${i}`, priority: 100, addedAt: now, notBefore: now })
          const chosen = chooseJobs({ slots, perRepository: slots, working: [], waiting: queue, now })
          if (chosen.includes(patient)) return
          for (const { addedAt } of chosen) expect(addedAt).toBeLessThan(NOW + 34 * 60 * 60_000)
          queue = queue.filter(job => !chosen.includes(job))
        }
        // With more work than slots it still waits, behind jobs that were added before that.
        expect(perStep).toBeGreaterThanOrEqual(slots)
      }),
      { numRuns: 30 },
    )
  })

  test('gives the next job to the agent with the fewest', () => {
    expect(chooseAgent(['claude-code', 'codex'], [])).toBe('claude-code')
    expect(chooseAgent(['claude-code', 'codex'], [{ agent: 'claude-code' }])).toBe('codex')
    expect(chooseAgent(['claude-code', 'codex'], [{ agent: 'claude-code' }, { agent: 'codex' }])).toBe(
      'claude-code',
    )
  })
})
