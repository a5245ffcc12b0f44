import { join } from 'node:path'
import type { AgentName } from '@batonpass/contract/event'
import { describe, expect, test } from 'vitest'
import { answerLaunches } from '../../../src/adapters/agents/launches.ts'
import { chooseModel } from '../../../src/adapters/llm/choose.ts'
import { agentEnvironment } from '../../../src/adapters/llm/private-call.ts'
import { systemPrograms } from '../../../src/adapters/system/programs.ts'
import { scratch } from '../../world/scratch.ts'
import { Choice, never, question } from './sample.ts'

describe('choosing a model', () => {
  test.each([
    ['a key', { ANTHROPIC_API_KEY: 'sk-ant-x' }, '/usr/bin/claude', 'api'],
    ['a key and no program', { ANTHROPIC_API_KEY: 'sk-ant-x' }, undefined, 'api'],
    ['no key but Claude Code', {}, '/usr/bin/claude', 'claude'],
    ['an empty key', { ANTHROPIC_API_KEY: '' }, '/usr/bin/claude', 'claude'],
    ['neither', {}, undefined, undefined],
    [
      'a key, but Claude Code is wanted',
      { ANTHROPIC_API_KEY: 'sk-ant-x' },
      '/usr/bin/claude',
      'claude',
      'claude-code',
    ],
    ['an agent that is wanted', { ANTHROPIC_API_KEY: 'sk-ant-x' }, '/usr/bin/x', 'gemini', 'gemini'],
    ['an agent that is wanted and not there', { ANTHROPIC_API_KEY: 'sk-ant-x' }, undefined, undefined, 'pi'],
    ['the API wanted and no key', {}, '/usr/bin/claude', undefined, 'api'],
  ] as const)('with %s', (_, env, program, by, wanted: AgentName | 'api' | 'auto' = 'auto') => {
    const ownCall = () => ({ marker: 'm', release: () => undefined })

    const chosen = chooseModel(
      {
        env,
        programs: systemPrograms,
        ownCall,
        folder: '/nowhere',
        find: () => program,
        agents: answerLaunches(),
      },
      wanted,
    )

    expect(chosen?.by).toBe(by)
  })

  test('without Claude Code the first agent that is there answers, and its shape is checked', async () => {
    await using folder = scratch()
    const says = (text: string) =>
      folder.write('codex', `#!/bin/sh\ncat > asked\nprintf '%s' '${text}'\n`, 0o755)
    says('')
    const chosen = chooseModel({
      env: { PATH: process.env.PATH },
      programs: systemPrograms,
      ownCall: () => ({ marker: 'm', release: () => undefined }),
      folder: join(folder.path, 'calls'),
      find: program => (program === 'codex' ? join(folder.path, 'codex') : undefined),
      agents: answerLaunches(),
    })
    expect(chosen?.by).toBe('codex')
    const ask = () => chosen?.model.ask(question, Choice, never())
    for (const wrong of ['', 'yes', '{"decision":"maybe"}', 'Sure: {"decision":"deny","reason":"x"}']) {
      says(wrong)
      await expect(ask()).rejects.toMatchObject({ code: 'model_failed' })
    }
    says('```json\n{"decision":"deny","reason":"It sends a key away."}\n```')
    expect(await ask()).toEqual({ decision: 'deny', reason: 'It sends a key away.' })
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
