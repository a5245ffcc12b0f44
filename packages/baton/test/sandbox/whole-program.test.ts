import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AgentName } from '@batonpass/contract/event'
import { expect, test } from 'vitest'
import { agents } from '../../src/adapters/agents/agent-list.ts'
import { PLACEHOLDER } from '../../src/adapters/agents/own-login.ts'
import { sandboxWorld } from '../world/sandbox.ts'

test('a program that runs inside as a whole gets exactly its words and its own login, once, and leaves no login behind', async () => {
  await using world = await sandboxWorld({
    settings: { network: async () => ({ mounts: [], environment: {} }) },
  })
  const { path: worktree } = world.project
  const script = 'printf "%s|" "$@"; env | grep -E "KEY|TOKEN"'
  const made = await world.session.prepareProgram({
    ...{ worktree, cwd: worktree, path: process.env.PATH ?? '' },
    argv: ['/bin/sh', '-c', script, 'sh', 'a b', "it's", '$HOME', ''],
    mounts: [],
    environment: { ANTHROPIC_API_KEY: 'own' },
  })
  if (!made.ok) throw new Error(made.reason)
  const { program, args, id } = made.prepared
  const run = () =>
    spawnSync(program, [...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, OTHER_TOKEN: 'x', TMUX: '/tmp/x' },
    })
  expect(run()).toMatchObject({ status: 0, stdout: "a b|it's|$HOME||ANTHROPIC_API_KEY=own\n" })
  expect(run()).toMatchObject({ status: 126, stderr: 'baton: This command ran already.\n' })
  const request = join(dirname(program), 'requests', id)
  expect(['options', 'environment'].filter(name => existsSync(join(request, name)))).toEqual([])
})

const SERVICE = 'https://models.example/v1'
const KEY = 'plainvalue123'
const PI = '{"defaultProvider":"own"}'
const ofPi = (apiKey: string) => ({
  '/home/ann/.pi/agent/settings.json': PI,
  '/home/ann/.pi/agent/models.json': JSON.stringify({ providers: { own: { baseUrl: SERVICE, apiKey } } }),
})

test.each<[AgentName, string, Record<string, string>, Record<string, string>]>([
  [
    'codex',
    'env_key',
    {
      '/home/ann/.codex/config.toml': `model_provider = "own"\n[model_providers.own]\nbase_url = "${SERVICE}"\nenv_key = "LITELLM"\n`,
    },
    {},
  ],
  [
    'opencode',
    '{env:…}',
    {},
    {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: 'own/m',
        provider: { own: { options: { baseURL: SERVICE, apiKey: '{env:LITELLM}' } } },
      }),
    },
  ],
  ['pi', '$…', ofPi('$LITELLM'), {}],
  ['pi', '${…}', ofPi('sk${LITELLM}'), {}],
])('the key of %s in a variable of any name (%s) is a placeholder inside', async (name, _, files, own) => {
  const env = { ...own, LITELLM: KEY }
  const login = agents
    .find(({ adapter }) => adapter.name === name)
    ?.outsideLogin?.({ home: '/home/ann', env, read: path => files[path] }, { for: 'agent', now: () => 0 })
  if (!login || 'reason' in login) throw new Error(login?.reason)
  await using world = await sandboxWorld({
    settings: { network: async () => ({ mounts: [], environment: {} }) },
  })
  const { path: worktree } = world.project
  const made = await world.session.prepareProgram({
    ...{ worktree, cwd: worktree, path: process.env.PATH ?? '', mounts: [] },
    argv: ['/bin/sh', '-c', 'env'],
    environment: login.environment,
  })
  if (!made.ok) throw new Error(made.reason)
  const { program, args } = made.prepared
  const { stdout } = spawnSync(program, [...args], {
    encoding: 'utf8',
    env: { ...env, PATH: process.env.PATH, HARMLESS: 'stays' },
  })
  expect(stdout).toContain('HARMLESS=stays')
  expect(stdout).toContain(`LITELLM=${PLACEHOLDER}\n`)
  expect(stdout).not.toContain(KEY)
  const [asked] = Object.values(login.headers({ method: 'POST', path: '/v1/chat/completions' }) ?? {})
  expect(asked).toMatch(/plainvalue123$/)
})
