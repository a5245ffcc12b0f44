import type { HandoffView, ScreenView, SessionView } from '@batonpass/contract/dashboard'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError, get, post } from '../api.ts'
import { onEntry, onReturn } from '../live.ts'
import { endTone, RunWords } from '../parts/card.tsx'
import { Entries, Timeline } from '../parts/entries.tsx'
import { Gauge } from '../parts/gauge.tsx'
import { Page } from '../parts/page.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { Spark } from '../parts/spark.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago, now, span } from '../time.tsx'
import { AGENTS, baseOf, stateOf } from '../words.ts'

const TABS = {
  timeline: 'Timeline',
  decisions: 'Decisions',
  handoffs: 'Handoffs',
  terminal: 'Terminal',
} as const

/** Everything about one session. */
export function SessionPage({ id, tab = 'timeline' }: { id: string; tab?: string | undefined }) {
  const path = `/api/page/sessions/${encodeURIComponent(id)}`
  const { data, error } = useResource<SessionView>(path, entry => entry.session === id)
  if (!data) return <Page title="Session" error={error} />
  const { session, run } = data
  const open = data.asks.filter(({ state }) => state === 'open').length
  const { word, tone } = stateOf(session, open, now.value)
  return (
    <Page
      title={baseOf(session.project ?? session.cwd)}
      about={
        <>
          {AGENTS[session.agent]} <Tag tone={tone}>{word}</Tag>
        </>
      }
      tools={
        open > 0 ? (
          <Link class="button" to="/asks">
            Answer its question
          </Link>
        ) : undefined
      }
    >
      <Facts view={data} />
      {run?.end ? (
        <p class={endTone(run) === 'bad' ? 'notice bad' : 'notice'}>
          {run.workflow} ended {run.end.kind}: {run.end.reason}
        </p>
      ) : null}
      {session.context ? (
        <section aria-label="Context">
          <Gauge context={session.context} />
          <Spark points={data.contexts} />
        </section>
      ) : null}
      <nav class="tabs" aria-label="About this session">
        {Object.entries(TABS).map(([name, title]) => (
          <Link
            key={name}
            to={`/sessions/${session.id}/${name}`}
            aria-current={name === tab ? 'page' : undefined}
          >
            {title}
            {name === 'handoffs' && data.handoffs.length > 0 ? ` (${data.handoffs.length})` : ''}
          </Link>
        ))}
      </nav>
      {tab === 'decisions' ? (
        <Journal session={session} kind="decision" none="Nothing was decided yet" />
      ) : tab === 'handoffs' ? (
        <Handoffs views={data.handoffs} />
      ) : tab === 'terminal' ? (
        <Terminal session={session} />
      ) : (
        <Journal session={session} none="Nothing is recorded of this session" />
      )}
    </Page>
  )
}

function Facts({ view: { session, run, parent, children } }: { view: SessionView }) {
  return (
    <dl class="facts">
      <Fact name="Id">
        <code>{session.nativeSession}</code>
      </Fact>
      <Fact name="Folder">
        <code>{session.project ?? session.cwd ?? 'unknown'}</code>
      </Fact>
      {run ? (
        <Fact name="Workflow">
          <RunWords run={run} />{' '}
          {run.pullRequest ? (
            <a href={run.pullRequest} rel="noreferrer noopener" target="_blank">
              pull request
            </a>
          ) : null}
        </Fact>
      ) : null}
      {session.mode ? <Fact name="Permission mode">{session.mode}</Fact> : null}
      <Fact name="Started">
        <Ago at={session.startedAt} />
      </Fact>
      {session.endedAt ? (
        <Fact name="Ended">
          <Ago at={session.endedAt} /> after{' '}
          {span(Date.parse(session.endedAt) - Date.parse(session.startedAt))} (
          {session.endReason ?? 'unknown'})
        </Fact>
      ) : (
        <Fact name="Last seen">
          <Ago at={session.lastSeenAt} />
        </Fact>
      )}
      {parent ? (
        <Fact name="Continues">
          <Link to={`/sessions/${parent.id}`}>{parent.nativeSession.slice(0, 8)}</Link>
        </Fact>
      ) : null}
      {children.length > 0 ? (
        <Fact name="Continued by">
          {children.map(child => (
            <Link key={child.id} to={`/sessions/${child.id}`}>
              {child.nativeSession.slice(0, 8)}{' '}
            </Link>
          ))}
        </Fact>
      ) : null}
      {run && run.tokens > 0 ? (
        <Fact name="Used">
          {run.tokens.toLocaleString()} tokens{run.money > 0 ? `, about $${run.money.toFixed(2)}` : ''}
        </Fact>
      ) : null}
    </dl>
  )
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const BATCH = 100

/** The session's entries, newest first; new ones come on top as they are written. */
function Journal({ session, kind, none }: { session: Session; kind?: string; none: string }) {
  const [entries, setEntries] = useState<Entry[]>()
  const [more, setMore] = useState(false)
  const query = `/api/page/entries?session=${session.id}&order=desc&limit=${BATCH}${kind ? `&kind=${kind}` : ''}`
  const fits = ({ body }: Entry) => kind === undefined || body.kind === kind

  useEffect(() => {
    let gone = false
    const look = () =>
      get<{ entries: Entry[] }>(query).then(
        found => {
          if (gone) return
          setEntries(found.entries)
          setMore(found.entries.length === BATCH)
        },
        () => {},
      )
    void look()
    const stop = [
      onEntry(entry => {
        if (entry.session === session.id)
          setEntries(old => (old && !old.some(each => each.seq === entry.seq) ? [entry, ...old] : old))
      }),
      onReturn(() => void look()),
    ]
    return () => {
      gone = true
      for (const each of stop) each()
    }
  }, [query, session.id])

  if (!entries) return <p class="dim">Loading …</p>
  const shown = entries.filter(fits)
  if (shown.length === 0) return <Empty title={none} />
  const older = async () => {
    const found = await get<{ entries: Entry[] }>(`${query}&before=${entries.at(-1)?.seq ?? 1}`)
    setEntries([...entries, ...found.entries])
    setMore(found.entries.length === BATCH)
  }
  return (
    <>
      {kind ? <Entries entries={shown} /> : <Timeline entries={shown} />}
      {more ? (
        <p>
          <button type="button" class="quiet" onClick={() => void older()}>
            Show older ones
          </button>
        </p>
      ) : null}
    </>
  )
}

/** Document, evidence and findings beside each other. */
function Handoffs({ views }: { views: readonly HandoffView[] }) {
  if (views.length === 0)
    return (
      <Empty title="No handoff yet">
        When the context fills, or you type <code>/handoff</code>, the document appears here with what was
        checked.
      </Empty>
    )
  return (
    <>
      {views.map(view => (
        <section key={view.name} aria-label={view.name}>
          <h2>
            {view.name} ·{' '}
            {view.document.facts.written_by === 'baton'
              ? 'written by Baton from evidence'
              : 'written by the agent'}
          </h2>
          <div class="columns">
            <div class="panel">
              <h3>Document</h3>
              <Scroller look="document" label={view.name}>
                {withoutFacts(view.text)}
              </Scroller>
            </div>
            <div class="panel">
              <h3>Evidence</h3>
              <Evidence facts={view.document.facts} />
            </div>
            <div class="panel">
              <h3>Findings</h3>
              <Findings view={view} />
            </div>
          </div>
        </section>
      ))}
    </>
  )
}

const withoutFacts = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n+/, '')

function Evidence({ facts }: { facts: HandoffView['document']['facts'] }) {
  const {
    branch,
    head,
    ahead,
    dirty = [],
    touched = [],
    tests,
    todos = [],
    instructions = [],
    issue,
    pr,
  } = facts
  const rows: [string, ComponentChildren][] = [
    ['Branch', branch ? <code>{branch}</code> : null],
    ['Commit', head ? <code>{head.slice(0, 10)}</code> : null],
    ['Ahead', ahead],
    ['Issue', issue ? `#${issue}` : null],
    ['PR', pr ? `#${pr}` : null],
    [
      'Tests',
      tests ? (
        <>
          <Tag tone={tests.result === 'passed' ? 'good' : 'bad'}>{tests.result}</Tag>{' '}
          <code>{tests.command}</code>
        </>
      ) : null,
    ],
    ['Dirty', dirty.length > 0 ? <code>{dirty.join('\n')}</code> : null],
    ['Touched', touched.length > 0 ? <code>{touched.join(' ')}</code> : null],
    ['Todos', todos.length > 0 ? todos.join('; ') : null],
    ['Asked for', instructions.length > 0 ? instructions.join(' / ') : null],
  ]
  const known = rows.filter(([, value]) => value !== null && value !== undefined)
  if (known.length === 0) return <p class="dim">None stands in the document.</p>
  return (
    <dl class="effects">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Findings({ view: { findings, document } }: { view: HandoffView }) {
  const told = document.facts.findings ?? []
  if (findings.length === 0 && told.length === 0)
    return (
      <p>
        <Tag tone="good">{document.facts.verified_at ? 'verified' : 'none'}</Tag>{' '}
        <span class="dim">
          {document.facts.verified_at ? 'Nothing in it differs from the evidence.' : ''}
        </span>
      </p>
    )
  return (
    <ul>
      {findings.map(({ code, where, message, weight }) => (
        <li key={`${code}${where}${message}`}>
          <Tag tone={weight === 'wrong' ? 'bad' : 'plain'}>{where}</Tag> {message}
        </li>
      ))}
      {told.map(message => (
        <li key={message}>
          <Tag tone="wait">differs</Tag> {message}
        </li>
      ))}
    </ul>
  )
}

const LOOK_MS = 1200

/** What the session's terminal shows, looked at while this is open. */
function Terminal({ session }: { session: Session }) {
  const [screen, setScreen] = useState<ScreenView>()
  useEffect(() => {
    let timer = 0
    let gone = false
    const look = async () => {
      if (!document.hidden) {
        const seen = await get<ScreenView>(`/api/page/sessions/${session.id}/screen`).catch(() => undefined)
        if (gone) return
        if (seen) setScreen(seen)
      }
      timer = setTimeout(() => void look(), LOOK_MS)
    }
    void look()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [session.id])
  if (!screen) return <p class="dim">Looking …</p>
  if (screen.state === 'none' || screen.state === 'gone')
    return (
      <Empty
        title={
          screen.state === 'gone'
            ? 'Its terminal is closed'
            : 'This session is in no terminal that Baton can see'
        }
      >
        Sessions in tmux, and those that Baton hosts, are shown here live.
      </Empty>
    )
  return (
    <>
      <Scroller look="terminal" label={`Terminal, ${screen.state}`}>
        {screen.lines.join('\n')}
      </Scroller>
      <Say session={session} />
    </>
  )
}

const SAID: Record<string, string> = {
  taken: 'The agent has it.',
  busy: 'It does not wait for input right now; nothing was typed.',
  'not-taken': 'It was typed, but the agent did not take it.',
  gone: 'Its terminal is gone.',
}

/** A prompt from here, typed where the session is. */
function Say({ session }: { session: Session }) {
  const [words, setWords] = useState('')
  const [said, setSaid] = useState('')
  const send = async () => {
    if (words.trim() === '') return
    setSaid('…')
    await post<{ typed: string }>(`/api/page/sessions/${session.id}/say`, { text: words }).then(
      ({ typed }) => {
        setSaid(SAID[typed] ?? typed)
        if (typed === 'taken') setWords('')
      },
      cause => setSaid(cause instanceof ApiError ? cause.message : 'The daemon does not answer'),
    )
  }
  return (
    <form
      class="say"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <label class="hidden" for="say">
        Say something to the agent
      </label>
      <input
        id="say"
        value={words}
        placeholder="Say something to the agent"
        onInput={event => setWords(event.currentTarget.value)}
      />
      <button type="submit">Send</button>
      <span class="dim" role="status">
        {said}
      </span>
    </form>
  )
}
