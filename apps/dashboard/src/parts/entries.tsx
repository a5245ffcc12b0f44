import type { Entry } from '@batonpass/contract/journal'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from '../router.tsx'
import { clockTime, dayOf } from '../time.tsx'
import { plainly } from '../unseen.ts'
import { baseOf, type Line, lineOf, subjectOf, WHO } from '../words.ts'
import { toneOf } from './analysis.tsx'
import { Decision } from './decision.tsx'
import { Tag } from './tag.tsx'
import { type Step, stepsOf } from './timeline.ts'
import { useWhole } from './whole.ts'

interface EntriesProps {
  entries: readonly Entry[]
  /** Each names its session; needless where all are of one. */
  named?: boolean
}

/** Journal entries, day by day, one under the other; each opens to all that is recorded. */
export function Entries({ entries, named = true }: EntriesProps) {
  return (
    <Days of={entries} at={({ at }) => at}>
      {entry => (
        <Row
          key={entry.seq}
          entry={entry}
          line={lineOf(entry)}
          side={
            named && entry.session ? (
              <Link to={`/sessions/${entry.session}`}>{baseOf(entry.project)}</Link>
            ) : null
          }
        />
      )}
    </Days>
  )
}

/** A session's course: calls with what became of them, prompts, ends and everything else between. */
export function Timeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <Days of={stepsOf(entries)} at={({ entry }) => entry.at}>
      {step => (
        <Row key={step.entry.seq} entry={step.entry} line={lineFor(step)} side={<Fate step={step} />}>
          {step.decided ? <Decision entry={step.decided} /> : null}
        </Row>
      )}
    </Days>
  )
}

interface DaysProps<T> {
  of: readonly T[]
  at(one: T): string
  children(one: T): ComponentChildren
}

/** A clock's time alone says nothing of the day. */
function Days<T>({ of, at, children }: DaysProps<T>) {
  return (
    <>
      {[...Map.groupBy(of, one => dayOf(at(one)))].map(([day, ones]) => (
        <section key={day} class="day" aria-label={day}>
          <h2>{day}</h2>
          <ol class="entries">{ones.map(children)}</ol>
        </section>
      ))}
    </>
  )
}

function lineFor({ entry, call, decision, end }: Step): Line {
  if (!call) return lineOf(entry)
  const tone = end?.failed
    ? 'bad'
    : decision && decision.decision !== 'allow'
      ? toneOf(decision.decision)
      : 'plain'
  return { mark: 'tool', title: call.tool, detail: plainly(subjectOf(call)), tone, code: true }
}

/** What became of a call, in a few words. */
function Fate({ step: { decision, end } }: { step: Step }) {
  return (
    <>
      {decision ? (
        <Tag tone={toneOf(decision.decision)}>
          {decision.decision} · {WHO[decision.by].toLowerCase()}
        </Tag>
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

/** All that the journal holds of it. */
function Recorded({ entry }: { entry: Entry }) {
  const { body } = useWhole(entry)
  return <pre>{JSON.stringify(body, undefined, 2)}</pre>
}
