import { duration } from '@batonpass/contract/duration'
import { decidedLabel, END_LABELS, isGoodEnd } from '@batonpass/contract/labels'
import type { Recap } from '@batonpass/contract/recap'
import { useLayoutEffect, useState } from 'preact/hooks'
import { visibleText } from '../invisible.ts'
import { isTyping } from '../key-target.ts'
import { toneOf } from '../parts/analysis.tsx'
import { Glyph } from '../parts/glyph.tsx'
import { Outside } from '../parts/outside.tsx'
import { Page } from '../parts/page.tsx'
import { inline } from '../parts/prose.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { Undo } from '../parts/undo.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago, currentTime, dayAndTime } from '../time.tsx'
import { AGENTS, countOf, folderName } from '../words.ts'

const SPANS = [
  ['', 'while I was away'],
  ['8', 'last 8 hours'],
  ['24', 'last 24 hours'],
  ['168', 'last 7 days'],
] as const

/** What happened while the user was away, and what waits for them now. */
export function RecapPage() {
  const [hours, setHours] = useState('')
  const [opened] = useState(() => currentTime())
  const since = hours === '' ? '' : `?since=${new Date(opened - Number(hours) * 3_600_000).toISOString()}`
  const { data, error } = useResource<Recap>(
    `/api/page/recap${since}`,
    ({ body }) => body.kind === 'workflow',
  )
  const tools = (
    <>
      <label class="hidden" for="span">
        Period
      </label>
      <select id="span" value={hours} onChange={event => setHours(event.currentTarget.value)}>
        {SPANS.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </>
  )
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'u' || isTyping(event)) return
      event.preventDefault()
      document.querySelector<HTMLButtonElement>('[data-undo]')?.click()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  if (!data) return <Page title="Recap" tools={tools} error={error} />
  const commits = data.projects.reduce((sum, { commits }) => sum + commits.length, 0)
  const undoable = data.projects.find(({ undo }) => undo.length > 0)
  const files = data.projects.reduce((sum, { files }) => sum + files.length, 0)
  return (
    <Page
      title="Recap"
      tools={tools}
      about={
        <>
          {duration(Date.parse(data.until) - Date.parse(data.since))}, since {dayAndTime(data.since)}
        </>
      }
    >
      <dl class="figures">
        {(
          [
            ['commits', commits],
            ['files', files],
            ['continuations', data.continued],
            ['ended', data.ended.length],
            ['handoffs', data.handoffs.length],
            ['decided without you', `${data.decisions.without} of ${data.decisions.all}`],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Waits waits={data.waits} />
      <section aria-labelledby="changed">
        <h2 id="changed">Changed</h2>
        {data.projects.length === 0 ? <Empty title="No files changed" /> : null}
        <div class="cards wide">
          {data.projects.map(project => (
            <Project key={project.project} recap={project} withKey={project === undoable} />
          ))}
        </div>
      </section>
      <Ends ended={data.ended} />
      <Decided decided={data.decided} />
      {data.faults.length > 0 ? (
        <section aria-labelledby="faults">
          <h2 id="faults">Faults</h2>
          <ul class="notice bad">
            {data.faults.map(({ at, during, message }) => (
              <li key={at + during}>
                {during}: {message}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </Page>
  )
}

function Waits({ waits: { asks, sessions } }: Pick<Recap, 'waits'>) {
  if (asks.length + sessions.length === 0) return null
  return (
    <section aria-labelledby="waits">
      <h2 id="waits">Waiting for you</h2>
      <ul class="panel">
        {asks.map(ask => (
          <li key={ask.id}>
            <Tag tone="wait">question</Tag> <code>{visibleText(ask.detail.split('\n')[0] ?? '')}</code>{' '}
            <Link to="/asks">Answer</Link>
          </li>
        ))}
        {sessions.map(({ session, agent, project, why, since }) => (
          <li key={session}>
            <Tag tone="info">{why}</Tag> {AGENTS[agent]} in{' '}
            <Link to={`/sessions/${session}`}>{folderName(project)}</Link> <Ago at={since} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Project({ recap, withKey }: { recap: Recap['projects'][number]; withKey: boolean }) {
  const { project, commits, files, tests, undo } = recap
  return (
    <article class="panel">
      <h3>{folderName(project)}</h3>
      {tests ? (
        <p>
          <Tag tone={tests.passed ? 'good' : 'bad'}>
            tests {tests.passed ? 'passed' : `failed${tests.failing ? `, ${tests.failing}` : ''}`}
          </Tag>{' '}
          <code>{tests.command}</code> <span class="dim">{countOf(tests.runs, 'run')}</span>
        </p>
      ) : null}
      {commits.length > 0 ? (
        <ul>
          {commits.slice(0, 12).map(({ id, subject, files: touched }) => (
            <li key={id}>
              <code class="dim">{id.slice(0, 8)}</code> {subject}{' '}
              <span class="dim">{countOf(touched, 'file')}</span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="dim">No commits.</p>
      )}
      {files.length > 0 ? (
        <details>
          <summary>{countOf(files.length, 'file')}</summary>
          <p class="mono">{files.join('\n')}</p>
        </details>
      ) : null}
      {undo.length > 0 ? <Undo project={project} steps={undo} withKey={withKey} /> : null}
    </article>
  )
}

function Ends({ ended }: Pick<Recap, 'ended'>) {
  if (ended.length === 0) return null
  return (
    <section aria-labelledby="ends">
      <h2 id="ends">Ended, with the reason</h2>
      <table class="table list">
        <tbody>
          {ended.map(({ at, session, agent, project, workflow, issue, end, reason, pullRequest }) => (
            <tr key={`${at}${session}`}>
              <td>
                {agent ? <Glyph agent={agent} /> : null}{' '}
                {session ? (
                  <Link to={`/sessions/${session}`}>{folderName(project)}</Link>
                ) : (
                  folderName(project)
                )}
              </td>
              <td class="wide">
                {workflow ? `${workflow}${issue ? ` #${issue}` : ''} ` : ''}
                {end ? <Tag tone={isGoodEnd(end) ? 'good' : 'wait'}>{END_LABELS[end]}</Tag> : null} {reason}{' '}
                {pullRequest ? <Outside to={pullRequest}>pull request</Outside> : null}
              </td>
              <td class="tight">
                <Ago at={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Decided({ decided }: Pick<Recap, 'decided'>) {
  if (decided.length === 0) return null
  return (
    <section aria-labelledby="decided">
      <h2 id="decided">Decided for you, with the reason</h2>
      <table class="table list">
        <thead>
          <tr>
            <th>Times</th>
            <th>Decision</th>
            <th>Why</th>
            <th>For example</th>
          </tr>
        </thead>
        <tbody>
          {decided.slice(0, 40).map(({ decision, by, reason, count, subjects }) => (
            <tr key={decision + by + reason}>
              <td class="tight">{count} ×</td>
              <td class="tight">
                <Tag tone={toneOf(decision)}>{decidedLabel(decision, by)}</Tag>
              </td>
              <td class="wide">{inline(reason)}</td>
              <td class="wide">
                {subjects.map(subject => (
                  <div key={subject}>
                    <code>{visibleText(subject)}</code>
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
