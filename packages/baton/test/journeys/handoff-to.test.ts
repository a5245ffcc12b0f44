import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeTerminal } from '../../src/adapters/agents/claude-code/terminal.ts'
import type { ClaudeHome } from '../world/agents/claude.ts'
import { runClaude } from '../world/agents/claude-headless.ts'
import { codex } from '../world/agents/codex.ts'
import { installAgent } from '../world/agents/install.ts'
import { startTerminal } from '../world/agents/tmux.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { anthropic } from '../world/dialects/anthropic.ts'
import { type Model, textOf } from '../world/model.ts'
import { call, say } from '../world/turn.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')
const KEY = 'sk-test-the-next-agent'

async function afterClaude(home: ClaudeHome, model: Model): Promise<void> {
  let n = 0
  const turns = [
    call('Write', { file_path: `${home.project}/src/token.ts`, content: 'export {}\n' }),
    say('Half done: the endpoint is missing.'),
  ]
  model.script({ key: home.key }, () => turns[n++])
  await runClaude({
    home,
    model,
    prompt: 'add refresh tokens',
    args: ['--permission-mode', 'bypassPermissions'],
  })
}

describe('a handoff from one agent to another', () => {
  test('what Claude Code began is gone on with by Codex, which begins with the document', {
    timeout: 360_000,
  }, async () => {
    await using here = await claudeWorld({ dialects: [anthropic, codex.dialect] })
    const { model, home, baton } = here
    await afterClaude(home, model)

    const place = { home: home.path, project: home.project, key: KEY, url: model.url }
    codex.setUp(place)
    model.script({ key: KEY }, [say('I write the endpoint now.')])
    const path = `${dirname(await installAgent('codex'))}:${process.env.PATH}`
    const ran = await baton.run(['handoff', '--to', 'codex', '--focus', 'the endpoint'], {
      env: { ...home.env(model), ...codex.env(place), PATH: path },
    })
    expect(ran.stderr + ran.stdout).toContain('I write the endpoint now.')
    expect(ran.code).toBe(0)
    const [request] = model.mainRequests({ key: KEY })
    const told = request ? textOf(request) : ''
    expect(told).toContain('<handoff-context>')
    expect(told).toContain('add refresh tokens')
    expect(told).toContain('src/token.ts')
    expect(told).toContain('Focus: the endpoint')
    expect(told).toContain('begin with the first of the next steps')
    expect(await baton.must('handoffs')).toContain('written by Baton from evidence')

    // It was for Codex: the next session of Claude Code begins without it.
    model.script({ key: home.key }, [say('Hello.')])
    await runClaude({ home, model, prompt: 'hi', args: ['--permission-mode', 'bypassPermissions'] })
    const last = model.mainRequests({ key: home.key }).at(-1)
    expect(last ? textOf(last) : '').not.toContain('<handoff-context>')
    model.assertClean()
  })

  test('at a terminal the next agent takes it over, begins with the document and is left to the person', {
    timeout: 360_000,
  }, async () => {
    await using here = await claudeWorld()
    const { model, home, baton } = here
    await afterClaude(home, model)
    model.script({ key: home.key }, request =>
      request.lastText.includes('are you still there') ? say('Here I am.') : say('I write the endpoint now.'),
    )
    const bin = dirname(await installAgent('claude-code'))
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'handoff', '--to', 'claude', '--focus', 'the endpoint'],
      cwd: home.project,
      env: { ...home.env(model), PATH: `${bin}:${process.env.PATH}` },
      evidence: model.summary,
      tellsExit: true,
    })
    await terminal.waitForScreen(/I write the endpoint now\./, { timeout: 120_000 })
    const told = textOf(model.mainRequests({ key: home.key }).at(-1) ?? expect.fail())
    expect(told.match(/<handoff-context>/g)).toHaveLength(1)
    expect(told).toContain('Focus: the endpoint')
    // It is the agent's own terminal now: a person continues there.
    await terminal.type('are you still there')
    await terminal.waitForScreen(/are you still there/)
    await terminal.press('Enter')
    // In a turn Ctrl-C would stop that, and its last word shows before it has ended.
    await terminal.waitForScreen(
      screen => /Here I am\./.test(screen) && claudeTerminal.read(screen).state === 'waiting',
      { what: 'the answer, and the end of its turn', timeout: 120_000 },
    )
    // Ctrl-C goes to the agent, not to Baton around it: the first one only warns.
    await terminal.press('C-c')
    await terminal.waitForScreen(/again to exit/i)
    expect(await terminal.hasExited()).toBe(false)
    // The warning is shown for less than a second: a slower person is only warned again. So both at once.
    await terminal.waitForScreen(screen => !/again to exit/i.test(screen), { what: 'the warning to go' })
    await terminal.press('C-c', 'C-c')
    expect(await terminal.waitForExit({ timeout: 120_000 })).toBe(0)
    expect(await baton.must('handoffs')).toContain('received by claude-code')
    model.assertClean()
  })

  test('an agent that is not installed: nothing is written', { timeout: 240_000 }, async () => {
    await using here = await claudeWorld()
    const { model, home, baton } = here
    await afterClaude(home, model)
    const ran = await baton.run(['handoff', '--to', 'gemini'], { env: { PATH: '/usr/bin:/bin' } })
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.stderr).toContain('gemini is not installed')
    expect(await baton.must('handoffs')).toContain('No handoff document')
  })

  test('a session that /handoff began says which one it continues', { timeout: 240_000 }, async () => {
    await using here = await claudeWorld()
    const { model, home, baton } = here
    await afterClaude(home, model)
    const { session } = JSON.parse(await baton.must('handoff', '--json'))
    model.script({ key: home.key }, [say('Going on.')])
    const next = await runClaude({
      home,
      model,
      prompt: 'go on',
      args: ['--permission-mode', 'bypassPermissions'],
    })
    const { sessions } = JSON.parse(await baton.must('status', '--all', '--json'))
    const of = (native: string | undefined) =>
      sessions.find((each: { nativeSession: string }) => each.nativeSession === native)
    expect(of(next.sessionId).parent).toBe(of(session).id)
    expect(await baton.must('handoffs')).toContain(`received by claude-code ${next.sessionId?.slice(0, 8)}`)
    model.assertClean()
  })
})
