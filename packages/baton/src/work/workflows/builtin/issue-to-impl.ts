import type { Workflow } from '../workflow.ts'

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
