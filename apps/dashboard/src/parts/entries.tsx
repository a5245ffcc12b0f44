import type { Entry } from '@batonpass/contract/journal'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { visibleText } from '../invisible.ts'
import { Link } from '../router.tsx'
import { clockTime, dayOf } from '../time.tsx'
import { decisionTag, describeEntry, folderName, type Line, subjectOf } from '../words.ts'
import { toneOf } from './analysis.tsx'
import { Decision } from './decision.tsx'
import { useFullEntry } from './full-entry.ts'
import { Tag } from './tag.tsx'
import { type Step, stepsOf } from './timeline.ts'

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

/** A session's timeline: tool calls with their decision and result, prompts, turn ends and everything else. */
export function Timeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <Days of={stepsOf(entries)} at={({ entry }) => entry.at}>
      {step => (
        <Row key={step.entry.seq} entry={step.entry} line={lineFor(step)} side={<CallResult step={step} />}>
          {step.decided ? <Decision entry={step.decided} /> : null}
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

function lineFor({ entry, call, decision, end }: Step): Line {
  if (!call) return describeEntry(entry)
  const tone = end?.failed
    ? 'bad'
    : decision && decision.decision !== 'allow'
      ? toneOf(decision.decision)
      : 'plain'
  return { mark: 'tool', title: call.tool, detail: visibleText(subjectOf(call)), tone, code: true }
}

/** The decision about a call and how it ended. */
function CallResult({ step: { decision, end } }: { step: Step }) {
  return (
    <>
      {decision ? (
        <Tag tone={toneOf(decision.decision)}>{decisionTag(decision.decision, decision.by)}</Tag>
      ) : null}
      {end ? (
        <span class={end.failed ? 'fate failed' : 'fate'}>
          {end.failed ? 'failed' : 'done'}
          {end.durationMs === undefined ? '' : ` ${(end.durationMs / 1000).toFixed(1)} s`}
        </span>
      ) : null}
    </>
  )
}

interface RowProps {
  entry: Entry
  line: Line
  side: ComponentChildren
  children?: ComponentChildren
}

function Row({ entry, line: { title, detail, tone, code, mark }, side, children }: RowProps) {
  const [open, setOpen] = useState(false)
  return (
    <li class="entry" data-mark={mark} data-tone={tone} data-kind={entry.body.kind}>
      <time dateTime={entry.at} title={new Date(entry.at).toLocaleString()}>
        {clockTime(entry.at)}
      </time>
      <i class="dot" aria-hidden="true" />
      <button type="button" class="what" aria-expanded={open} onClick={() => setOpen(!open)}>
        <b>{title}</b> <span class={code ? 'mono' : ''}>{detail}</span>
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
