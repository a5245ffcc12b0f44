import type { ClaimView } from '@batonpass/contract/claim'
import { Page } from '../parts/page.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago } from '../time.tsx'
import { baseOf } from '../words.ts'

const PHASES = [
  ['coding', 'Coding'],
  ['ready_for_pr', 'Ready for a pull request'],
  ['pr_created', 'Pull request open'],
  ['checks_running', 'Checks running'],
  ['done', 'Done'],
] as const

/** Claimed issues, in columns by phase. */
export function ClaimsPage() {
  const { data, error, absent } = useResource<{ claims: ClaimView[] }>(
    '/api/claims',
    ({ body }) => body.kind === 'claim',
  )
  if (absent || (data && data.claims.length === 0))
    return (
      <Page title="Claims">
        <Empty title="No issue is claimed">
          A session takes an issue with <code>baton claim NUMBER</code> and holds it until its pull request is
          merged.
        </Empty>
      </Page>
    )
  if (!data) return <Page title="Claims" error={error} />
  const strays = data.claims.filter(({ phase }) => phase === 'unreadable' || phase === 'gone')
  return (
    <Page title="Claims" about={`${data.claims.length} issues`}>
      {strays.length > 0 ? (
        <ul class="notice bad">
          {strays.map(claim => (
            <li key={claim.id}>
              #{claim.issue} in {baseOf(claim.project)}: its signal file is {claim.phase}.
            </li>
          ))}
        </ul>
      ) : null}
      <div class="board">
        {PHASES.map(([phase, title]) => {
          const claims = data.claims.filter(claim => claim.phase === phase)
          return (
            <section key={phase} aria-labelledby={phase}>
              <h2 id={phase}>
                {title} <span>{claims.length}</span>
              </h2>
              <ul>
                {claims.map(claim => (
                  <ClaimCard key={claim.id} claim={claim} />
                ))}
              </ul>
            </section>
          )
        })}
      </div>
    </Page>
  )
}

function ClaimCard({ claim }: { claim: ClaimView }) {
  const { issue, title, repository, branch, pullRequest, session, trouble, closing, claimedAt, lease } = claim
  return (
    <li class="card" data-tone={trouble || lease.lost ? 'wait' : 'plain'}>
      <h3>
        #{issue} {title ?? ''}
      </h3>
      <p class="who">
        <span>{repository}</span> <code>{branch}</code>
      </p>
      {pullRequest ? (
        <p>
          <a href={pullRequest.url} rel="noreferrer noopener" target="_blank">
            PR #{pullRequest.number}
          </a>{' '}
          <Tag
            tone={pullRequest.state === 'merged' ? 'good' : pullRequest.state === 'closed' ? 'bad' : 'info'}
          >
            {pullRequest.state}
          </Tag>{' '}
          <span class="dim">
            {[pullRequest.checks, pullRequest.review].filter(Boolean).join(' · ')}
            {pullRequest.conflict ? ' · conflicts' : ''}
          </span>
        </p>
      ) : null}
      {closing === 'asked' ? (
        <p>
          <Tag tone="wait">may it be closed?</Tag> <Link to="/asks">Answer</Link>
        </p>
      ) : null}
      {lease.lost ? <Tag tone="bad">taken by another machine</Tag> : null}
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
