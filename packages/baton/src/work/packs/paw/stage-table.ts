import type { Artifact, StageAgent, StageName } from '@batonpass/contract/work'

/** What a stage needs before it may start: a file, a phase of the plan, or all phases finished. */
export type Need = Exclude<Artifact, 'WorkflowContext'> | 'phase' | 'begun-phase' | 'all-phases'

export type Flow = 'build' | 'pr-review'

export interface StageRow {
  stage: StageName
  /** The kind of work that the stage belongs to; `any` belongs to both. */
  flow: Flow | 'any'
  agent: StageAgent
  title: string
  /** The exact commands that a person types; lists show the first one. */
  words: readonly string[]
  /** What the stage does, in one sentence, for help texts. */
  purpose: string
  makes?: Exclude<Artifact, 'WorkflowContext'>
  needs: readonly Need[]
}

export type Condition = 'always' | 'questions-open' | 'phases-left'

/** From a finished stage to the next. Manual mode always waits, auto never does; `semiAuto` decides for semi-auto. */
export interface Transition {
  from: StageName
  to: StageName
  when: Condition
  semiAuto: 'chain' | 'pause'
}

/** Every stage. The agents' instructions, help texts, tools and the command parser are built from this table. */
export const STAGES: readonly StageRow[] = [
  {
    stage: 'spec',
    flow: 'build',
    agent: 'PAW-01A Specification',
    title: 'Specification',
    words: ['spec', 'specification'],
    purpose: 'Specifies what to build, how to check that it works, and which questions are open.',
    makes: 'Spec',
    needs: [],
  },
  {
    stage: 'spec-research',
    flow: 'build',
    agent: 'PAW-01B Spec Researcher',
    title: 'Spec Research',
    words: ['research'],
    purpose: 'Answers the specification’s questions from how the system behaves today.',
    makes: 'SpecResearch',
    needs: ['Spec'],
  },
  {
    stage: 'code-research',
    flow: 'build',
    agent: 'PAW-02A Code Researcher',
    title: 'Code Research',
    words: ['code', 'research'],
    purpose: 'Finds the files, patterns and tests that the work will touch, with exact references.',
    makes: 'CodeResearch',
    needs: ['Spec'],
  },
  {
    stage: 'plan',
    flow: 'build',
    agent: 'PAW-02B Impl Planner',
    title: 'Implementation Plan',
    words: ['plan', 'planner'],
    purpose: 'Divides the work into phases, each with its changes and success criteria.',
    makes: 'ImplementationPlan',
    needs: ['Spec', 'CodeResearch'],
  },
  {
    stage: 'implement',
    flow: 'build',
    agent: 'PAW-03A Implementer',
    title: 'Implementation',
    words: ['implement'],
    purpose: 'Implements one phase of the plan, including tests, and commits it.',
    needs: ['ImplementationPlan', 'phase'],
  },
  {
    stage: 'review',
    flow: 'build',
    agent: 'PAW-03B Impl Reviewer',
    title: 'Implementation Review',
    words: ['review', 'reviewer'],
    purpose: 'Reviews the phase that was just implemented, fixes small problems, and pushes it.',
    needs: ['ImplementationPlan', 'begun-phase'],
  },
  {
    stage: 'docs',
    flow: 'build',
    agent: 'PAW-04 Documenter',
    title: 'Documentation',
    words: ['docs', 'documenter'],
    purpose: 'Documents what was built for its users and maintainers.',
    makes: 'Docs',
    needs: ['ImplementationPlan', 'all-phases'],
  },
  {
    stage: 'pr',
    flow: 'build',
    agent: 'PAW-05 PR',
    title: 'Final PR',
    words: ['pr', 'final pr'],
    purpose: 'Checks everything a last time and opens the final pull request.',
    needs: ['ImplementationPlan', 'all-phases', 'Docs'],
  },
  {
    stage: 'status',
    flow: 'any',
    agent: 'PAW-X Status',
    title: 'Status',
    words: ['status', 'help'],
    purpose: 'Reports the state of the work and the next steps, and explains the stages.',
    needs: [],
  },
  {
    stage: 'pr-understanding',
    flow: 'pr-review',
    agent: 'PAW-R1A Understanding',
    title: 'Understanding',
    words: ['understand', 'understanding'],
    purpose: "Works out what a pull request intends, from its changes and its author's description.",
    makes: 'DerivedSpec',
    needs: [],
  },
  {
    stage: 'pr-baseline',
    flow: 'pr-review',
    agent: 'PAW-R1B Baseline Researcher',
    title: 'Baseline Research',
    words: ['baseline'],
    purpose: 'Describes how the affected code behaved before the pull request.',
    makes: 'CodeResearch',
    needs: ['DerivedSpec'],
  },
  {
    stage: 'pr-impact',
    flow: 'pr-review',
    agent: 'PAW-R2A Impact Analyzer',
    title: 'Impact Analysis',
    words: ['impact'],
    purpose: 'Traces the effects of the changes: callers, data, performance, security, deployment.',
    makes: 'ImpactAnalysis',
    needs: ['DerivedSpec', 'CodeResearch'],
  },
  {
    stage: 'pr-gap',
    flow: 'pr-review',
    agent: 'PAW-R2B Gap Analyzer',
    title: 'Gap Analysis',
    words: ['gaps', 'gap'],
    purpose: 'Lists what is wrong or missing, and how much each point matters.',
    makes: 'GapAnalysis',
    needs: ['DerivedSpec', 'CodeResearch', 'ImpactAnalysis'],
  },
  {
    stage: 'pr-feedback',
    flow: 'pr-review',
    agent: 'PAW-R3A Feedback Generator',
    title: 'Feedback',
    words: ['comments', 'feedback'],
    purpose: 'Turns the gaps into review comments that a person can post.',
    makes: 'ReviewComments',
    needs: ['DerivedSpec', 'GapAnalysis'],
  },
]

/** Which stage follows which. Of several transitions from one stage, the first whose condition is met is used. */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'spec', to: 'spec-research', when: 'questions-open', semiAuto: 'chain' },
  { from: 'spec', to: 'code-research', when: 'always', semiAuto: 'pause' },
  { from: 'spec-research', to: 'spec', when: 'always', semiAuto: 'chain' },
  { from: 'code-research', to: 'plan', when: 'always', semiAuto: 'chain' },
  { from: 'plan', to: 'implement', when: 'always', semiAuto: 'pause' },
  { from: 'implement', to: 'review', when: 'always', semiAuto: 'chain' },
  { from: 'review', to: 'implement', when: 'phases-left', semiAuto: 'pause' },
  { from: 'review', to: 'docs', when: 'always', semiAuto: 'pause' },
  { from: 'docs', to: 'pr', when: 'always', semiAuto: 'pause' },
  { from: 'pr-understanding', to: 'pr-baseline', when: 'always', semiAuto: 'chain' },
  { from: 'pr-baseline', to: 'pr-impact', when: 'always', semiAuto: 'chain' },
  { from: 'pr-impact', to: 'pr-gap', when: 'always', semiAuto: 'chain' },
  { from: 'pr-gap', to: 'pr-feedback', when: 'always', semiAuto: 'pause' },
]

/** Stages that are skipped if the Workflow Mode is `minimal`. */
export const NOT_IN_MINIMAL: readonly StageName[] = ['spec', 'spec-research', 'docs']

const byStage = new Map(STAGES.map(row => [row.stage, row]))
const byAgent = new Map(STAGES.map(row => [row.agent, row]))

export function rowOf(stage: StageName): StageRow {
  const row = byStage.get(stage)
  if (!row) throw new Error(`no row for stage ${stage}`)
  return row
}

export const rowOfAgent = (agent: string): StageRow | undefined => byAgent.get(agent as StageAgent)
