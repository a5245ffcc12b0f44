import { HandoffMode, ReviewStrategy } from '@batonpass/contract/work'

/** The parsed WorkflowContext.md. A person may have written it: oddities become warnings, never errors. */
export interface WorkflowContext {
  title: string
  workId: string
  branch: string
  /** `full` unless the file says otherwise. */
  workflow: string
  strategy: ReviewStrategy
  /** The effective mode: that of the Handoff Mode, else of the Review Policy, else `manual`. */
  mode: HandoffMode
  /** PAW's Review Policy `planning-only`: pauses until the plan is accepted, then none. */
  planningOnly?: true
  /** PAW's Session Policy: whether stages share one session. */
  continuous?: true
  /** PAW's `Current Stage: complete`. */
  complete?: true
  issue: string
  remote: string
  /** Why the work is blocked, if it is. */
  blocked: string | undefined
  warnings: string[]
}

/** The fields, in the order in which they are written. */
const FIELDS = [
  'Work Title',
  'Work ID',
  'Target Branch',
  'Workflow Mode',
  'Review Strategy',
  'Handoff Mode',
  'Issue URL',
  'Remote',
] as const
type Field = (typeof FIELDS)[number]

export const AUTO_NEEDS_LOCAL = 'Auto mode requires local review strategy'
const NO_CONTEXT = 'WorkflowContext.md is missing: manual mode is used.'

/** Reads fields in any order and case, bold or as a list; unknown fields are ignored. */
export function parseContext(text: string | undefined): WorkflowContext {
  const said = new Map<string, string>()
  for (const line of (text ?? '').slice(0, MAX_LENGTH).split(/\r\n?|\n/)) {
    const [, name, value = ''] = LINE.exec(line) ?? []
    const key = name?.toLowerCase().replaceAll(/\s+/g, ' ').trim()
    if (key !== undefined && !said.has(key)) said.set(key, plain(value))
  }
  const get = (field: string) => said.get(field.toLowerCase()) ?? ''
  const warnings: string[] = text === undefined ? [NO_CONTEXT] : []
  const strategy = oneOf(ReviewStrategy.options, get('Review Strategy'))
  if (get('Review Strategy') !== '' && !strategy)
    warnings.push(
      `Review Strategy '${shown(get('Review Strategy'))}' is neither local nor prs: local is used.`,
    )
  const wanted = get('Handoff Mode')
  const policy = wanted === '' ? get('Review Policy') : ''
  let mode = oneOf(HandoffMode.options, wanted) ?? modeOfPolicy(policy)
  if (wanted !== '' && !mode)
    warnings.push(`Handoff Mode '${shown(wanted)}' is not manual, semi-auto or auto: manual mode is used.`)
  if (policy !== '' && !mode)
    warnings.push(
      `Review Policy '${shown(policy)}' is not every-stage, milestones, planning-only or final-pr-only: manual mode is used.`,
    )
  if (mode === 'auto' && strategy === 'prs') {
    warnings.push(
      `${AUTO_NEEDS_LOCAL}: manual mode is used. Set Review Strategy: local, or Handoff Mode: semi-auto.`,
    )
    mode = 'manual'
  }
  return {
    title: get('Work Title'),
    workId: get('Work ID'),
    branch: get('Target Branch'),
    workflow: get('Workflow Mode').toLowerCase() || 'full',
    strategy: strategy ?? 'local',
    mode: mode ?? 'manual',
    ...(mode === 'auto' && policy.toLowerCase() === 'planning-only' ? { planningOnly: true } : {}),
    ...(get('Session Policy').toLowerCase() === 'continuous' ? { continuous: true } : {}),
    ...(/^(?:complete|completed|done|finished)$/i.test(get('Current Stage')) ? { complete: true } : {}),
    issue: get('Issue URL'),
    remote: get('Remote') || 'origin',
    blocked: get('Blocked') || undefined,
    warnings,
  }
}

/** PAW replaced the modes by review policies; these are the modes with the same pauses, by its own mapping. */
const POLICIES: Readonly<Record<string, HandoffMode>> = {
  'every-stage': 'manual',
  always: 'manual',
  milestones: 'semi-auto',
  'planning-only': 'auto',
  'final-pr-only': 'auto',
  never: 'auto',
}
const modeOfPolicy = (policy: string): HandoffMode | undefined => {
  const name = policy.toLowerCase()
  return Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined
}

export function renderContext(
  context: Pick<
    WorkflowContext,
    'title' | 'workId' | 'branch' | 'workflow' | 'strategy' | 'mode' | 'issue' | 'remote'
  >,
): string {
  const values: Record<Field, string> = {
    'Work Title': context.title,
    'Work ID': context.workId,
    'Target Branch': context.branch,
    'Workflow Mode': context.workflow,
    'Review Strategy': context.strategy,
    'Handoff Mode': context.mode,
    'Issue URL': context.issue || 'none',
    Remote: context.remote,
  }
  const lines = FIELDS.map(field => `${field}: ${values[field].replaceAll(/[\r\n]+/g, ' ').trim()}`)
  return `# WorkflowContext\n\n${lines.join('\n')}\n`
}

/** Changes one field and leaves the rest of the file unchanged. */
export function withField(text: string, field: Field, value: string): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const isField = (line: string, name: string) =>
    LINE.exec(line)?.[1]?.toLowerCase().replaceAll(/\s+/g, ' ').trim() === name.toLowerCase()
  const at = lines.findIndex(line => isField(line, field))
  if (at >= 0) {
    const [, start = ''] = /^(.*?:(?:\*\*|__)?)/.exec(lines[at] ?? '') ?? []
    return lines.with(at, `${start} ${value}`).join(newline)
  }
  const before = FIELDS.slice(0, FIELDS.indexOf(field))
  const after = lines.findLastIndex(line => before.some(name => isField(line, name)))
  const place = after >= 0 ? after + 1 : lines.at(-1) === '' ? lines.length - 1 : lines.length
  return lines.toSpliced(place, 0, `${field}: ${value}`).join(newline)
}

const MAX_LENGTH = 100_000
/** Matches `Name: value`, `- **Name**: value` and `**Name:** value`. */
const LINE = /^\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)?([A-Za-z][A-Za-z ]{0,40}?)(?:\*\*|__)?:(?:\*\*|__)?[ \t]*(.*)$/

const plain = (value: string): string =>
  value
    .trim()
    .replace(/^`([^`]*)`$/, '$1')
    .trim()

const oneOf = <T extends string>(choices: readonly T[], value: string): T | undefined =>
  choices.find(choice => choice === value.toLowerCase())

const shown = (value: string): string => value.slice(0, 40)
