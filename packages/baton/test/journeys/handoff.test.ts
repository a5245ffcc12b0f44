import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseHandoff } from '../../src/handoff/document/parse.ts'
import type { ClaudeHome } from '../world/agents/claude.ts'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { lastRequestOf, type Model, type ModelRequest, requestsOf, textOf } from '../world/model.ts'
import { call, say, type Turn } from '../world/turn.ts'

const plugin = join(import.meta.dirname, '../../../../plugin')
const RULES = 'permissions:\n  allow:\n    - program: npm\n'
const FREE = ['--permission-mode', 'bypassPermissions']

const document = (result: 'passed' | 'failed') =>
  `---\nbranch: main\ntests:\n  command: npm test\n  result: ${result}\n---\n\n# Handoff Document\n\n**Created**: 2026-01-22 14:30:00\n**Context Usage**: 12%\n**Project**: project\n\n## Current Work\n\n**Active Epic**: Authentication\n**Progress**: 65% complete\n**Current Task**: Implementing the refresh endpoint\n\n## Completed Since Last Handoff\n\n- [ ] Tests\n\n## Next Steps\n\n1. Complete the refresh endpoint\n\n## Critical State\n\n- Migration 005 is applied\n\n## Blockers / Issues\n\n- None\n\n## Notes\n\n- None\n`

/** Writes the document where Baton said, as the agent would. */
function writes(home: ClaudeHome, request: ModelRequest, result: 'passed' | 'failed'): Turn {
  const name = [
    ...textOf(request).matchAll(/write the handoff document to (\.bmad\/handoffs\/handoff-[\d-]+\.md)/g),
  ].at(-1)?.[1]
  return call('Write', { file_path: join(home.project, name ?? 'nowhere.md'), content: document(result) })
}

/** Calls the tool for a section that the handoff only points to. */
function recalls(request: ModelRequest, wanted: string): Turn {
  const [, document, section] =
    new RegExp(`baton handoff show (handoff-[\\d-]+\\.md) --section (${wanted})`).exec(textOf(request)) ?? []
  return call('mcp__plugin_baton_baton__baton_recall', { document, section })
}

/** Answers in turn; what a turn says may depend on the request. */
function play(model: Model, home: ClaudeHome, turns: ((request: ModelRequest) => Turn)[]): void {
  let n = 0
  model.script({ key: home.key }, request => turns[n++]?.(request))
}

const documents = (home: ClaudeHome): string[] => readdirSync(join(home.project, '.bmad/handoffs')).sort()

describe('a handoff, with the real Claude Code', () => {
  test('/handoff is written, sent back once for what is false, and found in the first request after /clear', {
    timeout: 240_000,
  }, async () => {
    await using here = await claudeWorld({ settings: RULES })
    const { model, home, baton } = here
    play(model, home, [
      () => call('Bash', { command: 'npm test' }),
      () => say('The tests fail.'),
      request => writes(home, request, 'passed'),
      () => say('Written.'),
      request => writes(home, request, 'failed'),
      () => say('Corrected.'),
      () => say('I go on with the endpoint.'),
    ])
    await using terminal = await claudeInTmux({
      home,
      model,
      pluginDir: plugin,
      permissionMode: 'bypassPermissions',
    })
    await terminal.submit('please run the tests')
    await terminal.waitForScreen(/The tests fail\./)
    await terminal.submit('/baton:handoff the endpoint')
    await terminal.waitForScreen(/Corrected\./)
    await baton.waitFor('handoff', ({ what }) => what === 'written')
    const again = requestsOf(model, home).find(text => text.includes('does not agree with what git'))
    expect(again).toMatch(/Says tests pass; the last run of `npm test` failed at \d\d:\d\d/)
    const [name = ''] = documents(home)
    expect(documents(home)).toHaveLength(1)
    const { facts, work } = parseHandoff(
      readFileSync(join(home.project, '.bmad/handoffs', name), 'utf8'),
    ).document
    expect(work.task).toBe('Implementing the refresh endpoint')
    expect(facts).toMatchObject({
      written_by: 'agent',
      focus: 'the endpoint',
      tests: { command: 'npm test', result: 'failed' },
      dirty: [],
    })
    expect(facts.instructions?.[0]).toBe('please run the tests')

    await terminal.submit('/clear')
    await baton.waitFor('handoff', ({ what }) => what === 'received')
    await terminal.waitUntilReady()
    await terminal.submit('go on')
    await terminal.waitForScreen(/I go on with the endpoint\./)
    const last = lastRequestOf(model, home)
    expect(last).toContain('<handoff-context>')
    expect(last).toContain('Complete the refresh endpoint')
    expect(last).toContain(
      '</handoff-context>\n\nThe above is a handoff document from a previous session. Use this context to continue the work seamlessly.',
    )
    expect(last).not.toContain('The tests fail.')
    model.assertClean()
  })

  test('an agent that writes nothing: Baton writes it from evidence; only the next session gets it, and recalls what it points to', {
    timeout: 240_000,
  }, async () => {
    await using here = await claudeWorld()
    const { model, home, baton } = here
    play(model, home, [
      () => say('On it.'),
      () => say('No.'),
      () => say('I will not.'),
      request => recalls(request, 'pasted'),
      () => say('I see.'),
      () => say('Who am I?'),
    ])
    const prompt = 'add refresh tokens\n\n> ERROR the clock is 41 seconds behind'
    const first = await runClaude({ home, model, prompt, args: FREE })
    const resume = ['--resume', first.sessionId ?? '', ...FREE]
    await runClaude({ home, model, prompt: '/baton:handoff', args: resume, pluginDir: plugin })
    await baton.waitFor('handoff', ({ what, writtenBy }) => what === 'written' && writtenBy === 'baton')
    await baton.must('down')
    await runClaude({ home, model, prompt: 'hello', args: FREE, pluginDir: plugin })
    const [before = '', after = ''] = requestsOf(model, home).slice(-2)
    expect(before).toContain('no agent wrote or checked this document')
    expect(before).toContain('add refresh tokens')
    expect(before).not.toContain('41 seconds behind')
    expect(after).toContain('ERROR the clock is 41 seconds behind')
    await runClaude({ home, model, prompt: 'hello again', args: FREE })
    expect(lastRequestOf(model, home)).not.toContain('<handoff-context>')
    model.assertClean()
  })

  test('a crashed session is handed off by its transcript, from outside', { timeout: 240_000 }, async () => {
    await using here = await claudeWorld()
    const { model, home, baton } = here
    play(model, home, [
      () => call('Write', { file_path: join(home.project, 'src/token.ts'), content: 'export {}\n' }),
      () => say('Half done.'),
      () => say('Going on.'),
    ])
    const ran = await runClaude({ home, model, prompt: 'add refresh tokens', args: FREE })
    const { document: path, session } = JSON.parse(
      await baton.must('handoff', '--json', '--session', ran.sessionId ?? ''),
    )
    expect(session).toBe(ran.sessionId)
    expect(parseHandoff(readFileSync(path, 'utf8')).document.facts).toMatchObject({
      dirty: ['src/token.ts'],
      touched: ['src/token.ts'],
      instructions: ['add refresh tokens'],
    })
    await runClaude({ home, model, prompt: 'go on', args: FREE })
    expect(lastRequestOf(model, home)).toContain('<handoff-context>')
    expect(await baton.must('handoffs')).toContain('written by Baton from evidence')
    model.assertClean()
  })
})
