import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeHome } from './agents/claude.ts'
import { runClaude } from './agents/claude-headless.ts'
import { recordHooks } from './agents/claude-hooks.ts'
import { claudeInTmux } from './agents/claude-tmux.ts'
import { startModel, textOf } from './model.ts'
import { call, dropped, hold, overloaded, promptTooLong, rateLimited, say, unauthorized } from './turn.ts'
import { until } from './wait.ts'

describe('Claude Code without a terminal', () => {
  test('a scripted tool call runs for real and its result is in the next request', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    model.script('greet the world', [call('Bash', { command: 'echo wor$((40+2))ld' }), say('It said so.')])

    const run = await runClaude({ home, model, prompt: 'greet the world', args: ['--allowedTools', 'Bash'] })

    expect(run).toMatchObject({ exitCode: 0, result: 'It said so.', isError: false, stderr: '' })
    const [first, second] = model.mainRequests()
    expect(first && textOf(first)).not.toContain('wor42ld')
    expect(second && textOf(second)).toContain('wor42ld')
    expect(second?.toolResults).toMatchObject([{ text: 'wor42ld', isError: false }])
    model.assertPlayed()
  })

  test('reported token usage arrives in the transcript', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const usage = { input: 1_200, output: 34, cacheRead: 150_000, cacheWrite: 2_500 }
    model.script('count me', [say('Counted.', { usage, thinking: 'one, two' })])

    const { sessionId = '' } = await runClaude({ home, model, prompt: 'count me' })

    const row = home.transcript(sessionId).find(each => each.type === 'assistant')
    expect(row?.message?.usage).toMatchObject({
      input_tokens: 1_200,
      output_tokens: 34,
      cache_read_input_tokens: 150_000,
      cache_creation_input_tokens: 2_500,
    })
    model.assertPlayed()
  })

  test.each([
    ['a rate limit', rateLimited(), 429],
    ['an overload', overloaded(), 529],
    ['a refused key', unauthorized(), 401],
  ])('%s ends the run with an error', async (_, turn, status) => {
    await using model = await startModel()
    await using home = claudeHome({ env: { CLAUDE_CODE_MAX_RETRIES: '0' } })
    model.script('try it', [turn])

    const run = await runClaude({ home, model, prompt: 'try it' })

    expect(run).toMatchObject({ exitCode: 1, isError: true })
    expect(run.events.at(-1)).toMatchObject({ api_error_status: status })
    model.assertPlayed()
  })

  test('a prompt that is too long makes it compact and continue', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const hooks = recordHooks(home, { events: ['PreCompact', 'PostCompact'] })
    model.script({ key: home.key }, [
      call('Bash', { command: 'echo one' }),
      promptTooLong(),
      say('After the summary.'),
    ])
    model.answerSide('compact', () => say('<summary>Bananas were counted.</summary>'))

    const args = ['--allowedTools', 'Bash']
    const run = await runClaude({ home, model, prompt: 'go on for long', args, settings: hooks.settings })

    expect(run).toMatchObject({ exitCode: 0, result: 'After the summary.' })
    expect(hooks.all()).toMatchObject([
      { trigger: 'auto' },
      { compact_summary: expect.stringContaining('Bananas') },
    ])
    expect(model.mainRequests().at(-1)?.text).toContain('Bananas were counted.')
    model.assertPlayed()
  })

  test('a dropped connection is tried again', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    model.script('hold on', [dropped('before'), dropped('midway'), say('Third time lucky.')])

    const run = await runClaude({ home, model, prompt: 'hold on' })

    expect(run).toMatchObject({ exitCode: 0, result: 'Third time lucky.' })
    model.assertPlayed()
  })

  test('plain settings hooks see a whole turn', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd']
    const hooks = recordHooks(home, { events })
    home.writeSettings('project', hooks.settings)
    model.script('hook me', [call('Bash', { command: 'echo hi' }), say('Hooked.')])

    const run = await runClaude({ home, model, prompt: 'hook me', args: ['--allowedTools', 'Bash'] })

    expect(hooks.all().map(payload => payload.hook_event_name)).toEqual(events)
    expect(new Set(hooks.all().map(payload => payload.session_id))).toEqual(new Set([run.sessionId]))
    expect(hooks.seen('Stop')).toMatchObject([{ last_assistant_message: 'Hooked.' }])
    // Byte-level readers of payloads rely on the recorded keys and their order.
    const recorded = ['user-prompt-submit', 'pre-tool-use.bash', 'post-tool-use.bash', 'stop']
    const turn = hooks.all().slice(1, -1)
    expect(turn.map(keysOf)).toEqual(recorded.map(name => keysOf(fixture(name))))
    model.assertPlayed()
  })

  test('an unforeseen request ends the run at once and is reported', async () => {
    await using model = await startModel()
    await using home = claudeHome()

    const run = await runClaude({ home, model, prompt: 'nobody wrote a script for this' })

    expect(run.exitCode).toBe(1)
    expect(() => model.assertClean()).toThrow(/no script matches.*nobody wrote a script/s)
  })

  test('two sessions at once each get their own script', async () => {
    await using model = await startModel()
    await using one = claudeHome()
    await using two = claudeHome()
    model.script({ key: one.key }, [say('for one')])
    model.script({ key: two.key }, [say('for two')])

    const runs = await Promise.all([one, two].map(home => runClaude({ home, model, prompt: 'who am I?' })))

    expect(runs.map(run => run.result)).toEqual(['for one', 'for two'])
    model.assertPlayed()
  })

  test('an aborted run ends, and the hook it was waiting for with it', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const hooks = recordHooks(home, { events: ['Stop'], meanwhile: 'sleep 300' })
    model.script('wait', [say('Done, says the model.')])
    const abort = new AbortController()

    const running = runClaude({ home, model, prompt: 'wait', settings: hooks.settings, signal: abort.signal })
    const pid = await until(() => hooks.pids()[0], { what: 'the hook to begin' })
    abort.abort()

    expect(await running).not.toMatchObject({ exitCode: 0 })
    await until(() => !isRunning(pid), { what: 'the hook to end' })
  })

  test('an agent that hangs up is seen by the model', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const held = hold()
    model.script('wait', [say('never', { gate: held.gate })])
    const abort = new AbortController()

    const running = runClaude({ home, model, prompt: 'wait', signal: abort.signal })
    const request = await model.waitForRequest('wait')
    abort.abort()
    await running

    await until(() => request.ended === 'hung-up', { what: 'the connection to close' })
    held.release()
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const keysOf = (payload: object) => Object.keys(payload)

function fixture(name: string): object {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../fixtures/claude-code/${name}.json`), 'utf8'))
}

describe('Claude Code in a terminal', () => {
  test('a write is asked about in default mode and a key answers', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const file = join(home.project, 'a.txt')
    model.script('make a file', [call('Write', { file_path: file, content: 'hi\n' }), say('There it is.')])
    await using claude = await claudeInTmux({ home, model })

    await claude.submit('make a file')
    await claude.waitForScreen(/Do you want to create a\.txt\?/)
    expect(existsSync(file)).toBe(false)
    await claude.answerDialog(/Do you want to create/, '1')
    await claude.waitForScreen(/There it is\./)

    expect(readFileSync(file, 'utf8')).toBe('hi\n')
    model.assertPlayed()
  })

  // Without a terminal, Claude Code may exit before it has started this hook.
  test('errors of the model are reported by a StopFailure hook instead of Stop', async () => {
    await using model = await startModel()
    await using home = claudeHome({ env: { CLAUDE_CODE_MAX_RETRIES: '0' } })
    const hooks = recordHooks(home, { events: ['Stop', 'StopFailure'] })
    model.script({ key: home.key }, [rateLimited(), overloaded(), unauthorized()])
    await using claude = await claudeInTmux({ home, model, settings: hooks.settings })

    for (const error of ['rate_limit', 'server_error', 'authentication_failed']) {
      await claude.submit(`cause a ${error}`)
      await hooks.waitFor('StopFailure', payload => payload.error === error)
    }

    expect(hooks.all().map(payload => payload.hook_event_name)).toEqual(Array(3).fill('StopFailure'))
    model.assertPlayed()
  })

  test('a subagent speaks with its own script and its hooks name it', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const hooks = recordHooks(home, { events: ['PreToolUse', 'Stop', 'SubagentStop'] })
    const task = { description: 'Look', prompt: 'look around below', subagent_type: 'general-purpose' }
    model.script('look around below', [call('Bash', { command: 'echo below' }), say('Nothing below.')])
    model.script({ key: home.key }, [call('Agent', task), say('Sent it.'), say('It came back.')])
    const args = ['--allowedTools', 'Bash']
    await using claude = await claudeInTmux({ home, model, args, settings: hooks.settings })

    await claude.submit('send someone')
    await claude.waitForScreen(/It came back\./)

    const [sending, below] = hooks.seen('PreToolUse')
    expect(sending).not.toHaveProperty('agent_id')
    expect(below).toMatchObject({
      tool_name: 'Bash',
      agent_type: 'general-purpose',
      session_id: sending?.session_id,
    })
    expect(hooks.seen('SubagentStop')).toMatchObject([{ agent_id: below?.agent_id }])
    model.assertPlayed()
  })

  test('/clear begins a session with a new id', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const hooks = recordHooks(home, { events: ['SessionStart', 'SessionEnd'] })
    model.script({ key: home.key }, [say('Before.'), say('After.')])
    await using claude = await claudeInTmux({ home, model, settings: hooks.settings })

    await claude.submit('first')
    await claude.waitForScreen(/Before\./)
    await claude.submit('/clear')
    const cleared = await hooks.waitFor('SessionStart', payload => payload.source === 'clear')
    await claude.submitLines(['second', 'in two lines'])
    await claude.waitForScreen(/After\./)

    const [before, after] = model.mainRequests()
    expect(after?.session).toBe(cleared.session_id)
    expect(after?.session).not.toBe(before?.session)
    expect(after?.lastText).toContain('second\nin two lines')
    expect(hooks.seen('SessionEnd')).toMatchObject([{ reason: 'clear', session_id: before?.session }])
    model.assertPlayed()
  })

  test('a held answer keeps it busy until it is released', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const held = hold()
    model.script('slowly', [say('Finally.', { gate: held.gate })])
    await using claude = await claudeInTmux({ tellsExit: true, home, model })

    await claude.submit('slowly please')
    await model.waitForRequest('slowly')
    await claude.waitForScreen(/esc to interrupt/)
    expect(await claude.screen()).not.toContain('Finally.')
    held.release()
    await claude.waitForScreen(/Finally\./)

    await claude.submit('/exit')
    expect(await claude.waitForExit()).toBe(0)
    model.assertPlayed()
  })

  test('a screen that never comes is reported with the screen and the requests', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    model.script('say something', [say('Something.')])
    await using claude = await claudeInTmux({ home, model })
    await claude.submit('say something')
    await claude.waitForScreen(/Something\./)

    const waiting = claude.waitForScreen(/Never this/, { timeout: 100 })

    await expect(waiting).rejects.toThrow(/Never this.*Something\..*#1 main.*say something/s)
  })
})
