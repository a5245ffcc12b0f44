import { findPatchedPaths } from '@batonpass/shell-verdict/languages/apply-patch'
import type { Decoded, DecodedEvent } from '../../../ports/agent.ts'
import { decodeBy } from '../decode-events.ts'
import { optional, type Payload, readPayload } from '../payload.ts'
import { actionBy } from '../tool-actions.ts'
import { tools } from './actions.ts'
import { questionAction } from './questions.ts'

/** Copilot CLI's hook JSON as our event. Its payloads do not name their event: the hook's arguments do. */
export function decode(json: unknown, argument: string | undefined): Decoded {
  return decodeBy('Copilot CLI', events, json, argument)
}

const events: Record<string, (payload: Payload) => DecodedEvent> = {
  sessionStart: p => ({
    ...common(p),
    type: 'SessionStarted',
    source: startSource(p.optionalText('source')),
  }),
  userPromptSubmitted: p => ({ ...common(p), type: 'PromptSubmitted', prompt: p.text('prompt') }),
  preToolUse: p => ({ ...common(p), ...toolCall(p, 'toolArgs'), type: 'ToolRequested' }),
  permissionRequest: p => ({ ...common(p), ...toolCall(p, 'toolInput'), type: 'PermissionAsked' }),
  postToolUse: p => finished(p, false, p.raw('toolResult')),
  postToolUseFailure: p => finished(p, true, p.raw('error')),
  agentStop: p => ({
    ...common(p),
    type: 'TurnEnded',
    continued: p.flag('stop_hook_active'),
    outcome: 'completed',
  }),
  subagentStart: p => ({ ...common(p), subagent: subagentOf(p) ?? UNNAMED, type: 'SubagentStarted' }),
  subagentStop: p => ({
    ...common(p),
    subagent: subagentOf(p) ?? UNNAMED,
    type: 'SubagentEnded',
    ...optional('lastMessage', p.optionalText('response')),
  }),
  preCompact: p => ({
    ...common(p),
    type: 'Compacting',
    trigger: compactTrigger(p.optionalText('trigger')),
    ...optional('instructions', p.someText('customInstructions')),
  }),
  errorOccurred: p => ({ ...common(p), type: 'TurnFailed', ...errorIn(p.raw('error')) }),
  sessionEnd: p => ({ ...common(p), type: 'SessionEnded', reason: p.someText('reason') ?? 'other' }),
}

/** A subagent's hooks bear its own id as the session's; the session is the one it came from. */
function common(p: Payload) {
  const subagent = subagentOf(p)
  const session = p.sessionId('sessionId')
  return {
    nativeSession:
      subagent && p.has('parentAgentId') && session === subagent.id ? p.sessionId('parentAgentId') : session,
    ...optional('cwd', p.someText('cwd')),
    ...optional('transcript', p.someText('transcriptPath')),
    ...optional('subagent', subagent),
  }
}

function subagentOf(p: Payload) {
  const id = p.id('agentId')
  return id === undefined ? undefined : { id, ...optional('type', p.someText('agentType')) }
}

const UNNAMED = { id: 'unknown' }

function toolCall(p: Payload, field: string) {
  const tool = p.text('toolName')
  const input = parsed(p.raw(field))
  const fields = readPayload('Copilot CLI', { [field]: isObject(input) ? input : {} }).inside(field)
  return { tool, input, action: actionOf(tool, input, fields, p.someText('cwd')) }
}

function actionOf(tool: string, input: unknown, fields: Payload, cwd: string | undefined) {
  if (tool === 'apply_patch')
    return {
      kind: 'write' as const,
      paths: findPatchedPaths(typeof input === 'string' ? input : fields.text('input')),
    }
  if (tool === 'ask_user') return questionAction(input)
  if (tool === 'str_replace_editor' && fields.optionalText('command') === 'view')
    return actionBy(tools, 'view', fields, cwd)
  return actionBy(tools, tool, fields, cwd)
}

function finished(p: Payload, failed: boolean, response: unknown): DecodedEvent {
  const result = p.raw('toolResult')
  const bad = isObject(result) && 'resultType' in result && result.resultType !== 'success'
  return {
    ...common(p),
    ...toolCall(p, 'toolArgs'),
    type: 'ToolFinished',
    failed: failed || bad,
    response: response ?? null,
  }
}

/** Some versions send arguments as JSON inside a string. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? null
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

function errorIn(error: unknown) {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  if (!isObject(error)) return { error: text(error) ?? 'unknown' }
  const name = 'name' in error ? text(error.name) : undefined
  return {
    error: name ?? 'unknown',
    ...optional('message', 'message' in error ? text(error.message) : undefined),
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function startSource(native: string | undefined) {
  if (native === 'new' || native === 'startup') return 'startup'
  return native === 'resume' || native === 'clear' ? native : 'unknown'
}

function compactTrigger(native: string | undefined) {
  return native === 'manual' || native === 'auto' ? native : 'unknown'
}
