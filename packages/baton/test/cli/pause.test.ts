import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { claudePayload } from '../world/hook-payload.ts'
import { asPerson } from '../world/person.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

/** A person's machine with the real daemon, and a session of Claude Code by its hook calls. */
async function world() {
  const here = scratch()
  const project = await gitRepo(join(here.path, 'project'))
  const baton = batonIn(join(here.path, 'home'), project.path)
  const settings = join(baton.home, '.claude/settings.json')
  return {
    baton,
    project,
    settings,
    async hook(event: string, more: Record<string, unknown> = {}) {
      const input = claudePayload(event, project.path, 'git push --force origin main', more)
      return JSON.parse((await baton.run(['hook', 'claude-code', event], { input })).stdout)
    },
    async [Symbol.asyncDispose]() {
      await baton[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
      here.remove()
    },
  }
}

const FULL = {
  context_window: {
    context_window_size: 200_000,
    used_percentage: 60,
    current_usage: {
      input_tokens: 120_000,
      output_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  },
}

describe('baton pause', () => {
  test('leaves everything to the agent and says so everywhere, until baton unpause', {
    timeout: 240_000,
  }, async () => {
    await using here = await world()
    const { baton } = here
    expect((await here.hook('PreToolUse')).hookSpecificOutput.permissionDecision).toBe('deny')
    const line = /^Baton is paused in \/.*project since .* UTC: .*baton unpause/
    expect((await baton.run(['pause'])).stderr).toContain('needs a person at a terminal')
    const person = { ...baton, cwd: here.project.path }
    expect(await asPerson(person, 'pause')).toMatch(line)

    expect(await here.hook('PreToolUse', { tool_use_id: 'b' })).toEqual({})
    expect((await here.hook('SessionStart', { source: 'startup' })).systemMessage).toMatch(line)
    expect((await here.hook('StatusLine', FULL)).statusLine).toMatch(line)
    await here.hook('UserPromptSubmit', { prompt: '/issue-to-impl 42' })
    expect(await here.hook('Stop', { stop_hook_active: false })).toEqual({})
    expect(await baton.must('status')).toMatch(/Baton is paused in/)
    expect((await baton.run(['doctor'])).stdout).toContain('Baton is paused in')
    expect((await baton.run(['ps'])).stdout).toContain('Baton is paused in')

    // A restart keeps it.
    await baton.must('up', '--restart')
    expect(await here.hook('PreToolUse', { tool_use_id: 'c' })).toEqual({})
    expect(await baton.must('unpause')).toBe('Baton decides and continues again.\n')
    expect((await here.hook('PreToolUse', { tool_use_id: 'd' })).hookSpecificOutput.permissionDecision).toBe(
      'deny',
    )
    expect((await here.hook('StatusLine', FULL)).statusLine).toContain('60%')
    expect(await baton.must('status')).not.toContain('paused')
  })
})

describe('agentize’s hooks next to Baton’s', () => {
  test('are named at the first session and by init and doctor, and baton import --hooks removes them', {
    timeout: 240_000,
  }, async () => {
    await using here = await world()
    const { baton } = here
    mkdirSync(join(baton.home, '.claude'))
    const own = { matcher: '', hooks: [{ type: 'command', command: 'my-own-hook' }] }
    const theirs = {
      hooks: [{ type: 'command', command: 'python3 "$HOME/.agentize/.claude-plugin/hooks/stop.py"' }],
    }
    const before = { hooks: { Stop: [own, theirs] } }
    writeFileSync(here.settings, JSON.stringify(before))
    const found =
      /settings\.json has hooks of agentize.* each stop counts twice, and the agent gets two prompts/
    expect(await baton.must('init', '--agent', 'claude')).toMatch(found)
    const first = await here.hook('SessionStart', { source: 'startup' })
    expect(first.systemMessage).toMatch(found)
    expect(first.systemMessage).toContain('To remove them: baton import --hooks')
    // Once for an agent in a project is enough.
    const second = await here.hook('SessionStart', { source: 'startup', session_id: 'another' })
    expect(second.systemMessage ?? '').not.toContain('agentize')
    expect((await baton.run(['doctor'])).stdout).toMatch(/hooks of agentize/)

    await baton.must('import', '--hooks', '--yes')
    const after = readFileSync(here.settings, 'utf8')
    expect(after).not.toContain('agentize')
    expect(after).toContain('my-own-hook')
    expect(after).toContain('baton-hook')
    expect((await baton.run(['doctor'])).stdout).not.toContain('agentize')
  })
})
