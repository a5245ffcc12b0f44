import { createHash } from 'node:crypto'
import type { Action, AgentEvent } from '@batonpass/contract/event'
import type { EntryBody } from '@batonpass/contract/journal'
import type { Reaction } from '@batonpass/contract/reaction'

/**
 * The entry's body with every content replaced by its digest: what people, models and tools said is
 * gone, that they said it and how much of it stays. Types, tools, ids and decisions are kept.
 */
export function digestBody(body: EntryBody): EntryBody {
  switch (body.kind) {
    case 'event':
      return { ...body, event: digestEvent(body.event) }
    case 'reaction':
      return { ...body, reaction: digestReaction(body.reaction) }
    case 'fault':
    case 'daemon':
    case 'config':
    case 'forgotten':
    case 'spawn':
      return body
    case 'health':
      return { ...body, message: ofText(body.message) }
    case 'workflow':
      return { ...body, ...ofOptional('prompt', body.prompt) }
    case 'handoff':
      return { ...body, ...(body.findings ? { findings: body.findings.map(ofText) } : {}) }
    case 'stage':
      return { ...body, ...ofOptional('detail', body.detail) }
    case 'claim':
    case 'cycle':
      return { ...body, ...ofOptional('reason', body.reason) }
    case 'decision':
      return {
        ...body,
        subject: ofText(body.subject),
        trail: body.trail.map(step => ({ ...step, part: ofText(step.part) })),
      }
    case 'ask':
      return {
        ...body,
        title: ofText(body.title),
        ...ofOptional('detail', body.detail),
        ...(body.answer ? { answer: { ...body.answer, ...ofOptional('reason', body.answer.reason) } } : {}),
      }
  }
}

function digestEvent(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'PromptSubmitted':
      return { ...event, prompt: ofText(event.prompt) }
    case 'ToolRequested':
    case 'PermissionAsked':
      return { ...event, input: ofValue(event.input), action: digestAction(event.action) }
    case 'ToolFinished':
      return {
        ...event,
        input: ofValue(event.input),
        action: digestAction(event.action),
        response: ofValue(event.response),
      }
    case 'TurnEnded':
    case 'SubagentEnded':
      return { ...event, ...ofOptional('lastMessage', event.lastMessage) }
    case 'TurnFailed':
    case 'Idle':
      return { ...event, ...ofOptional('message', event.message) }
    case 'Compacting':
      return { ...event, ...ofOptional('instructions', event.instructions) }
    case 'Compacted':
      return { ...event, ...ofOptional('summary', event.summary) }
    case 'SessionStarted':
    case 'ContextMeasured':
    case 'SubagentStarted':
    case 'SessionEnded':
      return event
  }
}

function digestAction(action: Action): Action {
  switch (action.kind) {
    case 'shell':
      return { ...action, command: ofText(action.command) }
    case 'read':
    case 'write':
      return { ...action, paths: action.paths.map(ofText) }
    case 'search':
      return { ...action, paths: action.paths.map(ofText), ...ofOptional('pattern', action.pattern) }
    case 'web':
      return { ...action, ...ofOptional('url', action.url), ...ofOptional('query', action.query) }
    case 'agent':
      return { ...action, ...ofOptional('description', action.description) }
    case 'mcp':
    case 'other':
      return action
  }
}

function digestReaction(reaction: Reaction): Reaction {
  const { permission, goOn, refuse } = reaction
  return {
    ...reaction,
    ...(permission ? { permission: { ...permission, reason: ofText(permission.reason) } } : {}),
    ...(goOn ? { goOn: { prompt: ofText(goOn.prompt) } } : {}),
    ...(refuse ? { refuse: { reason: ofText(refuse.reason) } } : {}),
    ...ofOptional('context', reaction.context),
    ...ofOptional('notice', reaction.notice),
  }
}

function ofText(text: string): string {
  const { sha256, bytes } = digest(text)
  return `sha256:${sha256} bytes:${bytes}`
}

function ofValue(value: unknown): unknown {
  return value === undefined || value === null ? value : digest(JSON.stringify(value))
}

function ofOptional<const K extends string>(key: K, text: string | undefined): { [P in K]?: string } {
  return (text === undefined ? {} : { [key]: ofText(text) }) as { [P in K]?: string }
}

function digest(text: string): { sha256: string; bytes: number } {
  return { sha256: createHash('sha256').update(text).digest('hex'), bytes: Buffer.byteLength(text) }
}
