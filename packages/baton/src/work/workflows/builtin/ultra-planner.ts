import type { Workflow } from '../workflow.ts'

export const ultraPlanner: Workflow = {
  name: 'ultra-planner',
  commands: ['ultra-planner'],
  takesIssue: true,
  goal: 'A comprehensive implementation plan stands on a GitHub issue.',
  completion: 'plan-issue',
  permissions: [],
  nature: 'thinking',
  prompt: ({
    session,
  }) => `What this workflow is for: a comprehensive plan, posted as a GitHub issue. Is it posted?
1. Not yet: go on. Be as hands-off as you can. Do not put design questions to the user; take the option you would recommend and note in the plan why.
2. Posted: end this run (see below).
3. You no longer know how to go on, or this is the last continuation and the plan is not there: the name of the current branch tells which issue this is about. Leave a comment on that issue for the people who take over (what is done, what is open, session ${session}), and then end this run.`,
}
