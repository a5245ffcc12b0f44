import type { Step } from '../../handoff/sessions.ts'

/** Transcripts of Codex, Copilot CLI and Gemini CLI in the form their own programs write. Each reply used 1000 tokens and 5. */
export const ROWS: Record<'codex' | 'copilot' | 'gemini', (steps: readonly Step[]) => string[]> = {
  codex: steps => rows(codex(steps)),
  copilot: steps => rows(copilot(steps)),
  gemini: steps => rows(gemini(steps)),
}

const rows = (list: object[]): string[] => list.map(row => JSON.stringify(row))
const clock = () => {
  let n = 0
  return { tick: () => ++n, at: () => new Date(Date.UTC(2026, 0, 22, 14, 0, n)).toISOString() }
}

function codex(steps: readonly Step[]): object[] {
  const { tick, at } = clock()
  const item = (payload: object) => ({ timestamp: at(), type: 'response_item', payload })
  const message = (role: string, type: string, text: string) =>
    item({ type: 'message', id: `msg_${tick()}`, role, content: [{ type, text }] })
  const used = () => {
    const usage = { input_tokens: 1000, cached_input_tokens: 100, output_tokens: 5, total_tokens: 1005 }
    const info = { last_token_usage: usage, model_context_window: 258_400 }
    return [
      { timestamp: at(), type: 'token_usage_record', payload: { response_id: `resp_${tick()}`, usage } },
      { timestamp: at(), type: 'event_msg', payload: { type: 'token_count', info } },
    ]
  }
  const call = (name: string, input: object, output: string) => {
    const call_id = `call_${tick()}`
    return [
      item({ type: 'function_call', name, arguments: JSON.stringify(input), call_id }),
      ...used(),
      item({ type: 'function_call_output', call_id, output }),
    ]
  }
  const patch = (path: string) => {
    const call_id = `call_${tick()}`
    const input = `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`
    return [
      item({ type: 'custom_tool_call', name: 'apply_patch', input, call_id }),
      item({ type: 'custom_tool_call_output', call_id, output: 'Exit code: 0\nOutput:\nSuccess.' }),
    ]
  }
  const plan = (todos: NonNullable<Step['todos']>) => ({
    plan: todos.map(({ content, status }) => ({ step: content, status })),
  })
  return [
    { timestamp: at(), ordinal: 0, type: 'session_meta', payload: { id: 'c0de', cwd: '/work' } },
    { timestamp: at(), type: 'turn_context', payload: { model: 'gpt-x', cwd: '/work' } },
    message('user', 'input_text', '<environment_context>\n</environment_context>'),
    message('developer', 'input_text', 'Rules of the house'),
    ...steps.flatMap(({ prompt, say, run, write, todos }) => [
      ...(prompt ? [message('user', 'input_text', prompt)] : []),
      ...(say ? [message('assistant', 'output_text', say), ...used()] : []),
      ...(run
        ? call(
            'exec_command',
            { cmd: run.command },
            `Process exited with code ${run.failed ? 1 : 0}\nOutput:\n${run.output ?? ''}`,
          )
        : []),
      ...(write ? patch(write) : []),
      ...(todos ? call('update_plan', plan(todos), 'Plan updated') : []),
    ]),
    message('user', 'input_text', '<hook_prompt hook_run_id="stop:1">Go on</hook_prompt>'),
  ]
}

function copilot(steps: readonly Step[]): object[] {
  const { tick, at } = clock()
  const event = (type: string, data: object) => ({ type, data, id: `e${tick()}`, timestamp: at() })
  const used = () => {
    const tokens = { inputTokens: 1000, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 0 }
    const usage = { model: 'gpt-x', ...tokens, maxPromptTokens: 128_000, apiCallId: `api_${tick()}` }
    return event('session.usage_record', { usage })
  }
  const reply = (content: string, toolRequests: object[] = []) => [
    used(),
    event('assistant.message', { messageId: `m${tick()}`, content, toolRequests }),
  ]
  const call = (name: string, input: object, content: string, failed = false) => {
    const toolCallId = `call_${tick()}`
    return [
      ...reply('', [{ toolCallId, name, arguments: input, type: 'function' }]),
      event('tool.execution_start', { toolCallId, toolName: name }),
      event('tool.execution_complete', {
        toolCallId,
        success: true,
        shellExecution: { exitCode: failed ? 1 : 0 },
        result: { content },
      }),
    ]
  }
  return [
    event('session.start', { sessionId: 'c0', version: 1, context: { cwd: '/work' } }),
    event('system.message', { role: 'system', content: 'Rules of the house' }),
    ...steps.flatMap(({ prompt, say, run, write, todos }) => [
      ...(prompt ? [event('user.message', { content: prompt })] : []),
      ...(say ? reply(say) : []),
      ...(run ? call('bash', { command: run.command }, run.output ?? '', run.failed) : []),
      ...(write ? call('create', { path: write, file_text: 'x' }, 'Created') : []),
      ...(todos ? call('update_todo', { todos }, 'ok') : []),
    ]),
  ]
}

const described = (todos: NonNullable<Step['todos']>) =>
  todos.map(({ content, status }) => ({ description: content, status }))

function gemini(steps: readonly Step[]): object[] {
  const { tick, at } = clock()
  const tokens = { input: 1000, output: 5, cached: 100, thoughts: 0, tool: 0, total: 1005 }
  const user = (text: string, more = {}) => ({
    id: `u${tick()}`,
    timestamp: at(),
    type: 'user',
    content: [{ text }],
    ...more,
  })
  const reply = (content: string) => ({
    id: `g${tick()}`,
    timestamp: at(),
    type: 'gemini',
    content,
    tokens,
    model: 'gemini-x',
  })
  const call = (name: string, args: object, output: string, failed = false) => {
    const asked = reply('')
    const id = `${name}_${tick()}`
    const response = { output: failed ? `Output: ${output}\nExit Code: 1` : output }
    const result = [{ functionResponse: { id, name, response } }]
    // The same message again, once its call has ended.
    return [asked, { ...asked, toolCalls: [{ id, name, args, result, status: 'success' }] }]
  }
  return [
    { sessionId: 'c0', projectHash: 'ab', startTime: at(), kind: 'main' },
    { $set: { lastUpdated: at() } },
    user('<session_context>\nThis is the Gemini CLI.</session_context>'),
    ...steps.flatMap(({ prompt, say, run, write, todos }) => [
      ...(prompt ? [user(prompt)] : []),
      ...(say ? [reply(say)] : []),
      ...(run ? call('run_shell_command', { command: run.command }, run.output ?? '', run.failed) : []),
      ...(write ? call('write_file', { file_path: write, content: 'x' }, 'Written') : []),
      ...(todos ? call('write_todos', { todos: described(todos) }, 'ok') : []),
    ]),
    user('Go on', { displayContent: [{ text: 'what the person typed' }] }),
  ]
}
