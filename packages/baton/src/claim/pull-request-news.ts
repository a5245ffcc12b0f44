import { createHash } from 'node:crypto'
import type { Check, PullRequestStatus } from '../ports/forge.ts'
import { oneLine, unresolvedComments } from '../ports/review-comments.ts'

/** One piece of news about a pull request. */
export interface PrNews {
  kind: 'checks' | 'review' | 'conflict' | 'closed-unmerged' | 'merged'
  /** News with the same digest is not repeated. Empty: nothing to report, so a later problem is news again. */
  digest: string
  text: string
  /** The agent has to act on it. */
  act: boolean
  /** People are notified, too. */
  announce: boolean
  /** The failed checks, whose logs help the agent. */
  failed: readonly Check[]
}

const MAX_NAMES = 5

/** All news about a pull request in its current state. Pure: the caller tracks what was already reported. */
export function pullRequestNews(pull: PullRequestStatus, issue: number): PrNews[] {
  if (pull.state === 'merged')
    return [
      news('merged', `${pull.number}`, `PR #${pull.number} merged! Should I close issue #${issue}?`, {
        announce: true,
      }),
    ]
  if (pull.state === 'closed')
    return [
      news(
        'closed-unmerged',
        pull.headSha,
        `PR #${pull.number} was closed without being merged: ${pull.url}. Do not open another one. Ask the person whether to continue; they may reopen it, or release the claim (baton claim release ${issue}).`,
        { announce: true },
      ),
    ]
  return [checksNews(pull), reviewNews(pull), conflictNews(pull)]
}

function checksNews({ number, url, headSha, checks }: PullRequestStatus): PrNews {
  const { verdict, total, passed, failed, pending, unknown } = checks
  const bad = checks.all.filter(check => check.state === 'failed')
  const names = bad.slice(0, MAX_NAMES).map(named)
  const more = bad.length > names.length ? `\n- and ${bad.length - names.length} more` : ''
  switch (verdict) {
    case 'passed':
      return news(
        'checks',
        `${headSha} passed`,
        `CI passed! All ${total} checks green. PR #${number} is ready to merge: ${url}`,
        { announce: true },
      )
    case 'failed':
      return {
        ...news(
          'checks',
          `${headSha} failed ${bad
            .map(({ id }) => id)
            .sort()
            .join(' ')}`,
          `CI: ${failed} FAILED on PR #${number} (${passed} passed, ${pending} running):\n${names.join('\n')}${more}`,
          { act: true },
        ),
        failed: bad.slice(0, MAX_NAMES),
      }
    case 'pending':
      return news('checks', `${headSha} running`, `CI: ${passed}/${total} passed, ${pending} running…`)
    case 'unknown':
      return news(
        'checks',
        `${headSha} unknown`,
        `CI: ${unknown} of ${total} checks have no known result, so nothing counts as passed yet.`,
      )
    case 'none':
      return news('checks', `${headSha} none`, `CI: no check has reported on PR #${number} yet.`)
  }
}

/** Leaves out comments by people without write access: on a public repository, anyone could give the agent tasks. */
function reviewNews(pull: PullRequestStatus): PrNews {
  const { shown, left, strangers, key } = unresolvedComments(pull)
  if (key.length === 0) return news('review', '', '')
  return news(
    'review',
    digestOf(key),
    [
      `PR #${pull.number} has unresolved review comments. Settle each: change the code, or answer why not.`,
      ...shown,
      ...(left > 0 ? [`- and ${left} earlier ones: ${pull.url}`] : []),
      ...(strangers > 0 ? [`(${strangers} more by people without rights here are left out.)`] : []),
    ].join('\n'),
    { act: true },
  )
}

function conflictNews({ number, mergeable, headSha, base, branch }: PullRequestStatus): PrNews {
  // While the forge has not computed it, keep what was last reported.
  if (mergeable !== 'conflict') return news('conflict', mergeable === 'yes' ? '' : 'unknown', '')
  return news(
    'conflict',
    headSha,
    `PR #${number} conflicts with ${base}. Rebase ${branch} onto it, solve the conflicts and run the tests.`,
    { act: true },
  )
}

const named = ({ name, detail, url, required }: Check): string =>
  `- ${oneLine(name, 120)}${detail && detail !== 'failure' ? ` (${oneLine(detail, 40)})` : ''}${required ? ', required' : ''}${url ? `: ${oneLine(url, 300)}` : ''}`

const digestOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)

const news = (
  kind: PrNews['kind'],
  digest: string,
  text: string,
  { act = false, announce = false } = {},
): PrNews => ({ kind, digest, text, act, announce, failed: [] })

/** Summarizes the checks in a few words, for lists. */
export function checksLine({
  checks: { verdict, total, passed, failed, pending, unknown },
}: PullRequestStatus): string {
  if (verdict === 'none') return 'no checks yet'
  const parts = [
    `${passed}/${total} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(pending > 0 ? [`${pending} running`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ]
  return parts.join(', ')
}
