import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeHome } from '../world/agents/claude.ts'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { batonFor } from '../world/baton.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { startModel, textOf } from '../world/model.ts'
import { call, say } from '../world/turn.ts'

describe('an event on its way through Baton, with the real Claude Code', () => {
  test('every hook of a headless session arrives in the journal as our event, in order, once', {
    timeout: 120_000,
  }, async () => {
    await using here = await claudeWorld({ git: false })
    const { model, home, baton } = here
    model.script({ key: home.key }, [call('Bash', { command: 'echo from-the-tool' }), say('done')])
    const ran = await runClaude({ home, model, prompt: 'please run it' })
    expect(ran.isError).toBe(false)
    await baton.waitFor('event', ({ event }) => event.type === 'SessionEnded')
    const all = await baton.events()
    // How full the context is comes from the transcript, not from a hook.
    const events = all.filter(event => event.type !== 'ContextMeasured')
    expect(events.map(event => event.type)).toEqual([
      'SessionStarted',
      'PromptSubmitted',
      'ToolRequested',
      // The command in the sandbox, which Baton allows by itself.
      'PermissionAsked',
      'ToolFinished',
      'TurnEnded',
      'SessionEnded',
    ])
    expect(all.length).toBeGreaterThan(events.length)
    expect(new Set(events.map(event => event.nativeSession))).toEqual(new Set([ran.sessionId]))
    expect(events[1]).toMatchObject({ prompt: 'please run it' })
    for (const event of events.slice(2, 5))
      expect(event).toMatchObject({ action: { kind: 'shell', command: 'echo from-the-tool' } })
    model.assertClean()
  })

  test('a denied tool call reaches the model as an error with the reason and the way to the trail', {
    timeout: 120_000,
  }, async () => {
    await using here = await claudeWorld({ git: false })
    const { model, home, baton } = here
    baton.configure('permissions:\n  deny:\n    - program: curl\n      reason: nothing is fetched here\n')
    model.script({ key: home.key }, [call('Bash', { command: 'curl http://127.0.0.1:9/x' }), say('done')])
    await runClaude({ home, model, prompt: 'fetch it' })
    const last = model.mainRequests({ key: home.key }).at(-1)
    expect(last && textOf(last)).toContain('nothing is fetched here')
    const decision = await baton.waitFor('decision', body => body.decision === 'deny')
    expect(decision.trail.length).toBeGreaterThan(0)
    const id = /baton why (dec_\w+)/.exec(last ? textOf(last) : '')?.[1] ?? ''
    expect(await baton.must('why', id)).toContain('curl http://127.0.0.1:9/x')
    model.assertClean()
  })

  test('40 calls of one session at once lose nothing', { timeout: 240_000 }, async () => {
    await using home = claudeHome()
    await using baton = await batonFor(home)
    await baton.must('down')
    const launcher = join(baton.stateDir, 'bin/baton-hook')
    const { execFile } = await import('node:child_process')
    const answers = await Promise.all(
      Array.from(
        { length: 40 },
        (_, i) =>
          new Promise<string>((resolve, reject) => {
            const child = execFile(
              launcher,
              ['claude-code', 'PostToolUse', '--source', 'user'],
              { env: { HOME: home.path, PATH: process.env.PATH } },
              (error, stdout) => (error ? reject(error) : resolve(stdout)),
            )
            child.stdin?.end(
              JSON.stringify({
                session_id: 'forty',
                cwd: home.project,
                hook_event_name: 'PostToolUse',
                tool_name: 'Read',
                tool_input: { file_path: `/f${i}` },
                tool_response: 'x',
                tool_use_id: `t${i}`,
              }),
            )
          }),
      ),
    )
    expect(answers.map(answer => answer.trim())).toEqual(Array(40).fill('{}'))
    const seen = (await baton.events()).flatMap(event =>
      event.type === 'ToolFinished' ? event.toolUseId : [],
    )
    expect(new Set(seen)).toEqual(new Set(Array.from({ length: 40 }, (_, i) => `t${i}`)))
    expect(seen).toHaveLength(40)
  })

  test('an idle session in a terminal is told by its notification', { timeout: 240_000 }, async () => {
    await using model = await startModel()
    await using home = claudeHome({ config: { messageIdleNotifThresholdMs: 4000 } })
    await using baton = await batonFor(home)
    model.script({ key: home.key }, [say('hello')])
    await using terminal = await claudeInTmux({ home, model })
    await terminal.submit('hello there')
    const idle = await baton.waitFor('event', ({ event }) => event.type === 'Idle')
    expect(idle.event).toMatchObject({ type: 'Idle', kind: 'idle' })
  })
})
