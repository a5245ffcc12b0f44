import type { ContextZone } from '@batonpass/contract/context'
import { pauseLine } from '@batonpass/contract/pause-line'
import type { Session } from '@batonpass/contract/session'
import type { Picture } from '../daemon/live.ts'

export interface StatusBarText {
  text: string
  tooltip: string
  /** Chooses the background colour. */
  urgency: 'none' | 'warning' | 'error'
}

/** What users read for each zone. */
export const ZONES: Record<ContextZone, string> = {
  unknown: 'unknown',
  fine: 'fine',
  note: 'filling',
  warn: 'small tasks only',
  trigger: 'hand off now',
}
const ORDER: readonly ContextZone[] = ['unknown', 'fine', 'note', 'warn', 'trigger']

/** The fullest context of the sessions in these folders (or of all sessions if there are none), and the open questions. */
export function statusBarText(picture: Picture, folders: readonly string[]): StatusBarText {
  if (picture.daemon === 'connecting')
    return { text: '$(sync~spin) Baton', tooltip: 'Looking for the Baton daemon', urgency: 'none' }
  if (picture.daemon === 'absent')
    return {
      text: '$(circle-slash) Baton',
      tooltip: picture.problem ?? 'No Baton daemon is running. Click to start it.',
      urgency: 'none',
    }
  const pause = picture.pauses?.find(
    each => each.scope !== 'project' || folders.some(folder => `${folder}/`.startsWith(`${each.project}/`)),
  )
  const here = picture.sessions.filter(
    ({ project }) => project !== undefined && folders.some(folder => `${folder}/`.startsWith(`${project}/`)),
  )
  const fullest = (here.length > 0 ? here : picture.sessions).reduce<Session | undefined>(fuller, undefined)
  const zone = fullest?.context?.zone ?? 'unknown'
  const context = fullest?.context && contextText(fullest)
  const advice = zone === 'unknown' || zone === 'fine' ? '' : ` ${ZONES[zone]}`
  const waiting = picture.asks.length
  return {
    text: [
      pause ? '$(debug-pause) Baton paused' : '$(pulse) Baton',
      ...(context ? [`${context}${advice}`] : []),
      ...(waiting > 0 ? [`$(question) ${waiting}`] : []),
    ].join(' '),
    tooltip: [
      ...(pause ? [pauseLine(pause)] : []),
      `${picture.sessions.length} live ${picture.sessions.length === 1 ? 'session' : 'sessions'}`,
      ...(fullest && context
        ? [`Fullest context: ${fullest.name ?? fullest.agent}, ${context} (${ZONES[zone]})`]
        : []),
      ...(waiting > 0 ? [`${waiting} open ${waiting === 1 ? 'question' : 'questions'}`] : []),
    ].join('\n'),
    urgency: zone === 'trigger' ? 'error' : zone === 'warn' || waiting > 0 || pause ? 'warning' : 'none',
  }
}

/** `62 %`, or tokens where the window's size is not known. */
export function contextText({ context }: Pick<Session, 'context'>): string {
  if (!context) return ''
  if (context.percent === undefined) return `${Math.round(context.used / 1000)}K tokens`
  return `${Math.round(context.percent)} %`
}

function fuller(a: Session | undefined, b: Session): Session {
  if (!a) return b
  const [inA, inB] = [a, b].map(({ context }) => ORDER.indexOf(context?.zone ?? 'unknown'))
  if (inA !== inB) return (inA ?? 0) > (inB ?? 0) ? a : b
  return (a.context?.percent ?? 0) >= (b.context?.percent ?? 0) ? a : b
}
