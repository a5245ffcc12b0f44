import type { DecisionEntry, PermissionDecision, PermissionRule } from '@batonpass/contract/permission'
import { assess } from '@batonpass/shell-verdict/programs/assess'
import { builtinPrograms } from '@batonpass/shell-verdict/programs/builtin'
import type { Kind } from '@batonpass/shell-verdict/programs/kinds'
import { analyse } from '@batonpass/shell-verdict/shell/analysis'
import { holdsPlaceholder } from '../journal/redact.ts'
import { exactText } from './rules/exact-command.ts'
import { escapePattern } from './rules/rule-text.ts'

type Rule = Exclude<PermissionRule, string>

/** A rule that would have spared a person the same yes again. */
export interface Lesson {
  rule: Rule
  /** How often a person said yes to what it covers. */
  allowed: number
  examples: string[]
}

/** What a person decided, and where. */
export interface Taught extends Pick<DecisionEntry, 'tool' | 'subject' | 'decision' | 'by' | 'trail'> {
  project: string
}

/** What the rules in force, and these besides, say to it now. */
export type Trial = (besides: readonly Rule[], taught: Taught) => PermissionDecision

const MOST_EXAMPLES = 3
/** So many different forms of one sub-command, and the sub-command is meant. */
const FORMS = 3
/** Effects for which a sub-command may be allowed as a whole; what reaches further is only learned word for word. */
const WIDENED: ReadonlySet<Kind> = new Set(['build', 'write', 'project', 'fetch'])

/**
 * What a person kept allowing, as rules that are no wider than need be: word for word, or a sub-command that was allowed
 * in several forms. A rule that would allow what the person denied, or spare no question, is not proposed.
 */
export function learn(all: readonly Taught[], trial: Trial, atLeast = 2): Lesson[] {
  const known = all.filter(({ by, subject }) => by === 'person' && isWhole(subject))
  const denied = known.filter(({ decision }) => decision === 'deny')
  const open = known.filter(one => one.decision === 'allow' && /^(ask|undecided)$/.test(trial([], one)))
  const chosen = choose(open, atLeast)
  const rules = () => [...chosen.values()].map(({ rule }) => rule)
  for (const one of denied) {
    if (trial(rules(), one) !== 'allow') continue
    for (const form of formsOf(one)) for (const rule of [form.exact, form.wide]) chosen.delete(keyOf(rule))
    // What still lets it through is not understood, so nothing is proposed.
    if (trial(rules(), one) === 'allow') return []
  }
  const spared = open.filter(one => trial(rules(), one) === 'allow')
  const useful = new Set(
    spared.flatMap(one => formsOf(one).flatMap(({ exact, wide }) => [keyOf(exact), keyOf(wide)])),
  )
  return [...chosen]
    .filter(([key]) => useful.has(key))
    .map(([, lesson]) => lesson)
    .sort((a, b) => b.allowed - a.allowed)
}

/** Nothing is missing from it: neither a secret nor, with `journal.content: digest`, everything. */
const isWhole = (subject: string): boolean => !holdsPlaceholder(subject) && !subject.startsWith('sha256:')

function choose(open: readonly Taught[], atLeast: number): Map<string, Lesson> {
  const exact = new Map<string, Lesson>()
  const wide = new Map<string, Lesson & { forms: Set<string> }>()
  for (const one of open) {
    for (const form of formsOf(one)) {
      count(exact, form.exact, one.subject)
      if (!form.wide) continue
      const lesson = count(wide, form.wide, one.subject)
      lesson.forms = (lesson.forms ?? new Set()).add(keyOf(form.exact))
    }
  }
  const enough = [...wide].filter(([, { forms }]) => forms.size >= Math.max(FORMS, atLeast))
  const covered = new Set(enough.flatMap(([, { forms }]) => [...forms]))
  return new Map<string, Lesson>([
    ...enough.map(([key, { forms: _, ...lesson }]) => [key, lesson] as const),
    ...[...exact].filter(([key, { allowed }]) => allowed >= atLeast && !covered.has(key)),
  ])
}

function count<L extends Lesson>(lessons: Map<string, L>, rule: Rule, subject: string): Partial<L> & Lesson {
  const key = keyOf(rule)
  const lesson = lessons.get(key) ?? ({ rule, allowed: 0, examples: [] as string[] } as L)
  lesson.allowed++
  if (lesson.examples.length < MOST_EXAMPLES && !lesson.examples.includes(subject))
    lesson.examples.push(subject)
  lessons.set(key, lesson)
  return lesson
}

const keyOf = (rule: Rule | undefined): string => JSON.stringify(rule ?? null)

interface Form {
  exact: Rule
  wide: Rule | undefined
}

/** One for each part that no rule had allowed; none when a part says nothing reliable. */
function formsOf({ tool, subject, trail }: Taught): Form[] {
  if (tool.startsWith('mcp__')) {
    const [, server = '', ...name] = tool.split('__')
    return [{ exact: { mcp: `${server}/${name.join('__')}` }, wide: undefined }]
  }
  if (tool === 'WebFetch') {
    const host = hostOf(subject.slice(tool.length).trim())
    return host ? [{ exact: { tool, hosts: host }, wide: undefined }] : []
  }
  if (tool !== 'Bash' && tool !== 'Shell') return []
  const asked = new Set(trail.filter(step => step.decision !== 'allow').map(step => step.part))
  // Folders play no part here: only the words of the commands do.
  const { commands, unknowns } = analyse(subject, { cwd: '/', home: '/' })
  if (unknowns.length > 0) return []
  const forms: Form[] = []
  for (const command of commands) {
    const text = exactText(command)
    if (text === undefined) return []
    if (!asked.has(text)) continue
    const { kind, program, path } = assess(command, builtinPrograms())
    const wide = WIDENED.has(kind) && path.length > 0 ? { program, subcommand: path.join(' ') } : undefined
    forms.push({ exact: { pattern: `^${escapePattern(text)}$` }, wide })
  }
  return forms
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname || undefined
  } catch {
    return undefined
  }
}
