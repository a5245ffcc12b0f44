import type { Asks } from '../ask/asks.ts'
import type { YesNo } from '../ask/yes-no-questions.ts'
import { askYesOrNo } from '../claim/ask-yes-or-no.ts'
import type { ClaimRecord } from '../claim/record.ts'
import type { MergeRecord } from './job-record.ts'

/** Asks on every channel whether a pull request may be merged. The answer is about its commits as they are now. */
export function askToMerge(
  asks: Pick<Asks, 'ask'>,
  { data, pull, base, lineage }: MergeRecord,
  claim: ClaimRecord,
  signal: AbortSignal,
): Promise<YesNo> {
  const { repository, issue, project: cwd } = data
  const [head = ''] = lineage
  const question = {
    title: `Merge PR #${pull} into ${base}, and close issue #${issue}?`,
    lines: [
      `${repository}#${issue} ${claim.title}`.trim(),
      claim.pr?.url,
      `Commit ${head.slice(0, 10)}, checks: ${claim.pr?.checks || 'none'}.`,
      `Yes: Baton merges ${base} into it, proves that, and merges it. You are asked again if its agent has to change it.`,
    ],
    key: `merge ${repository}#${pull} ${head}`,
    subject: {
      session: `${repository}#${pull}`,
      tool: 'merge-pull-request',
      input: { repository, pull, base, head },
      cwd,
    },
  }
  return askYesOrNo(asks, claim, question, signal)
}
