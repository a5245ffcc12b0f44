import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AGEING_MS, chooseAgent, chooseJobs, type WaitingJob } from '../../src/fleet/choose-jobs.ts'

const NOW = 1_800_000_000_000
const repository = fc.constantFrom('h/a/one', 'h/a/two', 'h/b/three')
const labels = fc.constantFrom<string[]>([], ['docs'], ['Docs', 'bug'])
const waiting = fc
  .array(
    fc.record({
      repository,
      issue: fc.integer({ min: 1, max: 999 }),
      priority: fc.integer({ min: -100, max: 100 }),
      addedAt: fc.integer({ min: NOW - 100 * AGEING_MS, max: NOW }),
      notBefore: fc.integer({ min: NOW - 1000, max: NOW + 1000 }),
      labels,
      agent: fc.constantFrom(undefined, 'codex'),
    }),
    { maxLength: 30 },
  )
  .map(jobs => jobs.map((job, at): WaitingJob => ({ ...job, id: `job-${at}` })))
const load = fc.record({
  slots: fc.integer({ min: 1, max: 8 }),
  perRepository: fc.integer({ min: 1, max: 4 }),
  agents: fc.constant(['claude-code', 'codex']),
  limits: fc.constantFrom({}, { 'agent:codex': 1 }, { 'label:docs': 1 }, { 'repository:h/a/one': 0 }),
  exhausted: fc.constantFrom(new Set<string>(), new Set(['claude-code'])),
  working: fc.array(fc.record({ repository, agent: fc.constantFrom('claude-code', 'codex'), labels }), {
    maxLength: 8,
  }),
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
        const all = [...given.working, ...chosen]
        const count = (fits: (job: (typeof all)[number]) => boolean, added = all) => added.filter(fits).length
        for (const name of new Set(chosen.map(job => job.repository))) {
          const limits: Record<string, number> = given.limits
          const most = limits[`repository:${name}`] ?? given.perRepository
          expect(count(job => job.repository === name)).toBeLessThanOrEqual(most)
        }
        const isDocs = ({ labels }: { labels?: readonly string[] | undefined }) =>
          labels?.some(label => label.toLowerCase() === 'docs') ?? false
        if ('label:docs' in given.limits && chosen.some(isDocs)) expect(count(isDocs)).toBeLessThanOrEqual(1)
        const isCodex = ({ agent }: { agent: string }) => agent === 'codex'
        if ('agent:codex' in given.limits && chosen.some(isCodex))
          expect(count(isCodex)).toBeLessThanOrEqual(1)
        for (const { agent } of chosen) expect(given.exhausted).not.toContain(agent)
        expect(new Set(chosen.map(({ id }) => id)).size).toBe(chosen.length)
        for (const job of chosen) expect(job.notBefore).toBeLessThanOrEqual(NOW)
      }),
    )
  })

  test('leaves no slot free while a job could use it', () => {
    fc.assert(
      fc.property(load, given => {
        const open = { ...given, limits: {}, exhausted: new Set<string>() }
        const chosen = chooseJobs(open)
        if (given.working.length + chosen.length >= given.slots) return
        const now = [...given.working, ...chosen]
        const ids = new Set(chosen.map(({ id }) => id))
        for (const job of given.waiting.filter(each => !ids.has(each.id) && each.notBefore <= NOW))
          expect(now.filter(each => each.repository === job.repository).length).toBeGreaterThanOrEqual(
            given.perRepository,
          )
      }),
    )
  })

  test('a label or an agent at its limit, or an agent without quota, does not hold up other jobs', () => {
    const job = { repository: 'h/a/one', issue: 1, priority: 5, addedAt: NOW, notBefore: NOW }
    const waiting = [
      { ...job, id: 'docs-1', labels: ['docs'] },
      { ...job, id: 'docs-2', labels: ['DOCS'] },
      { ...job, id: 'codex', agent: 'codex', priority: 4 },
      { ...job, id: 'other', priority: 3 },
    ]
    const given = {
      slots: 9,
      perRepository: 9,
      agents: ['claude-code', 'codex'],
      working: [],
      waiting,
      now: NOW,
    }
    const chosen = (more: object) =>
      chooseJobs({ ...given, ...more }).map(({ id, agent }) => `${id} ${agent}`)
    expect(chosen({ limits: { 'label:docs': 1 } })).toEqual([
      'docs-1 claude-code',
      'codex codex',
      'other claude-code',
    ])
    expect(chosen({ exhausted: new Set(['codex']) })).toEqual([
      'docs-1 claude-code',
      'docs-2 claude-code',
      'other claude-code',
    ])
    expect(chosen({ limits: { 'agent:claude-code': 1, 'agent:codex': 1 } })).toHaveLength(2)
    expect(chosen({ limits: { 'repository:h/a/one': 0 } })).toEqual([])
  })

  test('of two jobs of one repository that were added at the same time, takes the one with the higher priority', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 99 }), fc.integer({ min: 1, max: 10 }), (priority, more) => {
        const job = { repository: 'h/a/one', issue: 1, addedAt: NOW, notBefore: NOW }
        const jobs = [
          { ...job, id: 'low', priority },
          { ...job, id: 'high', priority: Math.min(100, priority + more) },
        ]
        const [first] = chooseJobs({
          slots: 1,
          perRepository: 1,
          agents: ['a'],
          working: [],
          waiting: jobs,
          now: NOW,
        })
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
          const load = { slots, perRepository: slots, agents: ['a'], working: [], waiting: queue, now }
          const chosen = chooseJobs(load)
          const ids = new Set(chosen.map(({ id }) => id))
          if (ids.has(patient.id)) return
          for (const { addedAt } of chosen) expect(addedAt).toBeLessThan(NOW + 34 * 60 * 60_000)
          queue = queue.filter(({ id }) => !ids.has(id))
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
