/** `file`: the form stored in `.bmad/handoffs/`. `context`: the form that is injected into the next session. */
export type Form = 'file' | 'context'

type PointsKey = 'nextSteps' | 'criticalState' | 'blockers' | 'notes' | 'constraints' | 'decisions'
export type SectionKey = PointsKey | 'work' | 'completed' | 'goal' | 'progress'

/** The sections of a document: their titles in each form, and other titles that people and agents use for them (`also`). */
const SECTIONS: Readonly<Record<SectionKey, { file?: string; context?: string; also: string[] }>> = {
  work: { file: 'Current Work', also: ['current work', 'current state', 'active work'] },
  progress: { context: 'Progress', also: ['progress', 'current progress', 'status'] },
  completed: {
    file: 'Completed Since Last Handoff',
    also: ['completed since last handoff', 'completed', 'completed work', 'done', 'done since last handoff'],
  },
  nextSteps: {
    file: 'Next Steps',
    context: 'Next Steps',
    also: ['next steps', 'next step', 'next', 'todo', 'what comes next', 'remaining work'],
  },
  criticalState: {
    file: 'Critical State',
    context: 'Critical Context',
    also: ['critical state', 'critical context', 'important context', 'context'],
  },
  blockers: {
    file: 'Blockers / Issues',
    also: ['blockers issues', 'blockers', 'issues', 'blockers and issues', 'blockers or issues'],
  },
  notes: { file: 'Notes', also: ['notes', 'note', 'additional notes'] },
  goal: { context: 'Goal', also: ['goal', 'goals', 'objective'] },
  constraints: {
    context: 'Constraints & Preferences',
    also: ['constraints preferences', 'constraints and preferences', 'constraints', 'preferences'],
  },
  decisions: { context: 'Key Decisions', also: ['key decisions', 'decisions'] },
}

/** The sections that each form requires, in order. */
export const REQUIRED: Readonly<Record<Form, readonly SectionKey[]>> = {
  file: ['work', 'completed', 'nextSteps', 'criticalState', 'blockers', 'notes'],
  context: ['goal', 'constraints', 'progress', 'decisions', 'criticalState', 'nextSteps'],
}

export const FIELDS = {
  created: 'Created',
  contextUsage: 'Context Usage',
  project: 'Project',
  epic: 'Active Epic',
  progress: 'Progress',
  task: 'Current Task',
} as const
export type FieldKey = keyof typeof FIELDS

export const TITLE = 'Handoff Document'

export const titleOf = (key: SectionKey, form: Form): string =>
  SECTIONS[key][form] ?? SECTIONS[key].file ?? SECTIONS[key].context ?? key

/** The section that a heading names, ignoring case and punctuation. */
export function sectionOf(heading: string): SectionKey | undefined {
  const words = wordsOf(heading)
  const keys = Object.keys(SECTIONS) as SectionKey[]
  return keys.find(key => SECTIONS[key].also.includes(words))
}

/** Prefixes the title of an extra section that would otherwise be read as one of the known sections. */
export function foreignTitle(title: string): string {
  return sectionOf(title) !== undefined || wordsOf(title) === wordsOf(TITLE) ? `Other: ${title}` : title
}

export const isTitle = (heading: string): boolean => wordsOf(heading) === wordsOf(TITLE)

const wordsOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
