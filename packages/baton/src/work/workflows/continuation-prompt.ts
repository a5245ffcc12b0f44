import type { PromptFacts, Workflow } from './workflow.ts'

/** How every continuation starts, so that it is never mistaken for a person's prompt. */
export const HEADING = 'This is an auto-continuation prompt for handsoff mode'

/** Builds the continuation. `stuck` describes the lack of progress, if there was none. */
export function continuationPrompt(
  workflow: Workflow,
  facts: PromptFacts,
  { stuck, written }: { stuck?: string | undefined; written?: string | undefined } = {},
): string {
  const { count, max } = facts
  return [
    `${HEADING}, it is currently ${count}/${max} continuations.`,
    ...(stuck ? [stuckNote(stuck)] : []),
    // A supervisor's text replaces the workflow's own prompt, never the heading or how to end the run.
    written ?? workflow.prompt(facts),
    ...(count >= max
      ? ['This is the last continuation: leave everything in a state from which a person can take over.']
      : []),
    ENDING,
  ].join('\n')
}

const stuckNote = (stuck: string): string =>
  `No progress since the last continuation: ${stuck}. Do not repeat what you did. Say in one sentence what blocks you, then try a different approach. If only a person can help, end with \`baton done --blocked "what you need"\`.`

const ENDING =
  'To end this run, execute `baton done` in your shell; it stops further continuations of this session. Do this as soon as the goal is reached, and not before.'

/** The first 500 characters of a plan. */
const EXCERPT_LENGTH = 500
export const excerptOf = (plan: string): string =>
  Array.from(plan.slice(0, EXCERPT_LENGTH * 2))
    .slice(0, EXCERPT_LENGTH)
    .join('')
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')

/** Replaces `{N}`, `{MAX}`, `{ISSUE}`, `{PLAN}` and `{GOAL}` in a declared prompt; other braces are left unchanged. */
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
