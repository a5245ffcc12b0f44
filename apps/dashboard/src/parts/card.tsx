import type { Cycle } from '@batonpass/contract/cycle'
import type { SessionCard, SessionWork } from '@batonpass/contract/dashboard'
import { END_LABELS, isGoodEnd } from '@batonpass/contract/labels'
import type { PsRow } from '@batonpass/contract/watch'
import type { WorkflowRun } from '@batonpass/contract/workflow'
import { describeEntry } from '../describe-entry.ts'
import { visibleText } from '../invisible.ts'
import { Link } from '../router.tsx'
import { Ago, now } from '../time.tsx'
import { AGENTS, describeState, folderName, type Tone } from '../words.ts'
import { CycleLine } from './cycle.tsx'
import { Gauge } from './gauge.tsx'
import { Glyph } from './glyph.tsx'
import { Tag } from './tag.tsx'

interface CardProps {
  card: SessionCard
  cycle: Cycle | undefined
  /** What the watch sees of this session. */
  row: PsRow | undefined
}

/** One session at a glance; a click anywhere on the card opens its page. */
export function Card({ card, cycle, row }: CardProps) {
  const { session, run, work, last, asks } = card
  const { word, tone } = describeState(session, asks, now.value, row)
  const line = last && describeEntry(last)
  return (
    <li class="card" data-tone={tone} data-session={session.nativeSession}>
      <div class="top">
        <Glyph agent={session.agent} />
        <h3>
          <Link to={`/sessions/${session.id}`}>
            {visibleText(session.name ?? folderName(session.project ?? session.cwd), 80)}
          </Link>
        </h3>
        <Tag tone={tone} pulse={word === 'working'}>
          {word}
        </Tag>
      </div>
      <p class="who">
        <span>{AGENTS[session.agent]}</span>
        {session.name ? <span>{folderName(session.project ?? session.cwd)}</span> : null}
        {run ? <RunSummary run={run} /> : null}
        {work ? <span>{stageText(work)}</span> : null}
        {run || work ? null : <span class="mono">{session.nativeSession.slice(0, 8)}</span>}
      </p>
      {session.context ? <Gauge context={session.context} /> : null}
      {cycle ? <CycleLine cycle={cycle} /> : null}
      {row?.problems[0] ? <Problem problem={row.problems[0]} /> : null}
      <p class="last">
        <span class={line?.code ? 'mono' : ''} title={line ? `${line.title} ${line.detail}` : ''}>
          {line ? `${line.title}${line.detail ? `: ${line.detail}` : ''}` : session.lastEvent}
        </span>
        <Ago at={session.lastSeenAt} />
      </p>
    </li>
  )
}

/** `migration-guide: implement, phase 2` */
export const stageText = ({ workId, stage, phase }: SessionWork): string =>
  `${workId}${stage ? `: ${stage}` : ''}${phase ? `, phase ${phase}` : ''}`

export const Problem = ({ problem: { check, status, message } }: { problem: PsRow['problems'][number] }) => (
  <p class="problem">
    <Tag tone={status === 'critical' ? 'bad' : 'wait'}>{check}</Tag> <span>{message}</span>
  </p>
)

export function RunSummary({ run, ended = true }: { run: WorkflowRun; ended?: boolean }) {
  return (
    <span class="run">
      <span>
        {run.workflow}
        {run.issue ? ` #${run.issue}` : ''}
      </span>
      {run.end && !ended ? null : run.end ? (
        <Tag tone={endTone(run)}>{END_LABELS[run.end.kind]}</Tag>
      ) : (
        <span>
          {run.proving ? 'Baton checks it' : run.count === 0 ? 'running' : `continued ${run.count} ×`}
        </span>
      )}
      {run.pr ? <span>PR #{run.pr}</span> : null}
    </span>
  )
}

export function endTone(run: WorkflowRun): Tone {
  if (!run.end) return 'plain'
  if (isGoodEnd(run.end.kind)) return 'good'
  return run.end.kind === 'failed' || run.end.kind === 'blocked' ? 'bad' : 'wait'
}
