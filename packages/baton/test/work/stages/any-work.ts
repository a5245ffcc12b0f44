import { Artifact, type StageName, type WorkPhase } from '@batonpass/contract/work'
import fc from 'fast-check'
import type { WorkFacts } from '../../../src/work/stages/work-facts.ts'

const anyPhases: fc.Arbitrary<WorkPhase[]> = fc
  .array(
    fc.record({
      state: fc.constantFrom('open' as const, 'begun' as const, 'done' as const),
      reviewed: fc.boolean(),
      title: fc.string({ maxLength: 8 }),
    }),
    { maxLength: 5 },
  )
  .map(phases => phases.map((phase, i) => ({ ...phase, number: i + 1 })))

/** Any state that a work item's files can be in, reachable or not. */
export const anyFacts: fc.Arbitrary<WorkFacts> = fc
  .record({
    flow: fc.constantFrom('build' as const, 'pr-review' as const),
    minimal: fc.boolean(),
    artifacts: fc.subarray([...Artifact.options]).map(list => new Set(list)),
    questions: fc.nat({ max: 3 }),
    phases: anyPhases,
    blocked: fc.option(fc.constant('no rights'), { nil: undefined }),
    finalPr: fc.boolean(),
  })
  .map(facts => (facts.artifacts.has('ImplementationPlan') ? facts : { ...facts, phases: [] }))

export const facts = (parts: Partial<WorkFacts> = {}): WorkFacts => ({
  flow: 'build',
  minimal: false,
  artifacts: new Set(),
  questions: 0,
  phases: [],
  ...parts,
})

export const phase = (number: number, state: WorkPhase['state'] = 'open', reviewed = false): WorkPhase => ({
  number,
  title: `Part ${number}`,
  state,
  reviewed,
})

/** The files after a stage's agent has done its work well. */
export function afterStage(before: WorkFacts, stage: StageName, at?: number): WorkFacts {
  const made: Partial<Record<StageName, Artifact>> = {
    spec: 'Spec',
    'spec-research': 'SpecResearch',
    'code-research': 'CodeResearch',
    plan: 'ImplementationPlan',
    docs: 'Docs',
    'pr-understanding': 'DerivedSpec',
    'pr-baseline': 'CodeResearch',
    'pr-impact': 'ImpactAnalysis',
    'pr-gap': 'GapAnalysis',
    'pr-feedback': 'ReviewComments',
  }
  const artifact = made[stage]
  const artifacts = artifact ? new Set([...before.artifacts, artifact]) : before.artifacts
  const phases = before.phases.map(each =>
    each.number !== at
      ? each
      : stage === 'implement'
        ? { ...each, state: 'done' as const }
        : stage === 'review'
          ? { ...each, reviewed: true }
          : each,
  )
  return {
    ...before,
    artifacts,
    phases: stage === 'plan' && phases.length === 0 ? [phase(1), phase(2)] : phases,
    ...(stage === 'pr' ? { finalPr: true } : {}),
  }
}
