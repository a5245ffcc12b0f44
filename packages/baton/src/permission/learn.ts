import type { DecisionEntry, PermissionRule } from '@batonpass/contract/permission'
import { analyse } from './analysis/analysis.ts'

/** A rule that would have spared a person the same yes again. */
export interface Lesson {
  rule: Exclude<PermissionRule, string>
  /** How often a person said yes to what it covers. */
  allowed: number
  examples: string[]
}

const MOST_EXAMPLES = 3

/**
 * What a person kept allowing, as rules: by program and first sub-command, never wider. Anything a person also
 * denied teaches nothing, and neither does what could not be known before it ran.
 */
export function learn(decisions: readonly DecisionEntry[], atLeast = 2): Lesson[] {
  const byPerson = decisions.filter(({ by }) => by === 'person')
  const denied = new Set(byPerson.filter(d => d.decision === 'deny').flatMap(d => rulesFor(d).map(keyOf)))
  const lessons = new Map<string, Lesson>()
  for (const decision of byPerson) {
    if (decision.decision !== 'allow') continue
    for (const rule of rulesFor(decision)) {
      const key = keyOf(rule)
      if (denied.has(key)) continue
      const lesson = lessons.get(key) ?? { rule, allowed: 0, examples: [] }
      lesson.allowed++
      if (lesson.examples.length < MOST_EXAMPLES && !lesson.examples.includes(decision.subject)) {
        lesson.examples.push(decision.subject)
      }
      lessons.set(key, lesson)
    }
  }
  return [...lessons.values()]
    .filter(lesson => lesson.allowed >= atLeast)
    .sort((a, b) => b.allowed - a.allowed)
}

const keyOf = (rule: Lesson['rule']): string => JSON.stringify(rule)

/** One rule for each part that no rule had allowed; none when a part says nothing reliable. */
function rulesFor({ tool, subject, trail }: DecisionEntry): Lesson['rule'][] {
  if (tool.startsWith('mcp__')) {
    const [, server = '', ...name] = tool.split('__')
    return [{ mcp: `${server}/${name.join('__')}` }]
  }
  if (tool !== 'Bash' && tool !== 'Shell') return []
  const open = new Set(trail.filter(step => step.decision !== 'allow').map(step => step.part))
  // Folders play no part here: only the words of the commands do.
  const { commands, unknowns } = analyse(subject, { cwd: '/', home: '/' })
  if (unknowns.length > 0) return []
  const rules: Lesson['rule'][] = []
  for (const command of commands) {
    const words = command.words.map(word => word.value)
    const [program, first] = words
    if (program === undefined) return []
    if (![...open].some(part => part.startsWith(program))) continue
    const isWord = first !== undefined && /^[a-z][a-z0-9:_-]*$/i.test(first)
    rules.push({ program, ...(isWord ? { subcommand: first } : {}) })
  }
  return rules
}
