import { expect, test } from 'vitest'
import { adapterFor } from '../../../src/adapters/agents/registry.ts'

const HOME = '/home/dev'
const fileOf = (agent: string, env: Record<string, string>, scope: 'user' | 'project' = 'user') =>
  adapterFor(agent)
    .install({ scope, project: '/p', home: HOME, env, launcher: '/l', waitSeconds: 60 }, () => undefined)
    .map(({ path }) => path)

test.each([
  ['claude', 'CLAUDE_CONFIG_DIR', 'settings.json', '.claude/settings.json'],
  ['codex', 'CODEX_HOME', 'hooks.json', '.codex/hooks.json'],
  ['opencode', 'XDG_CONFIG_HOME', 'opencode/plugin/baton.js', '.config/opencode/plugin/baton.js'],
  [
    'gemini',
    'GEMINI_CLI_HOME',
    '.gemini/settings.json',
    '.gemini/settings.json',
    '.gemini/policies/baton.toml',
  ],
  ['copilot', 'COPILOT_HOME', 'hooks/baton.json', '.copilot/hooks/baton.json'],
  ['pi', 'PI_CODING_AGENT_DIR', 'extensions/baton.ts', '.pi/agent/extensions/baton.ts'],
])('%s is followed to where %s says', (agent, variable, there, usual, ...more) => {
  const files = (folder: string, first: string) => [first, ...more].map(path => `${folder}/${path}`)
  expect(fileOf(agent, { [variable]: '/moved' })).toEqual(files('/moved', there))
  expect(fileOf(agent, { [variable]: '~/moved' })).toEqual(files(`${HOME}/moved`, there))
  for (const nowhere of ['', 'moved', './moved', '~other/x'])
    expect(fileOf(agent, { [variable]: nowhere })).toEqual(files(HOME, usual))
  const [inProject] = fileOf(agent, { [variable]: '/moved' }, 'project')
  expect(inProject).toMatch(/^\/p\//)
})
