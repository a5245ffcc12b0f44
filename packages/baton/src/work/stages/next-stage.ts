import type { HandoffMode, NextStep, StageName } from '@batonpass/contract/work'
import { type Condition, rowOf, STAGES, TRANSITIONS } from '../packs/paw/stage-table.ts'
import { allDone, isPart, missingFor, openPhase, position, type Step, type WorkFacts } from './work-facts.ts'

/** What happens after a stage has ended. */
export type NextStage =
  /** The next stage starts by itself. */
  | { kind: 'chain'; step: Step }
  /** A person decides when the next stage starts. */
  | { kind: 'pause'; step: Step }
  /** The stage has not produced what the next one needs. */
  | { kind: 'incomplete'; step: Step; missing: { what: string; fix: string }[] }
  /** Nothing starts, and Baton offers no next steps. */
  | { kind: 'blocked'; reason: string }
  | { kind: 'end' }

/** Decides whether the next stage starts by itself: always in auto mode, never in manual, by the table in semi-auto. */
export function decideNextStage(from: Step | undefined, facts: WorkFacts, mode: HandoffMode): NextStage {
  if (facts.blocked !== undefined) return { kind: 'blocked', reason: facts.blocked }
  if (facts.complete) return { kind: 'end' }
  const found = next(from, facts)
  if (!found) return { kind: 'end' }
  const { step, semiAuto } = found
  const missing = missingFor(step, facts)
  if (missing.length > 0) return { kind: 'incomplete', step, missing }
  const chains = mode === 'auto' || (mode === 'semi-auto' && semiAuto === 'chain')
  return { kind: chains ? 'chain' : 'pause', step }
}

/** The default next stage: what `continue` means and what auto mode starts. Undefined at the end. */
export function next(
  from: Step | undefined,
  facts: WorkFacts,
): { step: Step; semiAuto: 'chain' | 'pause' } | undefined {
  const start = from && from.stage !== 'status' ? from : position(facts)
  if (!start) return { step: { stage: firstOf(facts) }, semiAuto: 'pause' }
  let at = start.stage
  let semiAuto: 'chain' | 'pause' = 'chain'
  for (let hops = 0; hops < STAGES.length; hops++) {
    const transition = TRANSITIONS.find(each => each.from === at && isMet(each.when, facts))
    if (!transition) return undefined
    at = transition.to
    // When a stage is skipped, a pause on either side of it counts.
    if (transition.semiAuto === 'pause') semiAuto = 'pause'
    if (isPart(at, facts)) return { step: withPhase(at, start, facts), semiAuto }
  }
  return undefined
}

const firstOf = (facts: WorkFacts): StageName =>
  STAGES.find(row => row.flow === facts.flow && isPart(row.stage, facts))?.stage ?? 'spec'

function withPhase(stage: StageName, from: Step, facts: WorkFacts): Step {
  if (stage === 'implement') {
    const phase = openPhase(facts)?.number
    return phase === undefined ? { stage } : { stage, phase }
  }
  if (stage === 'review' && from.phase !== undefined) return { stage, phase: from.phase }
  return { stage }
}

function isMet(condition: Condition, facts: WorkFacts): boolean {
  switch (condition) {
    case 'always':
      return true
    case 'questions-open':
      return facts.questions > 0 && !facts.artifacts.has('SpecResearch')
    case 'phases-left':
      return openPhase(facts) !== undefined
  }
}

/** All sensible next steps, with that of `continue` first. Blocked work has none. */
export function offers(from: Step | undefined, facts: WorkFacts): NextStep[] {
  if (facts.blocked !== undefined) return []
  if (facts.complete) return [STATUS_OFFER]
  const start = from && from.stage !== 'status' ? from : position(facts)
  const found = next(start, facts)
  const steps: Step[] = found ? [found.step] : []
  const add = (step: Step) => {
    if (!steps.some(({ stage, phase }) => stage === step.stage && phase === step.phase)) steps.push(step)
  }
  for (const { from: origin, to } of TRANSITIONS)
    if (start && origin === start.stage && isPart(to, facts)) add(withPhase(to, start, facts))
  // The stage itself, to refine its result.
  if (start && start.stage !== 'pr') add(start)
  if (start?.stage === 'pr' || (allDone(facts) && start?.stage === 'docs')) add({ stage: 'pr' })
  return [
    ...steps.filter(step => missingFor(step, facts).length === 0).map(step => offer(step, start)),
    STATUS_OFFER,
  ]
}

const STATUS_OFFER: NextStep = {
  command: 'status',
  agent: 'PAW-X Status',
  what: 'Show the state of the work.',
}

function offer(step: Step, from: Step | undefined): NextStep {
  const row = rowOf(step.stage)
  const again = from?.stage === step.stage && from.phase === step.phase
  return {
    command: commandFor(step),
    agent: row.agent,
    what: again ? `Refine it: ${row.title}.` : row.purpose,
  }
}

/** The exact command for a step. */
export function commandFor({ stage, phase }: Step): string {
  if (stage === 'implement') return phase === undefined ? 'implement' : `implement Phase ${phase}`
  return rowOf(stage).words[0] ?? stage
}

/** Describes the position of the work for people. */
export function describePosition(facts: WorkFacts, at = position(facts)): string {
  if (facts.complete) return 'complete'
  if (!at) return 'not started'
  const { title } = rowOf(at.stage)
  if (at.phase === undefined) return title
  return `${title}, Phase ${at.phase} of ${facts.phases.length}`
}
