import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { adapter as opencode } from '../../../src/adapters/agents/opencode/adapter.ts'
import { adapter as pi } from '../../../src/adapters/agents/pi/adapter.ts'
import type { AgentAdapter, InstallScope } from '../../../src/ports/agent.ts'
import { type Scratch, scratch } from '../../world/scratch.ts'

// The plugins as they are installed, run without their agents: what they do when Baton says this, or cannot be asked.

type Handler = (event: object, context?: object) => unknown

/** Installs the plugin with a launcher that keeps what it is told and answers by the event's name. */
async function plugin(
  adapter: AgentAdapter,
  folder: Scratch,
  answers: Record<string, string>,
  scope: InstallScope,
) {
  const cases = Object.entries(answers).map(([event, answer]) => `  ${event}) printf '%s' '${answer}' ;;`)
  const launcher = join(folder.path, 'baton-hook')
  if (Object.keys(answers).length > 0)
    folder.write(
      'baton-hook',
      `#!/bin/sh\ncat >> '${folder.path}/told'\nprintf ' %s\\n' "$2" >> '${folder.path}/told'\ncase $2 in\n${cases.join('\n')}\n  *) printf '{}' ;;\nesac\n`,
      0o755,
    )
  const target = { scope, project: folder.path, home: '/nowhere', launcher, waitSeconds: 60 }
  const text = adapter.install(target, () => undefined)[0]?.after ?? ''
  const file = folder.write(`plugin-${adapter.name}-${scope}.mjs`, text)
  return (await import(pathToFileURL(file).href)) as Record<string, (given: object) => unknown>
}

const told = (folder: Scratch): string[] => readFileSync(join(folder.path, 'told'), 'utf8').trim().split('\n')

async function startPi(folder: Scratch, answers: Record<string, string>, scope: InstallScope = 'user') {
  const handlers = new Map<string, Handler>()
  const sent: string[] = []
  const module = await plugin(pi, folder, answers, scope)
  module.default?.({
    on: (event: string, handler: Handler) => void handlers.set(event, handler),
    sendUserMessage: (text: string) => void sent.push(text),
  })
  const dialogs: string[] = []
  const context = (hasUI: boolean, yes = false) => ({
    cwd: folder.path,
    hasUI,
    hasPendingMessages: () => true,
    sessionManager: { getSessionId: () => 's1', getSessionFile: () => '/t.jsonl' },
    ui: {
      notify: () => {},
      async confirm(title: string) {
        dialogs.push(title)
        return yes
      },
    },
  })
  const fire = async (event: string, payload: object, hasUI = false, yes = false) =>
    await handlers.get(event)?.(payload, context(hasUI, yes))
  return { fire, sent, dialogs }
}

const CALL = { toolName: 'bash', toolCallId: 'c1', input: { command: 'npm test' } }

describe('the extension for pi', () => {
  test.each([
    ['{"decision":"allow","reason":"fine"}', undefined],
    ['{}', undefined],
    ['{"decision":"deny","reason":"never"}', { block: true, reason: 'never' }],
    [
      '{"decision":"ask","reason":"who knows"}',
      { block: true, reason: expect.stringContaining('who knows') },
    ],
    ['no JSON', { block: true, reason: expect.stringContaining('baton doctor') }],
  ])('a tool call that Baton answers with %s', async (answer, result) => {
    await using folder = scratch()
    const { fire } = await startPi(folder, { ToolCall: answer })
    expect(await fire('tool_call', CALL)).toEqual(result)
    expect(JSON.parse(told(folder)[0]?.replace(/ ToolCall$/, '') ?? '')).toMatchObject({
      session_id: 's1',
      tool_name: 'bash',
      tool_input: { command: 'npm test' },
    })
  })

  test('runs what Baton hands it instead of a command, and passes notes on', async () => {
    await using folder = scratch()
    const { fire } = await startPi(folder, {
      ToolCall: `{"decision":"allow","input":{"command":"/box 1"},"context":"a hint"}`,
      ToolResult: '{"context":"a note"}',
    })
    const input = { command: 'npm test', timeout: 5 }
    expect(await fire('tool_call', { ...CALL, input })).toBeUndefined()
    expect(input).toEqual({ command: '/box 1', timeout: 5 })
    const content = [{ type: 'text', text: 'passed' }]
    expect(await fire('tool_result', { ...CALL, input, content })).toEqual({
      content: [...content, { type: 'text', text: 'a hint\na note' }],
    })
  })

  test('puts an ask to the person at the terminal', async () => {
    await using folder = scratch()
    const { fire, dialogs } = await startPi(folder, { ToolCall: '{"decision":"ask","reason":"who knows"}' })
    expect(await fire('tool_call', CALL, true, true)).toBeUndefined()
    expect(await fire('tool_call', CALL, true, false)).toMatchObject({ block: true })
    expect(dialogs).toEqual(['who knows', 'who knows'])
  })

  test('continues with the prompt, and gives the context of the start with the first one', async () => {
    await using folder = scratch()
    const { fire, sent } = await startPi(folder, {
      SessionStart: '{"context":"what was done"}',
      TurnEnd: '{"prompt":"Go on."}',
    })
    await fire('session_start', { reason: 'startup' })
    expect(await fire('before_agent_start', {})).toMatchObject({ message: { content: 'what was done' } })
    expect(await fire('before_agent_start', {})).toBeUndefined()
    await fire('agent_end', { messages: [{ role: 'assistant', stopReason: 'stop', content: [] }] })
    expect(sent).toEqual(['Go on.'])
  })

  test('without a launcher refuses what would run, in a project lets it pass, and keeps no agent going', async () => {
    await using folder = scratch()
    const mine = await startPi(folder, {})
    expect(await mine.fire('tool_call', CALL)).toMatchObject({ block: true })
    await mine.fire('agent_end', { messages: [] })
    expect(mine.sent).toEqual([])
    const theirs = await startPi(folder, {}, 'project')
    expect(await theirs.fire('tool_call', CALL)).toBeUndefined()
  })
})

async function startOpencode(
  folder: Scratch,
  answers: Record<string, string>,
  scope: InstallScope = 'user',
  config: () => object = () => ({}),
) {
  const module = await plugin(opencode, folder, answers, scope)
  const prompts: unknown[] = []
  const replies: unknown[] = []
  const client = {
    config: { get: async () => ({ data: config() }) },
    session: {
      messages: async () => ({ data: [] }),
      promptAsync: async (order: unknown) => void prompts.push(order),
    },
    postSessionIdPermissionsPermissionId: async (reply: unknown) => void replies.push(reply),
  }
  const listeners = new Set(process.listeners('exit'))
  const hooks = (await module.Baton?.({ client, directory: folder.path })) as Record<string, Handler>
  // A test ends no process.
  for (const each of process.listeners('exit')) if (!listeners.has(each)) process.off('exit', each)
  const say = async (text: string, sessionID = 'ses_1') => {
    const parts = [{ id: 'prt_1', type: 'text', text }]
    await hooks['chat.message']?.({ sessionID }, { message: { id: 'msg_1' }, parts })
    return parts
  }
  const event = (type: string, properties: object) => hooks.event?.({ event: { type, properties } })
  const call = () =>
    hooks['tool.execute.before']?.({ tool: 'bash', sessionID: 'ses_1', callID: 'c1' }, { args: {} })
  return { hooks, say, event, call, prompts, replies }
}

describe('the plugin for opencode', () => {
  test('a refusal is thrown; what Baton allows is answered for opencode, too', async () => {
    await using folder = scratch()
    const no = await startOpencode(folder, { ToolCall: '{"decision":"deny","reason":"never"}' })
    await expect(no.call()).rejects.toThrow('never')
    const yes = await startOpencode(folder, { ToolCall: '{"decision":"allow","reason":"fine"}' }, 'project')
    await yes.call()
    await yes.event('permission.asked', { id: 'per_1', sessionID: 'ses_1', tool: { callID: 'c1' } })
    await yes.event('permission.asked', { id: 'per_2', sessionID: 'ses_1', tool: { callID: 'c2' } })
    expect(yes.replies).toMatchObject([{ path: { permissionID: 'per_1' }, body: { response: 'once' } }])
  })

  test('Baton’s allow answers opencode’s question, unless a pattern in the settings asks it', async () => {
    const rows: [string, unknown, string, string[], boolean][] = [
      ['a pattern asks', { bash: { '*': 'allow', 'git push *': 'ask' } }, 'bash', ['git push origin'], false],
      [
        'a pattern asks without its last word',
        { bash: { 'git push *': 'ask' } },
        'bash',
        ['git push'],
        false,
      ],
      ['* push * asks without its last word', { bash: { '* push *': 'ask' } }, 'bash', ['git push'], false],
      ['git * * asks without its last word', { bash: { 'git * *': 'ask' } }, 'bash', ['git push'], false],
      [
        '* --force * asks without its last word',
        { bash: { '* --force *': 'ask' } },
        'bash',
        ['git push --force'],
        false,
      ],
      ['*rm * asks without its last word', { bash: { '*rm *': 'ask' } }, 'bash', ['sudo rm'], false],
      [
        'git p?sh * asks without its last word',
        { bash: { 'git p?sh *': 'ask' } },
        'bash',
        ['git push'],
        false,
      ],
      [
        'a pattern with a last word asks about less',
        { bash: { '* push *': 'ask' } },
        'bash',
        ['git pushed'],
        true,
      ],
      ['a pattern of one part asks', { bash: { 'rm *': 'ask' } }, 'bash', ['ls', 'rm x'], false],
      ['a pattern with a question mark asks', { bash: { 'l?': 'ask' } }, 'bash', ['ls'], false],
      ['a pattern in the middle asks', { bash: { '*.env*': 'ask' } }, 'bash', ['cat a.env.x'], false],
      ['a pattern for every tool asks', { '*': { '*secret*': 'ask' } }, 'read', ['my secret'], false],
      ['a pattern of a file asks', { edit: { '*.md': 'ask' } }, 'edit', ['notes.md'], false],
      [
        'a pattern of a folder asks',
        { external_directory: { '~/x/*': 'ask' } },
        'external_directory',
        [`${homedir()}/x/y`],
        false,
      ],
      ['it does not say about what', { bash: { 'git push *': 'ask' } }, 'bash', [], false],
      ['a pattern asks about something else', { bash: { 'git push *': 'ask' } }, 'bash', ['git pull'], true],
      ['a pattern of another tool asks', { edit: { '*.md': 'ask' } }, 'bash', ['cat a.md'], true],
      ['a rule asks about everything', { bash: 'ask' }, 'bash', ['git push'], true],
      ['a pattern asks about everything', { bash: { '*': 'ask' } }, 'bash', ['git push'], true],
      ['the settings say nothing', undefined, 'bash', ['git push'], true],
    ]
    await using folder = scratch()
    let config: object | undefined = {}
    const allow = { ToolCall: '{"decision":"allow","reason":"fine"}' }
    const { call, event, replies } = await startOpencode(folder, allow, 'user', () => {
      if (!config) throw new Error('not valid')
      return config
    })
    await call()
    for (const [where, permission, name, patterns, isAnswered] of rows)
      for (const settings of [{ permission }, { agent: { build: { permission } } }]) {
        config = settings
        const before = replies.length
        const about = { sessionID: 'ses_1', tool: { callID: 'c1' }, permission: name, patterns }
        await event('permission.asked', { ...about, id: 'per_1' })
        expect(replies.length - before, where).toBe(isAnswered ? 1 : 0)
      }
    // Settings that cannot be read leave the question to the person.
    config = undefined
    const before = replies.length
    await event('permission.asked', { id: 'per_1', sessionID: 'ses_1', tool: { callID: 'c1' } })
    expect(replies).toHaveLength(before)
  })

  test('runs what Baton hands it instead of a command, allows only that, and shows its model the command itself', async () => {
    await using folder = scratch()
    const { hooks, event, replies } = await startOpencode(folder, {
      ToolCall: `{"decision":"allow","input":{"command":"/box 1"},"context":"a hint"}`,
      ToolResult: '{"context":"a note"}',
    })
    const args = { command: 'npm test', description: 'Tests' }
    await hooks['tool.execute.before']?.({ tool: 'bash', sessionID: 'ses_1', callID: 'c1' }, { args })
    expect(args).toEqual({ command: '/box 1', description: 'Tests' })
    const about = { sessionID: 'ses_1', tool: { callID: 'c1' } }
    await event('permission.asked', { ...about, id: 'per_1', metadata: { command: 'npm test' } })
    await event('permission.asked', { ...about, id: 'per_2', metadata: { command: '/box 1' } })
    expect(replies).toMatchObject([{ path: { permissionID: 'per_2' } }])
    const output = { output: 'passed', metadata: { exit: 0 } }
    await hooks['tool.execute.after']?.({ tool: 'bash', sessionID: 'ses_1', callID: 'c1', args }, output)
    // Its record keeps what ran; the model reads the command itself.
    const part = { type: 'tool', callID: 'c1', state: { status: 'completed', input: args } }
    const messages = [{ info: {}, parts: [{ type: 'text', text: 'x' }, part] }]
    await hooks['experimental.chat.messages.transform']?.({}, { messages })
    expect(messages[0]?.parts[1]).toMatchObject({
      state: { status: 'completed', input: { command: 'npm test' } },
    })
    expect(output.output).toBe('passed\na hint\na note')
  })

  test('reports the start once, adds the context, refuses a prompt, and continues when idle', async () => {
    await using folder = scratch()
    const { say, event, prompts } = await startOpencode(folder, {
      SessionStart: '{"context":"what was done"}',
      TurnEnd: '{"prompt":"Go on."}',
    })
    await event('session.created', { sessionID: 'ses_1', info: { id: 'ses_1' } })
    expect(await say('hello')).toMatchObject([{ text: 'hello' }, { text: 'what was done', synthetic: true }])
    expect(await say('again')).toHaveLength(1)
    await event('session.idle', { sessionID: 'ses_1' })
    expect(prompts).toMatchObject([{ path: { id: 'ses_1' }, body: { parts: [{ text: 'Go on.' }] } }])
    // Its own prompt comes back as a message: no person typed that.
    await say('Go on.')
    expect(
      told(folder)
        .filter(line => line.endsWith(' Prompt'))
        .at(-1),
    ).toContain('"automatic":true')
  })

  test.each([
    ['/$bunfs/root/src/cli/tui/worker.js', ['ses_1 new']],
    ['/$bunfs/root/src/index.js', []],
  ])('run as %s, leaving a conversation for another ends %j', async (program, ends) => {
    await using folder = scratch()
    const [, before = ''] = process.argv
    process.argv[1] = program
    const { say, event } = await startOpencode(folder, { TurnEnd: '{}' }).finally(() => {
      process.argv[1] = before
    })
    await say('hello')
    await event('session.idle', { sessionID: 'ses_1' })
    await say('elsewhere', 'ses_2')
    // One that still works is left only when it is done.
    await say('once more', 'ses_3')
    const ended = () =>
      told(folder)
        .filter(line => line.endsWith(' SessionEnd'))
        .map(line => JSON.parse(line.replace(/ SessionEnd$/, '')))
        .map(({ session_id, reason }) => `${session_id} ${reason}`)
    expect(ended()).toEqual(ends)
    await event('session.idle', { sessionID: 'ses_2' })
    expect(ended()).toEqual(ends.length > 0 ? [...ends, 'ses_2 new'] : [])
  })

  test("a subagent's idle is not the session's", async () => {
    await using folder = scratch()
    const { event, prompts } = await startOpencode(folder, { TurnEnd: '{"prompt":"Go on."}' })
    await event('session.created', { sessionID: 'ses_2', info: { id: 'ses_2', parentID: 'ses_1' } })
    await event('session.idle', { sessionID: 'ses_2' })
    expect(prompts).toEqual([])
  })

  test('without a launcher refuses what would run; in a project lets it pass', async () => {
    await using folder = scratch()
    await expect((await startOpencode(folder, {})).call()).rejects.toThrow('baton doctor')
    await (await startOpencode(folder, {}, 'project')).call()
  })
})
