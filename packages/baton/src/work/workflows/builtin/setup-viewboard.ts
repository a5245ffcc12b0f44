import type { Workflow } from '../workflow.ts'

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
