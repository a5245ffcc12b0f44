import type { Action } from '@batonpass/contract/event'
import type { Reaction } from '@batonpass/contract/reaction'
import type { Decoded, DecodedEvent, HookPoint } from '../../ports/agent.ts'
import { noQuestion } from './no-question.ts'
import { eventName, optional, type Payload, printableName, readPayload } from './payload.ts'

/**
 * What Baton's own plugins say to the launcher, for agents that run plugins instead of hook commands. The plugin translates
 * the agent's calls into this one form, so that there is one decoder and one encoder for all of them.
 */
export const pluginHooks: readonly HookPoint[] = [
  { event: 'SessionStart' },
  { event: 'Prompt' },
  { event: 'ToolCall', waits: true },
  { event: 'ToolResult' },
  { event: 'Context' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'TurnEnd', seconds: 100 },
  { event: 'TurnError' },
  { event: 'Compacting' },
  { event: 'Compacted' },
  { event: 'SessionEnd', seconds: 3 },
]

export type ActionReader = (tool: string, input: Payload, cwd: string | undefined) => Action

export function pluginDecode(agent: string, actionOf: ActionReader) {
  return (json: unknown, argument: string | undefined): Decoded => {
    const payload = readPayload(agent, json)
    const nativeEvent = eventName(agent, payload, argument)
    const read = Object.hasOwn(events, nativeEvent) ? events[nativeEvent] : undefined
    if (!read) return { ignored: printableName(nativeEvent) }
    return { event: read(payload, actionOf), nativeEvent }
  }
}

const events: Record<string, (payload: Payload, actionOf: ActionReader) => DecodedEvent> = {
  SessionStart: p => ({
    ...common(p),
    type: 'SessionStarted',
    source: startSource(p.optionalText('source')),
    ...optional('model', p.someText('model')),
  }),
  Prompt: p => ({
    ...common(p),
    type: 'PromptSubmitted',
    prompt: p.text('prompt'),
    ...optional('automatic', p.flag('automatic') || undefined),
  }),
  ToolCall: (p, actionOf) => ({
    ...common(p),
    ...toolCall(p, actionOf),
    type: 'ToolRequested',
    // A plugin that an earlier version wrote runs the call as it is, whatever it is told.
    ...(p.flag('takes_input') ? {} : { fixed: true }),
  }),
  Question: (p, actionOf) => ({ ...common(p), ...toolCall(p, actionOf), type: 'PermissionAsked' }),
  ToolResult: (p, actionOf) => ({
    ...common(p),
    ...toolCall(p, actionOf),
    type: 'ToolFinished',
    failed: p.flag('failed'),
    response: p.raw('tool_response') ?? null,
  }),
  Context: p => ({
    ...common(p),
    type: 'ContextMeasured',
    source: 'plugin',
    used: p.count('used') ?? 0,
    ...optional('size', p.count('size') || undefined),
    ...optional('model', p.someText('model')?.slice(0, 200)),
  }),
  TurnEnd: p => ({
    ...common(p),
    type: 'TurnEnded',
    continued: p.flag('continued'),
    outcome: outcome(p.optionalText('outcome')),
    ...optional('lastMessage', p.optionalText('last_message')),
  }),
  TurnError: p => ({
    ...common(p),
    type: 'TurnFailed',
    error: p.someText('error') ?? 'unknown',
    ...optional('message', p.someText('message')),
  }),
  Compacting: p => ({
    ...common(p),
    type: 'Compacting',
    trigger: 'unknown',
    ...optional('instructions', p.someText('instructions')),
  }),
  Compacted: p => ({ ...common(p), type: 'Compacted', ...optional('summary', p.optionalText('summary')) }),
  SessionEnd: p => ({ ...common(p), type: 'SessionEnded', reason: endReason(p.someText('reason')) }),
}

function common(p: Payload) {
  const subagent = p.id('agent_id')
  return {
    nativeSession: p.sessionId('session_id'),
    ...optional('cwd', p.someText('cwd')),
    ...optional('transcript', p.someText('transcript_path')),
    ...optional('subagent', subagent === undefined ? undefined : { id: subagent }),
  }
}

function toolCall(p: Payload, actionOf: ActionReader) {
  const tool = p.text('tool_name')
  return {
    tool,
    input: p.raw('tool_input') ?? null,
    action: actionOf(tool, p.inside('tool_input'), p.someText('cwd')),
    ...optional('toolUseId', p.id('tool_use_id')),
  }
}

function startSource(native: string | undefined) {
  if (native === 'new') return 'clear'
  const known = ['startup', 'resume', 'clear', 'compact', 'fork'] as const
  return known.find(source => source === native) ?? 'unknown'
}

/** A session that is left for a new one was cleared. */
const endReason = (native: string | undefined): string => (native === 'new' ? 'clear' : (native ?? 'other'))

const outcome = (native: string | undefined) =>
  native === 'aborted' || native === 'error' ? native : 'completed'

/** What the plugin is told. `asks`: it can put a question to its person, so an `ask` stays one. */
export function pluginEncode(agent: string, { asks }: { asks: boolean }) {
  return (reaction: Reaction, nativeEvent: string): Record<string, unknown> => {
    const { permission, goOn, refuse, context, notice, rewrite } = reaction
    switch (nativeEvent) {
      case 'ToolCall': {
        if (rewrite && !permission)
          return { decision: 'allow', input: rewrite.input, ...(context ? { context } : {}) }
        if (!permission) return {}
        if (permission.decision !== 'ask' || asks)
          return { decision: permission.decision, reason: permission.reason }
        return { decision: 'deny', reason: `${permission.reason}\n${noQuestion(agent)}` }
      }
      case 'ToolResult':
        return { ...(context ? { context } : {}), ...(notice ? { notice } : {}) }
      case 'TurnEnd':
        return { ...(goOn ? { prompt: goOn.prompt } : {}), ...(notice ? { notice } : {}) }
      case 'SessionStart':
      case 'Prompt':
        return {
          ...(refuse && nativeEvent === 'Prompt' ? { refuse: refuse.reason } : {}),
          ...(context ? { context } : {}),
          ...(notice ? { notice } : {}),
        }
      default:
        return {}
    }
  }
}
