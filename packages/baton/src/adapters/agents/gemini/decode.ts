import type { Decoded, DecodedEvent } from '../../../ports/agent.ts'
import { decodeBy } from '../decode-events.ts'
import { optional, type Payload } from '../payload.ts'
import { actionOf } from './actions.ts'

/** Gemini CLI's hook JSON as our event. */
export function decode(json: unknown, argument: string | undefined): Decoded {
  return decodeBy('Gemini CLI', events, json, argument)
}

const events: Record<string, (payload: Payload) => DecodedEvent> = {
  SessionStart: p => ({
    ...common(p),
    type: 'SessionStarted',
    source: startSource(p.optionalText('source')),
    // It drops what a hook says then.
    ...(p.optionalText('source') === 'clear' ? { deaf: true } : {}),
  }),
  BeforeAgent: p => ({ ...common(p), type: 'PromptSubmitted', prompt: withoutContext(p.text('prompt')) }),
  BeforeTool: p => ({ ...common(p), ...toolCall(p), type: 'ToolRequested' }),
  AfterTool: p => ({
    ...common(p),
    ...toolCall(p),
    type: 'ToolFinished',
    failed: failedIn(p),
    response: p.raw('tool_response') ?? null,
  }),
  AfterAgent: p => ({
    ...common(p),
    type: 'TurnEnded',
    continued: p.flag('stop_hook_active'),
    outcome: 'completed',
    ...optional('lastMessage', p.optionalText('prompt_response')),
  }),
  Notification: p => ({
    ...common(p),
    type: 'Idle',
    kind: p.optionalText('notification_type') === 'ToolPermission' ? 'permission' : 'other',
    ...optional('message', p.optionalText('message')),
  }),
  SessionEnd: p => ({ ...common(p), type: 'SessionEnded', reason: p.someText('reason') ?? 'other' }),
}

function common(p: Payload) {
  return {
    nativeSession: p.sessionId('session_id'),
    ...optional('cwd', p.someText('cwd')),
    ...optional('transcript', p.someText('transcript_path')),
  }
}

function toolCall(p: Payload) {
  const tool = p.text('tool_name')
  return { tool, input: p.raw('tool_input') ?? null, action: actionOf(tool, p) }
}

function failedIn(p: Payload): boolean {
  const response = p.raw('tool_response')
  return typeof response === 'object' && response !== null && 'error' in response && Boolean(response.error)
}

/** What a hook gave the session at its start comes before the first prompt, and was not typed by a person. */
function withoutContext(prompt: string): string {
  const end = prompt.startsWith('<hook_context>') ? prompt.indexOf('</hook_context>') : -1
  return end < 0 ? prompt : prompt.slice(end + '</hook_context>'.length).trimStart()
}

function startSource(native: string | undefined) {
  const known = ['startup', 'resume', 'clear'] as const
  return known.find(source => source === native) ?? 'unknown'
}
