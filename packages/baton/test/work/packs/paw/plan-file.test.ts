import { describe, expect, it } from 'vitest'
import { systemFolders } from '../../../../src/adapters/system/folders.ts'
import { systemSmallFiles } from '../../../../src/adapters/system/small-files.ts'
import { parseContext } from '../../../../src/work/packs/paw/context-file.ts'
import { parsePhases } from '../../../../src/work/packs/paw/plan-file.ts'
import { decideNextStage, describePosition, offers } from '../../../../src/work/stages/next-stage.ts'
import { WorkItems } from '../../../../src/work/stages/work-items.ts'
import { scratch } from '../../../world/scratch.ts'
import { PAW_PLANS } from './plans.ts'

describe('the plans of PAW’s own repository', () => {
  it('are all 26 here', () => expect(new Set(PAW_PLANS.map(([id]) => id)).size).toBe(26))

  it.each(PAW_PLANS)('%s shows the phases that its file says are done', (_, plan, done) => {
    const phases = parsePhases(plan)
    expect(`${phases.filter(({ state }) => state === 'done').length}/${phases.length}`).toBe(done)
    expect(phases.map(({ number }) => number)).toEqual(phases.map((_, at) => at + 1))
  })
})

describe('a plan', () => {
  it('does not take a partial result for the whole', () => {
    const plan =
      '## Phase 1: A\n- [x] a\n- [ ] b\n**Status**: Partially complete\n### Phase 1 Implementation Notes\nText\n'
    expect(parsePhases(plan)).toMatchObject([{ state: 'begun' }])
  })

  it('counts a phase that only Phase Status names', () => {
    const plan =
      '## Phase Status\n- [x] **Phase 1: A** - a\n- [ ] **Phase 2: B** - b\n\n## Phase 1: A\n- [ ] x\n'
    expect(parsePhases(plan).map(({ number, title, state }) => [number, title, state])).toEqual([
      [1, 'A', 'done'],
      [2, 'B', 'open'],
    ])
  })

  it('does not take a row of its table of phases for done without the word', () => {
    const plan = (state: string) =>
      `| # | Phase | Status |\n|---|---|---|\n| 1 | A | ${state} |\n\n## Phase 1: A\n- [ ] a\n`
    expect(parsePhases(plan('✅ Complete'))).toMatchObject([{ state: 'done' }])
    for (const state of ['Not complete', 'In progress', '', '✅ Complete (2 of 3)'])
      expect(parsePhases(plan(state))).toMatchObject([{ state: 'open' }])
  })

  it('lets parts of a phase decide about it', () => {
    const plan = (last: string) =>
      `## Phase 1: A\n\n## Phase 1a: B\n- [x] b\n\n## Phase 1b: C\n- [${last}] c\n`
    expect(parsePhases(plan('x'))).toMatchObject([{ number: 1, title: 'A', state: 'done' }])
    expect(parsePhases(plan(' '))).toMatchObject([{ number: 1, title: 'A', state: 'begun' }])
  })
})

describe('WorkflowContext.md of later PAW versions', () => {
  it.each([
    ['every-stage', 'manual'],
    ['always', 'manual'],
    ['milestones', 'semi-auto'],
    ['planning-only', 'auto'],
    ['final-pr-only', 'auto'],
    ['never', 'auto'],
  ])('Review Policy %s has the pauses of %s mode', (policy, mode) => {
    expect(parseContext(`Review Policy: ${policy}\nReview Strategy: local\n`)).toMatchObject({
      mode,
      warnings: [],
    })
    expect(parseContext(`Review Policy: ${policy}\n`).planningOnly === true).toBe(policy === 'planning-only')
  })

  it('obeys a Handoff Mode before a Review Policy, and warns of an unknown policy', () => {
    expect(parseContext('Handoff Mode: semi-auto\nReview Policy: final-pr-only\n').mode).toBe('semi-auto')
    const odd = parseContext('Review Policy: sometimes\n')
    expect(odd.mode).toBe('manual')
    expect(odd.warnings).toEqual([expect.stringContaining("Review Policy 'sometimes' is not every-stage")])
    expect(parseContext('Review Policy: never\nReview Strategy: prs\n')).toMatchObject({
      mode: 'manual',
      warnings: [expect.stringContaining('Auto mode requires local review strategy')],
    })
  })

  it('pauses under planning-only until the plan is accepted, then no more', async () => {
    await using world = items('Review Policy: planning-only\nReview Strategy: local\n')
    world.write('Spec.md', '# Spec\n')
    world.write('CodeResearch.md', '# Code\n')
    world.write('ImplementationPlan.md', '## Phase 1: A\n- [ ] a\n\n## Phase 2: B\n- [ ] b\n')
    const before = await world.item()
    expect(decideNextStage({ stage: 'spec' }, before.facts, before.context.mode).kind).toBe('pause')
    expect(decideNextStage({ stage: 'plan' }, before.facts, before.context.mode).kind).toBe('pause')
    world.write('ImplementationPlan.md', '## Phase 1: A\n- [x] a\nReview: passed\n\n## Phase 2: B\n- [ ] b\n')
    const after = await world.item()
    expect(decideNextStage({ stage: 'review', phase: 1 }, after.facts, after.context.mode)).toEqual({
      kind: 'chain',
      step: { stage: 'implement', phase: 2 },
    })
  })

  it('offers nothing to do for work whose Current Stage is complete', async () => {
    await using world = items('## Workflow State\n\nCurrent Stage: complete\nHandoff Mode: auto\n')
    world.write('Spec.md', '# Spec\n')
    world.write('ImplementationPlan.md', '## Phase 1: A\n- [ ] a\n')
    const { facts, context } = await world.item()
    expect(describePosition(facts)).toBe('complete')
    expect(facts.phases).toMatchObject([{ state: 'done' }])
    expect(offers(undefined, facts).map(({ command }) => command)).toEqual(['status'])
    expect(decideNextStage(undefined, facts, context.mode)).toEqual({ kind: 'end' })
  })
})

function items(context: string) {
  const folder = scratch()
  const write = (name: string, text: string) => folder.write(`.paw/work/thing/${name}`, text)
  write('WorkflowContext.md', context)
  return {
    write,
    item: () => new WorkItems(systemSmallFiles, systemFolders).get(folder.path, 'thing'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
