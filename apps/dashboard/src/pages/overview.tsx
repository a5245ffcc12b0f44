import type { AskList } from '@batonpass/contract/ask'
import type { HourTally, Overview } from '@batonpass/contract/dashboard'
import { duration } from '@batonpass/contract/duration'
import { END_LABELS, sessionEndLabel } from '@batonpass/contract/labels'
import { useState } from 'preact/hooks'
import { visibleText } from '../invisible.ts'
import { Card, endTone, RunSummary } from '../parts/card.tsx'
import { cycleOf, useCycles } from '../parts/cycle.tsx'
import { Glyph } from '../parts/glyph.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago } from '../time.tsx'
import { useWatch } from '../watch.ts'
import { AGENTS, countOf, folderName } from '../words.ts'

const FIRST = 48
/** With more sessions than this, the page offers a search. */
const MANY = 12

/** What every agent is doing, at a glance. */
export function OverviewPage() {
  const [ended, setEnded] = useState(20)
  const [shown, setShown] = useState(FIRST)
  const [words, setWords] = useState('')
  const { data, error } = useResource<Overview>(`/api/page/overview?ended=${ended}`, () => true)
  if (!data) return <Page title="Overview" error={error} />
  const live = data.live
    .toSorted((a, b) => b.asks - a.asks)
    .filter(card => searchTextOf(card).includes(words.toLowerCase()))
  return (
    <Page title="Overview">
      <Figures live={`${data.live.length}${data.moreLive ? '+' : ''}`} asks={data.asks} today={data.today} />
      {data.asks > 0 ? <Waiting count={data.asks} /> : null}
      <section aria-labelledby="live">
        <div class="row">
          <h2 id="live">Live sessions</h2>
          {data.live.length > MANY ? <Find words={words} setWords={setWords} found={live.length} /> : null}
        </div>
        {data.live.length === 0 ? (
          <Empty title="No agent is running">
            Start an agent as usual; it appears here by itself. If it does not, run <code>baton doctor</code>.
          </Empty>
        ) : live.length === 0 ? (
          <Empty title="No live session matches">
            For older sessions, search the <Link to="/journal">journal</Link>.
          </Empty>
        ) : (
          <Cards cards={live.slice(0, shown)} />
        )}
        {live.length > shown ? (
          <p>
            <button type="button" onClick={() => setShown(shown + 200)}>
              Show {live.length - shown} more
            </button>
          </p>
        ) : null}
      </section>
      {data.ended.length > 0 ? (
        <section aria-labelledby="ended">
          <h2 id="ended">Ended</h2>
          <Ended cards={data.ended} />
          {data.more ? (
            <p>
              <button type="button" class="quiet" onClick={() => setEnded(ended + 80)}>
                Show older sessions
              </button>
            </p>
          ) : null}
        </section>
      ) : null}
    </Page>
  )
}

/** Shows the oldest open question: often that is enough to know how urgent it is. */
function Waiting({ count }: { count: number }) {
  const { data } = useResource<AskList>('/api/asks', ({ body }) => body.kind === 'ask')
  const first = data?.asks.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))[0]
  const subject = first?.detail.split('\n', 1)[0] ?? ''
  return (
    <div class="notice waiting">
      <p>
        <b>{count === 1 ? '1 open question' : `${count} open questions`}</b>
        {first ? (
          <>
            {' '}
            {first.facts.agent ? `${AGENTS[first.facts.agent]} in ` : ''}
            {folderName(first.facts.project)}: <code>{visibleText(subject, 160)}</code>
          </>
        ) : null}
      </p>
      <Link class="button" to="/asks">
        Answer
      </Link>
    </div>
  )
}

/** What the search looks at: everything a card shows. */
const searchTextOf = ({ session, run, work }: Overview['live'][number]): string =>
  [
    session.name,
    session.project ?? session.cwd,
    AGENTS[session.agent],
    session.nativeSession,
    run?.workflow,
    work?.workId,
  ]
    .join(' ')
    .toLowerCase()

function Find({ words, setWords, found }: { words: string; setWords(words: string): void; found: number }) {
  return (
    <>
      <label class="hidden" for="find">
        Find a session
      </label>
      <input
        id="find"
        type="search"
        placeholder="Find: project, agent, workflow"
        value={words}
        onInput={event => setWords(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') setWords('')
        }}
      />
      <span class="dim" role="status">
        {words === '' ? '' : `${found} found`}
      </span>
    </>
  )
}

/** Asks for cycles and the watch only when there are cards to show. */
function Cards({ cards }: { cards: Overview['live'] }) {
  const cycles = useCycles()
  const rows = useWatch()
  return (
    <ul class="cards">
      {cards.map(card => (
        <Card
          key={card.session.id}
          card={card}
          cycle={cycleOf(cycles, card.session)}
          row={rows.get(card.session.id)}
        />
      ))}
    </ul>
  )
}

/** A non-breaking space keeps the number and its unit on one line. */
const DAY = '24\u00a0h'

function Figures({ live, asks, today }: { live: string; asks: number; today: HourTally }) {
  const all = today.allowed + today.denied + today.asked
  const spared = today.allowed + today.denied - today.byPerson
  return (
    <dl class="figures">
      <Figure of={live} name={live === '1' ? 'live session' : 'live sessions'} />
      <Figure of={asks} name={asks === 1 ? 'open question' : 'open questions'} />
      <Figure of={all} name={`decisions in ${DAY}`} />
      <Figure of={all === 0 ? '–' : `${Math.floor((spared / all) * 100)} %`} name="decided without you" />
      <Figure of={today.continued} name={`continuations in ${DAY}`} />
      <Figure of={today.handoffs} name={`handoffs in ${DAY}`} />
      {today.modelCalls > 0 ? (
        <Figure of={today.modelCalls} name={`model calls in ${DAY}${costOf(today)}, from your quota`} />
      ) : null}
    </dl>
  )
}

/** `: 34,000 tokens, $0.02`, as far as it is known. */
function costOf({ modelTokens, modelUsd }: HourTally): string {
  const parts = [
    modelTokens > 0 ? countOf(modelTokens, 'token') : '',
    modelUsd > 0 ? `$${modelUsd.toFixed(2)}` : '',
  ].filter(Boolean)
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

const Figure = ({ of, name }: { of: number | string; name: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{typeof of === 'number' ? of.toLocaleString() : of}</dd>
  </div>
)

function Ended({ cards }: { cards: Overview['ended'] }) {
  return (
    <table class="table list">
      <thead>
        <tr>
          <th>Session</th>
          <th>Agent</th>
          <th>Workflow</th>
          <th>Why it ended</th>
          <th>Lasted</th>
          <th>Ended</th>
        </tr>
      </thead>
      <tbody>
        {cards.map(({ session, run }) => (
          <tr key={session.id}>
            <td>
              <Link to={`/sessions/${session.id}`}>
                {visibleText(session.name ?? folderName(session.project ?? session.cwd), 80)}
              </Link>
            </td>
            <td class="tight">
              <span class="who">
                <Glyph agent={session.agent} /> <span class="hidden">{AGENTS[session.agent]}</span>
              </span>
            </td>
            <td class="wide">{run ? <RunSummary run={run} ended={false} /> : <span class="dim">–</span>}</td>
            <td class="wide">
              {run?.end ? <Tag tone={endTone(run)}>{END_LABELS[run.end.kind]}</Tag> : null}{' '}
              <span class="dim">{run?.end?.reason ?? sessionEndLabel(session.endReason)}</span>
            </td>
            <td class="tight dim">
              {duration(Date.parse(session.endedAt ?? session.lastSeenAt) - Date.parse(session.startedAt))}
            </td>
            <td class="tight">
              <Ago at={session.endedAt ?? session.lastSeenAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
