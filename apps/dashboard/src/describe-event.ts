import type { AgentEvent } from '@batonpass/contract/event'
import { sessionEndLabel, turnErrorLabel } from '@batonpass/contract/labels'
import type { Line, Tone } from './words.ts'

/** An agent's event on one line. */
export function eventLine(event: AgentEvent): Line {
  const inside = event.subagent ? ` (subagent ${event.subagent.type ?? ''})` : ''
  const plain = (mark: string, title: string, detail = '', tone: Tone = 'plain'): Line => ({
    mark,
    title: `${title}${inside}`,
    detail,
    tone,
  })
  switch (event.type) {
    case 'SessionStarted':
      return plain('session', `Session started (${event.source})`, event.model ?? '', 'info')
    case 'PromptSubmitted':
      return plain('prompt', event.automatic ? 'Automatic prompt' : 'Prompt', event.prompt, 'info')
    case 'ToolRequested':
      return { ...plain('tool', event.tool, subjectOf(event)), code: true }
    case 'PermissionAsked':
      return { ...plain('tool', `${event.tool} asks for permission`, subjectOf(event), 'wait'), code: true }
    case 'ToolFinished':
      return {
        ...plain(
          event.failed ? 'failed' : 'done',
          `${event.tool} ${event.failed ? 'failed' : 'done'}`,
          subjectOf(event),
          event.failed ? 'bad' : 'plain',
        ),
        code: true,
      }
    case 'ToolDenied':
      return {
        ...plain('failed', `${event.tool} refused by the agent: ${event.reason}`, subjectOf(event), 'bad'),
        code: true,
      }
    case 'SettingsChanged':
      return plain('session', "The agent's settings changed", event.path ?? '')
    case 'TaskCompleted':
      return plain('done', 'Task completed', event.subject)
    case 'TeammateIdle':
      return plain('idle', `The teammate ${event.teammate} is idle`)
    case 'FormAsked':
      return plain('idle', `${event.server} asks to fill in a form`, event.message, 'wait')
    case 'TurnEnded':
      return plain(
        'turn',
        event.continued ? 'Turn ended after a continuation' : 'Turn ended',
        event.lastMessage ?? '',
      )
    case 'TurnFailed':
      return plain('failed', `Turn failed: ${turnErrorLabel(event.error)}`, event.message ?? '', 'bad')
    case 'Idle':
      return plain(
        'idle',
        event.kind === 'permission' ? 'Waiting for permission' : 'Waiting for input',
        event.message ?? '',
        'wait',
      )
    case 'ContextMeasured':
      return plain(
        'context',
        'Context measured',
        `${event.used.toLocaleString()}${event.size ? ` of ${event.size.toLocaleString()}` : ''} tokens`,
      )
    case 'Compacting':
      return plain('context', 'Compacting', event.trigger, 'wait')
    case 'Compacted':
      return plain('context', 'Compacted', event.summary ?? '')
    case 'SubagentStarted':
      return plain('agent', 'Subagent started')
    case 'SubagentEnded':
      return plain('agent', 'Subagent ended', event.lastMessage ?? '')
    case 'SessionEnded':
      return plain('session', `Session ended (${sessionEndLabel(event.reason)})`)
  }
}

type ToolEvent = Extract<AgentEvent, { tool: string }>

/** What a tool call is about: its command, its paths, its address. */
export function subjectOf({ action, input }: ToolEvent): string {
  switch (action.kind) {
    case 'shell':
      return action.command
    case 'read':
    case 'write':
    case 'search':
      return action.paths.join(' ')
    case 'web':
      return action.url ?? action.query ?? ''
    case 'mcp':
      return `${action.server}/${action.tool}`
    case 'agent':
      return action.description ?? ''
    case 'question':
      return action.questions.map(({ text }) => text).join(' ')
    case 'plan':
      return action.plan.split('\n', 1)[0] ?? ''
    default:
      return JSON.stringify(input) ?? ''
  }
}
