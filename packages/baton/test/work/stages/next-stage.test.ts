import { HandoffMode, type StageName as Stage, StageAgent, StageName } from '@batonpass/contract/work'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { rowOf, STAGES, TRANSITIONS } from '../../../src/work/packs/paw/stage-table.ts'
import { decideNextStage, next, offers } from '../../../src/work/stages/next-stage.ts'
import {
  isPart,
  missingFor,
  position,
  type Step,
  type WorkFacts,
} from '../../../src/work/stages/work-facts.ts'
import { afterStage, anyFacts, facts, phase } from './any-work.ts'

const anyStage = fc.constantFrom(...StageName.options)

/** Runs work from its first stage; `typed` simulates a person who types `continue` at each pause. */
function run(mode: HandoffMode, start: WorkFacts, typed = false) {
  let state = start
  let at: Step | undefined
  const path: string[] = []
  const pauses: string[] = []
  for (let hops = 0; hops < 60; hops++) {
    const turnout =
      at === undefined
        ? { kind: 'chain' as const, step: next(at, state)?.step }
        : decideNextStage(at, state, mode)
    if (turnout.kind === 'pause') {
      pauses.push(`${at?.stage}>${turnout.step.stage}`)
      if (!typed) return { path, pauses, end: 'pause', state }
    } else if (turnout.kind !== 'chain') return { path, pauses, end: turnout.kind, state }
    const step = turnout.step
    if (!step) return { path, pauses, end: 'end', state }
    expect(missingFor(step, state)).toEqual([])
    path.push(step.phase === undefined ? step.stage : `${step.stage} ${step.phase}`)
    state = afterStage(state, step.stage, step.phase)
    at = step
  }
  return { path, pauses, end: 'endless', state }
}

describe('the table', () => {
  it('has a row for each stage and each agent, once', () => {
    expect(STAGES.map(row => row.stage).sort()).toEqual([...StageName.options].sort())
    expect(STAGES.map(row => row.agent)).toEqual(StageAgent.options)
  })

  it('gives no word to two stages of one flow, but for the context-sensitive `research`', () => {
    for (const flow of ['build', 'pr-review'] as const) {
      const words = STAGES.filter(row => row.flow === flow || row.flow === 'any').flatMap(row => row.words)
      const twice = words.filter((word, i) => words.indexOf(word) !== i)
      expect(twice).toEqual(flow === 'build' ? ['research'] : [])
    }
  })

  it('leads from every stage to its end', () => {
    const reached = new Set(TRANSITIONS.map(each => each.to))
    expect(STAGES.map(row => row.stage).filter(stage => !reached.has(stage))).toEqual([
      'status',
      'pr-understanding',
    ])
  })
})

describe('auto mode', () => {
  it('goes from the specification to the final pull request through every stage', () => {
    const { path, end } = run('auto', facts({ questions: 2 }))
    expect(path).toEqual([
      'spec',
      'spec-research',
      'spec',
      'code-research',
      'plan',
      'implement 1',
      'review 1',
      'implement 2',
      'review 2',
      'docs',
      'pr',
    ])
    expect(end).toBe('end')
  })

  it('leaves specification and documentation out of minimal work', () => {
    expect(run('auto', facts({ minimal: true })).path).toEqual([
      'code-research',
      'plan',
      'implement 1',
      'review 1',
      'implement 2',
      'review 2',
      'pr',
    ])
  })

  it('reviews a pull request from understanding to feedback', () => {
    expect(run('auto', facts({ flow: 'pr-review' })).path).toEqual([
      'pr-understanding',
      'pr-baseline',
      'pr-impact',
      'pr-gap',
      'pr-feedback',
    ])
  })

  test('never pauses, whatever the files say', () => {
    fc.assert(
      fc.property(anyStage, anyFacts, (stage, state) => {
        expect(decideNextStage({ stage }, state, 'auto').kind).not.toBe('pause')
      }),
    )
  })
})

describe('semi-auto mode', () => {
  const PAUSES = ['spec>code-research', 'plan>implement', 'review>implement', 'review>docs', 'docs>pr']

  it('pauses exactly before code research, each phase, documentation and the final pull request', () => {
    const { pauses, path } = run('semi-auto', facts({ questions: 1 }), true)
    expect(pauses).toEqual(PAUSES)
    expect(path.at(-1)).toBe('pr')
  })

  test('pauses nowhere else, and chains nowhere else', () => {
    fc.assert(
      fc.property(anyStage, anyFacts, (stage, state) => {
        fc.pre(!state.minimal && state.flow === 'build')
        const { kind, ...rest } = decideNextStage({ stage }, state, 'semi-auto')
        if (kind !== 'pause' && kind !== 'chain') return
        const from = stage === 'status' ? position(state)?.stage : stage
        const to = 'step' in rest ? rest.step.stage : ''
        // A person starts the first stage.
        const isPause = from === undefined || PAUSES.includes(`${from}>${to}`)
        expect(kind).toBe(isPause ? 'pause' : 'chain')
      }),
    )
  })
})

describe('every mode', () => {
  const anyMode = fc.constantFrom(...HandoffMode.options)

  test('never continues blocked work, and offers nothing then', () => {
    fc.assert(
      fc.property(anyStage, anyFacts, anyMode, (stage, state, mode) => {
        const blocked = { ...state, blocked: 'no rights' }
        expect(decideNextStage({ stage }, blocked, mode)).toEqual({ kind: 'blocked', reason: 'no rights' })
        expect(offers({ stage }, blocked)).toEqual([])
      }),
    )
  })

  test('never continues to a stage whose needs are not met or that is not part of the work', () => {
    fc.assert(
      fc.property(anyStage, anyFacts, anyMode, (stage, state, mode) => {
        const turnout = decideNextStage({ stage }, state, mode)
        if (turnout.kind !== 'chain' && turnout.kind !== 'pause') return
        expect(missingFor(turnout.step, state)).toEqual([])
        if (isPart(stage, state)) expect(isPart(turnout.step.stage, state)).toBe(true)
      }),
    )
  })

  test('reaches an end from every state if the stages do their work', () => {
    fc.assert(
      fc.property(anyFacts, state => {
        const { end } = run('auto', {
          ...state,
          blocked: undefined,
          artifacts: new Set(),
          phases: [],
          finalPr: false,
        })
        expect(end).toBe('end')
      }),
    )
  })

  test('manual mode always waits', () => {
    fc.assert(
      fc.property(anyStage, anyFacts, (stage, state) => {
        expect(decideNextStage({ stage }, state, 'manual').kind).not.toBe('chain')
      }),
    )
  })

  test('lists first what `continue` does', () => {
    fc.assert(
      fc.property(anyFacts, state => {
        const open = { ...state, blocked: undefined }
        const following = next(undefined, open)
        const [first] = offers(undefined, open)
        if (following && missingFor(following.step, open).length === 0)
          expect(first?.agent).toBe(rowOf(following.step.stage).agent)
        expect(offers(undefined, open).at(-1)?.command).toBe('status')
      }),
    )
  })
})

describe('the position of the work', () => {
  const all = (...names: Parameters<WorkFacts['artifacts']['has']>[0][]) => new Set(names)
  it.each<[string, WorkFacts, Stage | undefined, string]>([
    ['nothing', facts(), undefined, 'spec'],
    ['open questions', facts({ artifacts: all('Spec'), questions: 1 }), 'spec', 'spec-research'],
    ['answers', facts({ artifacts: all('Spec', 'SpecResearch'), questions: 1 }), 'spec-research', 'spec'],
    ['a settled specification', facts({ artifacts: all('Spec', 'SpecResearch') }), 'spec', 'code-research'],
    ['code research', facts({ artifacts: all('Spec', 'CodeResearch') }), 'code-research', 'plan'],
    [
      'a plan',
      facts({ artifacts: all('Spec', 'CodeResearch', 'ImplementationPlan'), phases: [phase(1)] }),
      'plan',
      'implement',
    ],
    [
      'a phase done',
      facts({ artifacts: all('ImplementationPlan'), phases: [phase(1, 'done'), phase(2)] }),
      'implement',
      'review',
    ],
    [
      'a phase reviewed',
      facts({ artifacts: all('ImplementationPlan'), phases: [phase(1, 'done', true), phase(2)] }),
      'review',
      'implement',
    ],
    [
      'all reviewed',
      facts({ artifacts: all('ImplementationPlan'), phases: [phase(1, 'done', true)] }),
      'review',
      'docs',
    ],
    [
      'documented',
      facts({ artifacts: all('ImplementationPlan', 'Docs'), phases: [phase(1, 'done', true)] }),
      'docs',
      'pr',
    ],
  ])('%s', (_, state, stage, following) => {
    expect(position(state)?.stage).toBe(stage)
    expect(next(undefined, state)?.step.stage).toBe(following)
  })
})
