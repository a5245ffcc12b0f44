import type { Step } from './sessions.ts'

/** Lines of Gemini CLI's recording (0.61): a header, then one message per line; tool calls are part of the model's message. */
export function geminiRows(steps: readonly Step[], session: string, at: () => string): object[] {
  const startTime = at()
  const header = { sessionId: session, projectHash: 'f00d', startTime, lastUpdated: startTime, kind: 'main' }
  let n = 0
  const message = (type: string, content: unknown, more: object = {}) => ({
    id: `m${++n}`,
    timestamp: at(),
    type,
    content,
    ...more,
  })
  const user = (text: string) => message('user', [{ text }])
  const model = (content: string, toolCalls: object[] = []) =>
    message('gemini', content, {
      thoughts: [],
      tokens: { input: 900, output: 5, cached: 0, thoughts: 0, tool: 0, total: 905 },
      model: 'gemini-3-pro',
      toolCalls,
    })
  const call = (name: string, args: object, output: string, status = 'success') => {
    const id = `${name}-${++n}`
    const response = status === 'success' ? { output } : { error: output }
    const result = [{ functionResponse: { id, name, response } }]
    return model('', [{ id, name, args, result, status, timestamp: at(), resultDisplay: output }])
  }
  const shell = (command: string, output: string, status?: string) =>
    call('run_shell_command', { command, description: 'Runs it' }, output, status)
  const rowsOf = (step: Step): object[] => {
    switch (step.do) {
      case 'prompt':
      case 'queued':
      case 'ide':
        return [user(step.text)]
      case 'reply':
        return [model(step.text)]
      case 'reject':
        return [
          shell('npm install left-pad', '[Operation Cancelled] Reason: User denied execution.', 'cancelled'),
          user(step.text),
        ]
      case 'answer': {
        const questions = [{ question: step.question, header: 'How', type: 'text' }]
        return [call('ask_user', { questions }, JSON.stringify({ answers: { 0: step.text } }))]
      }
      case 'run':
        return [
          shell(
            step.command,
            step.failed ? `Output: ${step.output}\nExit Code: 1` : `Output: ${step.output}`,
          ),
        ]
      case 'background':
        return [
          call(
            'run_shell_command',
            { command: step.command, description: 'Runs it', is_background: true },
            `Command moved to background (PID: 4711). Output hidden. Press Ctrl+B to view.\n${step.output}`,
          ),
        ]
      case 'write':
        return [call('write_file', { file_path: step.path, content: 'x' }, 'Successfully created the file.')]
      case 'agent':
        return [
          call(
            'invoke_agent',
            { agent_name: 'codebase_investigator', prompt: step.task },
            `Subagent 'codebase_investigator' finished.\nTermination Reason: GOAL\nResult:\n${step.text}`,
          ),
        ]
      case 'todos': {
        const todos = step.items.map(({ text, done }) => ({
          description: text,
          status: done ? 'completed' : 'pending',
        }))
        return [call('write_todos', { todos }, 'Successfully updated the todo list.')]
      }
      default:
        throw new Error(`Not known how Gemini CLI records this: ${step.do}`)
    }
  }
  return [header, ...steps.flatMap(rowsOf)]
}
