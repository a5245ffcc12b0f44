import type { GrantKind } from '@batonpass/contract/grant'
import type { CheckDeclaration } from '@batonpass/contract/proof'
import type { CommandRule, CompletionCheck } from '@batonpass/contract/workflow'

/** A declared job that runs until its completion criterion is met. */
export interface Workflow {
  name: string
  /** Slash commands that start it, without the slash. */
  commands: readonly string[]
  takesIssue: boolean
  goal: string
  /** The prompt for an agent that stopped before the goal was reached. Baton adds the heading and how to end the run. */
  prompt(facts: PromptFacts): string
  completion: CompletionCheck
  /** The checks that must pass at the end of its runs, in place of the project's. */
  doneWhen?: readonly CheckDeclaration[]
  /** What happens to unanswered questions of a run. */
  unanswered?: 'wait' | 'recommended' | 'park'
  /** After how many minutes. */
  unansweredMinutes?: number
  /** Commands that are allowed without asking while the workflow runs. */
  permissions: readonly CommandRule[]
  /** What its runs may do outside by themselves, with their own branch, issue and pull request. */
  grants: WorkflowGrants
  /** `thinking`: reading counts as work. `building`: reading only prepares the work. */
  nature: 'thinking' | 'building'
  /** The file that declares it; undefined for built-in workflows. */
  file?: string
}

export interface WorkflowGrants {
  may: readonly GrantKind[]
  /** Files that the agent is told to write; `{ISSUE}` is the number of the issue. */
  files: readonly string[]
  /** Labels that it may create. */
  labels: readonly string[]
}

export interface PromptFacts {
  session: string
  /** The number of this continuation, and the maximum. */
  count: number
  max: number
  issue?: number | undefined
  plan?: { path: string; excerpt: string } | undefined
}
