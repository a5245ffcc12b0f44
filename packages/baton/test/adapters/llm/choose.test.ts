import { describe, expect, test } from 'vitest'
import { chooseModel } from '../../../src/adapters/llm/choose.ts'
import { agentEnvironment } from '../../../src/adapters/llm/private-call.ts'
import { systemPrograms } from '../../../src/adapters/system/programs.ts'

describe('choosing a model', () => {
  test.each([
    ['a key', { ANTHROPIC_API_KEY: 'sk-ant-x' }, '/usr/bin/claude', 'api'],
    ['a key and no program', { ANTHROPIC_API_KEY: 'sk-ant-x' }, undefined, 'api'],
    ['no key but Claude Code', {}, '/usr/bin/claude', 'claude'],
    ['an empty key', { ANTHROPIC_API_KEY: '' }, '/usr/bin/claude', 'claude'],
    ['neither', {}, undefined, undefined],
  ])('with %s', (_, env, claude, by) => {
    const ownCall = () => ({ marker: 'm', release: () => undefined })

    const chosen = chooseModel({
      env,
      programs: systemPrograms,
      ownCall,
      folder: '/nowhere',
      find: () => claude,
    })

    expect(chosen?.by).toBe(by)
  })

  test('an agent’s program gets its own login and where things are, and no other secret', () => {
    const kept = {
      HOME: '/h',
      PATH: '/bin',
      LC_ALL: 'C',
      BATON_HOME: '/b',
      CLAUDE_CODE_OAUTH_TOKEN: 'o',
      CODEX_HOME: '/c',
    }
    const dropped = {
      GH_TOKEN: 'g',
      TELEGRAM_BOT_TOKEN: 't',
      BATON_MARKER: 'old',
      NODE_OPTIONS: '-r x',
      LD_PRELOAD: 'x',
      CLAUDECODE: '1',
    }

    expect(agentEnvironment({ ...kept, ...dropped, TZ: undefined })).toEqual(kept)
  })
})
