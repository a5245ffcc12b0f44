import type { Artifact, StageName, WorkPhase } from '@batonpass/contract/work'
import { type Flow, type Need, NOT_IN_MINIMAL, rowOf, STAGES } from '../packs/paw/stage-table.ts'

/** The facts that decisions about a work item use. */
export interface WorkFacts {
  flow: Flow
  /** The work skips specification and documentation. */
  minimal: boolean
  artifacts: ReadonlySet<Artifact>
  /** Number of open research questions in Spec.md. */
  questions: number
  phases: readonly WorkPhase[]
  blocked?: string | undefined
  /** The work item's file says that all of it is complete. */
  complete?: boolean | undefined
  /** The final pull request exists. */
  finalPr?: boolean | undefined
}

/** A stage, with a phase if the stage works on one. */
export interface Step {
  stage: StageName
  phase?: number | undefined
}

/** The last finished stage according to the files; undefined before the first. */
export function position(facts: WorkFacts): Step | undefined {
  const has = (artifact: Artifact) => facts.artifacts.has(artifact)
  if (facts.flow === 'pr-review') {
    const done = STAGES.filter(({ flow, makes }) => flow === 'pr-review' && makes && has(makes)).at(-1)
    return done && { stage: done.stage }
  }
  const done = facts.phases.filter(phase => phase.state === 'done')
  const unseen = done.findLast(phase => !phase.reviewed)
  if (facts.finalPr || facts.complete) return { stage: 'pr' }
  if (unseen) return { stage: 'implement', phase: unseen.number }
  if (allDone(facts) && has('Docs')) return { stage: 'docs' }
  const last = done.at(-1)
  if (last) return { stage: 'review', phase: last.number }
  if (has('ImplementationPlan')) return { stage: 'plan' }
  if (has('CodeResearch')) return { stage: 'code-research' }
  if (has('SpecResearch') && facts.questions > 0) return { stage: 'spec-research' }
  return has('Spec') ? { stage: 'spec' } : undefined
}

export const allDone = ({ phases }: Pick<WorkFacts, 'phases'>): boolean =>
  phases.length > 0 && phases.every(phase => phase.state === 'done')

/** The phase that `implement` means: the first unfinished one. */
export const openPhase = ({ phases }: Pick<WorkFacts, 'phases'>): WorkPhase | undefined =>
  phases.find(phase => phase.state !== 'done')

/** Whether a stage is part of this work. */
export const isPart = (stage: StageName, { flow, minimal }: Pick<WorkFacts, 'flow' | 'minimal'>): boolean => {
  const row = rowOf(stage)
  return row.flow === 'any' || (row.flow === flow && !(minimal && NOT_IN_MINIMAL.includes(stage)))
}

/** What is missing before a step may start, and how to fix it; empty if nothing is. */
export function missingFor(step: Step, facts: WorkFacts): { what: string; fix: string }[] {
  const row = rowOf(step.stage)
  if (row.flow !== 'any' && row.flow !== facts.flow)
    return [
      {
        what: `${row.title} is not a stage of this work`,
        fix: 'Type `status` to see what can be done next.',
      },
    ]
  return row.needs.flatMap(need => unmet(need, step, facts) ?? [])
}

function unmet(need: Need, step: Step, facts: WorkFacts): { what: string; fix: string } | undefined {
  switch (need) {
    case 'phase':
      return phaseUnmet(step.phase ?? openPhase(facts)?.number, facts)
    case 'begun-phase':
      return facts.phases.some(phase => phase.state !== 'open')
        ? undefined
        : { what: 'no phase of the plan has been started', fix: 'Type `implement` first.' }
    case 'all-phases': {
      const open = openPhase(facts)
      if (facts.phases.length > 0 && !open) return undefined
      return open
        ? {
            what: `Phase ${open.number} is not finished`,
            fix: `Type \`implement Phase ${open.number}\` first.`,
          }
        : { what: 'ImplementationPlan.md has no `## Phase N:` heading', fix: 'Type `plan` first.' }
    }
    default: {
      if (facts.artifacts.has(need)) return undefined
      const maker = STAGES.find(row => row.makes === need && row.flow === facts.flow)
      // Work that skips a stage must not wait for that stage's result.
      if (!maker || !isPart(maker.stage, facts)) return undefined
      return { what: `${need}.md is missing`, fix: `Type \`${maker.words[0]}\` first.` }
    }
  }
}

function phaseUnmet(wanted: number | undefined, facts: WorkFacts): { what: string; fix: string } | undefined {
  const { phases } = facts
  if (!facts.artifacts.has('ImplementationPlan')) return undefined
  if (phases.length === 0)
    return { what: 'ImplementationPlan.md has no `## Phase N:` heading', fix: 'Type `plan` first.' }
  if (wanted === undefined) return { what: 'every phase is finished', fix: nextAfterPhases(facts) }
  if (!phases.some(phase => phase.number === wanted))
    return {
      what: `the plan has no Phase ${wanted}`,
      fix: `It has ${phases.map(phase => `Phase ${phase.number}`).join(', ')}.`,
    }
  const before = phases.slice(
    0,
    phases.findIndex(phase => phase.number === wanted),
  )
  const open = openPhase({ phases: before })
  return (
    open && {
      what: `Phase ${open.number} is not finished`,
      fix: `Type \`implement Phase ${open.number}\` first, or tick its boxes in ImplementationPlan.md if it is.`,
    }
  )
}

const nextAfterPhases = (facts: WorkFacts): string =>
  isPart('docs', facts) ? 'Type `docs`, or name a phase: `implement Phase N`.' : 'Type `pr`.'
