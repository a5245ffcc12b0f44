import type { PullRequestStatus, ReviewComment } from './forge.ts'

/** Unresolved review comments of a pull request, as text for an agent. */
export interface UnresolvedComments {
  /** The newest comments, quoted, with author and location. */
  shown: string[]
  /** The number of older comments that are not shown. */
  left: number
  /** The number of comments by people without write access. They are left out: anyone can comment on a public repository. */
  strangers: number
  /** Identifies this set of comments, to notice changes. */
  key: string[]
}

const MAX_ITEMS = 20
const MAX_LENGTH = 2000

export function unresolvedComments(pull: PullRequestStatus): UnresolvedComments {
  const asked = pull.reviews.filter(({ state }) => state === 'changes-requested' || state === 'commented')
  const all = [
    ...asked.map(review => ({
      ...review,
      where: review.state === 'changes-requested' ? 'requests changes' : 'comments',
    })),
    ...pull.threads
      .filter(thread => !thread.outdated)
      .flatMap(({ path, line, remarks }) =>
        remarks.map(remark => ({ ...remark, where: `on ${path}${line === undefined ? '' : `:${line}`}` })),
      ),
  ]
  const trusted = all.filter(remark => remark.trusted)
  const shown = trusted.slice(-MAX_ITEMS).map(quoted)
  return {
    shown,
    left: trusted.length - shown.length,
    strangers: all.length - trusted.length,
    key: trusted.map(({ url, body }) => `${url} ${body}`),
  }
}

function quoted({ author, where, body, url }: ReviewComment & { where: string }): string {
  const text = body.trim().slice(0, MAX_LENGTH)
  const lines =
    text === '' ? [] : text.split('\n').map(line => `  > ${line.replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, '')}`)
  return [
    `- ${oneLine(author ?? 'someone', 60)} ${oneLine(where, 200)} (${oneLine(url, 300)})${lines.length > 0 ? ':' : ''}`,
    ...lines,
  ].join('\n')
}

export const oneLine = (text: string, most: number): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, most)
