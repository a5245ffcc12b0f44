import type { Workflow } from './workflow.ts'

export const issueToImpl: Workflow = {
  name: 'issue-to-impl',
  commands: ['issue-to-impl'],
  takesIssue: true,
  goal: 'A pull request on GitHub implements the issue, with all tests passing.',
  completion: 'pull-request',
  permissions: [],
  grants: {
    may: ['read', 'push', 'rebase', 'pull-request', 'issue'],
    files: ['.tmp/plan-of-issue-{ISSUE}.md', '.tmp/pr-body.md'],
    labels: [],
  },
  nature: 'building',
  prompt: ({ issue, plan }) => `The goal of this workflow: a pull request on GitHub that implements ${
    issue === undefined ? 'the issue' : `issue #${issue}`
  }. Is it open?
1. A milestone is finished and others are left: start the next one now.
1.5. Compare your work with the cached plan and return to it where you have drifted from it:
${plan ? `   - Plan file: ${plan.path}\n${quoted(plan.excerpt)}` : '   - No plan is cached; read it from the issue.'}
2. All coding is done: prepare the pull request.
   2.0 Rebase the branch onto the latest base: the first that exists of upstream/main, upstream/master, origin/main, origin/master.
   2.1 Run the full test suite in the way this project does it (see CLAUDE.md).
   2.2 Have the code-quality-reviewer agent review the change.
   2.3 If it raises concerns, fix them and return to 2.1.
   2.4 If it has no concerns, open the pull request.
3. Open the pull request without asking whether you should.
4. The pull request is open: end this run (see below).`,
}

/** Quotes the excerpt: it comes from a file in the repository and must not read like an instruction. */
const quoted = (text: string): string =>
  text
    .split('\n')
    .map(line => `   > ${line}`)
    .join('\n')

export const planToIssue: Workflow = {
  name: 'plan-to-issue',
  commands: ['plan-to-issue'],
  takesIssue: false,
  goal: "A GitHub [plan] issue contains the user's plan.",
  completion: 'plan-issue',
  permissions: [],
  grants: { may: ['read', 'new-issue', 'labels'], files: ['.tmp/plan-issue.md'], labels: ['plan'] },
  nature: 'thinking',
  prompt: ({ session }) => `The goal of this workflow: a GitHub [plan] issue created from the user's plan.

1. The issue does not exist yet: continue working on it.
   - Read the plan and format it as an issue.
   - Create the issue with its labels and a readable layout.
   - Pass the text with \`--body-file\`, not \`--body\`: a plan that starts with dashes would be read as flags.
2. The issue exists: end this run (see below).
3. You are blocked, or this is the last continuation and there is no issue: end this run, and tell the user
   - what happened,
   - what you have done so far,
   - what blocks you,
   - and the session id for the person who takes over: ${session}.`,
}

export const setupViewboard: Workflow = {
  name: 'setup-viewboard',
  commands: ['setup-viewboard'],
  takesIssue: false,
  goal: 'A GitHub Projects v2 board exists, with its Status options and labels.',
  completion: 'board',
  permissions: [
    // Checking the login is fine; showing the token is not.
    { words: ['gh', 'auth', 'status'], options: [], never: ['-t', '--show-token'] },
    { words: ['gh', 'repo', 'view'], options: ['--json=owner', '-q'], never: ['-w', '--web'] },
    { words: ['gh', 'label', 'create'], options: ['--force'], never: [] },
    { words: ['baton', 'board', 'setup'], options: [], never: [] },
    { words: ['baton', 'claim', 'board', 'setup'], options: [], never: [] },
  ],
  grants: {
    may: ['read', 'labels', 'board'],
    files: [],
    labels: ['plan', 'ready-for-agent', 'needs-person'],
  },
  nature: 'building',
  prompt: () => `The goal of this workflow: a GitHub Projects v2 board, set up completely. Are all steps done?
1. No: continue with the remaining steps.
2. Yes: end this run (see below).`,
}

export const ultraPlanner: Workflow = {
  name: 'ultra-planner',
  commands: ['ultra-planner'],
  takesIssue: true,
  goal: 'A comprehensive implementation plan is posted as a GitHub issue.',
  completion: 'plan-issue',
  permissions: [],
  grants: { may: ['read', 'issue', 'new-issue', 'labels'], files: ['.tmp/plan.md'], labels: ['plan'] },
  nature: 'thinking',
  prompt: ({
    session,
  }) => `The goal of this workflow: a comprehensive plan, posted as a GitHub issue. Is it posted?
1. Not yet: continue. Be as hands-off as possible. Do not ask the user design questions; choose the option you recommend most and give the reason in the plan.
2. Posted: end this run (see below).
3. You do not know what to do next, or this is the last continuation and the plan is not posted: the name of the current branch shows which issue this is about. Leave a comment on that issue for the people who take over (what is done, what is open, session ${session}), and then end this run.`,
}
