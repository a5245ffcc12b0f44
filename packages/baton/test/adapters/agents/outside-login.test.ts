import { join } from 'node:path'
import type { AgentName } from '@batonpass/contract/event'
import { expect, test } from 'vitest'
import { agents } from '../../../src/adapters/agents/agent-list.ts'

const HOME = '/home/ada'
const KEY = 'sk-live-0123456789abcdef'
const KEY_IN_JSON = JSON.stringify(KEY)

type Files = Record<string, string>
type Variables = Record<string, string>

function loginOf(name: AgentName, files: Files, env: Variables) {
  const read = (path: string) =>
    new Map(Object.entries(files).map(([at, text]) => [join(HOME, at), text])).get(path)
  const agent = agents.find(({ adapter }) => adapter.name === name)
  return agent?.outsideLogin?.({ home: HOME, env, read }, { for: 'answer', now: () => 0 })
}

const OWN_CODEX = `model = "m"\nmodel_provider = "own"\nnotify = ["sh"]\n[mcp_servers.a]\ncommand = "b"\nenv = { TOKEN = ${KEY_IN_JSON} }\n[model_providers.own]\nname = "own"\nbase_url = "https://models.example/v1"\nenv_key = "OWN_KEY"\n`
const OWN_PI = JSON.stringify({
  providers: {
    own: {
      baseUrl: 'https://models.example/v1',
      api: 'openai-completions',
      apiKey: KEY,
      models: [{ id: 'm' }],
    },
    other: { apiKey: 'sk-live-of-another' },
  },
})
const OWN_OPENCODE = (apiKey: string) =>
  JSON.stringify({
    model: 'own/m',
    mcp: { a: { environment: { TOKEN: KEY } } },
    provider: {
      own: { npm: '@ai-sdk/openai-compatible', options: { baseURL: 'https://models.example/v1', apiKey } },
    },
  })
const PROVIDER = {
  COPILOT_PROVIDER_BASE_URL: 'https://models.example/v1',
  COPILOT_PROVIDER_API_KEY: KEY,
  COPILOT_MODEL: 'm',
}
const GOOGLE = 'https://generativelanguage.googleapis.com'
const ASK = '/v1/chat/completions'
const ASK_GOOGLE = '/v1beta/models/gemini-2.5-pro:streamGenerateContent'
const BEARER = { authorization: `Bearer ${KEY}` }

test.each<[string, AgentName, Files, Variables, server: string, path: string, Variables]>([
  [
    'Codex with a variable',
    'codex',
    {},
    { CODEX_API_KEY: KEY },
    'https://api.openai.com',
    '/v1/responses',
    BEARER,
  ],
  [
    'Codex with its own file',
    'codex',
    { '.codex/auth.json': `{"OPENAI_API_KEY":${KEY_IN_JSON}}` },
    {},
    'https://api.openai.com',
    '/v1/responses',
    BEARER,
  ],
  [
    'Codex with a provider of the user',
    'codex',
    { '.codex/config.toml': OWN_CODEX },
    { OWN_KEY: KEY },
    'https://models.example',
    '/v1/responses',
    BEARER,
  ],
  [
    'Gemini CLI with a variable',
    'gemini',
    {},
    { GEMINI_API_KEY: KEY },
    GOOGLE,
    ASK_GOOGLE,
    { 'x-goog-api-key': KEY },
  ],
  [
    'Gemini CLI with its own file',
    'gemini',
    {
      '.gemini/.env': `GEMINI_API_KEY="${KEY}"\n`,
      '.gemini/settings.json': '{"mcpServers":{"a":{"env":{"T":"x"}}}}',
    },
    {},
    GOOGLE,
    ASK_GOOGLE,
    { 'x-goog-api-key': KEY },
  ],
  [
    'Claude Code with a variable',
    'claude-code',
    {},
    { ANTHROPIC_API_KEY: KEY },
    'https://api.anthropic.com',
    '/v1/messages',
    { 'x-api-key': KEY },
  ],
  [
    'Copilot CLI with Azure',
    'copilot',
    {},
    {
      ...PROVIDER,
      COPILOT_PROVIDER_BASE_URL: 'https://models.example',
      COPILOT_PROVIDER_TYPE: 'azure',
    },
    'https://models.example',
    '/openai/deployments/m/chat/completions',
    { 'api-key': KEY },
  ],
  ['Copilot CLI with a service', 'copilot', {}, PROVIDER, 'https://models.example', ASK, BEARER],
  [
    'Copilot CLI with Anthropic',
    'copilot',
    {},
    { ...PROVIDER, COPILOT_PROVIDER_TYPE: 'anthropic' },
    'https://models.example',
    '/v1/messages',
    { 'x-api-key': KEY },
  ],
  [
    'opencode with a provider of the user',
    'opencode',
    { '.config/opencode/opencode.jsonc': `// mine\n${OWN_OPENCODE(KEY)}` },
    {},
    'https://models.example',
    ASK,
    BEARER,
  ],
  [
    'opencode with a variable in its settings',
    'opencode',
    {},
    { OPENCODE_CONFIG_CONTENT: OWN_OPENCODE('{env:OWN}'), OWN: KEY },
    'https://models.example',
    ASK,
    BEARER,
  ],
  [
    'opencode with a known service',
    'opencode',
    {
      '.config/opencode/opencode.json': '{"model":"anthropic/x"}',
      '.local/share/opencode/auth.json': `{"anthropic":{"type":"api","key":${KEY_IN_JSON}}}`,
    },
    {},
    'https://api.anthropic.com',
    '/v1/messages',
    { 'x-api-key': KEY },
  ],
  [
    'pi with a provider of the user',
    'pi',
    {
      '.pi/agent/settings.json': '{"defaultProvider":"own","defaultModel":"m"}',
      '.pi/agent/models.json': OWN_PI,
    },
    {},
    'https://models.example',
    ASK,
    BEARER,
  ],
  [
    'pi with a known service',
    'pi',
    { '.pi/agent/settings.json': '{"defaultProvider":"openai"}' },
    { OPENAI_API_KEY: KEY },
    'https://api.openai.com',
    '/v1/responses',
    BEARER,
  ],
])(
  '%s: the key stays outside, and only questions for the model get it',
  (_, name, files, env, server, path, headers) => {
    const login = loginOf(name, files, env)
    if (!login || 'reason' in login) throw new Error(login?.reason)
    expect(login.server).toBe(server)
    expect(login.headers({ method: 'POST', path })).toEqual(headers)
    const ending = path.slice(path.indexOf('/', 1))
    const others = [
      '/v1/files',
      '/v1/organization/api_keys',
      '/v1/models/x/../../keys',
      '/v1/models/../files/file-abc/content',
      '/v1/models/../organization/api_keys',
      '/v1/models/..',
      '/v1/models/...',
      '/v1/models/x/y',
      '/v1/models/%2e%2e/files',
      '/v1/models/..%2ffiles',
      '/v1/models/x%2fy',
      '/v1/models//x',
      '/v1/models;/x',
      '/v1/files%3f/models',
      '/v1/threads/thread_1/messages',
      `/elsewhere${path}/more`,
      `/v1/../elsewhere${path}`,
      `/v1/../..${path}`,
      `/${path}`,
      ...['files;', 'files%3f', 'files%3F', 'files\\', 'files%5c', 'files/', 'files#', '..', '%2e%2e'].map(
        before => `/v1/${before}${ending}`,
      ),
      ...[';', '%3f', '\\', '/', '/..', '#', '\n'].map(after => `${path}${after}`),
    ]
    for (const other of others)
      for (const method of ['POST', 'GET', 'PUT', 'DELETE'])
        expect(login.headers({ method, path: other }), `${method} ${other}`).toBeUndefined()
    for (const method of ['GET', 'DELETE']) expect(login.headers({ method, path })).toBeUndefined()
    expect(login.headers({ method: 'GET', path: '/v1/models' })).toEqual(headers)
    expect(login.headers({ method: 'GET', path: '/v1/models/m-1.5' })).toEqual(headers)
    expect(login.headers({ method: 'POST', path: '/v1/models' })).toBeUndefined()
    expect(JSON.stringify([login.environment, login.files])).not.toMatch(/sk-live/)
  },
)

test.each<[string, AgentName, Files, Variables, RegExp]>([
  ['no login', 'codex', {}, {}, /no API key/],
  ['the login of ChatGPT', 'codex', { '.codex/auth.json': '{"tokens":{"access_token":"x"}}' }, {}, /ChatGPT/],
  [
    'headers of a provider',
    'codex',
    { '.codex/config.toml': `${OWN_CODEX}http_headers = { A = "b" }\n` },
    { OWN_KEY: KEY },
    /http_headers/,
  ],
  [
    'settings that are not valid',
    'codex',
    { '.codex/config.toml': '=' },
    { CODEX_API_KEY: KEY },
    /cannot read/,
  ],
  [
    'a login with Google',
    'gemini',
    { '.gemini/settings.json': '{"security":{"auth":{"selectedType":"oauth-personal"}}}' },
    { GEMINI_API_KEY: KEY },
    /oauth-personal/,
  ],
  [
    'headers of the user',
    'gemini',
    {},
    { GEMINI_API_KEY: KEY, GEMINI_CLI_CUSTOM_HEADERS: 'Authorization: Bearer x' },
    /GEMINI_CLI_CUSTOM_HEADERS/,
  ],
  [
    'headers in its own file',
    'gemini',
    { '.gemini/.env': 'GEMINI_CLI_CUSTOM_HEADERS="Authorization: Bearer x"\n' },
    { GEMINI_API_KEY: KEY },
    /GEMINI_CLI_CUSTOM_HEADERS/,
  ],
  ['a login with GitHub', 'copilot', {}, { COPILOT_GITHUB_TOKEN: KEY }, /GitHub/],
  [
    'a login in the address',
    'copilot',
    {},
    { ...PROVIDER, COPILOT_PROVIDER_BASE_URL: 'https://a:b@models.example' },
    /address/,
  ],
  [
    'a key in the address',
    'copilot',
    {},
    { ...PROVIDER, COPILOT_PROVIDER_BASE_URL: 'https://models.example/?key=b' },
    /address/,
  ],
  [
    'a key that is not a header',
    'copilot',
    {},
    { ...PROVIDER, COPILOT_PROVIDER_API_KEY: 'a\nb' },
    /not valid as a header/,
  ],
  ['no model', 'opencode', {}, { OPENAI_API_KEY: KEY }, /no model/],
  [
    'a subscription',
    'opencode',
    {
      '.config/opencode/opencode.json': '{"model":"anthropic/x"}',
      '.local/share/opencode/auth.json': '{"anthropic":{"type":"oauth"}}',
    },
    {},
    /oauth/,
  ],
  ['a file with the key', 'opencode', {}, { OPENCODE_CONFIG_CONTENT: OWN_OPENCODE('{file:~/key}') }, /file/],
  [
    'headers of a provider',
    'opencode',
    {},
    { OPENCODE_CONFIG_CONTENT: OWN_OPENCODE(KEY).replace('"apiKey"', '"headers":{"a":"b"},"apiKey"') },
    /headers/,
  ],
  ['no provider', 'pi', {}, { OPENAI_API_KEY: KEY }, /defaultProvider/],
  [
    'a program that prints the key',
    'pi',
    {
      '.pi/agent/settings.json': '{"defaultProvider":"openai"}',
      '.pi/agent/auth.json': '{"openai":{"type":"api_key","key":"!pass x"}}',
    },
    {},
    /program/,
  ],
  [
    'a subscription',
    'pi',
    {
      '.pi/agent/settings.json': '{"defaultProvider":"anthropic"}',
      '.pi/agent/auth.json': '{"anthropic":{"type":"oauth"}}',
    },
    {},
    /oauth/,
  ],
])('%s cannot stay outside (%s)', (_, name, files, env, reason) => {
  expect(loginOf(name, files, env)).toEqual({ reason: expect.stringMatching(reason) })
})

test.each([
  ['agent', `${HOME}/own/pi`],
  ['answer', `${HOME}/.pi/agent`],
] as const)('the files of pi for an %s are where it reads them', (use, folder) => {
  const files = new Map([
    [`${HOME}/own/pi/settings.json`, '{"defaultProvider":"own"}'],
    [`${HOME}/own/pi/models.json`, OWN_PI],
  ])
  const pi = agents.find(({ adapter }) => adapter.name === 'pi')
  const login = pi?.outsideLogin?.(
    { home: HOME, env: { PI_CODING_AGENT_DIR: `${HOME}/own/pi` }, read: path => files.get(path) },
    { for: use, now: () => 0 },
  )
  if (!login || 'reason' in login) throw new Error(login?.reason)
  expect(login.files.map(({ path }) => path)).toEqual([`${folder}/settings.json`, `${folder}/models.json`])
  expect(login.environment).not.toHaveProperty('PI_CODING_AGENT_DIR')
})
