import type { Ask, AskRules } from '@batonpass/contract/ask'
import type { EventOf } from '@batonpass/contract/event'
import { fingerprintOf } from '../ask/fingerprint.ts'
import type { Question } from '../ask/question.ts'
import { ruleText } from './rules/rule-text.ts'

export type ToolEvent = EventOf<'ToolRequested'> | EventOf<'PermissionAsked'>
export type ToolCallEvent = ToolEvent | EventOf<'ToolFinished'>

/** Where a command works: agents may name another folder for one command. */
export const cwdOf = ({ action, cwd }: ToolCallEvent, { project }: { project: string }): string =>
  (action.kind === 'shell' ? action.cwd : undefined) ?? cwd ?? project

/** What binds an answer: exactly this tool input, in this session and folder. */
export const fingerprintFor = (event: ToolEvent): string =>
  fingerprintOf({ session: event.session, tool: event.tool, input: event.input, cwd: event.cwd })

/** Whether the tool that ran is the one that was asked about; it may have changed the folder since. */
export const isAbout = (ask: Ask, { session, tool, input }: EventOf<'ToolFinished'>): boolean =>
  ask.facts.session === session &&
  ask.facts.tool === tool &&
  ask.fingerprint === fingerprintOf({ session, tool, input, cwd: ask.facts.cwd })

/** A subagent's questions outlive the turn that the session itself ends. */
const OF_SUBAGENT = ' of a subagent'
const keyFor = ({ id, subagent }: Pick<ToolEvent, 'id' | 'subagent'>): string =>
  subagent ? `${id}${OF_SUBAGENT}` : id
export const isOfSubagent = (ask: Ask): boolean => ask.key.endsWith(OF_SUBAGENT)
/** The event that asked. */
export const eventOf = (ask: Ask): string => ask.key.split(' ')[0] ?? ''

/** The question that a person sees: the whole of what would run, and why it is asked. */
export function questionFor(event: ToolEvent, project: string, reason: string, rules?: AskRules): Question {
  return {
    kind: 'permission',
    title: `${event.tool} in ${project}`,
    detail: [subjectOf(event), ...written(event), reason, ...alwaysLines(rules)].join('\n\n'),
    facts: {
      session: event.session,
      nativeSession: event.nativeSession,
      agent: event.agent,
      project,
      tool: event.tool,
      ...(event.cwd ? { cwd: event.cwd } : {}),
    },
    key: keyFor(event),
    fingerprint: fingerprintFor(event),
    ...(rules ? { rules } : {}),
  }
}

/** What the person would allow for all time. */
function alwaysLines(rules: AskRules | undefined): string[] {
  const scopes = (['project', 'everywhere'] as const).flatMap(scope => {
    const rule = rules?.[scope]
    return rule ? `${scope === 'project' ? 'in this project' : scope}: ${ruleText(rule, scope)}` : []
  })
  return scopes.length > 0 ? [`Always allow ${scopes.join('; ')}`] : []
}

/** What a tool would put into a file; of a command the subject says it all. */
function written({ action, input }: ToolEvent): string[] {
  if (action.kind !== 'write' || typeof input !== 'object' || input === null) return []
  return Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return action.paths.includes(value) ? [] : `${name}:\n${value}`
    return `${name}: ${JSON.stringify(value, undefined, 2)}`
  })
}

/** The command, the paths or the name that is judged, in full. */
export function subjectOf({ action, tool, input }: Pick<ToolEvent, 'action' | 'tool' | 'input'>): string {
  switch (action.kind) {
    case 'shell':
      return action.command
    case 'read':
    case 'write':
    case 'search':
      return `${tool} ${action.paths.join(' ')}`.trim()
    case 'web':
      return `${tool} ${action.url ?? action.query ?? ''}`.trim()
    case 'mcp':
      return `${action.server}/${action.tool} ${JSON.stringify(input)}`
    default:
      return `${tool} ${JSON.stringify(input) ?? ''}`.trim()
  }
}
