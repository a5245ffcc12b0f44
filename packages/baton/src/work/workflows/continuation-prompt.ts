import type { PromptFacts, Workflow } from './workflow.ts'

/** Every prompt that Baton sends by itself begins so; it is never taken for a person's. */
export const HEADING = 'This is an auto-continuation prompt for hands-off mode'

/** What a stopped agent is told. `stuck` names what has not moved, when nothing has. */
export function continuationPrompt(
  workflow: Workflow,
  facts: PromptFacts,
  { stuck, written }: { stuck?: string | undefined; written?: string | undefined } = {},
): string {
  const { count, max } = facts
  return [
    `${HEADING}, it is currently ${count}/${max} continuations.`,
    ...(stuck ? [stuckNote(stuck)] : []),
    // A supervisor's text stands in for the workflow's own words, never for the heading or the way to end.
    written ?? workflow.prompt(facts),
    ...(count >= max
      ? ['This is the last continuation: leave everything so that a person can take over from here.']
      : []),
    ENDING,
  ].join('\n')
}

const stuckNote = (stuck: string): string =>
  `Nothing has moved since the last continuation: ${stuck}. Do not repeat what you did. Say in one sentence what holds you up, then take a different approach. If only a person can help, end with \`baton done --blocked "what you need"\`.`

const ENDING =
  'How to end this run: execute `baton done` in your shell; it stops further continuations of this session. Do so as soon as the goal is reached, and not before.'

/** The first 500 characters of a plan. */
const EXCERPT_LENGTH = 500
export const excerptOf = (plan: string): string =>
  Array.from(plan.slice(0, EXCERPT_LENGTH * 2))
    .slice(0, EXCERPT_LENGTH)
    .join('')
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')

/** Fills `{N}`, `{MAX}`, `{ISSUE}`, `{PLAN}` and `{GOAL}` of a declared prompt; other braces stay as they are. */
export function fillIn(template: string, goal: string, facts: PromptFacts): string {
  const values: Record<string, string> = {
    N: String(facts.count),
    MAX: String(facts.max),
    ISSUE: facts.issue === undefined ? '' : String(facts.issue),
    PLAN: facts.plan ? `${facts.plan.path}\n${facts.plan.excerpt}` : '',
    GOAL: goal,
  }
  return template.replace(/\{(N|MAX|ISSUE|PLAN|GOAL)\}/g, (_, name: string) => values[name] ?? '')
}
