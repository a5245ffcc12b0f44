import type { CycleEntry } from '@batonpass/contract/cycle'
import { duration } from '@batonpass/contract/duration'
import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry } from '@batonpass/contract/journal'
import {
  ANSWER_LABELS,
  DECISION_LABELS,
  decidedLabel,
  EVENT_LABELS,
  PHASE_LABELS,
  sessionEndLabel,
  turnErrorLabel,
  WITHDRAWN_LABELS,
} from '@batonpass/contract/labels'
import type { Reaction } from '@batonpass/contract/reaction'
import { shortId } from '@batonpass/contract/short-id'
import type { WorkflowEntry } from '@batonpass/contract/workflow'
import { counted } from './counted.ts'

const MAX_LENGTH = 160

/** One line about an entry, for people. */
export function describeEntry({ body }: Entry): string {
  switch (body.kind) {
    case 'event':
      return `${EVENT_LABELS[body.event.type]} ${describeEvent(body.event)}`.trimEnd()
    case 'reaction': {
      const { permission, answer, goOn, refuse, context, notice } = body.reaction
      const parts = [
        permission && `${DECISION_LABELS[permission.decision]}: ${permission.reason}`,
        answer && describeAnswer(answer),
        goOn && `continued: ${goOn.prompt}`,
        refuse && `refused: ${refuse.reason}`,
        context && `context: ${context}`,
        notice,
      ].filter(part => part !== undefined)
      return `-> ${short(parts.join(' | '))} [${body.by.join(', ')}, ${duration(body.tookMs)}]`
    }
    case 'fault':
      return `FAULT during ${body.during}: ${body.error.code}: ${short(body.error.message)}`
    case 'daemon':
      return `daemon ${body.what}, version ${body.version}, pid ${body.pid}${body.detail ? `, ${body.detail}` : ''}`
    case 'config':
      return `configuration ${body.what}${body.file ? ` ${body.file}` : ''}${body.message ? `: ${short(body.message)}` : ''}`
    case 'ask': {
      const said =
        body.answer &&
        `${ANSWER_LABELS[body.answer.option]} by ${body.answer.by.who} (${body.answer.by.channel})`
      return `ask ${shortId(body.ask)} ${body.what}: ${short([said, body.why && WITHDRAWN_LABELS[body.why], body.title].filter(Boolean).join(', '))}`
    }
    case 'workflow':
      return `workflow ${body.workflow} ${body.what}${describeWorkflow(body)}`
    case 'stage': {
      const at = [body.agent ?? body.stage, body.phase && `Phase ${body.phase}`].filter(Boolean).join(', ')
      const more = body.detail ? `: ${short(body.detail)}` : ''
      return `work ${body.workId} ${body.what}${at ? ` ${at}` : ''}${body.mode ? ` (${body.mode})` : ''}${body.end ? ` as ${body.end}` : ''}${more}`
    }
    case 'handoff': {
      const wrong = body.findings?.length ? `, ${counted(body.findings.length, 'finding')}` : ''
      const by = body.writtenBy ? ` by ${body.writtenBy}` : ''
      const from = body.from ? ` from session ${body.from}` : ''
      return `handoff ${body.what}${by}${body.document ? ` ${short(body.document)}` : ''}${from}${wrong}`
    }
    case 'claim': {
      const parts = [
        body.phase && PHASE_LABELS[body.phase],
        body.pullRequest,
        body.reason && short(body.reason),
      ].filter(Boolean)
      return `claim #${body.issue} ${body.what}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
    }
    case 'fleet': {
      const about = body.issue === undefined ? '' : ` ${body.repository}#${body.issue}`
      const more = [body.pullRequest, body.reason && short(body.reason)].filter(Boolean).join(', ')
      return `fleet${about} ${body.what}${more ? `: ${more}` : ''}`
    }
    case 'cycle':
      return `cycle ${body.what}${describeCycle(body)}`
    case 'decision':
      return `${decidedLabel(body.decision, body.by)}: ${short(body.subject)} (${short(body.reason)})`
    case 'health':
      return `health ${body.check} ${body.status}: ${short(body.message)}${body.action ? ` (${short(body.action)})` : ''}`
    case 'spawn':
      return `${body.what} ${short(body.title)}${body.place ? ` at ${body.place}` : ''}${body.detail ? `: ${short(body.detail)}` : ''}`
    case 'sandbox':
      if (body.off !== undefined) return `sandbox off: ${short(body.off)}`
      if (body.blocked?.length) return `sandbox blocked ${short(body.blocked.join(', '))}`
      return `sandbox moved aside ${short(body.moved.map(({ path, why }) => `${path} (${why})`).join(', '))}`
    case 'broker':
      return `broker ${body.refused === undefined ? `ran (exit ${body.exit ?? '?'})` : 'refused'} ${short(body.command)}${body.refused === undefined ? '' : `: ${short(body.refused)}`}`
    case 'proof':
      return `proof ${body.proof} of ${body.commit.slice(0, 10)} ${body.what}${body.verdict ? `: ${body.verdict}${body.why ? ` (${short(body.why)})` : ''}` : ''}`
    case 'model':
      return `model call (${body.purpose}) by ${body.by}, model ${body.model}${usageWords(body)}`
    case 'forgotten':
      return `forgot ${counted(body.entries, 'entry', 'entries')} of ${body.session}`
  }
}

function describeAnswer({ accepted, replies = [], comment }: NonNullable<Reaction['answer']>): string {
  const words = replies.map(({ chosen = [], words }) => [...chosen, ...(words ? [words] : [])].join(', '))
  return `${accepted ? 'answered' : 'not accepted'}: ${comment ?? words.join('; ')}`
}

function describeCycle({ percent, document, from, to, reason }: CycleEntry): string {
  const parts = [
    percent === undefined ? undefined : `${Math.round(percent)}%`,
    document,
    from && to ? `session ${from} -> ${to}` : undefined,
    reason && short(reason),
  ].filter(part => part !== undefined && part !== '')
  return parts.length > 0 ? `: ${parts.join(', ')}` : ''
}

function describeWorkflow({ count, max, end, reason, pullRequest }: WorkflowEntry): string {
  const parts = [
    count === undefined ? undefined : `${count}${max === undefined ? '' : `/${max}`}`,
    end,
    reason && short(reason),
    pullRequest,
  ].filter(part => part !== undefined && part !== '')
  return parts.length > 0 ? `: ${parts.join(', ')}` : ''
}

function describeEvent(event: AgentEvent): string {
  const inside = event.subagent ? `(subagent ${event.subagent.type ?? event.subagent.id}) ` : ''
  switch (event.type) {
    case 'SessionStarted':
      return `${inside}${event.source}`
    case 'PromptSubmitted':
      return short(event.prompt)
    case 'ToolRequested':
    case 'PermissionAsked':
    case 'ToolDenied':
    case 'ToolFinished': {
      const { action } = event
      const what =
        action.kind === 'shell'
          ? action.command
          : 'paths' in action
            ? action.paths.join(' ')
            : action.kind === 'mcp'
              ? `${action.server}/${action.tool}`
              : ''
      const failed = event.type === 'ToolFinished' && event.failed ? ' (failed)' : ''
      const why = event.type === 'ToolDenied' ? `: ${short(event.reason)}` : ''
      return `${inside}${event.tool} ${short(what)}${failed}${why}`
    }
    case 'SettingsChanged':
      return event.path ?? ''
    case 'TaskCompleted':
      return `${inside}${short(event.subject)}`
    case 'TeammateIdle':
      return event.teammate
    case 'FormAsked':
      return `${inside}${event.server} ${short(event.message)}`
    case 'TurnEnded':
      return `${inside}${event.outcome}${event.continued ? ', continued' : ''} ${short(event.lastMessage ?? '')}`
    case 'TurnFailed':
      return `${turnErrorLabel(event.error)} ${short(event.message ?? '')}`
    case 'Idle':
      return `${event.kind} ${short(event.message ?? '')}`
    case 'ContextMeasured':
      return `${event.used}${event.size ? ` of ${event.size}` : ''} tokens`
    case 'Compacting':
      return event.trigger
    case 'SessionEnded':
      return sessionEndLabel(event.reason)
    default:
      return inside.trim()
  }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line
}

function usageWords({
  inputTokens = 0,
  outputTokens = 0,
  usd,
}: Extract<Entry['body'], { kind: 'model' }>): string {
  const tokens = inputTokens + outputTokens
  return `${tokens > 0 ? `, ${tokens} tokens` : ''}${usd === undefined ? '' : `, $${usd.toFixed(4)}`}`
}
