import { z } from 'zod'
import { type CloseOutcome, type CloseRequest, ForgeError } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { Connection } from './connection.ts'
import type { IssueQuery } from './issue-query.ts'
import { anything, issueState, nodes } from './response-schemas.ts'

/** Comments once, recognised by its marker, and closes the issue. */
export async function closeIssue(
  number: number,
  closing: CloseRequest,
  connection: Connection,
  { owner, name: repo }: RepositoryRef,
  query: IssueQuery,
): Promise<CloseOutcome> {
  if (!/^[A-Za-z0-9_.:-]{1,100}$/.test(closing.marker) || closing.marker.includes('--')) {
    throw new ForgeError('refused', `"${closing.marker}" is not a valid comment marker`)
  }
  const mark = `<!-- baton ${closing.marker} -->`
  const found = await query.ask(number, 'BatonClosing', closingFields, Closable)
  const home = found.repository.nameWithOwner
  const moved = !query.isHome(home)
  // Another user's comment with our marker must not keep us from writing ours.
  const isThere = found.comments.some(comment => comment.viewerDidAuthor && comment.body.includes(mark))
  const parts = [
    isThere ? '' : 'comment: addComment(input: { subjectId: $issue, body: $body }) { clientMutationId }',
    found.state === 'open'
      ? 'close: closeIssue(input: { issueId: $issue, stateReason: COMPLETED }) { issue { state } }'
      : '',
  ]
  const document = `mutation BatonClose($issue: ID!${isThere ? '' : ', $body: String!'}) { ${parts.join('\n')} }`
  // In another repository, a bare number would refer to another issue.
  const comment = moved
    ? closing.comment.replaceAll(/(?<![\w/])#(\d+)/g, `${owner}/${repo}#$1`)
    : closing.comment
  const body = `${comment}\n\n${mark}`
  if (parts.some(Boolean)) {
    await connection
      .mutate(document, { issue: found.id, ...(isThere ? {} : { body }) }, anything)
      .catch(error => {
        if (!moved || !(error instanceof ForgeError) || error.passing) throw error
        const why = `Issue #${number} was transferred to ${home} and can only be closed by hand: ${found.url}`
        throw new ForgeError('not-found', why, { remedy: `See ${found.url}` })
      })
  }
  return { closed: found.state === 'open', commented: !isThere, ...(moved ? { movedTo: found.url } : {}) }
}

const closingFields =
  'state url repository { nameWithOwner } comments(last: 100) { nodes { body viewerDidAuthor } }'
const Closable = z.object({
  id: z.string(),
  url: z.string(),
  repository: z.object({ nameWithOwner: z.string() }),
  state: issueState,
  comments: nodes(z.object({ body: z.string(), viewerDidAuthor: z.boolean() })),
})
