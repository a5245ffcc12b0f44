import type { PermissionMode } from '@batonpass/contract/event'
import type { Decoded, DecodedEvent } from '../../../ports/agent.ts'
import { formQuestions } from '../mcp-form.ts'
import { eventName, optional, type Payload, printableName, readPayload } from '../payload.ts'
import { actionOf } from './actions.ts'
import { modes } from './modes.ts'
import { STATUS_LINE } from './status-line-name.ts'

/** Claude Code's hook JSON as our event. */
export function decode(json: unknown, argument: string | undefined): Decoded {
  const payload = readPayload('Claude Code', json)
  // Cursor also runs the hooks it finds in Claude Code's settings; it has an adapter of its own.
  if (payload.has('cursor_version')) return { ignored: 'Cursor ran a hook of Claude Code' }
  const nativeEvent = eventName('Claude Code', payload, argument)
  if (nativeEvent === STATUS_LINE) {
    const event = statusLine(payload)
    return event ? { event, nativeEvent } : { ignored: 'a status line without a figure' }
  }
  if (nativeEvent === 'Elicitation') {
    const event = form(payload)
    return event ? { event, nativeEvent } : { ignored: 'a form that only the dialog can show' }
  }
  const read = Object.hasOwn(events, nativeEvent) ? events[nativeEvent] : undefined
  if (!read) return { ignored: printableName(nativeEvent) }
  return { event: read(payload), nativeEvent }
}

const events: Record<string, (payload: Payload) => DecodedEvent> = {
  SessionStart: p => ({
    ...common(p),
    type: 'SessionStarted',
    source: startSource(p.optionalText('source')),
    ...optional('model', p.someText('model')),
  }),
  UserPromptSubmit: p => {
    const prompt = p.text('prompt')
    const automatic = prompt.startsWith('<task-notification>') || undefined
    return { ...common(p), type: 'PromptSubmitted', prompt, ...optional('automatic', automatic) }
  },
  PreToolUse: p => ({ ...common(p), ...toolCall(p), type: 'ToolRequested' }),
  PermissionRequest: p => ({
    ...common(p),
    ...toolCall(p),
    type: 'PermissionAsked',
  }),
  PostToolUse: p => toolFinished(p, false, 'tool_response'),
  PostToolUseFailure: p => toolFinished(p, true, 'error'),
  PermissionDenied: p => ({
    ...common(p),
    ...toolCall(p),
    type: 'ToolDenied',
    reason: p.optionalText('reason') ?? '',
  }),
  ConfigChange: p => ({
    ...common(p),
    type: 'SettingsChanged',
    ...optional('path', p.someText('file_path')),
  }),
  TaskCompleted: p => ({
    ...common(p),
    type: 'TaskCompleted',
    subject: p.optionalText('task_subject') ?? '',
  }),
  TeammateIdle: p => ({
    ...common(p),
    type: 'TeammateIdle',
    teammate: p.optionalText('teammate_name') ?? '',
  }),
  Stop: p => ({
    ...common(p),
    type: 'TurnEnded',
    continued: p.flag('stop_hook_active'),
    outcome: 'completed',
    ...optional('running', p.list('background_tasks')?.filter(isRunning).length),
    ...optional('scheduled', p.list('session_crons')?.length),
    ...optional('lastMessage', p.optionalText('last_assistant_message')),
  }),
  StopFailure: p => ({
    ...common(p),
    type: 'TurnFailed',
    error: p.someText('error') ?? 'unknown',
    ...optional('message', p.someText('error_details') ?? p.someText('last_assistant_message')),
  }),
  Notification: p => ({
    ...common(p),
    type: 'Idle',
    kind: notificationKind(p.optionalText('notification_type')),
    ...optional('message', p.optionalText('message')),
  }),
  PreCompact: p => ({
    ...common(p),
    type: 'Compacting',
    trigger: compactTrigger(p.optionalText('trigger')),
    ...optional('instructions', p.someText('custom_instructions')),
  }),
  PostCompact: p => ({
    ...common(p),
    type: 'Compacted',
    ...optional('summary', p.optionalText('compact_summary')),
  }),
  SubagentStart: p => ({ ...common(p), type: 'SubagentStarted' }),
  SubagentStop: p => ({
    ...common(p),
    type: 'SubagentEnded',
    ...optional('lastMessage', p.optionalText('last_assistant_message')),
  }),
  SessionEnd: p => ({ ...common(p), type: 'SessionEnded', reason: p.someText('reason') ?? 'other' }),
}

/** A tool server wants a form filled in. Baton cannot show a page in a browser (`mode: url`). */
function form(p: Payload): DecodedEvent | undefined {
  const mode = p.optionalText('mode') ?? 'form'
  const questions = mode === 'form' ? formQuestions(p.raw('requested_schema')) : undefined
  if (!questions) return undefined
  const server = p.text('mcp_server_name').slice(0, 200) || 'A tool server'
  return { ...common(p), type: 'FormAsked', server, message: p.optionalText('message') ?? '', questions }
}

/** Not a hook: what Claude Code gives to its status line. Before the first reply and after /clear it has no figure. */
function statusLine(p: Payload): DecodedEvent | undefined {
  const window = p.inside('context_window')
  if (!window.has('current_usage') || !window.has('used_percentage')) return undefined
  const current = window.inside('current_usage')
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
  const used = parts.reduce((sum, part) => sum + (current.count(part) ?? 0), 0)
  return {
    ...common(p),
    type: 'ContextMeasured',
    source: 'status-line',
    used,
    ...optional('size', window.count('context_window_size') || undefined),
    ...optional('percent', percent(window.amount('used_percentage'))),
    ...optional('model', p.inside('model').someText('id')?.slice(0, 200)),
  }
}

const percent = (told: number | undefined): number | undefined =>
  told === undefined ? undefined : Math.min(told, 1000)

function common(p: Payload) {
  return {
    nativeSession: p.sessionId('session_id'),
    ...optional('promptId', p.id('prompt_id')),
    ...optional('cwd', p.someText('cwd')),
    ...optional('transcript', p.someText('transcript_path')),
    ...optional('mode', permissionMode(p.optionalText('permission_mode'))),
    ...optional('subagent', subagent(p)),
  }
}

function isRunning(task: unknown): boolean {
  return typeof task === 'object' && task !== null && 'status' in task && task.status === 'running'
}

/** `agent_type` alone is no subagent: `claude --agent NAME` sends it for the session itself. */
function subagent(p: Payload) {
  const id = p.id('agent_id')
  return id === undefined ? undefined : { id, ...optional('type', p.someText('agent_type')) }
}

function toolCall(p: Payload) {
  const tool = p.text('tool_name')
  return {
    tool,
    input: p.raw('tool_input') ?? null,
    action: actionOf(tool, p),
    ...optional('toolUseId', p.id('tool_use_id')),
  }
}

function toolFinished(p: Payload, failed: boolean, response: string): DecodedEvent {
  return {
    ...common(p),
    ...toolCall(p),
    type: 'ToolFinished',
    failed,
    response: p.raw(response) ?? null,
    ...optional('durationMs', p.amount('duration_ms')),
  }
}

/** A mode we do not know is left open: it is no reason to lose the event. */
function permissionMode(native: string | undefined): PermissionMode | undefined {
  return native !== undefined && Object.hasOwn(modes, native) ? modes[native] : undefined
}

function startSource(native: string | undefined) {
  switch (native) {
    case 'startup':
    case 'resume':
    case 'clear':
    case 'compact':
    case 'fork':
      return native
    default:
      return 'unknown'
  }
}

function notificationKind(native: string | undefined) {
  if (native === 'idle_prompt') return 'idle'
  return native === 'permission_prompt' ? 'permission' : 'other'
}

function compactTrigger(native: string | undefined) {
  return native === 'manual' || native === 'auto' ? native : 'unknown'
}
