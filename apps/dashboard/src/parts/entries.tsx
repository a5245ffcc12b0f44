import { duration } from '@batonpass/contract/duration'
import type { Entry } from '@batonpass/contract/journal'
import { ANSWER_LABELS, decidedLabel } from '@batonpass/contract/labels'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { describeEntry } from '../describe-entry.ts'
import { subjectOf } from '../describe-event.ts'
import { visibleText } from '../invisible.ts'
import { Link } from '../router.tsx'
import { clockTime, dayOf } from '../time.tsx'
import { folderName, type Line } from '../words.ts'
import { toneOf } from './analysis.tsx'
import { Decision } from './decision.tsx'
import { useFullEntry } from './full-entry.ts'
import { inline } from './prose.tsx'
import { StepChanges } from './step-changes.tsx'
import { Tag } from './tag.tsx'
import { isFailed, type Step, stepsOf } from './timeline.ts'

interface EntriesProps {
  entries: readonly Entry[]
  /** Link each entry to its session; not needed if all are from one session. */
  named?: boolean
}

/** A list of journal entries, grouped by day. Each expands to the whole entry. */
export function Entries({ entries, named = true }: EntriesProps) {
  return (
    <Days of={entries} at={({ at }) => at}>
      {entry => (
        <Row
          key={entry.seq}
          entry={entry}
          line={describeEntry(entry)}
          side={
            named && entry.session ? (
              <Link to={`/sessions/${entry.session}`}>{folderName(entry.project)}</Link>
            ) : null
          }
        />
      )}
    </Days>
  )
}

/** A session's timeline, one line for each step: a call with its question, decision and result is one step. */
export function Timeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <Days of={stepsOf(entries)} at={({ entry }) => entry.at}>
      {step => (
        <Row key={step.entry.seq} entry={step.entry} line={lineFor(step)} side={<StepResult step={step} />}>
          <StepDetails step={step} />
        </Row>
      )}
    </Days>
  )
}

interface DaysProps<T> {
  of: readonly T[]
  at(item: T): string
  children(item: T): ComponentChildren
}

/** Groups items under a heading for each day, because the items show only the time. */
function Days<T>({ of, at, children }: DaysProps<T>) {
  return (
    <>
      {[...Map.groupBy(of, item => dayOf(at(item)))].map(([day, items]) => (
        <section key={day} class="day" aria-label={day}>
          <h2>{day}</h2>
          <ol class="entries">{items.map(children)}</ol>
        </section>
      ))}
    </>
  )
}

function lineFor({ entry, call, decisions, ask, end }: Step): Line {
  const decision = decisions.at(-1)?.decision.decision
  // The newest state of a question that no call shows.
  if (!call) return describeEntry(ask && entry.body.kind === 'ask' ? { ...entry, body: ask } : entry)
  const tone = isFailed(end) ? 'bad' : decision && decision !== 'allow' ? toneOf(decision) : 'plain'
  return { mark: 'tool', title: call.tool, detail: visibleText(subjectOf(call)), tone, code: true }
}

/** The decision about a call and how it ended. */
function StepResult({ step: { call, decisions, ask, end, continued } }: { step: Step }) {
  const decision = decisions.at(-1)?.decision
  return (
    <>
      {continued ? <Tag tone="info">continued by Baton</Tag> : null}
      {call && (ask?.what === 'opened' || ask?.what === 'parked') ? (
        <Link to="/asks">waits for you</Link>
      ) : decision && call ? (
        <Tag tone={toneOf(decision.decision)}>{decidedLabel(decision.decision, decision.by)}</Tag>
      ) : null}
      {end ? (
        <span class={isFailed(end) ? 'fate failed' : 'fate'}>
          {end.event.type === 'ToolDenied' ? 'refused' : end.event.failed ? 'failed' : 'done'}
          {end.event.type === 'ToolDenied' || end.event.durationMs === undefined
            ? ''
            : ` ${duration(end.event.durationMs)}`}
        </span>
      ) : null}
    </>
  )
}

/** What one line leaves out: each decision, the answer, what the step changed, and the result. */
function StepDetails({ step: { entry, decisions, ask, end, continued, undo } }: { step: Step }) {
  const answer = ask?.answer
  return (
    <>
      {decisions.map(each =>
        each.entry === entry ? null : <Decision key={each.entry.seq} entry={each.entry} />,
      )}
      {answer ? (
        <p>
          {ANSWER_LABELS[answer.option]} by {answer.by.who} ({answer.by.channel}
          {answer.reason ? `: ${visibleText(answer.reason)}` : ''})
        </p>
      ) : null}
      {undo ? <StepChanges undo={undo} /> : null}
      {continued ? <Recorded entry={continued} /> : null}
      {end ? <Recorded entry={end.entry} /> : null}
    </>
  )
}

interface RowProps {
  entry: Entry
  line: Line
  side: ComponentChildren
  children?: ComponentChildren
}

function Row({ entry, line: { title, detail, reason, tone, code, mark }, side, children }: RowProps) {
  const [open, setOpen] = useState(false)
  return (
    <li class="entry" data-mark={mark} data-tone={tone} data-kind={entry.body.kind}>
      <time dateTime={entry.at} title={new Date(entry.at).toLocaleString()}>
        {clockTime(entry.at)}
      </time>
      <i class="dot" aria-hidden="true" />
      <button type="button" class="what" aria-expanded={open} onClick={() => setOpen(!open)}>
        <b>{title}</b>{' '}
        <span class={code ? 'mono' : ''}>
          {detail}
          {reason ? <> · {inline(reason)}</> : null}
        </span>
      </button>
      <span class="side-note">{side}</span>
      {open ? (
        <div class="whole">
          {children}
          {entry.body.kind === 'decision' ? <Decision entry={entry} /> : null}
          <Recorded entry={entry} />
        </div>
      ) : null}
    </li>
  )
}

/** The whole entry as the journal stores it. */
function Recorded({ entry }: { entry: Entry }) {
  const { body } = useFullEntry(entry)
  return <pre>{JSON.stringify(body, undefined, 2)}</pre>
}
