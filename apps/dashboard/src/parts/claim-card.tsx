import type { ClaimView } from '@batonpass/contract/claim'
import { Link } from '../router.tsx'
import { Ago } from '../time.tsx'
import type { Tone } from '../words.ts'
import { Outside } from './outside.tsx'
import { Tag } from './tag.tsx'

/** A claimed issue: who holds it, its branch, and the state of its pull request. */
export function ClaimCard({ claim }: { claim: ClaimView }) {
  const { issue, title, repository, branch, session, trouble, closing, claimedAt, lease } = claim
  return (
    <li class="card" data-tone={trouble || lease.lost ? 'wait' : 'plain'}>
      <h3>
        #{issue} {title ?? ''}
      </h3>
      <p class="who">
        <span>{repository}</span> <code>{branch}</code>
      </p>
      <PullRequest claim={claim} />
      {closing === 'asked' ? (
        <p>
          <Tag tone="wait">close the issue?</Tag> <Link to="/asks">Answer</Link>
        </p>
      ) : null}
      {lease.lost ? (
        <p>
          <Tag tone="bad">taken by another machine</Tag>
        </p>
      ) : null}
      {trouble ? (
        <p class="dim">
          <Tag tone="bad">{trouble.code}</Tag> {trouble.message}. {trouble.remedy ?? ''}
        </p>
      ) : null}
      <p class="last">
        <span>{session ? <Link to={`/sessions/${session}`}>{claim.agentId}</Link> : claim.agentId}</span>
        <Ago at={claimedAt} suffix="" />
      </p>
    </li>
  )
}

/** The pull request of a claim with its checks and review. */
export function PullRequest({ claim: { pullRequest } }: { claim: ClaimView }) {
  if (!pullRequest) return null
  const { url, number, state, checks, review, conflict } = pullRequest
  return (
    <p class="pull">
      <Outside to={url}>PR #{number}</Outside>{' '}
      <Tag tone={state === 'merged' ? 'good' : state === 'closed' ? 'bad' : 'info'}>{state}</Tag>{' '}
      {checks ? <Tag tone={checksTone(checks)}>{checks}</Tag> : null}{' '}
      {review && review !== 'none' ? <Tag>{review}</Tag> : null}{' '}
      {conflict ? <Tag tone="bad">conflicts</Tag> : null}
    </p>
  )
}

const checksTone = (checks: string): Tone =>
  /fail|error|cancel/.test(checks) ? 'bad' : /running|pending|queued|wait/.test(checks) ? 'wait' : 'good'
