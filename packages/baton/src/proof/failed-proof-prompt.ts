import { describeProblems, type Problem } from './problems.ts'

interface PromptFacts {
  /** The first words, which say what the prompt is about. */
  heading: string
  commit: string
  round: number
  max: number
  /** How the agent says that it is done again, as the end of a sentence. */
  again: string
  /** What to do if only a person can help. */
  blocked: string
}

/** The prompt with which failed checks, and what the agent reported wrongly, go back to the agent. */
export function failedProofPrompt(
  problems: readonly Problem[],
  { heading, commit, round, max, again, blocked }: PromptFacts,
): string {
  const [work, report] = [problems.filter(each => !each.isReport), problems.filter(each => each.isReport)]
  const said = [
    'What you reported differs from what Baton found in git, in your session and in its own checks:',
    describeProblems(report),
    '\nDo what is missing, or correct what you reported: the text of the pull request (`gh pr edit`) and your last message.',
  ]
  if (work.length === 0)
    return [
      `${heading}: the checks of commit ${commit.slice(0, 10)} are done, but your report is not right.`,
      ...said,
      `Then ${again}. Baton asks this once; what still differs is shown in the pull request.`,
    ].join('\n')
  return [
    `${heading}: this work is not proven yet (${round} of at most ${max} times). Baton checked commit ${commit.slice(0, 10)} itself, on a clean checkout:`,
    describeProblems(work),
    ...(report.length > 0 ? ['', ...said] : []),
    `\nFind the cause and fix it. Do not delete, skip or weaken a test or a check. Only what is committed counts. Commit, push the branch so that the pull request contains the fix, and ${again}. If only a person can help, ${blocked}.`,
  ].join('\n')
}
