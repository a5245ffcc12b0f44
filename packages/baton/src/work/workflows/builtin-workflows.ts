import type { Workflow } from './workflow.ts'

export const issueToImpl: Workflow = {
  name: 'issue-to-impl',
  commands: ['issue-to-impl'],
  takesIssue: true,
  goal: 'A pull request on GitHub implements the issue, with all tests passing.',
  completion: 'pull-request',
  permissions: [],
  nature: 'building',
  prompt: ({ issue, plan }) => `What this workflow is for: a pull request on GitHub that implements ${
    issue === undefined ? 'the issue' : `issue #${issue}`
  }. Is it open?
1. A milestone is finished and others are left: start the next one now.
1.5. Compare your work with the cached plan and come back to it where you have drifted:
${plan ? `   - Plan file: ${plan.path}\n${quoted(plan.excerpt)}` : '   - No plan is cached; read it from the issue.'}
2. All coding is done: prepare the pull request.
   2.0 Rebase the branch onto the newest base; take the first that exists of upstream/main, upstream/master, origin/main, origin/master.
   2.1 Run the whole test suite the way this project does it (see CLAUDE.md).
   2.2 Have the code-quality-reviewer agent review the change.
   2.3 If it raises concerns, settle them and return to 2.1.
   2.4 If it is content, open the pull request.
3. Open the pull request without asking whether you should.
4. The pull request is open: end this run (see below).`,
}

/** The excerpt comes from a file of the repository: it is shown as a quotation, not as part of the instructions. */
const quoted = (text: string): string =>
  text
    .split('\n')
    .map(line => `   > ${line}`)
    .join('\n')

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

export const setupViewboard: Workflow = {
  name: 'setup-viewboard',
  commands: ['setup-viewboard'],
  takesIssue: false,
  goal: 'A GitHub Projects v2 board exists, with its Status options and labels.',
  completion: 'board',
  permissions: [
    // Showing the token is another thing than checking the login.
    { words: ['gh', 'auth', 'status'], options: [], never: ['-t', '--show-token'] },
    { words: ['gh', 'repo', 'view'], options: ['--json=owner', '-q'], never: ['-w', '--web'] },
    // Neither a file of the person's nor another host: those go through the chain.
    { words: ['gh', 'api', 'graphql'], options: [], never: ['--input', '--hostname'] },
    { words: ['gh', 'label', 'create'], options: ['--force'], never: [] },
    { words: ['baton', 'board', 'setup'], options: [], never: [] },
  ],
  nature: 'building',
  prompt: () => `What this workflow is for: a GitHub Projects v2 board, set up completely. Are all steps done?
1. No: go on with the steps that are left.
2. Yes: end this run (see below).`,
}

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
