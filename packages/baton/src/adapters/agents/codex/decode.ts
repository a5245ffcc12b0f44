import type { Decoded, DecodedEvent } from '../../../ports/agent.ts'
import { decodeBy } from '../decode-events.ts'
import { optional, type Payload } from '../payload.ts'
import { actionOf } from './actions.ts'
import { modes } from './modes.ts'

/** Codex's hook JSON as our event. */
export function decode(json: unknown, argument: string | undefined): Decoded {
  return decodeBy('Codex', events, json, argument)
}

const events: Record<string, (payload: Payload) => DecodedEvent> = {
  SessionStart: p => ({
    ...common(p),
    type: 'SessionStarted',
    source: startSource(p.optionalText('source')),
    ...optional('model', p.someText('model')),
  }),
  UserPromptSubmit: p => ({ ...common(p), type: 'PromptSubmitted', prompt: p.text('prompt') }),
  PreToolUse: p => ({ ...common(p), ...toolCall(p), type: 'ToolRequested' }),
  PermissionRequest: p => ({ ...common(p), ...toolCall(p), type: 'PermissionAsked' }),
  PostToolUse: p => ({
    ...common(p),
    ...toolCall(p),
    type: 'ToolFinished',
    // It does not say how a command ended.
    failed: false,
    response: p.raw('tool_response') ?? null,
  }),
  Stop: p => ({
    ...common(p),
    type: 'TurnEnded',
    continued: p.flag('stop_hook_active'),
    outcome: 'completed',
    ...optional('lastMessage', p.optionalText('last_assistant_message')),
  }),
  PreCompact: p => ({ ...common(p), type: 'Compacting', trigger: compactTrigger(p.optionalText('trigger')) }),
  PostCompact: p => ({ ...common(p), type: 'Compacted' }),
  SubagentStart: p => ({ ...common(p), subagent: subagentOf(p) ?? UNNAMED, type: 'SubagentStarted' }),
  SubagentStop: p => ({
    ...common(p),
    subagent: subagentOf(p) ?? UNNAMED,
    type: 'SubagentEnded',
    ...optional('lastMessage', p.optionalText('last_assistant_message')),
  }),
  SessionEnd: p => ({ ...common(p), type: 'SessionEnded', reason: p.someText('reason') ?? 'other' }),
}

const UNNAMED = { id: 'unknown' }

function common(p: Payload) {
  const mode = p.optionalText('permission_mode')
  return {
    nativeSession: p.sessionId('session_id'),
    ...optional('promptId', p.id('turn_id')),
    ...optional('cwd', p.someText('cwd')),
    ...optional('transcript', p.someText('transcript_path')),
    ...optional('mode', mode !== undefined && Object.hasOwn(modes, mode) ? modes[mode] : undefined),
    ...optional('subagent', subagentOf(p)),
  }
}

function subagentOf(p: Payload) {
  const id = p.id('agent_id')
  return id === undefined ? undefined : { id, ...optional('type', p.someText('agent_type')) }
}

function toolCall(p: Payload) {
  const tool = p.text('tool_name')
  return {
    tool,
    input: p.raw('tool_input') ?? null,
    action: actionOf(tool, p.inside('tool_input'), p.someText('cwd')),
    ...optional('toolUseId', p.id('tool_use_id')),
  }
}

function startSource(native: string | undefined) {
  const known = ['startup', 'resume', 'clear', 'compact', 'fork'] as const
  return known.find(source => source === native) ?? 'unknown'
}

function compactTrigger(native: string | undefined) {
  return native === 'manual' || native === 'auto' ? native : 'unknown'
}
