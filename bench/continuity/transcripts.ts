import { geminiRows } from './gemini-transcript.ts'
import type { BenchSession, Step } from './sessions.ts'

/** Writes a session as its agent does: one JSON object per line. */
export function transcriptOf({ agent, steps, id }: BenchSession, cwd: string, startMs: number): string {
  let n = 0
  const at = () => new Date(startMs + ++n * 1000).toISOString()
  const rows =
    agent === 'claude-code'
      ? steps.flatMap(step => claudeRows(step, { at, cwd, session: id, next: () => ++n }))
      : agent === 'codex'
        ? [
            { timestamp: at(), type: 'session_meta', payload: { id, cwd, originator: 'codex_cli_rs' } },
            codexMessage(at(), 'user', `<environment_context>\n<cwd>${cwd}</cwd>\n</environment_context>`),
            ...steps.flatMap(step => codexRows(step, at, () => `call_${++n}`)),
          ]
        : agent === 'gemini'
          ? geminiRows(steps, id, at)
          : [
              { type: 'session', version: 3, id, timestamp: at(), cwd },
              ...piTree(
                steps.flatMap(step => piEntries(step, () => `call_${++n}`)),
                at,
              ),
            ]
  return `${rows.map(row => JSON.stringify(row)).join('\n')}\n`
}

interface ClaudeAbout {
  at(): string
  cwd: string
  session: string
  next(): number
}

function claudeRows(step: Step, { at, cwd, session, next }: ClaudeAbout): object[] {
  const row = (type: string, more: object) => ({
    isSidechain: false,
    type,
    uuid: `u${next()}`,
    timestamp: at(),
    cwd,
    sessionId: session,
    version: '2.1.325',
    ...more,
  })
  const user = (content: unknown, more: object = {}) =>
    row('user', { message: { role: 'user', content }, ...more })
  const assistant = (block: object) =>
    row('assistant', {
      message: {
        id: `msg_${next()}`,
        role: 'assistant',
        content: [block],
        usage: {
          input_tokens: 900,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          output_tokens: 5,
        },
      },
    })
  const call = (name: string, input: object, text: string, failed: boolean, result: unknown = text) => {
    const id = `toolu_${next()}`
    const block = { type: 'tool_result', tool_use_id: id, content: text, is_error: failed }
    return [assistant({ type: 'tool_use', id, name, input }), user([block], { toolUseResult: result })]
  }
  switch (step.do) {
    case 'prompt':
      return step.text === '/clear'
        ? [
            user(
              '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
            ),
          ]
        : [user(step.text)]
    case 'queued':
      return [
        {
          type: 'queue-operation',
          operation: 'enqueue',
          timestamp: at(),
          sessionId: session,
          content: step.text,
        },
        row('attachment', {
          attachment: { type: 'queued_command', prompt: step.text, commandMode: 'prompt' },
        }),
      ]
    case 'ide': {
      const opened = '<ide_opened_file>The user opened the file src/a.ts in the IDE.</ide_opened_file>'
      return [
        user([
          { type: 'text', text: opened },
          { type: 'text', text: step.text },
        ]),
      ]
    }
    case 'teammate':
      return [user(`<teammate-message teammate_id="helper" color="blue">\n${step.text}\n</teammate-message>`)]
    case 'reply':
      return [assistant({ type: 'text', text: step.text })]
    case 'summary':
      return [
        row('system', {
          subtype: 'compact_boundary',
          content: 'Conversation compacted',
          isMeta: false,
          compactMetadata: { trigger: 'auto', preTokens: 180000 },
        }),
        user(
          `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n${step.text}\n\nPlease continue the conversation from where we left it off without asking the user any further questions.`,
          { isCompactSummary: true, isVisibleInTranscriptOnly: true },
        ),
      ]
    case 'meta':
      return [user(step.text, { isMeta: true })]
    case 'sidechain':
      return [user(step.text, { isSidechain: true, agentId: 'a81f' })]
    case 'notification':
      return [
        user(
          `<task-notification>\n<task-id>b5</task-id>\n<status>completed</status>\n<summary>${step.text}</summary>\n</task-notification>`,
        ),
      ]
    case 'interrupted':
      return [user([{ type: 'text', text: '[Request interrupted by user]' }])]
    case 'typed':
      return [
        user(`<bash-input>${step.command}</bash-input>`),
        user(`<bash-stdout>${step.output}</bash-stdout><bash-stderr></bash-stderr>`),
      ]
    case 'background':
      return call(
        'Bash',
        { command: step.command, run_in_background: true },
        'Command running in background with ID: b5. Output is being written to: /tmp/tasks/b5.output',
        false,
        { stdout: step.output, stderr: '', interrupted: false, backgroundTaskId: 'b5' },
      )
    case 'reject': {
      const text = `The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n${step.text}`
      return call('Bash', { command: 'npm install left-pad' }, text, true, `Error: ${text}`)
    }
    case 'answer': {
      const text = `User has answered your questions: "${step.question}"="${step.text}". You can now continue with the user's answers in mind.`
      const questions = [{ question: step.question, header: 'How', options: [] }]
      return call('AskUserQuestion', { questions }, text, false, {
        questions,
        answers: { [step.question]: step.text },
      })
    }
    case 'run':
      return call(
        'Bash',
        { command: step.command },
        step.failed ? `Exit code 1\n${step.output}` : step.output,
        step.failed,
      )
    case 'write':
      return call('Write', { file_path: `${cwd}/${step.path}`, content: 'x' }, 'File created', false)
    case 'agent':
      return call(
        'Task',
        { description: step.task, prompt: step.task, subagent_type: 'general' },
        step.text,
        false,
      )
    case 'todos': {
      const todos = step.items.map(({ text, done }) => ({
        content: text,
        status: done ? 'completed' : 'pending',
      }))
      return call('TodoWrite', { todos }, 'Todos have been modified', false)
    }
  }
}

const codexMessage = (timestamp: string, role: string, text: string) => ({
  timestamp,
  type: 'response_item',
  payload: {
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  },
})

function codexRows(step: Step, at: () => string, newId: () => string): object[] {
  const item = (payload: object) => ({ timestamp: at(), type: 'response_item', payload })
  const call = (name: string, input: object, output: string) => {
    const call_id = newId()
    return [
      item({ type: 'function_call', name, arguments: JSON.stringify(input), call_id }),
      item({ type: 'function_call_output', call_id, output }),
    ]
  }
  switch (step.do) {
    case 'ide':
      return [
        codexMessage(
          at(),
          'user',
          `# Context from my IDE setup:\n\n## Active file: src/a.ts\n\n## Open tabs:\n- a.ts: src/a.ts\n\n## My request for Codex:\n${step.text}`,
        ),
      ]
    case 'answer':
      return call(
        'request_user_input',
        { questions: [{ id: 'how', header: 'How', question: step.question, options: [] }] },
        JSON.stringify({ answers: { how: { answers: [step.text] } } }),
      )
    case 'reply':
      return [codexMessage(at(), 'assistant', step.text)]
    case 'summary':
      return [
        {
          timestamp: at(),
          type: 'compacted',
          payload: {
            message: step.text,
            replacement_history: [codexMessage(at(), 'user', step.text).payload],
          },
        },
      ]
    case 'meta':
      return [codexMessage(at(), 'developer', step.text)]
    case 'teammate':
    case 'sidechain':
      return [
        codexMessage(
          at(),
          'user',
          `<subagent_notification>\n{"agent_id":"a1","status":{"completed":${JSON.stringify(step.text)}}}\n</subagent_notification>`,
        ),
      ]
    case 'notification':
      return [codexMessage(at(), 'developer', step.text)]
    case 'interrupted':
      return [
        codexMessage(
          at(),
          'user',
          '<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background.\n</turn_aborted>',
        ),
      ]
    case 'typed':
      return [
        codexMessage(
          at(),
          'user',
          `<user_shell_command>\n<command>\n${step.command}\n</command>\n<result>\nExit code: 0\nDuration: 0.1 seconds\nOutput:\n${step.output}\n</result>\n</user_shell_command>`,
        ),
      ]
    case 'background':
      return call(
        'exec_command',
        { cmd: step.command, yield_time_ms: 1000 },
        `Chunk ID: b2\nWall time: 1.0 seconds\nProcess running with session ID 71233\nOutput:\n${step.output}`,
      )
    case 'reject':
      return [
        ...call(
          'exec_command',
          { cmd: 'npm install left-pad' },
          'exec_command failed for `/bin/bash -lc \'npm install left-pad\'`: Rejected("rejected by user")',
        ),
        codexMessage(at(), 'user', step.text),
      ]
    case 'run':
      return call(
        'exec_command',
        { cmd: step.command },
        `Chunk ID: a1\nProcess exited with code ${step.failed ? 1 : 0}\nOutput:\n${step.output}`,
      )
    case 'write': {
      const call_id = newId()
      const input = `*** Begin Patch\n*** Add File: ${step.path}\n+x\n*** End Patch`
      return [
        item({ type: 'custom_tool_call', name: 'apply_patch', input, call_id }),
        item({ type: 'custom_tool_call_output', call_id, output: 'Success' }),
      ]
    }
    case 'agent':
      return call('wait_agent', { ids: ['a1'] }, JSON.stringify({ status: { a1: { completed: step.text } } }))
    case 'todos': {
      const plan = step.items.map(({ text, done }) => ({
        step: text,
        status: done ? 'completed' : 'pending',
      }))
      return call('update_plan', { plan }, 'Plan updated')
    }
    default:
      return [codexMessage(at(), 'user', step.text)]
  }
}

/** Entries of pi's file: most are messages. */
function piEntries(step: Step, newId: () => string): object[] {
  switch (step.do) {
    case 'summary':
      return [{ type: 'compaction', summary: step.text, firstKeptEntryId: 'e1', tokensBefore: 90000 }]
    case 'meta':
    case 'sidechain':
    case 'notification':
    case 'teammate':
      return [{ type: 'custom_message', customType: 'note', content: step.text, display: true }]
    default:
      return piMessages(step, newId).map(message => ({ type: 'message', message }))
  }
}

function piMessages(step: Step, newId: () => string): object[] {
  const call = (name: string, input: object, text: string, isError = false) => {
    const id = newId()
    return [
      {
        role: 'assistant',
        content: [{ type: 'toolCall', id, name, arguments: input }],
        usage: { totalTokens: 900 },
      },
      { role: 'toolResult', toolCallId: id, toolName: name, content: [{ type: 'text', text }], isError },
    ]
  }
  switch (step.do) {
    case 'reply':
      return [
        { role: 'assistant', content: [{ type: 'text', text: step.text }], usage: { totalTokens: 900 } },
      ]
    case 'run':
      return call('bash', { command: step.command }, step.output, step.failed)
    case 'background':
      return call('bash', { command: step.command }, step.output)
    case 'interrupted':
      return [{ role: 'assistant', content: [], stopReason: 'aborted', usage: { totalTokens: 900 } }]
    case 'typed':
      return [
        {
          role: 'bashExecution',
          command: step.command,
          output: step.output,
          exitCode: 0,
          cancelled: false,
          truncated: false,
        },
      ]
    case 'write':
      return call('write', { path: step.path, content: 'x' }, 'written')
    case 'agent':
      return call('task', { prompt: step.task }, step.text)
    case 'todos':
      return call(
        'todo_write',
        {
          todos: step.items.map(({ text, done }) => ({
            content: text,
            status: done ? 'completed' : 'pending',
          })),
        },
        'ok',
      )
    default:
      return [{ role: 'user', content: [{ type: 'text', text: step.text }] }]
  }
}

const piTree = (entries: readonly object[], at: () => string): object[] =>
  entries.map((entry, i) => ({
    ...entry,
    id: `e${i}`,
    parentId: i === 0 ? null : `e${i - 1}`,
    timestamp: at(),
  }))
