/** Transcripts as the agents write them, for tests. */

export interface Step {
  at?: string
  prompt?: string
  say?: string
  run?: { command: string; output?: string; failed?: boolean }
  write?: string
  todos?: { content: string; status: string }[]
}

export const SESSION = '5d0c3ab2-1f7e-4c55-9a53-6d1f4d8f7a10'

/** Rows of Claude Code's transcript: one per content block, each with the same usage. */
export function claudeRows(
  steps: readonly Step[],
  { cwd = '/work', session = SESSION, usage = 1000 } = {},
): string[] {
  let n = 0
  const common = (step: Step) => ({
    isSidechain: false,
    uuid: `u${++n}`,
    timestamp: step.at ?? new Date(Date.UTC(2026, 0, 22, 14, 0, n)).toISOString(),
    cwd,
    sessionId: session,
    version: '2.1.325',
    gitBranch: 'main',
  })
  const assistant = (step: Step, content: object[]) =>
    content.map(block => ({
      ...common(step),
      type: 'assistant',
      message: {
        id: `msg_${n}`,
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [block],
        usage: {
          input_tokens: usage + n,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 10,
          output_tokens: 5,
        },
      },
    }))
  const call = (step: Step, name: string, input: object, text: string, failed = false) => {
    const id = `toolu_${++n}`
    return [
      ...assistant(step, [{ type: 'tool_use', id, name, input }]),
      {
        ...common(step),
        type: 'user',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: id, content: text, is_error: failed }],
        },
        toolUseResult: text,
      },
    ]
  }
  return steps
    .flatMap((step): object[] => [
      ...(step.prompt === undefined
        ? []
        : [{ ...common(step), type: 'user', message: { role: 'user', content: step.prompt } }]),
      ...(step.say === undefined ? [] : assistant(step, [{ type: 'text', text: step.say }])),
      ...(step.run
        ? call(step, 'Bash', { command: step.run.command }, step.run.output ?? '', step.run.failed)
        : []),
      ...(step.write === undefined
        ? []
        : call(step, 'Write', { file_path: step.write, content: 'x' }, 'File created')),
      ...(step.todos ? call(step, 'TodoWrite', { todos: step.todos }, 'Todos have been modified') : []),
    ])
    .map(row => JSON.stringify(row))
}

/** Entries of a pi session file of a version. */
export function piRows(steps: readonly Step[], version: 1 | 2 | 3, cwd = '/work'): string[] {
  let n = 0
  const entry = (message: object) => {
    n++
    const tree = version === 1 ? {} : { id: `e${n}`, parentId: n === 1 ? null : `e${n - 1}` }
    return {
      type: 'message',
      ...tree,
      timestamp: new Date(Date.UTC(2026, 0, 22, 14, 0, n)).toISOString(),
      message,
    }
  }
  const call = (name: string, input: object, text: string, isError = false) => {
    const id = `call_${n}`
    return [
      entry({
        role: 'assistant',
        content: [{ type: 'toolCall', id, name, arguments: input }],
        usage: usageOf(n),
      }),
      entry({
        role: 'toolResult',
        toolCallId: id,
        toolName: name,
        content: [{ type: 'text', text }],
        isError,
      }),
    ]
  }
  const header = {
    type: 'session',
    ...(version === 1 ? {} : { version }),
    id: 'pi-session',
    timestamp: '2026-01-22T14:00:00.000Z',
    cwd,
  }
  return [
    header,
    ...steps.flatMap(step => [
      ...(step.prompt === undefined
        ? []
        : [entry({ role: 'user', content: [{ type: 'text', text: step.prompt }] })]),
      ...(step.say === undefined
        ? []
        : [entry({ role: 'assistant', content: [{ type: 'text', text: step.say }], usage: usageOf(n) })]),
      ...(step.run
        ? call('bash', { command: step.run.command }, step.run.output ?? '', step.run.failed)
        : []),
      ...(step.write === undefined ? [] : call('write', { path: step.write, content: 'x' }, 'written')),
      ...(step.todos ? call('todo_write', { todos: step.todos }, 'ok') : []),
    ]),
  ].map(row => JSON.stringify(row))
}

const usageOf = (n: number) => ({
  input: 1000 + n,
  output: 5,
  cacheRead: 100,
  cacheWrite: 10,
  totalTokens: 1115 + n,
})

/** A session whose tests failed, then passed, then failed again. */
export const WORK: readonly Step[] = [
  { prompt: 'Add refresh tokens. Never touch the public API.' },
  {
    say: 'I will begin with the migration.',
    todos: [{ content: 'Write the migration', status: 'in_progress' }],
  },
  { write: '/work/db/005.sql' },
  { run: { command: 'npm  test', output: 'Tests 2 passed' } },
  {
    todos: [
      { content: 'Write the migration', status: 'completed' },
      { content: 'Add the endpoint', status: 'pending' },
    ],
  },
  { prompt: 'Also rotate them' },
  {
    run: { command: 'cd api && npm test', output: 'Tests 1 failed | 2 passed', failed: true },
    at: '2026-01-22T15:30:00.000Z',
  },
  { say: 'One test fails.' },
]
