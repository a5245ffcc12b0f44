import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hostAgent } from '../../src/adapters/acp/backend.ts'
import { piReader } from '../../src/adapters/agents/pi/reader.ts'
import { systemGit } from '../../src/adapters/git/git.ts'
import { systemAppendFiles } from '../../src/adapters/system/append-files.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemFiles } from '../../src/adapters/system/files.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { AgentSession } from '../../src/chat/agent-session.ts'
import type { SessionEvent } from '../../src/chat/session-event.ts'
import { SessionManager } from '../../src/chat/session-file/session-manager.ts'
import { parseHandoff } from '../../src/handoff/document/parse.ts'
import { HandoffFiles } from '../../src/handoff/handoff-files.ts'
import { HandoffWriter } from '../../src/handoff/write/hosted-writer.ts'
import { makeRedactor } from '../../src/journal/redact.ts'
import type { AppendFiles } from '../../src/ports/append-files.ts'
import type { ConsentAnswer, ConsentRequest } from '../../src/ports/backend.ts'
import { FileError } from '../../src/ports/files.ts'
import { readTest } from '../../src/session/transcript/test-runs.ts'
import { gitRepo, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

const program = join(import.meta.dirname, '../world/agents/acp-agent.ts')
const SECRET = `ghp_${'a1B2'.repeat(9)}`

const document = (more = '', goal = 'Add refresh tokens') =>
  `## Goal\n\n${goal}\n\n## Constraints & Preferences\n\n- None\n\n## Progress\n\n**Active Epic**: Auth\n**Progress**: half\n**Current Task**: the endpoint\n- [x] Looked around\n${more}\n## Key Decisions\n\n- Rotate tokens, because theft\n\n## Critical Context\n\n- Migration 005\n\n## Next Steps\n\n1. Write the endpoint\n`

interface World {
  documents?: readonly string[]
  env?: Record<string, string>
  consent?: (consent: ConsentRequest) => Promise<ConsentAnswer>
  files?: AppendFiles
}

async function hosted({
  documents = [],
  env = {},
  consent = async () => 'allow',
  files = systemAppendFiles,
}: World) {
  const home = scratch()
  const project = await gitRepo(join(home.path, 'project'))
  const backend = await hostAgent({
    agent: 'opencode',
    launch: { program: process.execPath, args: [program] },
    cwd: project.path,
    env: { PATH: process.env.PATH, ACP_DOCUMENTS: JSON.stringify(documents), ...env },
    consent,
  })
  const manager = SessionManager.create(
    { files, clock: systemClock, ids: systemIds, home: home.path },
    project.path,
  )
  const session = new AgentSession({
    manager,
    backend,
    clock: systemClock,
    timers: systemTimers,
    root: project.path,
    writer: new HandoffWriter({
      evidence: { git: systemGit, files: systemFiles, readTest },
      files: new HandoffFiles(
        systemSmallFiles,
        systemGit,
        makeRedactor(() => [SECRET]),
      ),
      reader: piReader,
      workOf: async () => ({}),
    }),
    expand: text => text.replace('/greet', 'say hello'),
  })
  const events: SessionEvent[] = []
  session.subscribe(event => events.push(event))
  await session.start()
  onTestFinished(async () => {
    await session.close()
    project.remove()
    home.remove()
  })
  const rows = (path = session.path): Record<string, unknown>[] =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  const stored = () => readdirSync(join(project.path, '.bmad/handoffs'))
  return { home, project, backend, manager, session, events, rows, stored }
}

describe('a turn', () => {
  test('is stored as messages of the conversation, including tool calls and results', async () => {
    const { session, rows } = await hosted({})
    expect(await session.prompt('usage 120\nsay on it\nrun npm test\nsay done')).toBe('ended')
    const messages = rows().flatMap(row =>
      row.type === 'message' ? [row.message as Record<string, unknown>] : [],
    )
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'toolResult', 'assistant'])
    expect(messages[1]?.content).toEqual([
      { type: 'text', text: 'on it' },
      { type: 'toolCall', id: 'call-1', name: 'bash', arguments: { command: 'npm test' } },
    ])
    expect(messages[1]?.usage).toMatchObject({ totalTokens: 120 })
    expect(messages[2]).toMatchObject({
      toolCallId: 'call-1',
      isError: false,
      content: [{ text: 'answered yes' }],
    })
    expect(session.context).toEqual({ used: 120, size: 1000 })
  })

  test('expands prompt templates, unless told otherwise', async () => {
    const { session, events } = await hosted({})
    await session.prompt('/greet')
    await session.prompt('/greet', { expandPromptTemplates: false })
    const said = events.flatMap(event =>
      event.type === 'heard' && event.heard.kind === 'text' ? event.heard.text : [],
    )
    expect(said.join('')).toBe('hello')
  })

  test.each([
    ['deny', 'answered no'],
    ['allow', 'answered yes'],
    ['always', 'answered all'],
  ] as const)('a consent of %s reaches the agent', async (answer, said) => {
    const asked: ConsentRequest[] = []
    const consent = async (one: ConsentRequest) => {
      asked.push(one)
      return answer
    }
    const { session, rows } = await hosted({ consent })
    await session.prompt('run rm -rf /')
    expect(asked[0]?.call).toMatchObject({ tool: 'Bash', action: { kind: 'shell', command: 'rm -rf /' } })
    expect(JSON.stringify(rows())).toContain(said)
  })

  test('a permission question that fails counts as no, and one that is no longer needed is withdrawn', async () => {
    const failing = await hosted({ consent: () => Promise.reject(new Error('broken')) })
    await failing.session.prompt('run ls')
    expect(JSON.stringify(failing.rows())).toContain('answered no')
    const never = await hosted({ consent: () => new Promise(() => {}) })
    const turn = never.session.prompt('run ls')
    await until(() => never.events.some(({ type }) => type === 'heard'), { what: 'the call' })
    never.session.abort()
    expect(await turn).toBe('cancelled')
  })

  test('an agent that dies in a turn is reported, and its output is kept', async () => {
    const { session, rows } = await hosted({})
    await expect(session.prompt('say half\ndie')).rejects.toMatchObject({ code: 'model_failed' })
    expect(JSON.stringify(rows())).toContain('half')
    expect(session.isStreaming).toBe(false)
  })

  test('a second prompt during a turn is refused', async () => {
    const { session } = await hosted({})
    const turn = session.prompt('wait')
    await expect(session.prompt('say no')).rejects.toMatchObject({ code: 'not_allowed' })
    session.abort()
    expect(await turn).toBe('cancelled')
  })
})

describe('a handoff', () => {
  test('moves the work to a new session that starts with the document', async () => {
    const { session, rows, stored, project, manager } = await hosted({ documents: [document()] })
    await session.prompt('say I see\nrun ls')
    session.followUp('left behind')
    const old = session.path
    const outcome = await session.handoff('the endpoint')
    expect(outcome).toMatchObject({ kind: 'switched', writtenBy: 'agent', parentSession: old, findings: [] })
    expect(session.path).not.toBe(old)
    expect(session.queued).toEqual([])
    expect(session.turns).toBe(0)
    expect(session.isGeneratingHandoff).toBe(false)

    const request = String(rows(old).find(({ customType }) => customType === 'handoff-request')?.content)
    expect(request.match(/^## .*$/gm)).toEqual([
      '## Goal',
      '## Constraints & Preferences',
      '## Progress',
      '## Key Decisions',
      '## Critical Context',
      '## Next Steps',
    ])
    expect(request.endsWith('\n\nAdditional focus: the endpoint')).toBe(true)
    const last = rows(old).at(-1)
    expect(last).toMatchObject({ type: 'message', message: { role: 'assistant' } })
    expect(JSON.stringify(last)).toContain('Write the endpoint')
    const [header, , injected] = rows()
    expect(header).toMatchObject({ type: 'session', version: 3, parentSession: old })
    expect(injected).toMatchObject({ type: 'custom_message', customType: 'handoff', display: true })
    expect(String(injected?.content)).toMatch(
      /^<handoff-context>\n[\s\S]*Write the endpoint[\s\S]*\n<\/handoff-context>\n\nThe above is a handoff document from a previous session\. Use this context to continue the work seamlessly\.$/,
    )
    const { facts } = parseHandoff(
      readFileSync(join(project.path, '.bmad/handoffs', stored()[0] ?? ''), 'utf8'),
    ).document
    expect(facts).toMatchObject({
      agent: 'opencode',
      branch: 'main',
      focus: 'the endpoint',
      written_by: 'agent',
      instructions: ['say I see\nrun ls'],
    })
    await session.prompt('echo')
    const { messages } = await manager.buildSessionContext()
    const echoed = JSON.stringify(messages.at(-1))
    expect(echoed).toContain('<handoff-context>')
    // Of the old conversation, only what the document carries: the user's words and the last command.
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
    await session.prompt('echo')
    expect(JSON.stringify((await manager.buildSessionContext()).messages.at(-1))).not.toContain(
      '<handoff-context>',
    )
  })

  test('a wrong statement is sent back once, with what is wrong', async () => {
    const wrong = document('- [x] Wrote `src/token.ts`\n')
    const { session, events, rows } = await hosted({ documents: [wrong, document()] })
    await session.prompt('say I see')
    const old = session.path
    expect(await session.handoff()).toMatchObject({ kind: 'switched', writtenBy: 'agent' })
    expect(events.flatMap(event => (event.type === 'handoff' ? event.step : []))).toEqual([
      'asked',
      'checking',
      'asked-again',
      'switching',
    ])
    expect(JSON.stringify(rows(old))).toContain('there is no file `src/token.ts`')
  })

  test.each([
    ['a document that is false twice', [document('- [x] `src/a.ts`\n'), document('- [x] `src/a.ts`\n')]],
    ['no document, only talk, twice', ['I would rather not.', 'No.']],
    ['an enormous reply, twice', ['huge', 'huge']],
    [
      'a document about another project',
      [`---\nroot: /somewhere/else\n---\n\n${document()}`, 'nothing better'],
    ],
    ['a refusal to correct it', [document('- [x] `src/a.ts`\n'), 'refuse']],
  ])('%s: Baton writes it from evidence and says so', { timeout: 120_000 }, async (_, documents) => {
    const { session, rows } = await hosted({ documents })
    await session.prompt('say I see')
    expect(await session.handoff()).toMatchObject({ kind: 'switched', writtenBy: 'baton' })
    const injected = String(rows()[2]?.content)
    expect(injected).toContain('Written by Baton from git and the transcript alone')
    expect(injected).toContain('say I see')
    expect(injected.length).toBeLessThan(70_000)
  })

  test('secrets are removed from the document and from the new session', async () => {
    const { session, rows, project, stored } = await hosted({
      documents: [document(`- [x] Used ${SECRET}\n`, `Use ${SECRET}`)],
    })
    await session.prompt('say I see')
    expect(await session.handoff()).toMatchObject({ kind: 'switched', writtenBy: 'agent' })
    expect(JSON.stringify(rows())).not.toContain(SECRET)
    expect(readFileSync(join(project.path, '.bmad/handoffs', stored()[0] ?? ''), 'utf8')).not.toContain(
      SECRET,
    )
  })

  test('fewer than two messages: refused without asking the agent', async () => {
    const { session, events } = await hosted({})
    await expect(session.handoff()).rejects.toMatchObject({
      code: 'nothing_to_hand_off',
      message: 'Nothing to hand off (no messages yet)',
    })
    expect(events.some(({ type }) => type === 'agent_start')).toBe(false)
    expect(session.isGeneratingHandoff).toBe(false)
  })

  test('refused while a reply is being written', async () => {
    const { session } = await hosted({})
    await session.prompt('say one')
    const turn = session.prompt('wait')
    await expect(session.handoff()).rejects.toMatchObject({
      code: 'not_allowed',
      message: 'A reply is being written',
    })
    session.abort()
    await turn
  })

  test.each([
    ['silent', { kind: 'empty' }],
    ['refuse', { kind: 'refused' }],
    ['fail', { kind: 'failed' }],
    ['die', { kind: 'failed' }],
  ])(
    'an agent that answers with `%s`: the outcome says so, and the old session is unchanged',
    async (word, outcome) => {
      const { session, home, manager } = await hosted({ documents: [word] })
      await session.prompt('say I see')
      const old = session.path
      expect(await session.handoff()).toMatchObject(outcome)
      expect(session.path).toBe(old)
      expect(session.isGeneratingHandoff).toBe(false)
      const again = await SessionManager.open(
        { files: systemAppendFiles, clock: systemClock, ids: systemIds, home: home.path },
        old,
      )
      expect(await again.countMessages(10)).toBe(2)
      await again.close()
      expect(manager.sessionId).toBe(again.sessionId)
    },
  )

  test('cancelled during the turn: distinct from a failure, and the session continues', async () => {
    const { session } = await hosted({ documents: ['wait'] })
    await session.prompt('say I see')
    const old = session.path
    const handing = session.handoff()
    await until(() => session.isStreaming, { what: 'the turn' })
    expect(session.isGeneratingHandoff).toBe(true)
    session.abortHandoff()
    expect(await handing).toEqual({ kind: 'cancelled' })
    expect(session.isGeneratingHandoff).toBe(false)
    expect(await session.prompt('say still here')).toBe('ended')
    expect(session.path).toBe(old)
  })

  test('an agent that cannot start another conversation: failed, the document is stored, the session continues', async () => {
    const { session, stored } = await hosted({ documents: [document()], env: { ACP_SESSIONS: '1' } })
    await session.prompt('say I see')
    const old = session.path
    expect(await session.handoff()).toMatchObject({ kind: 'failed' })
    expect(stored()).toHaveLength(1)
    expect(session.path).toBe(old)
    expect(await session.prompt('say still here')).toBe('ended')
  })

  test('a full disk: failed, and the old session is open', async () => {
    let full = false
    const files: AppendFiles = {
      ...systemAppendFiles,
      replace: async (path, text) => {
        if (!full) return systemAppendFiles.replace(path, text)
        throw new FileError('failed', path, Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
      },
    }
    const { session } = await hosted({ documents: [document()], files, env: { ACP_LOADS: '1' } })
    await session.prompt('say I see')
    full = true
    const old = session.path
    expect(await session.handoff()).toMatchObject({ kind: 'failed', error: { code: 'disk_full' } })
    expect(session.path).toBe(old)
    full = false
    expect(await session.prompt('say still here')).toBe('ended')
  })
})

describe('other sessions', () => {
  test('a resumed session is replayed to an agent that does not remember it', async () => {
    const { session, manager } = await hosted({})
    await session.prompt('say the first word')
    const first = session.path
    await session.newSession()
    await session.prompt('say another')
    expect(await session.resume(first)).toBe('retold')
    await session.prompt('echo')
    const echoed = JSON.stringify((await manager.buildSessionContext()).messages.at(-1))
    expect(echoed).toContain('<conversation-so-far>')
    expect(echoed).toContain('Assistant: the first word')
    expect(echoed).not.toContain('another')
  })

  test('a resumed session continues in the conversation of an agent that remembers it', async () => {
    const { session, backend } = await hosted({ env: { ACP_LOADS: '1' } })
    const native = backend.nativeSession
    await session.prompt('say the first word')
    const first = session.path
    await session.newSession()
    expect(backend.nativeSession).not.toBe(native)
    expect(await session.resume(first)).toBe('resumed')
    expect(backend.nativeSession).toBe(native)
  })

  test('a fork is its own session and names its parent', async () => {
    const { session, rows } = await hosted({})
    await session.prompt('say one')
    const first = session.path
    const before = rows(first).length
    await session.fork()
    await session.prompt('say two')
    expect(rows()[0]).toMatchObject({ parentSession: first })
    expect(JSON.stringify(rows())).toContain('one')
    expect(rows(first)).toHaveLength(before)
  })
})
