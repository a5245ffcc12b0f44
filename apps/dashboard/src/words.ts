import { AGENTS as KNOWN } from '@batonpass/contract/agents'
import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry } from '@batonpass/contract/journal'
import {
  ANSWER_LABELS,
  CLAIM_LABELS,
  CYCLE_LABELS,
  CYCLE_STEP_LABELS,
  DECIDED_BY_LABELS,
  DECISION_LABELS,
  END_LABELS,
  FLEET_LABELS,
  HANDOFF_LABELS,
  isGoodEnd,
  STAGE_LABELS,
  WITHDRAWN_LABELS,
  WORKFLOW_LABELS,
} from '@batonpass/contract/labels'
import type { Session } from '@batonpass/contract/session'
import type { PsRow } from '@batonpass/contract/watch'
import { visibleText } from './invisible.ts'
import { WATCH_STATES } from './watch.ts'

export type Tone = 'plain' | 'good' | 'wait' | 'bad' | 'info'

/** A journal entry on one line. `tone` chooses its colour. */
export interface Line {
  mark: string
  title: string
  detail: string
  tone: Tone
  /** The detail is a command or a path: shown in a fixed-width font. */
  code?: boolean
}

export const AGENTS = Object.fromEntries(
  Object.entries(KNOWN).map(([name, { title }]) => [name, title]),
) as Record<Session['agent'], string>

/** The last segment of a path. */
export const folderName = (path: string | undefined): string =>
  visibleText(path?.split('/').filter(Boolean).at(-1) ?? 'no project', MAX_NAME_LENGTH)
const MAX_NAME_LENGTH = 80

export function describeEntry(entry: Entry): Line {
  const line = describeBody(entry)
  return { ...line, title: visibleText(line.title), detail: visibleText(line.detail) }
}

function describeBody({ body }: Entry): Line {
  switch (body.kind) {
    case 'event':
      return eventLine(body.event)
    case 'decision': {
      const tone = body.decision === 'allow' ? 'good' : body.decision === 'deny' ? 'bad' : 'wait'
      return {
        mark: body.decision,
        title:
          body.decision === 'defer'
            ? 'Left to the agent'
            : `${DECIDED_BY_LABELS[body.by]}: ${DECISION_LABELS[body.decision]}`,
        detail: `${body.subject.split('\n', 1)[0] ?? ''} · ${body.reason}`,
        tone,
      }
    }
    case 'reaction': {
      const { permission, goOn, refuse, context, notice } = body.reaction
      const detail = goOn?.prompt ?? permission?.reason ?? refuse?.reason ?? notice ?? context ?? ''
      const title = goOn
        ? 'Baton continued the agent'
        : permission
          ? `Baton ${DECISION_LABELS[permission.decision]} it`
          : refuse
            ? 'Baton refused the prompt'
            : context
              ? 'Baton added context'
              : 'Baton answered'
      return { mark: 'reaction', title, detail, tone: goOn ? 'info' : 'plain' }
    }
    case 'workflow': {
      const end = body.end ? `: ${END_LABELS[body.end]}` : ''
      const count = body.count === undefined ? '' : ` (${body.count}${body.max ? ` of ${body.max}` : ''})`
      const tone = body.end ? (isGoodEnd(body.end) ? 'good' : 'wait') : 'info'
      return {
        mark: 'workflow',
        title: `${body.workflow}${body.issue ? ` #${body.issue}` : ''} ${WORKFLOW_LABELS[body.what]}${count}${end}`,
        detail: body.reason ?? body.progress ?? body.pullRequest ?? '',
        tone,
      }
    }
    case 'ask': {
      const by = body.answer
        ? `${ANSWER_LABELS[body.answer.option]} by ${body.answer.by.who} (${body.answer.by.channel})`
        : ''
      const tone =
        body.what === 'opened' ? 'wait' : body.answer?.option.startsWith('allow') ? 'good' : 'plain'
      return {
        mark: 'ask',
        title: `Question ${body.what.replace('-', ' ')}`,
        detail: by || (body.why && WITHDRAWN_LABELS[body.why]) || body.detail?.split('\n')[0] || body.title,
        tone,
      }
    }
    case 'handoff': {
      const findings = body.findings?.length ?? 0
      const author = body.writtenBy ? ` by ${body.writtenBy === 'baton' ? 'Baton' : 'the agent'}` : ''
      return {
        mark: 'handoff',
        title: `Handoff document ${HANDOFF_LABELS[body.what]}${author}`,
        detail: [body.document, findings ? countOf(findings, 'finding') : ''].filter(Boolean).join(' · '),
        tone: findings ? 'wait' : 'info',
      }
    }
    case 'claim':
      return {
        mark: 'claim',
        title: `Issue #${body.issue} ${CLAIM_LABELS[body.what]}`,
        detail: [body.phase?.replaceAll('_', ' '), body.pullRequest, body.reason].filter(Boolean).join(' · '),
        tone: body.what === 'trouble' || body.what === 'lost' ? 'bad' : 'info',
      }
    case 'fleet':
      return {
        mark: 'claim',
        title:
          body.issue === undefined
            ? `Fleet ${FLEET_LABELS[body.what]}`
            : `Issue #${body.issue} ${FLEET_LABELS[body.what]}`,
        detail: [body.repository, body.pullRequest, body.reason].filter(Boolean).join(' · '),
        tone: body.what === 'gave-up' || body.what === 'failed' ? 'bad' : 'info',
      }
    case 'cycle':
      return {
        mark: 'handoff',
        title: `Handoff ${CYCLE_LABELS[body.what]}`,
        detail: [CYCLE_STEP_LABELS[body.step], body.document, body.reason].filter(Boolean).join(' · '),
        tone: body.what === 'failed' || body.what === 'person' ? 'bad' : 'info',
      }
    case 'stage':
      return {
        mark: 'stage',
        title: `${body.workId}: ${body.stage ?? 'stage'} ${STAGE_LABELS[body.what]}${body.end ? ` as ${body.end}` : ''}`,
        detail: body.detail ?? body.agent ?? '',
        tone:
          body.what === 'blocked' || body.what === 'failed'
            ? 'bad'
            : body.what === 'sent-back' || body.end === 'unproven'
              ? 'wait'
              : 'info',
      }
    case 'health':
      return {
        mark: 'health',
        title: `Health: ${body.check}`,
        detail: [body.message, body.action].filter(Boolean).join(' · '),
        tone: body.status === 'critical' ? 'bad' : body.status === 'warning' ? 'wait' : 'good',
      }
    case 'fault':
      return { mark: 'fault', title: `Fault during ${body.during}`, detail: body.error.message, tone: 'bad' }
    case 'daemon':
      return {
        mark: 'daemon',
        title: `Daemon ${body.what}`,
        detail: `version ${body.version}, pid ${body.pid}`,
        tone: 'plain',
      }
    case 'config':
      return {
        mark: 'config',
        title: `Configuration ${body.what}`,
        detail: body.message ?? body.file ?? '',
        tone: body.what === 'rejected' ? 'bad' : 'plain',
      }
    case 'model':
      return {
        mark: 'model',
        title: `Baton asked a model (${body.purpose})`,
        detail: [
          `${body.by}, ${body.model}`,
          body.inputTokens === undefined && body.outputTokens === undefined
            ? ''
            : countOf((body.inputTokens ?? 0) + (body.outputTokens ?? 0), 'token'),
          body.usd === undefined ? '' : `$${body.usd.toFixed(4)}`,
        ]
          .filter(Boolean)
          .join(' · '),
        tone: 'plain',
      }
    case 'forgotten':
      return {
        mark: 'forgotten',
        title: 'A session was forgotten',
        detail: countOf(body.entries, 'entry', 'entries'),
        tone: 'plain',
      }
    default:
      return otherLine(body)
  }
}

/** `allow` and `you` as a tag says them: `allowed · you`. */
export const decisionTag = (
  decision: keyof typeof DECISION_LABELS,
  by: keyof typeof DECIDED_BY_LABELS,
): string => `${DECISION_LABELS[decision]} · ${DECIDED_BY_LABELS[by].toLowerCase()}`

/** An entry of a kind that this page does not know yet: its kind and its plain values. */
function otherLine(body: { kind: string }): Line {
  const values = Object.entries(body)
    .filter(
      ([key, value]) =>
        key !== 'kind' && key !== 'what' && (typeof value === 'string' || typeof value === 'number'),
    )
    .map(([, value]) => String(value))
  const what = 'what' in body ? ` ${String(body.what)}` : ''
  return { mark: body.kind, title: `${capital(body.kind)}${what}`, detail: values.join(' · '), tone: 'info' }
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function eventLine(event: AgentEvent): Line {
  const inside = event.subagent ? ` (subagent ${event.subagent.type ?? ''})` : ''
  const plain = (mark: string, title: string, detail = '', tone: Tone = 'plain'): Line => ({
    mark,
    title: `${title}${inside}`,
    detail,
    tone,
  })
  switch (event.type) {
    case 'SessionStarted':
      return plain('session', `Session started (${event.source})`, event.model ?? '', 'info')
    case 'PromptSubmitted':
      return plain('prompt', event.automatic ? 'Automatic prompt' : 'Prompt', event.prompt, 'info')
    case 'ToolRequested':
      return { ...plain('tool', event.tool, subjectOf(event)), code: true }
    case 'PermissionAsked':
      return { ...plain('tool', `${event.tool} asks for permission`, subjectOf(event), 'wait'), code: true }
    case 'ToolFinished':
      return {
        ...plain(
          event.failed ? 'failed' : 'done',
          `${event.tool} ${event.failed ? 'failed' : 'done'}`,
          subjectOf(event),
          event.failed ? 'bad' : 'plain',
        ),
        code: true,
      }
    case 'ToolDenied':
      return {
        ...plain('failed', `${event.tool} refused by the agent: ${event.reason}`, subjectOf(event), 'bad'),
        code: true,
      }
    case 'SettingsChanged':
      return plain('session', "The agent's settings changed", event.path ?? '')
    case 'TaskCompleted':
      return plain('done', 'Task completed', event.subject)
    case 'TeammateIdle':
      return plain('idle', `The teammate ${event.teammate} is idle`)
    case 'FormAsked':
      return plain('idle', `${event.server} asks to fill in a form`, event.message, 'wait')
    case 'TurnEnded':
      return plain(
        'turn',
        event.continued ? 'Turn ended after a continuation' : 'Turn ended',
        event.lastMessage ?? '',
      )
    case 'TurnFailed':
      return plain('failed', `Turn failed: ${event.error}`, event.message ?? '', 'bad')
    case 'Idle':
      return plain(
        'idle',
        event.kind === 'permission' ? 'Waiting for permission' : 'Waiting for input',
        event.message ?? '',
        'wait',
      )
    case 'ContextMeasured':
      return plain(
        'context',
        'Context measured',
        `${event.used.toLocaleString()}${event.size ? ` of ${event.size.toLocaleString()}` : ''} tokens`,
      )
    case 'Compacting':
      return plain('context', 'Compacting', event.trigger, 'wait')
    case 'Compacted':
      return plain('context', 'Compacted', event.summary ?? '')
    case 'SubagentStarted':
      return plain('agent', 'Subagent started')
    case 'SubagentEnded':
      return plain('agent', 'Subagent ended', event.lastMessage ?? '')
    case 'SessionEnded':
      return plain('session', `Session ended (${event.reason})`)
  }
}

type ToolEvent = Extract<AgentEvent, { tool: string }>

export function subjectOf({ action, input }: ToolEvent): string {
  switch (action.kind) {
    case 'shell':
      return action.command
    case 'read':
    case 'write':
    case 'search':
      return action.paths.join(' ')
    case 'web':
      return action.url ?? action.query ?? ''
    case 'mcp':
      return `${action.server}/${action.tool}`
    case 'agent':
      return action.description ?? ''
    case 'question':
      return action.questions.map(({ text }) => text).join(' ')
    case 'plan':
      return action.plan.split('\n', 1)[0] ?? ''
    default:
      return JSON.stringify(input) ?? ''
  }
}

/** What a session is doing now: from its open questions, else from what the watch sees, else from its last event. */
export function describeState(
  session: Session,
  asks: number,
  nowMs: number,
  row?: PsRow,
): { word: string; tone: Tone } {
  if (session.endedAt) return { word: 'ended', tone: 'plain' }
  if (asks > 0) return { word: 'asks you', tone: 'wait' }
  const seen = row && WATCH_STATES[row.state]
  if (seen) return seen
  const quiet = nowMs - Date.parse(session.lastSeenAt)
  if (quiet > 6 * 3_600_000) return { word: 'silent', tone: 'plain' }
  switch (session.lastEvent) {
    case 'TurnEnded':
    case 'Idle':
    case 'SessionStarted':
      return { word: 'waiting', tone: 'info' }
    case 'TurnFailed':
      return { word: 'failed', tone: 'bad' }
    case 'PermissionAsked':
    case 'FormAsked':
      return { word: 'asks in its terminal', tone: 'wait' }
    default:
      return { word: 'working', tone: 'good' }
  }
}

export const countOf = (count: number, what: string, many = `${what}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? what : many}`
