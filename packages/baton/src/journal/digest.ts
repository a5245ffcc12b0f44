import { createHash } from 'node:crypto'
import type { Action, AgentEvent } from '@batonpass/contract/event'
import type { EntryBody } from '@batonpass/contract/journal'
import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import type { Reaction } from '@batonpass/contract/reaction'

/**
 * Replaces all content of an entry with digests: the texts of people, models and tools are gone, but their
 * size stays. Keeps types, tools, ids and decisions.
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
    case 'sandbox':
    case 'spawn':
    case 'model':
      return body
    case 'broker':
      return { ...body, command: digestText(body.command), ...digestOptional('refused', body.refused) }
    case 'health':
      return { ...body, message: digestText(body.message) }
    case 'proof':
      return {
        ...body,
        ...digestOptional('why', body.why),
        ...(body.checks
          ? { checks: body.checks.map(check => ({ ...check, name: digestText(check.name) })) }
          : {}),
      }
    case 'workflow':
      return { ...body, ...digestOptional('prompt', body.prompt) }
    case 'handoff':
      return { ...body, ...(body.findings ? { findings: body.findings.map(digestText) } : {}) }
    case 'stage':
      return { ...body, ...digestOptional('detail', body.detail) }
    case 'claim':
    case 'fleet':
    case 'cycle':
      return { ...body, ...digestOptional('reason', body.reason) }
    case 'decision':
      return {
        ...body,
        subject: digestText(body.subject),
        trail: body.trail.map(step => ({ ...step, part: digestText(step.part) })),
      }
    case 'ask':
      return {
        ...body,
        title: digestText(body.title),
        ...digestOptional('detail', body.detail),
        ...(body.answer
          ? {
              answer: {
                ...body.answer,
                ...digestOptional('reason', body.answer.reason),
                ...(body.answer.replies ? { replies: body.answer.replies.map(digestReply) } : {}),
              },
            }
          : {}),
      }
  }
}

function digestEvent(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'PromptSubmitted':
      return { ...event, prompt: digestText(event.prompt) }
    case 'ToolRequested':
    case 'PermissionAsked':
      return { ...event, input: digestValue(event.input), action: digestAction(event.action) }
    case 'ToolFinished':
      return {
        ...event,
        input: digestValue(event.input),
        action: digestAction(event.action),
        response: digestValue(event.response),
      }
    case 'ToolDenied':
      return {
        ...event,
        input: digestValue(event.input),
        action: digestAction(event.action),
        reason: digestText(event.reason),
      }
    case 'TaskCompleted':
      return { ...event, subject: digestText(event.subject) }
    case 'FormAsked':
      return { ...event, message: digestText(event.message), questions: event.questions.map(digestQuestion) }
    case 'TurnEnded':
    case 'SubagentEnded':
      return { ...event, ...digestOptional('lastMessage', event.lastMessage) }
    case 'TurnFailed':
    case 'Idle':
      return { ...event, ...digestOptional('message', event.message) }
    case 'Compacting':
      return { ...event, ...digestOptional('instructions', event.instructions) }
    case 'Compacted':
      return { ...event, ...digestOptional('summary', event.summary) }
    case 'SessionStarted':
    case 'ContextMeasured':
    case 'SubagentStarted':
    case 'SettingsChanged':
    case 'TeammateIdle':
    case 'SessionEnded':
      return event
  }
}

function digestAction(action: Action): Action {
  switch (action.kind) {
    case 'shell':
      return { ...action, command: digestText(action.command) }
    case 'read':
    case 'write':
      return { ...action, paths: action.paths.map(digestText) }
    case 'search':
      return { ...action, paths: action.paths.map(digestText), ...digestOptional('pattern', action.pattern) }
    case 'web':
      return { ...action, ...digestOptional('url', action.url), ...digestOptional('query', action.query) }
    case 'agent':
      return { ...action, ...digestOptional('description', action.description) }
    case 'question':
      return { ...action, questions: action.questions.map(digestQuestion) }
    case 'plan':
      return { ...action, plan: digestText(action.plan) }
    case 'mcp':
    case 'other':
      return action
  }
}

/** The number of a question's choices stays. */
function digestQuestion({ name: _, ...question }: AskedQuestion): AskedQuestion {
  return {
    ...question,
    id: digestText(question.id),
    text: digestText(question.text),
    ...(question.choices
      ? {
          choices: question.choices.map(({ value, label }) => ({
            value: digestText(value),
            label: digestText(label),
          })),
        }
      : {}),
  }
}

function digestReply({ question, chosen, words }: Reply): Reply {
  return {
    question: digestText(question),
    ...(chosen ? { chosen: chosen.map(digestText) } : {}),
    ...digestOptional('words', words),
  }
}

function digestReaction(reaction: Reaction): Reaction {
  const { permission, answer, goOn, refuse } = reaction
  return {
    ...reaction,
    ...(permission ? { permission: { ...permission, reason: digestText(permission.reason) } } : {}),
    ...(answer
      ? {
          answer: {
            ...answer,
            ...(answer.replies ? { replies: answer.replies.map(digestReply) } : {}),
            ...digestOptional('comment', answer.comment),
          },
        }
      : {}),
    ...(goOn ? { goOn: { prompt: digestText(goOn.prompt) } } : {}),
    ...(refuse ? { refuse: { reason: digestText(refuse.reason) } } : {}),
    ...digestOptional('context', reaction.context),
    ...digestOptional('notice', reaction.notice),
  }
}

function digestText(text: string): string {
  const { sha256, bytes } = digest(text)
  return `sha256:${sha256} bytes:${bytes}`
}

function digestValue(value: unknown): unknown {
  return value === undefined || value === null ? value : digest(JSON.stringify(value))
}

function digestOptional<const K extends string>(key: K, text: string | undefined): { [P in K]?: string } {
  return (text === undefined ? {} : { [key]: digestText(text) }) as { [P in K]?: string }
}

function digest(text: string): { sha256: string; bytes: number } {
  return { sha256: createHash('sha256').update(text).digest('hex'), bytes: Buffer.byteLength(text) }
}
