import type { AskList } from '@batonpass/contract/ask'
import type { HourTally, Overview } from '@batonpass/contract/dashboard'
import { useState } from 'preact/hooks'
import { Card, endTone, RunWords } from '../parts/card.tsx'
import { cycleOf, useCycles } from '../parts/cycle.tsx'
import { Glyph } from '../parts/glyph.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago, span } from '../time.tsx'
import { plainly } from '../unseen.ts'
import { useWatch } from '../watch.ts'
import { AGENTS, baseOf } from '../words.ts'

const FIRST = 48
/** More sessions than can be taken in at a glance. */
const MANY = 12

/** What every agent does, at a glance. */
export function OverviewPage() {
  const [ended, setEnded] = useState(20)
  const [shown, setShown] = useState(FIRST)
  const [words, setWords] = useState('')
  const { data, error } = useResource<Overview>(`/api/page/overview?ended=${ended}`, () => true)
  if (!data) return <Page title="Overview" error={error} />
  const live = data.live
    .toSorted((a, b) => b.asks - a.asks)
    .filter(card => textOf(card).includes(words.toLowerCase()))
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
            Start one as you always do; it appears here by itself. If it does not: <code>baton doctor</code>
          </Empty>
        ) : live.length === 0 ? (
          <Empty title="No live session has that">
            What ended long ago is in the <Link to="/journal">journal</Link>.
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
                Show older ones
              </button>
            </p>
          ) : null}
        </section>
      ) : null}
    </Page>
  )
}

/** What is asked longest stands here already: often that is enough to know how much it presses. */
function Waiting({ count }: { count: number }) {
  const { data } = useResource<AskList>('/api/asks', ({ body }) => body.kind === 'ask')
  const first = data?.asks.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))[0]
  const words = first?.detail.split('\n', 1)[0] ?? ''
  return (
    <div class="notice waiting">
      <p>
        <b>{count === 1 ? 'One question waits for you' : `${count} questions wait for you`}</b>
        {first ? (
          <>
            {' '}
            {first.facts.agent ? `${AGENTS[first.facts.agent]} in ` : ''}
            {baseOf(first.facts.project)}: <code>{plainly(words, 160)}</code>
          </>
        ) : null}
      </p>
      <Link class="button" to="/asks">
        Answer
      </Link>
    </div>
  )
}

/** Where somebody may look for one by what stands on its card. */
const textOf = ({ session, run, work }: Overview['live'][number]): string =>
  [session.project ?? session.cwd, AGENTS[session.agent], session.nativeSession, run?.workflow, work?.workId]
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

/** Looked at from outside only after there is something to show. */
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

/** Never broken between the number and its unit. */
const DAY = '24\u00a0h'

function Figures({ live, asks, today }: { live: string; asks: number; today: HourTally }) {
  const all = today.allowed + today.denied + today.asked
  const spared = today.allowed + today.denied - today.byPerson
  return (
    <dl class="figures">
      <Figure of={live} name={live === '1' ? 'live session' : 'live sessions'} />
      <Figure of={asks} name={asks === 1 ? 'open question' : 'open questions'} />
      <Figure of={all} name={`decisions in ${DAY}`} />
      <Figure of={all === 0 ? '–' : `${Math.floor((spared / all) * 100)} %`} name="of them without you" />
      <Figure of={today.continued} name={`continued in ${DAY}`} />
      <Figure of={today.handoffs} name={`handed off in ${DAY}`} />
    </dl>
  )
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
              <Link to={`/sessions/${session.id}`}>{baseOf(session.project ?? session.cwd)}</Link>
            </td>
            <td class="tight">
              <span class="who">
                <Glyph agent={session.agent} /> <span class="hidden">{AGENTS[session.agent]}</span>
              </span>
            </td>
            <td class="wide">{run ? <RunWords run={run} ended={false} /> : <span class="dim">–</span>}</td>
            <td class="wide">
              {run?.end ? <Tag tone={endTone(run)}>{run.end.kind}</Tag> : null}{' '}
              <span class="dim">{run?.end?.reason ?? session.endReason ?? 'unknown'}</span>
            </td>
            <td class="tight dim">
              {span(Date.parse(session.endedAt ?? session.lastSeenAt) - Date.parse(session.startedAt))}
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
