import type { WorkReport, WorkStatus, WorkSummary } from '@batonpass/contract/work'
import type { ComponentChildren } from 'preact'
import { Outside } from '../parts/outside.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago } from '../time.tsx'
import { countOf, folderName } from '../words.ts'

interface WorkPlaces {
  projects: { project: string; items: WorkSummary[] }[]
}

/** Work items of every project, and the stage that one of them has reached. */
export function WorkPage({ id }: { id?: string | undefined }) {
  const { data, error, absent } = useResource<WorkPlaces>(
    '/api/page/work',
    ({ body }) => body.kind === 'stage',
  )
  if (absent || data?.projects.length === 0)
    return (
      <Page title="Work">
        <Empty title="No work items yet">
          Staged work lives in <code>.paw/work</code>; start with <code>baton work new</code>.
        </Empty>
      </Page>
    )
  if (!data) return <Page title="Work" error={error} />
  const home = data.projects.find(({ items }) => items.some(({ workId }) => workId === id))
  return (
    <Page title={id ?? 'Work'} about={home ? folderName(home.project) : undefined}>
      {home && id ? <Item project={home.project} id={id} /> : null}
      {data.projects.map(({ project, items }) => (
        <section key={project} aria-label={folderName(project)}>
          <h2>{folderName(project)}</h2>
          <table class="table list">
            <thead>
              <tr>
                <th>Work item</th>
                <th>Stage</th>
                <th>Mode</th>
                <th>Changed</th>
              </tr>
            </thead>
            <tbody>
              {items.map(item => (
                <tr key={item.workId}>
                  <td>
                    <Link to={`/work/${item.workId}`}>{item.title}</Link>{' '}
                    <code class="dim">{item.workId}</code>
                  </td>
                  <td class="wide">{item.stage}</td>
                  <td class="tight">{item.mode}</td>
                  <td class="tight">
                    <Ago at={item.modifiedAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </Page>
  )
}

function Item({ project, id }: { project: string; id: string }) {
  const path = `/api/work/status?${new URLSearchParams({ project, work_id: id })}`
  const { data, error } = useResource<WorkReport>(path, ({ body }) => body.kind === 'stage')
  if (error) return <p class="notice bad">{error.message}</p>
  if (!data?.status) return <p class="dim">Loading …</p>
  const { status } = data
  return (
    <section aria-label="Status" class="panel">
      <h2 class="name">{status.title}</h2>
      <StageGraph status={status} />
      <dl class="facts">
        <Fact name="Stage">{status.stage}</Fact>
        <Fact name="Mode">{status.mode}</Fact>
        <Fact name="Review">{status.strategy}</Fact>
        {status.git?.branch ? (
          <Fact name="Branch">
            <code>{status.git.branch}</code>
            {status.git.dirty > 0 ? `, ${countOf(status.git.dirty, 'file')} uncommitted` : ''}
          </Fact>
        ) : null}
        {status.result ? (
          <Fact name="Result">
            {status.result.end} ({status.result.reason})
          </Fact>
        ) : null}
        {status.claim ? <Fact name="Claim">{status.claim}</Fact> : null}
      </dl>
      {status.blocked ? <p class="notice bad">{status.blocked}</p> : null}
      {status.warnings.map(warning => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      {status.phases.length > 0 ? (
        <>
          <h3>Phases</h3>
          <ol class="stages">
            {status.phases.map(({ number, title, state, reviewed }) => (
              <li key={number} data-state={state === 'done' ? 'done' : state === 'begun' ? 'here' : ''}>
                <span>
                  {number}. {title}
                  {reviewed ? ' ✓' : ''}
                </span>
              </li>
            ))}
          </ol>
        </>
      ) : null}
      {status.pullRequests.length > 0 ? (
        <>
          <h3>Pull requests</h3>
          <ul>
            {status.pullRequests.map(pr => (
              <li key={`${pr.kind}${pr.phase}`}>
                {pr.url ? (
                  <Outside to={pr.url}>{pr.title ?? `#${pr.number}`}</Outside>
                ) : (
                  `${pr.kind} pull request`
                )}{' '}
                <Tag tone={pr.state === 'merged' ? 'good' : 'plain'}>
                  {pr.state === 'not-found' ? 'not opened yet' : pr.state}
                </Tag>{' '}
                <span class="dim">{pullRequestState(pr)}</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {status.sessions.length > 0 ? (
        <>
          <h3>Sessions</h3>
          <p>
            {status.sessions.map(({ session, nativeSession, stage, live }) => (
              <span key={session}>
                <Link to={`/sessions/${session}`}>{stage ?? nativeSession.slice(0, 8)}</Link>{' '}
                {live ? <Tag tone="good">live</Tag> : null}{' '}
              </span>
            ))}
          </p>
        </>
      ) : null}
      {status.next.length > 0 ? (
        <>
          <h3>Next</h3>
          <ul>
            {status.next.map(({ command, what }) => (
              <li key={command}>
                <code>{command}</code> <span class="dim">{what}</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
  )
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** The stages of a build with the file each one writes. Stages of a review are known by their files alone. */
const BUILDING: readonly (readonly [title: string, artifact: string | undefined])[] = [
  ['Specification', 'Spec'],
  ['Spec Research', 'SpecResearch'],
  ['Code Research', 'CodeResearch'],
  ['Implementation Plan', 'ImplementationPlan'],
  ['Implementation', undefined],
  ['Documentation', 'Docs'],
  ['Final PR', undefined],
]

/** The stages in order, with the current one marked. */
function StageGraph({ status }: { status: WorkStatus }) {
  const present = new Set(
    status.artifacts.flatMap(each => (each.present ? each.name.replace(/\.md$/, '') : [])),
  )
  const known = new Set(status.artifacts.map(({ name }) => name.replace(/\.md$/, '')))
  const steps = known.has('Spec')
    ? BUILDING
    : [...known].filter(name => name !== 'WorkflowContext').map(name => [splitWords(name), name] as const)
  // `Implementation Review` belongs to `Implementation`; the longest title that matches is the stage.
  const fits = steps
    .filter(([title]) => status.stage.startsWith(title))
    .sort((a, b) => b[0].length - a[0].length)
  const here = fits[0]
    ? steps.indexOf(fits[0])
    : steps.findIndex(([, file]) => file !== undefined && !present.has(file))
  return (
    <ol class="stages" aria-label="Stages">
      {steps.map(([title, file], index) => {
        const made = file === undefined ? index < here : present.has(file)
        const state =
          index === here
            ? status.blocked
              ? 'blocked'
              : 'here'
            : made
              ? 'done'
              : index < here
                ? 'skipped'
                : 'open'
        return (
          <li key={title} data-state={state}>
            <span>
              {title}
              <span class="hidden"> {state === 'skipped' ? '' : state}</span>
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** `changes requested · checks passed` */
const pullRequestState = ({ review, checks }: WorkStatus['pullRequests'][number]): string =>
  [
    review && review !== 'none' ? `review: ${review.replaceAll('-', ' ')}` : '',
    checks && checks !== 'none' ? `checks: ${checks}` : '',
  ]
    .filter(Boolean)
    .join(' · ')

const splitWords = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2')
