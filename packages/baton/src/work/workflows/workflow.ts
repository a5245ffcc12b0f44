import type { CommandRule, CompletionCheck } from '@batonpass/contract/workflow'

/** A declared job that runs until its completion criterion holds. Everything Baton knows of it is here. */
export interface Workflow {
  name: string
  /** Slash commands that start it, without the slash. */
  commands: readonly string[]
  takesIssue: boolean
  goal: string
  /** What the agent is told when it stopped before the goal was reached; the heading and the way to end are added. */
  prompt(facts: PromptFacts): string
  completion: CompletionCheck
  /** Commands that run without a question while it is active. */
  permissions: readonly CommandRule[]
  /** Whether reading and thinking are the work itself, or only lead to it. */
  nature: 'thinking' | 'building'
  /** The file that declares it; none for Baton's own. */
  file?: string
}

export interface PromptFacts {
  session: string
  /** Which continuation this is, and of how many. */
  count: number
  max: number
  issue?: number | undefined
  plan?: { path: string; excerpt: string } | undefined
}
