import type { Asks } from '../ask/asks.ts'
import { fingerprintOf } from '../ask/fingerprint.ts'
import type { YesNo } from '../ask/yes-no-questions.ts'
import type { ClaimRecord } from '../claim/record.ts'
import type { MergeRecord } from './job-record.ts'

const WEEK_MS = 7 * 24 * 3_600_000

/** Asks on every channel whether a pull request may be merged. The answer is about its commits as they are now. */
export async function askToMerge(
  asks: Pick<Asks, 'ask'>,
  { data, pull, base, lineage }: MergeRecord,
  { title, pr, session, nativeSession, agent }: ClaimRecord,
  signal: AbortSignal,
): Promise<YesNo> {
  const { repository, issue, project } = data
  const [head = ''] = lineage
  const outcome = await asks.ask(
    {
      kind: 'confirm',
      title: `Merge PR #${pull} into ${base}, and close issue #${issue}?`,
      detail: [
        `${repository}#${issue} ${title}`.trim(),
        pr?.url,
        `Commit ${head.slice(0, 10)}, checks: ${pr?.checks || 'none'}.`,
        `Yes: Baton merges ${base} into it, proves that, and merges it. You are asked again if its agent has to change it.`,
      ]
        .filter(Boolean)
        .join('\n'),
      key: `merge ${repository}#${pull} ${head}`,
      fingerprint: fingerprintOf({
        session: `${repository}#${pull}`,
        tool: 'merge-pull-request',
        input: { repository, pull, base, head },
        cwd: project,
      }),
      facts: {
        project,
        ...(session ? { session } : {}),
        ...(nativeSession ? { nativeSession } : {}),
        ...(agent ? { agent } : {}),
      },
    },
    // If no channel reaches a person, the question stays open and `baton asks` lists it.
    { signal, withinMs: WEEK_MS, unreached: 'wait' },
  )
  if (outcome.result !== 'answered') return 'none'
  return outcome.option === 'yes' ? 'yes' : 'no'
}
