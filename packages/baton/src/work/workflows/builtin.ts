import { issueToImpl } from './builtin/issue-to-impl.ts'
import { planToIssue } from './builtin/plan-to-issue.ts'
import { setupViewboard } from './builtin/setup-viewboard.ts'
import { ultraPlanner } from './builtin/ultra-planner.ts'
import type { Workflow } from './workflow.ts'

/** The workflows that come with Baton. A new one is a file beside these and a word in this list. */
export const BUILTIN: readonly Workflow[] = [ultraPlanner, issueToImpl, planToIssue, setupViewboard]
