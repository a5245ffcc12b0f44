import type { SessionView } from '@batonpass/contract/dashboard'
import { duration } from '@batonpass/contract/duration'
import { END_LABELS, sessionEndLabel } from '@batonpass/contract/labels'
import type { Session } from '@batonpass/contract/session'
import { sessionLabel } from '@batonpass/contract/session-name'
import type { ComponentChildren } from 'preact'
import { visibleText } from '../invisible.ts'
import { endTone, Problem, RunSummary, stageText } from '../parts/card.tsx'
import { Chat, isHosted } from '../parts/chat.tsx'
import { CycleButton, CyclePanel, cycleOf, useCycles } from '../parts/cycle.tsx'
import { Gauge } from '../parts/gauge.tsx'
import { Handoffs } from '../parts/handoffs.tsx'
import { Outside } from '../parts/outside.tsx'
import { Page } from '../parts/page.tsx'
import { ProofPanel } from '../parts/proof.tsx'
import { SessionJournal } from '../parts/session-journal.tsx'
import { Spark } from '../parts/spark.tsx'
import { Tag } from '../parts/tag.tsx'
import { Terminal, TerminalTail } from '../parts/terminal.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago, now } from '../time.tsx'
import { useWatch } from '../watch.ts'
import { AGENTS, describeState, folderName } from '../words.ts'

const TABS = {
  timeline: 'Timeline',
  conversation: 'Conversation',
  decisions: 'Decisions',
  handoffs: 'Handoffs',
  terminal: 'Terminal',
} as const

/** A hosted agent has a conversation instead of a terminal; that tab comes first. */
function tabsOf(session: Session): [name: string, title: string][] {
  const { conversation, terminal, ...others } = TABS
  return Object.entries(isHosted(session) ? { conversation, ...others } : TABS)
}

/** Everything about one session. */
export function SessionPage({ id, tab: wanted }: { id: string; tab?: string | undefined }) {
  const path = `/api/page/sessions/${encodeURIComponent(id)}`
  const { data, error } = useResource<SessionView>(path, entry => entry.session === id)
  const cycles = useCycles()
  const rows = useWatch()
  if (!data) return <Page title="Session" error={error} />
  const { session, run } = data
  const proof = run?.proving?.proof ?? run?.end?.proof
  const tab = wanted ?? tabsOf(session)[0]?.[0]
  const open = data.asks.filter(({ state }) => state === 'open').length
  const cycle = cycleOf(cycles, session)
  const row = rows.get(session.id)
  const { word, tone } = describeState(session, open, now.value, row)
  return (
    <Page
      title={visibleText(session.name ?? folderName(session.project ?? session.cwd), 80)}
      about={
        <>
          {AGENTS[session.agent]} <Tag tone={tone}>{word}</Tag>
        </>
      }
      tools={
        <>
          <CycleButton session={session} cycle={cycle} />
          {open > 0 ? (
            <Link class="button" to="/asks">
              Answer the question
            </Link>
          ) : null}
        </>
      }
    >
      <Facts view={data} />
      {cycle ? <CyclePanel cycle={cycle} /> : null}
      {row?.problems.map(problem => (
        <Problem key={problem.check} problem={problem} />
      ))}
      {run?.end ? (
        <p class={`notice ${endTone(run)}`}>
          {run.workflow} {run.end.kind.endsWith('-parked') ? 'is parked' : 'ended'} (
          {END_LABELS[run.end.kind]}): {run.end.reason}
        </p>
      ) : null}
      {proof ? <ProofPanel id={proof} /> : null}
      {session.context || data.contexts.length > 1 ? (
        <section aria-label="Context">
          {session.context ? <Gauge context={session.context} /> : null}
          <Spark points={data.contexts} />
        </section>
      ) : null}
      <nav class="tabs" aria-label="About this session">
        {tabsOf(session).map(([name, title]) => (
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
        <SessionJournal session={session} kind="decision" none="No decisions yet" />
      ) : tab === 'handoffs' ? (
        <Handoffs views={data.handoffs} />
      ) : tab === 'conversation' ? (
        <Chat session={session} />
      ) : tab === 'terminal' ? (
        <Terminal session={session} />
      ) : (
        <>
          {session.endedAt ? null : <TerminalTail session={session} />}
          <SessionJournal session={session} none="No journal entries for this session" />
        </>
      )}
    </Page>
  )
}

function Facts({ view: { session, run, work, parent, children } }: { view: SessionView }) {
  return (
    <dl class="facts">
      <Fact name="Id">
        <code>{session.nativeSession}</code>
      </Fact>
      <Fact name="Folder">
        <code>{visibleText(session.project ?? session.cwd ?? 'unknown', 200)}</code>
      </Fact>
      {run ? (
        <Fact name="Workflow">
          <RunSummary run={run} />{' '}
          {run.pullRequest ? <Outside to={run.pullRequest}>pull request</Outside> : null}
        </Fact>
      ) : null}
      {run?.grants ? <Fact name="May by itself">{visibleText(run.grants.join('; '), 1000)}</Fact> : null}
      {work ? (
        <Fact name="Work item">
          <Link to={`/work/${work.workId}`}>{stageText(work)}</Link>
        </Fact>
      ) : null}
      {work?.grants ? (
        <Fact name="Stage may by itself">{visibleText(work.grants.join('; '), 1000)}</Fact>
      ) : null}
      {session.mode ? <Fact name="Permission mode">{session.mode}</Fact> : null}
      <Fact name="Started">
        <Ago at={session.startedAt} />
      </Fact>
      {session.endedAt ? (
        <Fact name="Ended">
          <Ago at={session.endedAt} /> after{' '}
          {duration(Date.parse(session.endedAt) - Date.parse(session.startedAt))} (
          {sessionEndLabel(session.endReason)})
        </Fact>
      ) : (
        <Fact name="Last seen">
          <Ago at={session.lastSeenAt} />
        </Fact>
      )}
      {parent ? (
        <Fact name="Continues">
          <Link to={`/sessions/${parent.id}`}>{visibleText(sessionLabel(parent), 80)}</Link>
        </Fact>
      ) : null}
      {children.length > 0 ? (
        <Fact name="Continued by">
          {children.map(child => (
            <Link key={child.id} to={`/sessions/${child.id}`}>
              {visibleText(sessionLabel(child), 80)}{' '}
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
