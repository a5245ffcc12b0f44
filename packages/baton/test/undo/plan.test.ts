import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BytePath, KeptRef, Position, SnapshotFile } from '../../src/ports/snapshots.ts'
import { planPosition, planRemovals, planWrites } from '../../src/undo/plan.ts'
import { expired, nextStep } from '../../src/undo/retention.ts'
import { DAY } from './world.ts'

const path = fc.constantFrom('a', 'b', 'c/d', 'c/e').map(name => name as BytePath)
const file: fc.Arbitrary<SnapshotFile> = fc.oneof(
  fc.record({
    content: fc.constantFrom('1', '2'),
    kind: fc.constant('file' as const),
    mode: fc.constantFrom(0o644, 0o755),
  }),
  fc.record({ content: fc.constantFrom('1', '2'), kind: fc.constant('link' as const), mode: fc.constant(0) }),
)
const files = fc.array(fc.tuple(path, file)).map(rows => new Map(rows))

describe('the plan for files', () => {
  it('leads from any state to any other, and does nothing when they are equal', () => {
    fc.assert(
      fc.property(files, files, (now, then) => {
        const result = new Map(now)
        for (const { path, to, modeOnly } of planWrites(now, then)) {
          if (!to) throw new Error('a write writes')
          if (modeOnly) expect(result.get(path)).toMatchObject({ content: to.content, kind: 'file' })
          result.set(path, to)
        }
        for (const { path } of planRemovals([...result.keys()], then)) result.delete(path)
        expect(result).toEqual(then)
        expect(planWrites(then, then)).toEqual([])
      }),
    )
  })
})

describe('the plan for HEAD', () => {
  const commit = fc.constantFrom('c1', 'c2', 'c3')
  const branch = fc.constantFrom('refs/heads/main', 'refs/heads/side')
  const position: fc.Arbitrary<Position> = fc.oneof(
    fc.record({ branch, head: fc.option(commit, { nil: undefined }) }),
    fc.record({ branch: fc.constant(undefined), head: commit }),
  )

  it('gets HEAD back and keeps every commit that a branch or HEAD is moved away from', () => {
    fc.assert(
      fc.property(
        position,
        position,
        fc.option(commit, { nil: undefined }),
        fc.boolean(),
        (then, now, at, elsewhere) => {
          const where = now.branch !== undefined && now.branch === then.branch ? now.head : at
          const plan = planPosition(then, now, then.branch ? { at: where, elsewhere } : undefined)
          const branches = new Map([
            [now.branch, now.head],
            [then.branch, where],
          ])
          for (const { ref, from, to } of plan.moves) {
            expect(branches.get(ref)).toBe(from)
            if (from !== undefined) expect(plan.tips).toContain(from)
            branches.set(ref, to)
          }
          if (now.branch === undefined && plan.head !== undefined) expect(plan.tips).toContain(now.head)
          if (elsewhere && then.branch !== undefined) expect(plan.moves).toEqual([])
          else {
            const headBranch =
              plan.head === undefined ? now.branch : 'branch' in plan.head ? plan.head.branch : undefined
            expect(headBranch).toBe(then.branch)
            const head =
              plan.head && 'detached' in plan.head
                ? plan.head.detached
                : headBranch === undefined
                  ? now.head
                  : branches.get(headBranch)
            expect(head).toBe(then.head)
          }
        },
      ),
    )
  })
})

describe('retention', () => {
  const ref = (step: number, days: number, extra: Partial<KeptRef> = {}): KeptRef => ({
    name: `${step}`,
    kind: 'step',
    foreign: false,
    step,
    atMs: -days * DAY,
    ...extra,
  })
  const limits = { steps: 2, days: 7, tipDays: 30 }

  it('drops old steps of any worktree, surplus ones of this, and tips only after their own time', () => {
    const kept = [
      ref(1, 1),
      ref(2, 1),
      ref(3, 0),
      ref(9, 8, { foreign: true }),
      ref(8, 1, { foreign: true }),
      ref(1, 20, { kind: 'tip' }),
      ref(1, 31, { kind: 'tip', name: 'old tip' }),
    ]
    expect(expired(kept, limits, 0).map(({ name }) => name)).toEqual(['1', '9', 'old tip'])
  })

  it('never numbers a step as one that is still there', () => {
    expect(nextStep([])).toBe(1)
    expect(nextStep([ref(3, 0), ref(7, 0, { foreign: true }), ref(5, 0, { kind: 'tip' })])).toBe(6)
  })
})
