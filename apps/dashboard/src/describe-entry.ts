import type { Entry } from '@batonpass/contract/journal'
import {
  ANSWER_LABELS,
  CLAIM_LABELS,
  CYCLE_LABELS,
  CYCLE_STEP_LABELS,
  DECISION_LABELS,
  decidedLabel,
  END_LABELS,
  FLEET_LABELS,
  HANDOFF_LABELS,
  isGoodEnd,
  STAGE_LABELS,
  WITHDRAWN_LABELS,
  WORKFLOW_LABELS,
} from '@batonpass/contract/labels'
import { eventLine } from './describe-event.ts'
import { visibleText } from './invisible.ts'
import { countOf, type Line } from './words.ts'

/** A journal entry in the page's words, without invisible characters. */
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
        title: capital(decidedLabel(body.decision, body.by)),
        detail: body.subject.split('\n', 1)[0] ?? '',
        reason: body.reason,
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
