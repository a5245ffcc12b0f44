import type { PullRequestStatus, ReviewComment } from './forge.ts'

/** What reviewers said about a pull request and nobody has resolved, as lines that an agent can be given. */
export interface UnresolvedComments {
  /** Each with who said it and where, quoted; the newest. */
  shown: string[]
  /** How many earlier ones are not among them. */
  left: number
  /** Said by people without rights here: left out, because anybody may write on a public repository. */
  strangers: number
  /** What tells this state of affairs from another. */
  key: string[]
}

const MAX_ITEMS = 20
const MAX_LENGTH = 2000

export function unresolvedComments(pull: PullRequestStatus): UnresolvedComments {
  const asked = pull.reviews.filter(({ state }) => state === 'changes-requested' || state === 'commented')
  const all = [
    ...asked.map(review => ({
      ...review,
      where: review.state === 'changes-requested' ? 'asks for changes' : 'comments',
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
