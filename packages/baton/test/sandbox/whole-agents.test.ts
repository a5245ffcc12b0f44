import { describe, expect, it } from 'vitest'
import { containment as claude } from '../../src/adapters/agents/claude-code/containment.ts'
import { PLACEHOLDER } from '../../src/adapters/agents/claude-code/outside-login.ts'
import type { DecodedEvent } from '../../src/ports/agent.ts'
import { WholeAgents } from '../../src/sandbox/whole-agents.ts'
import { sessionId } from '../../src/session/id.ts'

const HOME = '/home/ann'
const PROJECT = '/home/ann/shop'

const KNOWN = sessionId('claude-code', 'outside')

function agents(kept?: string) {
  const state: { saved: string | undefined; ended: string[] } = { saved: kept, ended: [] }
  let isRunning = true
  let now = 1_000_000
  const whole = new WholeAgents({
    sandboxes: {
      openAgent: async () =>
        ({
          home: '/state/private',
          writeHome: async () => undefined,
          hasProcesses: async () => isRunning,
          prepareProgram: async () => ({
            ok: true,
            prepared: { id: 'x', program: '/state/box', args: ['x'] },
          }),
        }) as never,
      end: async name => void state.ended.push(name),
    },
    settingsFor: async () => ({ hosts: [] }) as never,
    load: async () => state.saved,
    save: async text => {
      state.saved = text
    },
    listenHooks: async () => ({ mounts: [], environment: {} }),
    closeHooks: async () => undefined,
    isKnown: async session => session === KNOWN,
    realpath: path => (path.includes('link') ? '/home/ann/.ssh/id' : path),
    clock: { now: () => now, elapsed: () => now },
    ids: { id: (length: number) => 'a'.repeat(length) } as never,
    fault: (_, cause) => {
      throw cause
    },
  })
  const start = () =>
    whole.start({
      agent: 'claude-code',
      argv: ['/opt/claude'],
      worktree: PROJECT,
      cwd: PROJECT,
      path: '/usr/bin',
      hosts: ['* https://api.anthropic.com'],
      shown: async home => ({
        mounts: [],
        files: new Map(),
        transcripts: [{ inside: `${HOME}/.codex/sessions`, outside: `${home}/.codex/sessions` }],
      }),
      environment: {},
      env: {},
    })
  return {
    whole,
    start,
    state,
    wait: (ms: number) => {
      now += ms
    },
    stop: () => {
      isRunning = false
    },
  }
}

describe('the login of Claude Code outside the sandbox', () => {
  const NOW = 1_000_000_000
  const place = (env: Record<string, string>, files: Record<string, unknown> = {}) => ({
    home: HOME,
    env,
    read: (path: string) => {
      const file = files[path.replace(`${HOME}/.claude/`, '')]
      return typeof file === 'object' ? JSON.stringify(file) : (file as string | undefined)
    },
  })
  const oauth = (accessToken: string, minutes: number) => ({
    '.credentials.json': {
      claudeAiOauth: { accessToken, refreshToken: 'renews', expiresAt: NOW + minutes * 60_000 },
    },
  })

  it.each<[string, Record<string, string>, Record<string, unknown>, string, Record<string, string>]>([
    ['a key', { ANTHROPIC_API_KEY: 'secret' }, {}, 'https://api.anthropic.com', { 'x-api-key': 'secret' }],
    [
      'a token for a server of the user',
      { ANTHROPIC_AUTH_TOKEN: 'secret', ANTHROPIC_BASE_URL: 'https://gateway.example:8443/v1' },
      {},
      'https://gateway.example:8443',
      { authorization: 'Bearer secret' },
    ],
    [
      'a key in the settings',
      { ANTHROPIC_MODEL: 'opus' },
      { 'settings.json': { env: { ANTHROPIC_API_KEY: 'secret' } } },
      'https://api.anthropic.com',
      { 'x-api-key': 'secret' },
    ],
    [
      'a long-lived token of a subscription',
      { CLAUDE_CODE_OAUTH_TOKEN: 'secret' },
      {},
      'https://api.anthropic.com',
      { authorization: 'Bearer secret' },
    ],
    [
      'the login of a subscription',
      {},
      oauth('secret', 60),
      'https://api.anthropic.com',
      { authorization: 'Bearer secret' },
    ],
  ])('%s is a header of the proxy; inside there is a placeholder', (_, env, files, server, headers) => {
    const login = claude.outsideLogin?.(place({ ...env, AWS_SECRET_ACCESS_KEY: 'secret' }, files), NOW)
    expect(login).toMatchObject({ server })
    expect(login?.headers()).toEqual(headers)
    expect(JSON.stringify(login?.environment)).not.toMatch(/secret|renews/)
    expect(Object.values(login?.environment ?? {})).toContain(PLACEHOLDER)
  })

  it('is read again for each request, because another session may renew it', () => {
    const files = oauth('first', 60)
    const login = claude.outsideLogin?.(place({}, files), NOW)
    Object.assign(files, oauth('second', 600))
    expect(login?.headers()).toEqual({ authorization: 'Bearer second' })
  })

  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['there is none', {}, {}],
    ['it ends soon: only Claude Code itself can renew it', {}, oauth('secret', 19)],
    ['a cloud wants signed requests', { ANTHROPIC_API_KEY: 'x', CLAUDE_CODE_USE_BEDROCK: '1' }, {}],
    [
      'the settings choose a cloud',
      { ANTHROPIC_API_KEY: 'x' },
      { 'settings.json': { env: { CLAUDE_CODE_USE_VERTEX: '1' } } },
    ],
    ['a program prints it', { ANTHROPIC_API_KEY: 'x' }, { 'settings.json': { apiKeyHelper: 'print-key' } }],
    [
      'headers of the user’s own may be a login',
      { ANTHROPIC_API_KEY: 'x', ANTHROPIC_CUSTOM_HEADERS: 'A: b' },
      {},
    ],
    [
      'the address holds one',
      { ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: 'https://a:b@gateway.example' },
      {},
    ],
    ['it would end the header', { ANTHROPIC_API_KEY: 'x\r\nHost: evil' }, {}],
    ['the settings cannot be read', { ANTHROPIC_API_KEY: 'x' }, { 'settings.json': 'unreadable' }],
  ])('is none if %s', (_, env, files) => {
    expect(claude.outsideLogin?.(place(env, files), NOW)).toBeUndefined()
  })
})

const event = (nativeSession: string, more: object = {}) =>
  ({ type: 'PromptSubmitted', nativeSession, prompt: 'go', cwd: PROJECT, ...more }) as DecodedEvent

describe('an agent that runs in the sandbox as a whole', () => {
  it('speaks for sessions that it began, and for no session of another agent', async () => {
    const { whole, start } = agents()
    const { agent } = await start()
    await expect(whole.admit(agent.name, event('outside'))).rejects.toThrow('does not belong')
    expect(await whole.admit(agent.name, event('own'))).toMatchObject({ nativeSession: 'own' })
    await whole.admit(agent.name, event('after-clear'))
    expect(whole.sessionOf(agent.name)).toBe(sessionId('claude-code', 'after-clear'))
    await expect(whole.admit('agent_b', event('own'))).rejects.toThrow('has ended')
  })

  it('sends no prompt that counts as a person’s, because any process inside can send one', async () => {
    const { whole, start } = agents()
    const { agent } = await start()
    expect(await whole.admit(agent.name, event('own', { automatic: false }))).toMatchObject({
      automatic: true,
    })
  })

  it('works in its project, whatever its events say', async () => {
    const { whole, start } = agents()
    const { agent } = await start()
    const cwdOf = async (cwd: string | undefined) =>
      (await whole.admit(agent.name, event('own', { cwd }))).cwd
    expect(await cwdOf(`${PROJECT}/sub`)).toBe(`${PROJECT}/sub`)
    for (const cwd of [HOME, `${PROJECT}/../other`, '/', undefined]) expect(await cwdOf(cwd)).toBe(PROJECT)
  })

  it('has transcripts in its own folders only, without links that lead elsewhere', async () => {
    const { whole, start } = agents()
    const { agent } = await start()
    const of = async (transcript: string) =>
      (await whole.admit(agent.name, event('own', { transcript }))).transcript
    expect(await of(`${HOME}/.codex/sessions/2026/a.jsonl`)).toBe(
      '/state/private/.codex/sessions/2026/a.jsonl',
    )
    expect(await of(`${HOME}/.ssh/id`)).toBeUndefined()
    expect(await of(`${HOME}/.codex/sessions/../../.ssh/id`)).toBeUndefined()
    expect(await of(`${HOME}/.codex/sessions/link.jsonl`)).toBeUndefined()
  })

  it('is known to the next daemon, and its sandbox ends when nothing runs in it any more', async () => {
    const first = agents()
    const { agent } = await first.start()
    await first.whole.admit(agent.name, event('own'))
    const next = agents(first.state.saved)
    expect(await next.whole.load()).toEqual([agent.name])
    expect(await next.whole.admit(agent.name, event('own'))).toMatchObject({ nativeSession: 'own' })
    await next.whole.tick()
    expect(next.state.ended).toEqual([])
    next.stop()
    await next.whole.tick()
    expect(next.state.ended).toEqual([agent.name])
    expect(next.state.saved).toBe('[]')
  })

  it('that was never started is forgotten after a while', async () => {
    const { whole, start, wait, stop, state } = agents()
    const { agent } = await start()
    stop()
    await whole.tick()
    expect(state.ended).toEqual([])
    wait(3 * 60_000)
    await whole.tick()
    expect(state.ended).toEqual([agent.name])
  })
})

describe('what a whole agent has of its own', () => {
  const place = (files: Record<string, string>, env = {}) => ({
    home: HOME,
    env,
    project: PROJECT,
    read: (path: string) => files[path],
  })

  it('Claude Code: the hosts of its model, and the base URL of the user’s environment', () => {
    expect(claude.hosts(place({}))).toContain('* https://api.anthropic.com')
    expect(claude.hosts(place({}, { ANTHROPIC_BASE_URL: 'http://gateway.corp:8080/v1' }))).toContain(
      '* http://gateway.corp:8080',
    )
    expect(claude.hosts(place({}, { ANTHROPIC_BASE_URL: 'file:///etc/passwd' }))).toHaveLength(3)
  })

  it('Claude Code: its tokens are writable, its settings are not; other projects and tokens of MCP servers stay outside', () => {
    const known = {
      userID: 'u',
      history: 'private',
      mcpServers: { github: { command: 'x', env: { TOKEN: 't' }, headers: { a: 'b' } } },
      projects: { [PROJECT]: { hasTrustDialogAccepted: true }, '/home/ann/other': { secret: 1 } },
    }
    const files = claude.files(place({ [`${HOME}/.claude.json`]: JSON.stringify(known) }))
    const own = files.find(({ kind }) => kind === 'private')
    expect(own && 'text' in own && JSON.parse(own.text)).toEqual({
      userID: 'u',
      mcpServers: { github: { command: 'x' } },
      projects: { [PROJECT]: { hasTrustDialogAccepted: true } },
    })
    const writable = files.filter(({ kind }) => kind.startsWith('writable')).map(({ path }) => path)
    expect(writable).toEqual([`${HOME}/.claude/.credentials.json`, `${HOME}/.claude/projects/-home-ann-shop`])
    expect(files).toContainEqual({ kind: 'read-only', path: `${HOME}/.claude/settings.json` })
  })
})
