import { z } from 'zod'
import { AGENTS } from './agents.ts'
import { ContextSource } from './context.ts'
import { EventId, NativeId, SessionId } from './ids.ts'
import { AskedQuestion } from './question.ts'

/** The name of an agent, and of its adapter's folder. */
export const AgentName = z.enum(Object.keys(AGENTS) as (keyof typeof AGENTS)[])
export type AgentName = z.infer<typeof AgentName>

/** How freely the agent runs tools on its own. In `bypass` and `never-ask`, the agent approves or drops an `ask`. */
export const PermissionMode = z.enum(['default', 'accept-edits', 'plan', 'auto', 'never-ask', 'bypass'])
export type PermissionMode = z.infer<typeof PermissionMode>

/** What a tool call would do, independent of the agent. Only adapters know an agent's own tool names. */
export const Action = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('shell'), command: z.string(), cwd: z.string().optional() }),
  z.object({ kind: z.literal('read'), paths: z.array(z.string()) }),
  z.object({ kind: z.literal('write'), paths: z.array(z.string()) }),
  z.object({ kind: z.literal('search'), paths: z.array(z.string()), pattern: z.string().optional() }),
  z.object({ kind: z.literal('web'), url: z.string().optional(), query: z.string().optional() }),
  z.object({ kind: z.literal('mcp'), server: z.string(), tool: z.string() }),
  z.object({ kind: z.literal('agent'), description: z.string().optional() }),
  /**
   * The call itself asks the person. `beforeDialog`: the agent opens its own dialog only after the hook, and not at all if
   * the hook gives the answer.
   */
  z.object({
    kind: z.literal('question'),
    questions: z.array(AskedQuestion).min(1).max(100),
    beforeDialog: z.literal(true).optional(),
  }),
  /** The agent wants to leave its plan mode and follow this plan. */
  z.object({ kind: z.literal('plan'), plan: z.string() }),
  z.object({ kind: z.literal('other') }),
])
export type Action = z.infer<typeof Action>

const ToolCall = z.object({
  tool: z.string(),
  input: z.unknown(),
  action: Action,
  toolUseId: NativeId.optional(),
  /** The agent cannot be handed another command in place of this one: an older plugin of Baton's ignores it. */
  fixed: z.literal(true).optional(),
  /** The one-time id of the request with which this command runs in the sandbox. */
  sandbox: z.string().optional(),
})
export type ToolCall = z.infer<typeof ToolCall>

const common = {
  id: EventId,
  at: z.iso.datetime(),
  agent: AgentName,
  session: SessionId,
  /** The agent's own session id, as typed after `claude -r`. */
  nativeSession: NativeId,
  promptId: NativeId.optional(),
  cwd: z.string().optional(),
  transcript: z.string().optional(),
  mode: PermissionMode.optional(),
  /** Set when the hook ran inside a subagent. Such an event never ends the session's own turn. */
  subagent: z.object({ id: z.string(), type: z.string().optional() }).optional(),
}

/** What an agent reported, translated into Baton's own types. */
export const AgentEvent = z.discriminatedUnion('type', [
  z.object({
    ...common,
    type: z.literal('SessionStarted'),
    source: z.enum(['startup', 'resume', 'clear', 'compact', 'fork', 'unknown']),
    /** Context added now does not reach the model; context added to the first prompt does. */
    deaf: z.boolean().optional(),
    model: z.string().optional(),
  }),
  z.object({
    ...common,
    type: z.literal('PromptSubmitted'),
    prompt: z.string(),
    /** The agent prompted itself after a background task ended; no person typed this. */
    automatic: z.boolean().optional(),
  }),
  z.object({ ...common, ...ToolCall.shape, type: z.literal('ToolRequested') }),
  z.object({
    ...common,
    ...ToolCall.shape,
    type: z.literal('PermissionAsked'),
  }),
  z.object({
    ...common,
    type: z.literal('FormAsked'),
    /** The tool server that wants the form filled in. */
    server: z.string(),
    message: z.string(),
    questions: z.array(AskedQuestion).min(1).max(100),
  }),
  z.object({
    ...common,
    ...ToolCall.shape,
    type: z.literal('ToolFinished'),
    failed: z.boolean(),
    response: z.unknown(),
    durationMs: z.number().nonnegative().optional(),
  }),
  /** The agent itself refused a call and asked no one. */
  z.object({ ...common, ...ToolCall.shape, type: z.literal('ToolDenied'), reason: z.string() }),
  z.object({
    ...common,
    type: z.literal('TurnEnded'),
    /** Baton already answered an earlier stop of this turn with a prompt. */
    continued: z.boolean(),
    lastMessage: z.string().optional(),
    outcome: z.enum(['completed', 'aborted', 'error']).default('completed'),
    loopCount: z.number().int().nonnegative().optional(),
    /** Background tasks still running. When one ends, the agent starts a new turn on its own. */
    running: z.number().int().nonnegative().optional(),
    /** Turns that the agent scheduled for itself: it waits on purpose. */
    scheduled: z.number().int().nonnegative().optional(),
  }),
  z.object({ ...common, type: z.literal('TurnFailed'), error: z.string(), message: z.string().optional() }),
  z.object({
    ...common,
    type: z.literal('Idle'),
    kind: z.enum(['idle', 'permission', 'other']),
    message: z.string().optional(),
  }),
  z.object({
    ...common,
    type: z.literal('ContextMeasured'),
    used: z.number().int().nonnegative(),
    size: z.number().int().positive().optional(),
    percent: z.number().min(0).max(1000).optional(),
    source: ContextSource.optional(),
    model: z.string().max(200).optional(),
  }),
  z.object({
    ...common,
    type: z.literal('Compacting'),
    trigger: z.enum(['manual', 'auto', 'unknown']),
    instructions: z.string().optional(),
  }),
  z.object({ ...common, type: z.literal('Compacted'), summary: z.string().optional() }),
  /** A settings file of the agent changed while the session runs. */
  z.object({ ...common, type: z.literal('SettingsChanged'), path: z.string().optional() }),
  /** The agent ticked a task of its own list off. */
  z.object({ ...common, type: z.literal('TaskCompleted'), subject: z.string() }),
  /** Another agent of the session's team has nothing to do. Not a stop of the session. */
  z.object({ ...common, type: z.literal('TeammateIdle'), teammate: z.string() }),
  z.object({ ...common, type: z.literal('SubagentStarted') }),
  z.object({ ...common, type: z.literal('SubagentEnded'), lastMessage: z.string().optional() }),
  z.object({ ...common, type: z.literal('SessionEnded'), reason: z.string() }),
])
export type AgentEvent = z.infer<typeof AgentEvent>
export type EventType = AgentEvent['type']
export type EventOf<T extends EventType> = Extract<AgentEvent, { type: T }>
