import type { Decoded, DecodedEvent } from '../../../ports/agent.ts'
import { decodeBy } from '../decode-events.ts'
import { optional, type Payload, readPayload } from '../payload.ts'
import { actionOf, mcpAction } from './actions.ts'

/** Cursor's hook JSON as our event. */
export function decode(json: unknown, argument: string | undefined): Decoded {
  return decodeBy('Cursor', events, json, argument)
}

const events: Record<string, (payload: Payload) => DecodedEvent | undefined> = {
  sessionStart: p => ({
    ...common(p),
    type: 'SessionStarted',
    source: 'startup',
    ...optional('model', p.someText('model')),
  }),
  beforeSubmitPrompt: p => ({ ...common(p), type: 'PromptSubmitted', prompt: p.text('prompt') }),
  beforeShellExecution: p => ({ ...common(p), ...shellCall(p), type: 'ToolRequested' }),
  beforeMCPExecution: p => ({ ...common(p), ...mcpCall(p), type: 'ToolRequested' }),
  beforeReadFile: p => ({ ...common(p), ...readCall(p), type: 'ToolRequested' }),
  // Shell and MCP calls have their own hook, which also runs where this one does not: they count there.
  preToolUse: p =>
    hasOwnHook(p.text('tool_name')) ? undefined : { ...common(p), ...toolCall(p), type: 'ToolRequested' },
  postToolUse: p => finished(p, toolCall(p), false, p.raw('tool_output')),
  postToolUseFailure: p => finished(p, toolCall(p), true, p.raw('error_message')),
  afterShellExecution: p => finished(p, shellCall(p), false, p.raw('output')),
  afterMCPExecution: p => finished(p, mcpCall(p), false, p.raw('result_json')),
  afterFileEdit: p => finished(p, editCall(p), false, undefined),
  preCompact: p => ({ ...common(p), type: 'Compacting', trigger: compactTrigger(p.optionalText('trigger')) }),
  subagentStart: p => ({ ...common(p), subagent: subagentOf(p), type: 'SubagentStarted' }),
  subagentStop: p => ({
    ...common(p),
    subagent: subagentOf(p),
    type: 'SubagentEnded',
    ...optional('lastMessage', p.optionalText('summary')),
  }),
  stop: p => {
    const loopCount = p.count('loop_count')
    return {
      ...common(p),
      type: 'TurnEnded',
      continued: (loopCount ?? 0) > 0,
      outcome: outcome(p.optionalText('status')),
      ...optional('loopCount', loopCount),
    }
  },
  sessionEnd: p => ({ ...common(p), type: 'SessionEnded', reason: p.someText('reason') ?? 'other' }),
}

function common(p: Payload) {
  return {
    nativeSession: p.sessionId('conversation_id', 'session_id'),
    ...optional('promptId', p.id('generation_id')),
    ...optional('cwd', p.someText('cwd') ?? p.texts('workspace_roots')[0]),
    ...optional('transcript', p.someText('transcript_path')),
    // A subagent's conversation names the one it came from.
    ...optional('subagent', p.someText('parent_conversation_id') ? subagentOf(p) : undefined),
  }
}

function subagentOf(p: Payload) {
  const id = p.id('subagent_id') ?? p.id('tool_call_id') ?? p.id('conversation_id') ?? 'unknown'
  return { id, ...optional('type', p.someText('subagent_type')) }
}

interface Call {
  tool: string
  input: unknown
  action: ReturnType<typeof actionOf>
  toolUseId?: string
}

function toolCall(p: Payload): Call {
  const tool = p.text('tool_name')
  const input = parsed(p.raw('tool_input'))
  // A known tool with arguments that are no object fails on the field it needs; an unknown one is `other` anyway.
  const fields = readPayload('Cursor', { tool_input: isObject(input) ? input : {} }).inside('tool_input')
  return {
    tool,
    input,
    action: actionOf(tool, fields, p.someText('cwd')),
    ...optional('toolUseId', p.id('tool_use_id')),
  }
}

function shellCall(p: Payload): Call {
  const command = p.text('command')
  const cwd = optional('cwd', p.someText('cwd'))
  return { tool: 'Shell', input: { command, ...cwd }, action: { kind: 'shell', command, ...cwd } }
}

function mcpCall(p: Payload): Call {
  const tool = p.text('tool_name')
  const action = mcpAction(tool, p.someText('mcp_server_name') ?? p.someText('server'))
  return { tool, input: parsed(p.raw('tool_input')), action, ...optional('toolUseId', p.id('tool_use_id')) }
}

/** The file's content comes along too; it is not kept. */
function readCall(p: Payload): Call {
  const path = p.text('file_path')
  return { tool: 'Read', input: { file_path: path }, action: { kind: 'read', paths: [path] } }
}

function editCall(p: Payload): Call {
  const path = p.text('file_path')
  const input = { file_path: path, edits: p.raw('edits') ?? [] }
  return { tool: 'Edit', input, action: { kind: 'write', paths: [path] } }
}

function finished(p: Payload, call: Call, failed: boolean, response: unknown): DecodedEvent {
  return {
    ...common(p),
    ...call,
    type: 'ToolFinished',
    failed,
    response: response ?? null,
    ...optional('durationMs', p.amount('duration')),
  }
}

function hasOwnHook(tool: string): boolean {
  return tool === 'Shell' || tool.startsWith('MCP:')
}

/** Cursor sends some arguments as JSON inside a string. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? null
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function outcome(status: string | undefined) {
  return status === 'aborted' || status === 'error' ? status : 'completed'
}

function compactTrigger(native: string | undefined) {
  return native === 'manual' || native === 'auto' ? native : 'unknown'
}
