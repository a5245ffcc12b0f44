import type { ClaimView } from '@batonpass/contract/claim'
import { PHASE_LABELS } from '@batonpass/contract/labels'
import { useState } from 'preact/hooks'
import { Board } from '../parts/board.tsx'
import { ClaimCard } from '../parts/claim-card.tsx'
import { Page } from '../parts/page.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { Empty } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { countOf, folderName } from '../words.ts'

const PHASES = ['coding', 'ready_for_pr', 'pr_created', 'checks_running', 'done'] as const

/** Claimed issues in columns by claim phase, and the project's board. */
export function ClaimsPage() {
  const { data, error } = useResource<{ claims: ClaimView[] }>(
    '/api/claims',
    ({ body }) => body.kind === 'claim',
  )
  const places = useResource<{ projects: string[] }>('/api/page/projects')
  if (!data) return <Page title="Claims" error={error} />
  const { claims } = data
  const claimed = new Set(claims.map(({ project }) => project))
  // Projects with claims come first.
  const projects = [...claimed, ...(places.data?.projects ?? []).filter(each => !claimed.has(each))]
  return (
    <Page title="Claims" about={claims.length > 0 ? countOf(claims.length, 'issue') : undefined}>
      <UnreadableClaims claims={claims} />
      {claims.length === 0 ? (
        <Empty title="No claimed issues">
          A session claims an issue with <code>baton claim NUMBER</code> and holds it until its pull request
          is merged.
        </Empty>
      ) : (
        <Scroller look="board" label="Claims by claim phase">
          {PHASES.map(phase => {
            const here = claims.filter(claim => claim.phase === phase)
            return (
              <section key={phase} aria-labelledby={phase}>
                <h2 id={phase}>
                  {capitalized(PHASE_LABELS[phase])} <span>{here.length}</span>
                </h2>
                <ul>
                  {here.map(claim => (
                    <ClaimCard key={claim.id} claim={claim} />
                  ))}
                </ul>
              </section>
            )
          })}
        </Scroller>
      )}
      {projects.length > 0 ? <Boards projects={projects} claims={claims} /> : null}
    </Page>
  )
}

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** Shows one board at a time: each costs a request to its forge. */
function Boards({ projects, claims }: { projects: readonly string[]; claims: readonly ClaimView[] }) {
  const [chosen, setChosen] = useState<string>()
  const [open, setOpen] = useState(claims.length > 0)
  const project = chosen ?? projects[0] ?? ''
  // Worktrees of one repository share its board.
  const repositories = new Set(claims.filter(each => each.project === project).map(each => each.repository))
  return (
    <section aria-labelledby="the-board" class="below">
      <div class="row">
        <h2 id="the-board">Board</h2>
        <label class="hidden" for="board-of">
          Project of the board
        </label>
        <select
          id="board-of"
          value={project}
          onChange={event => {
            setChosen(event.currentTarget.value)
            setOpen(true)
          }}
        >
          {projects.map(each => (
            <option key={each} value={each}>
              {folderName(each)}
            </option>
          ))}
        </select>
        {open ? null : (
          <button type="button" onClick={() => setOpen(true)}>
            Show the board
          </button>
        )}
      </div>
      {open ? (
        <Board project={project} claims={claims.filter(each => repositories.has(each.repository))} />
      ) : null}
    </section>
  )
}

function UnreadableClaims({ claims }: { claims: readonly ClaimView[] }) {
  const strays = claims.filter(({ phase }) => phase === 'unreadable' || phase === 'gone')
  if (strays.length === 0) return null
  return (
    <ul class="notice bad">
      {strays.map(claim => (
        <li key={claim.id}>
          #{claim.issue} in {folderName(claim.project)}: the signal file <code>.agent-claim.json</code>{' '}
          {claim.phase === 'gone' ? 'is missing' : 'is not valid'}.
        </li>
      ))}
    </ul>
  )
}
