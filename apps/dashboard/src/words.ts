import { AGENTS as KNOWN } from '@batonpass/contract/agents'
import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { PsRow } from '@batonpass/contract/watch'
import { plainly } from './unseen.ts'
import { SEEN } from './watch.ts'

export type Tone = 'plain' | 'good' | 'wait' | 'bad' | 'info'

/** One entry in a line: what it is, about what, and how it is meant. */
export interface Line {
  mark: string
  title: string
  detail: string
  tone: Tone
  /** The detail is something a program reads. */
  code?: boolean
}

export const AGENTS = Object.fromEntries(
  Object.entries(KNOWN).map(([name, { title }]) => [name, title]),
) as Record<Session['agent'], string>

/** The last name of a path. */
export const baseOf = (path: string | undefined): string =>
  plainly(path?.split('/').filter(Boolean).at(-1) ?? 'no project', MAX_NAME_LENGTH)
const MAX_NAME_LENGTH = 80

export function lineOf(entry: Entry): Line {
  const line = wordsOf(entry)
  return { ...line, title: plainly(line.title), detail: plainly(line.detail) }
}

function wordsOf({ body }: Entry): Line {
  switch (body.kind) {
    case 'event':
      return eventLine(body.event)
    case 'decision': {
      const tone = body.decision === 'allow' ? 'good' : body.decision === 'deny' ? 'bad' : 'wait'
      return {
        mark: body.decision,
        title: body.decision === 'defer' ? 'Left to the agent' : `${WHO[body.by]} said ${body.decision}`,
        detail: `${body.subject.split('\n', 1)[0] ?? ''} · ${body.reason}`,
        tone,
      }
    }
    case 'reaction': {
      const { permission, goOn, refuse, context, notice } = body.reaction
      const detail = goOn?.prompt ?? permission?.reason ?? refuse?.reason ?? notice ?? context ?? ''
      const title = goOn
        ? 'Baton went on'
        : permission
          ? `Baton answered ${permission.decision}`
          : refuse
            ? 'Baton refused the prompt'
            : context
              ? 'Baton added context'
              : 'Baton answered'
      return { mark: 'reaction', title, detail, tone: goOn ? 'info' : 'plain' }
    }
    case 'workflow': {
      const end = body.end ? ` ${body.end}` : ''
      const count = body.count === undefined ? '' : ` ${body.count}${body.max ? ` of ${body.max}` : ''}`
      const tone = body.end ? (body.end === 'complete' ? 'good' : 'wait') : 'info'
      return {
        mark: 'workflow',
        title: `${body.workflow}${body.issue ? ` #${body.issue}` : ''} ${body.what}${count}${end}`,
        detail: body.reason ?? body.progress ?? body.pullRequest ?? '',
        tone,
      }
    }
    case 'ask': {
      const by = body.answer
        ? `${body.answer.option} by ${body.answer.by.who} (${body.answer.by.channel})`
        : ''
      const tone =
        body.what === 'opened' ? 'wait' : body.answer?.option.startsWith('allow') ? 'good' : 'plain'
      return {
        mark: 'ask',
        title: `Question ${body.what}`,
        detail: by || body.why || body.detail?.split('\n')[0] || body.title,
        tone,
      }
    }
    case 'handoff': {
      const wrong = body.findings?.length ?? 0
      return {
        mark: 'handoff',
        title: `Handoff ${body.what === 'asked-again' ? 'sent back' : body.what}${body.writtenBy ? ` by ${body.writtenBy === 'baton' ? 'Baton' : 'the agent'}` : ''}`,
        detail: [body.document, wrong ? counted(wrong, 'finding') : ''].filter(Boolean).join(' · '),
        tone: wrong ? 'wait' : 'info',
      }
    }
    case 'claim':
      return {
        mark: 'claim',
        title: `Issue #${body.issue} ${body.what}`,
        detail: [body.phase, body.pullRequest, body.reason].filter(Boolean).join(' · '),
        tone: body.what === 'trouble' || body.what === 'lost' ? 'bad' : 'info',
      }
    case 'cycle':
      return {
        mark: 'handoff',
        title: `Handoff cycle ${body.what}`,
        detail: [body.step, body.document, body.reason].filter(Boolean).join(' · '),
        tone: body.what === 'failed' || body.what === 'person' ? 'bad' : 'info',
      }
    case 'stage':
      return {
        mark: 'stage',
        title: `${body.workId}: ${body.stage ?? 'stage'} ${body.what}`,
        detail: body.detail ?? body.agent ?? '',
        tone: body.what === 'blocked' || body.what === 'failed' ? 'bad' : 'info',
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
    case 'forgotten':
      return {
        mark: 'forgotten',
        title: 'A session was forgotten',
        detail: `${body.entries} entries`,
        tone: 'plain',
      }
    default:
      return otherLine(body)
  }
}

export const WHO = {
  rules: 'The rules',
  session: 'Your earlier yes',
  undo: 'Undo',
  model: 'The model',
  person: 'You',
  nobody: 'Nobody',
  error: 'An error',
} as const

/** A kind that this page does not know yet still says something. */
function otherLine(body: { kind: string }): Line {
  const words = Object.entries(body)
    .filter(
      ([key, value]) =>
        key !== 'kind' && key !== 'what' && (typeof value === 'string' || typeof value === 'number'),
    )
    .map(([, value]) => String(value))
  const what = 'what' in body ? ` ${String(body.what)}` : ''
  return { mark: body.kind, title: `${capital(body.kind)}${what}`, detail: words.join(' · '), tone: 'info' }
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
      return plain('prompt', event.automatic ? 'Prompted itself' : 'Prompt', event.prompt, 'info')
    case 'ToolRequested':
      return { ...plain('tool', event.tool, subjectOf(event)), code: true }
    case 'PermissionAsked':
      return { ...plain('tool', `${event.tool} asks`, subjectOf(event), 'wait'), code: true }
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
    case 'TurnEnded':
      return plain('turn', event.continued ? 'Turn ended, goes on' : 'Turn ended', event.lastMessage ?? '')
    case 'TurnFailed':
      return plain('failed', `Turn failed: ${event.error}`, event.message ?? '', 'bad')
    case 'Idle':
      return plain(
        'idle',
        event.kind === 'permission' ? 'Waits for a permission' : 'Waits for input',
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
    default:
      return JSON.stringify(input) ?? ''
  }
}

/** What a session is doing right now: what it asks, what a look from outside says, else what its last event tells. */
export function stateOf(
  session: Session,
  asks: number,
  nowMs: number,
  row?: PsRow,
): { word: string; tone: Tone } {
  if (session.endedAt) return { word: 'ended', tone: 'plain' }
  if (asks > 0) return { word: 'asks you', tone: 'wait' }
  const seen = row && SEEN[row.state]
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
      return { word: 'asks in its terminal', tone: 'wait' }
    default:
      return { word: 'working', tone: 'good' }
  }
}

export const counted = (count: number, what: string, many = `${what}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? what : many}`
