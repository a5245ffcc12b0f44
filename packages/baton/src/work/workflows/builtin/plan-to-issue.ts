import type { Workflow } from '../workflow.ts'

export const planToIssue: Workflow = {
  name: 'plan-to-issue',
  commands: ['plan-to-issue'],
  takesIssue: false,
  goal: "A GitHub [plan] issue holds the user's plan.",
  completion: 'plan-issue',
  permissions: [],
  nature: 'thinking',
  prompt: ({ session }) => `What this workflow is for: a GitHub [plan] issue made from the plan the user gave.

1. The issue does not exist yet: go on with it.
   - Read the plan and bring it into the form of an issue.
   - Create the issue with its labels and a readable layout.
   - Give the text with \`--body-file\`, not \`--body\`: a plan that begins with dashes would be read as flags.
2. The issue exists: end this run (see below).
3. Something is in the way, or this is the last continuation and there is no issue: end this run, and tell the user
   - what happened,
   - what you have done so far,
   - what is in the way,
   - and the session id for whoever takes over: ${session}.`,
}
