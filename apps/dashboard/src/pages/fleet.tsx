import { duration } from '@batonpass/contract/duration'
import type { FleetPage as FleetData, FleetStatus, MergeView } from '@batonpass/contract/fleet'
import { visibleText } from '../invisible.ts'
import { medianLead } from '../parts/fleet-figures.ts'
import { Machines, Sessions } from '../parts/fleet-machines.tsx'
import { FleetPlots } from '../parts/fleet-plots.tsx'
import { FleetQueue } from '../parts/fleet-queue.tsx'
import { Outside } from '../parts/outside.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago, now } from '../time.tsx'
import { countOf, folderName, type Tone } from '../words.ts'

/** What other machines do reaches this one without a journal entry. */
const RELOAD_MS = 5000
const DAY_MS = 86_400_000
const MODES: Record<FleetStatus['mode'], string> = {
  up: 'up',
  paused: 'paused',
  draining: 'draining',
  down: 'down',
}

/** The whole fleet: machines, queue, merge queue, sessions, asks, and how much it merges. */
export function FleetPage() {
  const { data, error } = useResource<FleetData>(
    '/api/page/fleet',
    ({ body }) => body.kind === 'fleet' || body.kind === 'ask',
    RELOAD_MS,
  )
  if (!data) return <Page title="Fleet" error={error} />
  const { status, sessions, merged } = data
  if (!status || isUnused(status)) return <Begin />
  const machines = status.machines.filter(({ isAlive }) => isAlive)
  const slots = machines.length > 0 ? machines : [status]
  const [busy, all] = [sum(slots.map(each => each.busy)), sum(slots.map(each => each.slots))]
  return (
    <Page
      title="Fleet"
      error={error}
      about={`${MODES[status.mode]} here · ${countOf(Math.max(1, machines.length), 'machine')}`}
    >
      <Figures status={status} busy={busy} slots={all} merged={merged} />
      <Notices status={status} />
      <section aria-labelledby="queue">
        <h2 id="queue">Queue</h2>
        {status.jobs.length === 0 ? (
          <Empty title="The queue is empty">
            Add an issue with <code>baton queue add NUMBER</code>, or let a label add them:{' '}
            <code>baton queue watch</code>.
          </Empty>
        ) : (
          <FleetQueue jobs={status.jobs} />
        )}
      </section>
      <Merges status={status} />
      <Machines status={status} />
      <Sessions status={status} here={sessions} />
      {merged ? <FleetPlots merged={merged} /> : null}
    </Page>
  )
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

const isUnused = ({ mode, jobs, sources, machines, members }: FleetStatus) =>
  mode === 'down' && jobs.length + sources.length + machines.length + members.length === 0

function Begin() {
  return (
    <Page title="Fleet">
      <Empty title="No issues in a queue">
        <p>
          Baton can work on several issues at a time, each with its own agent, until its pull request is
          merged. In a terminal, in the folder of your project:
        </p>
        <pre>{'baton queue add 42\nbaton fleet up --slots 3'}</pre>
        <p>Other machines can share the queue. This page then shows all of them.</p>
      </Empty>
    </Page>
  )
}

function Figures({
  status: { jobs, mode },
  busy,
  slots,
  merged = [],
}: {
  status: FleetStatus
  busy: number
  slots: number
  merged: FleetData['merged']
}) {
  const inState = (state: string) => jobs.filter(job => job.state === state).length
  const today = merged.filter(({ mergedAt }) => now.value - Date.parse(mergedAt) < DAY_MS)
  const lead = medianLead(today)
  return (
    <dl class="figures">
      {(
        [
          ['slots in use', `${busy} of ${slots}`],
          ['waiting', inState('waiting')],
          ['agents work', inState('working')],
          ['open pull requests', inState('review')],
          ['wait for you', inState('failed')],
          ['merged in 24 hours', mode === 'down' ? '–' : today.length],
          ['to the merge (median)', lead === undefined ? '–' : duration(lead * 3_600_000)],
        ] as const
      ).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Notices({ status: { problem, waits, asks, overlaps, sources } }: { status: FleetStatus }) {
  const broken = sources.filter(source => source.problem)
  return (
    <>
      {problem ? (
        <p class="notice bad" role="alert">
          {visibleText(problem)}
        </p>
      ) : null}
      {waits ? <p class="notice">No new issue starts: {visibleText(waits)}</p> : null}
      {broken.length > 0 ? (
        <ul class="notice">
          {broken.map(({ repository, problem: why = '' }) => (
            <li key={repository}>
              The issues of {visibleText(repository, 200)} cannot be read: {visibleText(why)}
            </li>
          ))}
        </ul>
      ) : null}
      {asks.length > 0 ? (
        <section aria-labelledby="fleet-asks">
          <h2 id="fleet-asks">Questions of the fleet</h2>
          <ul class="panel">
            {asks.map(({ id, title, machine }) => (
              <li key={`${machine}${id}`}>
                <Tag tone="wait">question</Tag> {visibleText(title, 200)}
                {machine ? <span class="dim"> on {visibleText(machine, 80)}</span> : null}{' '}
                <Link to="/asks">Answer</Link>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {overlaps.length > 0 ? (
        <ul class="notice">
          {overlaps.map(({ repository, issues, files }) => (
            <li key={repository + issues.join()}>
              {issues.map(issue => `#${issue}`).join(', ')} of {visibleText(folderName(repository), 80)}{' '}
              change the same files and may conflict: <code>{visibleText(files.slice(0, 3).join(', '))}</code>
              {files.length > 3 ? ` and ${files.length - 3} more` : ''}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}

const MERGE_TONES: Record<MergeView['state'], Tone> = { waiting: 'plain', merging: 'good', author: 'wait' }
const MERGE_WORDS: Record<MergeView['state'], string> = {
  waiting: 'waits',
  merging: 'its turn',
  author: 'back at its agent',
}

/** The merge queues of all machines, the oldest first. */
function Merges({ status: { merges, machines } }: { status: FleetStatus }) {
  const elsewhere = machines.filter(({ isHere, isAlive }) => isAlive && !isHere)
  const all = [
    ...merges.map(merge => ({ ...merge, machine: '' })),
    ...elsewhere.flatMap(({ name, merges: theirs }) => theirs.map(merge => ({ ...merge, machine: name }))),
  ].sort((a, b) => a.since.localeCompare(b.since))
  if (all.length === 0) return null
  return (
    <section aria-labelledby="merge-queue" class="below">
      <h2 id="merge-queue">Merge queue</h2>
      <table class="table list">
        <thead>
          <tr>
            <th>Pull request</th>
            <th>State</th>
            <th>What is missing</th>
            <th>Since</th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ repository, issue, pullRequest, base, state, note, since, machine }) => (
            <tr key={`${repository}#${issue}`}>
              <td>
                <Outside to={pullRequest}>
                  {visibleText(folderName(repository), 80)} #{issue}
                </Outside>{' '}
                <span class="dim">into {visibleText(base, 80)}</span>
              </td>
              <td class="tight">
                <Tag tone={MERGE_TONES[state]}>{MERGE_WORDS[state]}</Tag>
              </td>
              <td class="wide">
                {visibleText(note)}
                {machine ? <span class="dim"> on {visibleText(machine, 80)}</span> : null}
              </td>
              <td class="tight">
                <Ago at={since} suffix="" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
