import type { Action } from '@batonpass/contract/event'
import { optional, type Payload } from '../payload.ts'
import { questionsOf } from './questions.ts'

/** What a Claude Code tool call would do. A tool we do not know is `other`: no rule for a known kind may let it pass. */
export function actionOf(tool: string, payload: Payload): Action {
  const mcp = /^mcp__(.+?)__(.+)$/s.exec(tool)
  if (mcp?.[1] && mcp[2]) return { kind: 'mcp', server: mcp[1], tool: mcp[2] }

  switch (tool) {
    case 'Bash':
      return shell(payload)
    // Watches a command's output, or a socket.
    case 'Monitor':
      return payload.inside('tool_input').has('command') ? shell(payload) : { kind: 'other' }
    case 'Read':
      return { kind: 'read', paths: paths(payload, 'file_path') }
    case 'NotebookRead':
      return { kind: 'read', paths: paths(payload, 'notebook_path') }
    case 'Write':
    case 'Edit':
    case 'MultiEdit':
      return { kind: 'write', paths: paths(payload, 'file_path') }
    case 'NotebookEdit':
      return { kind: 'write', paths: paths(payload, 'notebook_path') }
    case 'Glob':
    case 'Grep': {
      const pattern = payload.inside('tool_input').optionalText('pattern')
      return { kind: 'search', paths: paths(payload, 'path'), ...optional('pattern', pattern) }
    }
    case 'LS':
      return { kind: 'search', paths: paths(payload, 'path') }
    case 'WebFetch': {
      const url = payload.inside('tool_input').optionalText('url')
      return { kind: 'web', ...optional('url', url) }
    }
    case 'WebSearch': {
      const query = payload.inside('tool_input').optionalText('query')
      return { kind: 'web', ...optional('query', query) }
    }
    case 'Task':
    case 'Agent': {
      const description = payload.inside('tool_input').optionalText('description')
      return { kind: 'agent', ...optional('description', description) }
    }
    case 'AskUserQuestion': {
      const questions = questionsOf(payload.raw('tool_input'))
      return questions ? { kind: 'question', questions } : { kind: 'other' }
    }
    case 'ExitPlanMode': {
      const plan = payload.inside('tool_input').optionalText('plan')
      return plan === undefined ? { kind: 'other' } : { kind: 'plan', plan }
    }
    default:
      return { kind: 'other' }
  }
}

function paths(payload: Payload, field: string): string[] {
  const path = payload.inside('tool_input').someText(field)
  return path === undefined ? [] : [path]
}

function shell(payload: Payload): Action {
  return {
    kind: 'shell',
    command: payload.inside('tool_input').text('command'),
    ...optional('cwd', payload.someText('cwd')),
  }
}
