import { join } from 'node:path'
import type { AgentName } from '@batonpass/contract/event'
import { expect, test } from 'vitest'
import { composeWholeAgents } from '../../src/compose/whole-agents.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

async function world() {
  const [repo, folder] = [await gitRepo(), scratch()]
  const claude = folder.write('claude', '#!/bin/sh\n', 0o755)
  const never = () => {
    throw new Error('not reached')
  }
  const composed = composeWholeAgents(
    { home: folder.path, env: { PATH: '/usr/bin' }, stateDir: join(folder.path, 'state') } as never,
    { sandboxes: never, settingsFor: never, programFolder: undefined },
  )
  const contain = (agent: AgentName, env: Record<string, string>, program = claude) =>
    composed.contain({
      ...{ agent, hosted: true, cwd: repo.path },
      launch: { program, args: [], programVariable: 'CLAUDE_CODE_EXECUTABLE', remedy: 'npm install it' },
      env: { ANTHROPIC_API_KEY: 'key', ...env },
    })
  return {
    contain,
    repo,
    async [Symbol.asyncDispose]() {
      folder.remove()
      await repo[Symbol.asyncDispose]()
    },
  }
}

test.each(['/nowhere/claude', './absent', '/tmp', './README.md', 'not-on-the-path'])(
  'CLAUDE_CODE_EXECUTABLE that is not a program (%s) is a missing tool',
  async path => {
    await using w = await world()
    await expect(w.contain('claude-code', { CLAUDE_CODE_EXECUTABLE: path })).rejects.toMatchObject({
      code: 'missing_tool',
    })
  },
)

test('CLAUDE_CODE_EXECUTABLE is relative to the folder where the agent works', async () => {
  await using w = await world()
  const relative = w.contain('claude-code', { CLAUDE_CODE_EXECUTABLE: 'bin/claude' })
  await expect(relative).rejects.toMatchObject({
    code: 'missing_tool',
    message: expect.stringContaining(join(w.repo.path, 'bin/claude')),
  })
})

test('a program that is not there comes with how to install it', async () => {
  await using w = await world()
  await expect(w.contain('claude-code', {}, 'claude-agent-acp')).rejects.toMatchObject({
    message: 'claude-agent-acp is not installed',
    remedy: 'npm install it',
  })
})

test('an agent that cannot be hosted inside is named in the command that runs it in tmux', async () => {
  await using w = await world()
  await expect(w.contain('codex', { CODEX_API_KEY: 'key' })).rejects.toMatchObject({
    code: 'usage',
    remedy: 'Run it in tmux: baton run --sandbox --agent codex',
  })
})
