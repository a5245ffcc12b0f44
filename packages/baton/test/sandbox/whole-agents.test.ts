import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { containment as claude } from '../../src/adapters/agents/claude-code/containment.ts'
import { claudeRenewal } from '../../src/adapters/agents/claude-code/login-file.ts'
import { containment as codex } from '../../src/adapters/agents/codex/containment.ts'
import { containment as copilot } from '../../src/adapters/agents/copilot/containment.ts'
import { containment as gemini } from '../../src/adapters/agents/gemini/containment.ts'
import { containment as opencode } from '../../src/adapters/agents/opencode/containment.ts'
import { PLACEHOLDER } from '../../src/adapters/agents/own-login.ts'
import { containment as pi } from '../../src/adapters/agents/pi/containment.ts'
import type { AgentContainment, DecodedEvent, LoginPlace, LoginUse } from '../../src/ports/agent.ts'
import { isSecretVariable } from '../../src/sandbox/environment.ts'
import { hostsOfLogin } from '../../src/sandbox/network/host-settings.ts'
import { WholeAgents } from '../../src/sandbox/whole-agents.ts'
import { sessionId } from '../../src/session/id.ts'
import { scratch } from '../world/scratch.ts'

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
      shown: async (_, home) => ({
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

const NOW = 1_000_000_000

/** The login of an agent; throws the reason if there is none. */
function loginOf(containment: AgentContainment, place: LoginPlace, use: LoginUse['for'] = 'answer') {
  const login = containment.outsideLogin(place, { for: use, now: () => NOW })
  if ('reason' in login) throw new Error(login.reason)
  return login
}

describe('what other agents find inside', () => {
  const OWN = {
    '.codex/config.toml': `model = "gpt"
model_provider = "mine"
notify = ["secret"]
[model_providers.mine]
base_url = "https://models.example/v1"
env_key = "MINE"
[model_providers.other]
http_headers = { key = "secret" }
[mcp_servers.notes]
command = "notes"
env = { TOKEN = "secret" }
bearer_token_env_var = "secret"
[projects."${PROJECT}"]
trust_level = "trusted"
[projects."/home/ann/secret"]
trust_level = "trusted"
[hooks.state."x"]
trusted_hash = "sha256:1"
`,
    '.gemini/settings.json': JSON.stringify({
      mcpServers: {
        notes: {
          command: 'notes',
          env: { TOKEN: 'secret' },
          headers: { key: 'secret' },
          oauth: { clientId: 'a', clientSecret: 'secret' },
          anythingNew: 'secret',
        },
        odd: 'secret',
      },
      hooks: { BeforeTool: [] },
    }),
    '.gemini/.env': 'GEMINI_API_KEY=secret',
    '.copilot/config.json': '{"token":"secret"}',
    '.copilot/mcp-config.json': JSON.stringify({
      mcpServers: {
        notes: {
          ...{ command: 'notes', args: ['x'], tools: ['*'] },
          ...{ env: { TOKEN: 'secret' }, auth: { token: 'secret' } },
        },
      },
    }),
    '.config/opencode/opencode.json': JSON.stringify({
      model: 'mine/gpt',
      provider: { mine: { npm: 'x', options: { baseURL: 'https://models.example/v1', apiKey: 'secret' } } },
    }),
    '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'mine' }),
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        mine: { baseUrl: 'https://models.example/v1', api: 'openai-completions', apiKey: 'secret' },
      },
    }),
  }
  const ENV = {
    MINE: 'secret',
    COPILOT_PROVIDER_BASE_URL: 'https://models.example/v1',
    COPILOT_PROVIDER_API_KEY: 'secret',
  }
  const read = (path: string): string | undefined =>
    new Map(Object.entries(OWN)).get(path.slice(HOME.length + 1))
  const place = {
    ...{ home: HOME, env: ENV, project: PROJECT, read },
    isSecret: () => true,
  }

  it.each([
    ['Codex', codex, /model = "gpt"[\s\S]*sandbox_mode = "danger-full-access"/],
    ['Gemini CLI', gemini, /notes.*hooks/],
    [
      'Copilot CLI',
      copilot,
      /trustedFolders.*"notes":\{"command":"notes","args":\["x"\],"tools":\["\*"\]\}/s,
    ],
    ['opencode', opencode, /mine\/gpt/],
    ['pi', pi, /models\.example/],
  ])('%s has its settings, and no login', (_, containment, shown) => {
    const login = loginOf(containment, place, 'agent')
    const inside = [...containment.files(place), ...login.files]
      .map(file => ('text' in file ? file.text : file.path))
      .concat(JSON.stringify(login.environment))
      .join('\n')
    expect(inside).toMatch(shown)
    expect(inside).not.toContain('secret')
    const [question] = Object.values(
      login.headers({
        method: 'POST',
        path:
          containment === gemini ? '/v1beta/models/gemini-2.5-pro:generateContent' : '/v1/chat/completions',
      }) ?? {},
    )
    expect(question).toMatch(/secret$/)
    // The next daemon finds the login with these variables alone.
    const kept = Object.fromEntries(Object.entries(ENV).filter(([name]) => login.variables.includes(name)))
    expect(loginOf(containment, { ...place, env: kept }, 'agent').server).toBe(login.server)
  })

  it('a login with ChatGPT is refused with its reason', () => {
    const files = new Map([[`${HOME}/.codex/auth.json`, '{"tokens":{"access_token":"x"}}']])
    const login = codex.outsideLogin(
      { home: HOME, env: {}, read: path => files.get(path) },
      { for: 'agent', now: () => NOW },
    )
    expect(login).toEqual({ reason: 'Codex logs in with ChatGPT, not with an API key' })
  })
})

describe('the login of Claude Code outside the sandbox', () => {
  const QUESTION = { method: 'POST', path: '/v1/messages' }
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
    for (const use of ['answer', 'agent'] as const) {
      const login = loginOf(claude, place({ ...env, AWS_SECRET_ACCESS_KEY: 'secret' }, files), use)
      expect(login).toMatchObject({ server })
      expect(login.headers(QUESTION)).toEqual(headers)
      const inside = JSON.stringify([login.environment, login.files])
      expect(inside).not.toMatch(/secret|renews/)
      expect(inside).toContain(PLACEHOLDER)
    }
  })

  it('is read again for each request, because another session may renew it', () => {
    const files = oauth('first', 60)
    const login = loginOf(claude, place({}, files))
    Object.assign(files, oauth('second', 600))
    expect(login.headers(QUESTION)).toEqual({ authorization: 'Bearer second' })
  })

  it('is for questions to the model and what Claude Code reads, not for new keys or the account’s conversations', () => {
    const { headers } = loginOf(claude, place({ ANTHROPIC_API_KEY: 'secret' }))
    const gets = (line: string) => {
      const [method = '', path = ''] = line.split(' ')
      return headers({ method, path }) !== undefined
    }
    const [own, others] = [
      [
        'POST /v1/messages',
        'POST /v1/messages/count_tokens',
        'POST /gateway/anthropic/v1/messages',
        'GET /v1/models',
        'GET /api/oauth/profile',
        'GET /api/claude_code/settings',
      ],
      [
        'POST /api/oauth/claude_cli/create_api_key',
        'GET /v1/code/sessions',
        'POST /v1/code/sessions',
        'GET /v1/files',
        'GET /v1/messages/batches/a/results',
        'POST /v1/messages/batches',
        'POST /v1/messages/../../api/oauth/claude_cli/create_api_key',
        'POST /api/oauth/claude_cli/create_api_key;/v1/messages',
        'POST /api/oauth/claude_cli/create_api_key%3f/v1/messages',
        'POST //v1/messages',
        'PUT /v1/messages',
        'DELETE /v1/models/a',
        'GET /api/oauth/organizations/a/sync/github/auth',
      ],
    ]
    expect(own.filter(line => !gets(line))).toEqual([])
    expect(others.filter(gets)).toEqual([])
  })

  it('of a subscription is a file inside, with which Claude Code knows what it is for and when it ends', () => {
    const { claudeAiOauth } = oauth('secret', -5)['.credentials.json']
    const files = {
      '.credentials.json': {
        claudeAiOauth: {
          ...claudeAiOauth,
          scopes: ['user:inference'],
          subscriptionType: 'max',
          other: 'secret',
        },
        mcpOAuth: { server: { accessToken: 'secret' } },
      },
    }
    const login = loginOf(claude, place({}, files), 'agent')
    expect(login.environment).toEqual({})
    const [file] = login.files
    expect(file).toMatchObject({ kind: 'private', path: `${HOME}/.claude/.credentials.json` })
    expect(file && 'text' in file && JSON.parse(file.text)).toEqual({
      claudeAiOauth: {
        scopes: ['user:inference'],
        subscriptionType: 'max',
        expiresAt: claudeAiOauth.expiresAt,
        accessToken: PLACEHOLDER,
        refreshToken: PLACEHOLDER,
      },
    })
    expect(login.renewal).toMatchObject({ server: 'https://platform.claude.com', path: '/v1/oauth/token' })
  })

  it('of a subscription is renewed outside: the agent sends and gets placeholders', () => {
    const folder = scratch('bl-')
    const path = join(folder.path, 'credentials.json')
    const write = (minutes: number) =>
      writeFileSync(
        path,
        JSON.stringify({ ...oauth('old', minutes)['.credentials.json'], mcpOAuth: { kept: true } }),
      )
    const renewal = claudeRenewal(path, () => NOW)
    const wanted = JSON.stringify({ grant_type: 'refresh_token', refresh_token: PLACEHOLDER, client_id: 'c' })
    write(4)
    expect(renewal.exchange(wanted)).toEqual({
      send: JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'renews', client_id: 'c' }),
    })
    const answer = renewal.keep(
      JSON.stringify({ access_token: 'new', refresh_token: 'renews-next', expires_in: 3600, scope: 'a b' }),
    )
    expect(JSON.parse(answer)).toEqual({
      token_type: 'Bearer',
      access_token: PLACEHOLDER,
      refresh_token: PLACEHOLDER,
      expires_in: 3600,
      scope: 'a b',
    })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      claudeAiOauth: { accessToken: 'new', refreshToken: 'renews-next', expiresAt: NOW + 3_600_000 },
      mcpOAuth: { kept: true },
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    // Renewed a moment ago, by this or another session: the server is not asked again.
    expect(renewal.exchange(wanted)).toEqual({ answer: expect.stringContaining('"expires_in":3600') })
    // Nothing else is exchanged, and an answer without a token changes nothing.
    expect(() => renewal.exchange('{"grant_type":"authorization_code","code":"x"}')).toThrow()
    expect(() => renewal.exchange(JSON.stringify({ ...JSON.parse(wanted), client_id: 'a b' }))).toThrow()
    expect(() => renewal.keep('{"error":"invalid_grant"}')).toThrow()
    expect(readFileSync(path, 'utf8')).toContain('renews-next')
    folder.remove()
  })

  it('of a subscription is renewed with the scopes of its file, whatever a program inside asks for', () => {
    const folder = scratch('bl-')
    const path = join(folder.path, 'credentials.json')
    const { claudeAiOauth } = oauth('old', 4)['.credentials.json']
    writeFileSync(path, JSON.stringify({ claudeAiOauth: { ...claudeAiOauth, scopes: ['user:a', 'user:b'] } }))
    const asked = {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: 'c',
      scope: 'org:create_api_key',
    }
    const wanted = claudeRenewal(path, () => NOW).exchange(
      JSON.stringify({ ...asked, expires_in: 9, more: {} }),
    )
    expect('send' in wanted && JSON.parse(wanted.send)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'renews',
      client_id: 'c',
      scope: 'user:a user:b',
    })
    folder.remove()
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
    expect(() => loginOf(claude, place(env, files))).toThrow(/./)
  })

  it('that Claude Code made for a key of the Console is in its state file', () => {
    const read = (path: string) =>
      path === `${HOME}/.claude.json` ? '{"primaryApiKey":"secret"}' : undefined
    const login = loginOf(claude, { home: HOME, env: {}, read }, 'agent')
    expect(login.headers(QUESTION)).toEqual({ 'x-api-key': 'secret' })
    expect(login.environment).toEqual({ ANTHROPIC_API_KEY: PLACEHOLDER })
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
    isSecret: isSecretVariable,
  })

  it('Claude Code: the server of its model, and the one where it renews its login', () => {
    const login = { server: 'https://api.anthropic.com', renewal: claudeRenewal('/x', () => NOW) }
    expect(hostsOfLogin(login)).toEqual(['* https://api.anthropic.com', 'POST https://platform.claude.com'])
    expect(hostsOfLogin({ server: 'http://gateway.corp:8080' })).toEqual(['* http://gateway.corp:8080'])
  })

  it('Claude Code: settings that hold a key are shown without it', () => {
    const settings = { env: { ANTHROPIC_API_KEY: 'secret', MY_TOKEN: 'secret', EDITOR: 'vi' }, model: 'opus' }
    const [shown] = claude
      .files(place({ [`${HOME}/.claude/settings.json`]: JSON.stringify(settings) }))
      .filter(({ path }) => path.endsWith('settings.json'))
    expect(shown?.kind).toBe('read-only-text')
    expect(shown && 'text' in shown && JSON.parse(shown.text)).toEqual({
      env: { EDITOR: 'vi' },
      model: 'opus',
    })
  })

  it('Claude Code: neither its login nor its settings are writable; other projects, keys and tokens of MCP servers stay outside', () => {
    const known = {
      userID: 'u',
      history: 'private',
      primaryApiKey: 'secret',
      customApiKeyResponses: { approved: ['the-end-of-a-key'] },
      mcpServers: { github: { command: 'x', env: { TOKEN: 't' }, headers: { a: 'b' } } },
      projects: { [PROJECT]: { hasTrustDialogAccepted: true }, '/home/ann/other': { secret: 1 } },
    }
    const files = claude.files(place({ [`${HOME}/.claude.json`]: JSON.stringify(known) }))
    const own = files.find(({ kind }) => kind === 'private')
    expect(own && 'text' in own && JSON.parse(own.text)).toEqual({
      userID: 'u',
      customApiKeyResponses: { approved: [PLACEHOLDER.slice(-20)], rejected: [] },
      mcpServers: { github: { command: 'x' } },
      projects: { [PROJECT]: { hasTrustDialogAccepted: true } },
    })
    const writable = files.filter(({ kind }) => kind.startsWith('writable')).map(({ path }) => path)
    expect(writable).toEqual([`${HOME}/.claude/projects/-home-ann-shop`])
    expect(files).toContainEqual({ kind: 'read-only', path: `${HOME}/.claude/settings.json` })
  })
})
