import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import type { BatonHere } from '../world/baton.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { lastRequestOf, textOf } from '../world/model.ts'
import { startTelegram, telegramSettings } from '../world/telegram.ts'
import { call, say } from '../world/turn.ts'

const QUIET = 'handsoff:\n  auto_permission: false\n  max_continuations: 1\n'
const ASK_DATE = 'permissions:\n  ask:\n    - program: date\n'

const decisionsOf = async (baton: BatonHere) =>
  (await baton.entries({ kind: 'decision' })).flatMap(({ body }) => (body.kind === 'decision' ? body : []))

describe('permission in the course of a session, with the real Claude Code', () => {
  test('a no with its reason reaches the model; a yes for the session is asked for once; other calls continue meanwhile', {
    timeout: 180_000,
  }, async () => {
    await using telegram = await startTelegram()
    await using here = await claudeWorld({
      git: false,
      settings: QUIET + ASK_DATE + telegramSettings(telegram),
    })
    const { model, home, baton } = here
    writeFileSync(join(home.project, 'notes.txt'), 'what the file says')
    const again = { command: 'date +again-%Y' }
    model.script({ key: home.key }, [
      call('Bash', { command: 'date +first-%Y' }),
      {
        tools: [
          { name: 'Bash', input: again },
          { name: 'Read', input: { file_path: join(home.project, 'notes.txt') } },
        ],
      },
      call('Bash', again),
      say('done'),
    ])
    const running = runClaude({ home, model, prompt: 'what time is it' })

    const first = await telegram.message(({ text }) => text.includes('first-'), 'the first question')
    telegram.press(first, '❌ Deny and say why')
    const why = await telegram.message(({ forceReply }) => forceReply, 'the question why')
    telegram.write('look at the sun instead', { replyTo: why.id })
    const second = await telegram.message(({ text }) => text.includes('again-'), 'the second question')
    expect(lastRequestOf(model, home)).toContain('look at the sun instead')
    expect(lastRequestOf(model, home)).not.toMatch(/first-20\d\d/)

    await baton.waitFor('event', ({ event }) => event.type === 'ToolFinished' && event.tool === 'Read')
    telegram.press(second, '✅ Allow for this session')
    expect((await running).isError).toBe(false)
    expect(lastRequestOf(model, home).match(/again-20\d\d/g)).toHaveLength(2)
    const questions = telegram.messages().filter(({ text }) => text.includes('again-'))
    expect(questions).toHaveLength(1)
    const decisions = await decisionsOf(baton)
    expect(decisions.map(({ decision, by }) => `${decision} by ${by}`).sort()).toEqual([
      'allow by person',
      'allow by rules',
      'allow by session',
      'deny by person',
    ])
    expect(telegram.refused).toEqual([])
    model.assertClean()
  })

  test('Escape takes a question back; `defer`, without a sandbox, leaves it to the dialog alone, and a call that widens the agent’s settings adds no rule to Baton’s; what the person’s own settings ask stays asked, and runs in the sandbox after the yes', {
    timeout: 240_000,
  }, async () => {
    await using telegram = await startTelegram()
    await using here = await claudeWorld({
      git: false,
      settings: QUIET + ASK_DATE + telegramSettings(telegram),
    })
    const { model, home, baton } = here
    home.writeSettings('local', { permissions: { ask: ['Bash(uptime:*)'] } })
    // The script widens Claude Code's settings, as "don't ask again" would.
    const local = join(home.project, '.claude/settings.local.json')
    const wider = { permissions: { ask: ['Bash(uptime:*)'], allow: ['Bash(npm run *)'] } }
    writeFileSync(join(home.project, 'wider.json'), JSON.stringify(wider))
    const scripts = { 'pack-all': 'cp wider.json .claude/settings.local.json' }
    writeFileSync(join(home.project, 'package.json'), JSON.stringify({ scripts }))
    model.script({ key: home.key }, [
      call('Bash', { command: 'date +escaped-%Y' }),
      call('Bash', { command: 'uptime' }),
      say('the second end'),
      call('Bash', { command: 'mkfifo deferred-pipe' }),
      say('the third end'),
      call('Bash', { command: 'npm run pack-all' }),
      say('the fourth end'),
    ])
    await using terminal = await claudeInTmux({ home, model })
    await terminal.submit('what time is it')
    const message = await telegram.message(({ text }) => text.includes('escaped-'), 'the question')
    await terminal.answerDialog(/Do you want to proceed/, 'Escape')
    await telegram.message(({ id, buttons }) => id === message.id && buttons.length === 0, 'the withdrawal')
    expect(JSON.parse(await baton.must('asks', '--json')).asks).toEqual([])

    // Baton's rules allow uptime; the person's own settings want to be asked.
    await terminal.submit('and now')
    const insisted = await telegram.message(({ text }) => text.includes('uptime'), 'the insisted question')
    expect(insisted.text).toContain("Claude Code's own settings ask about it (Bash(uptime:*))")
    await terminal.waitForScreen(/Do you want to proceed/)
    telegram.press(insisted, '✅ Allow')
    await terminal.waitForScreen(/the second end/)
    const ended = (await baton.entries({ kind: 'event' })).flatMap(({ body }) =>
      body.kind === 'event' && body.event.type === 'ToolFinished' ? body.event : [],
    )
    expect(ended).toMatchObject([{ input: { command: 'uptime' }, sandbox: expect.stringMatching(/./) }])

    // The sandbox would take this question away.
    baton.configure(
      `${QUIET}sandbox:\n  mode: off\npermission:\n  undecided: defer\n  undo: off\n${telegramSettings(telegram)}`,
    )
    await baton.must('up', '--restart')
    await terminal.submit('now make it')
    await terminal.answerDialog(/Do you want to proceed/, '1')
    await terminal.waitForScreen(/the third end/)
    await terminal.submit('now pack it')
    await terminal.waitForScreen(/don.t ask again for: npm run/)
    await terminal.answerDialog(/Do you want to proceed/, '1')
    await terminal.waitForScreen(/the fourth end/)
    expect(readFileSync(local, 'utf8')).toContain('Bash(npm run *)')
    const file = readFileSync(join(home.path, '.baton.yaml'), 'utf8')
    expect(file).not.toContain('npm run')
    baton.configure(file.replace('  undecided: defer\n', ''))
    expect(await baton.must('check', 'npm run pack-all')).toMatch(/^ask/)
    const packed = (await decisionsOf(baton)).filter(({ subject }) => subject.includes('pack-all'))
    expect(packed.map(({ decision, by }) => `${decision} by ${by}`)).toContain('allow by person')
    const deferred = (await decisionsOf(baton)).filter(({ subject }) => subject.includes('deferred'))
    expect(deferred.map(({ decision, by }) => `${decision} by ${by}`).sort()).toEqual([
      'allow by person',
      'defer by nobody',
      'defer by nobody',
    ])
    expect(telegram.messages().filter(({ text }) => text.includes('deferred'))).toEqual([])
    model.assertClean()
  })

  test('the gh commands of setup-viewboard run without a question while that workflow is active, and only then', {
    timeout: 180_000,
  }, async () => {
    await using here = await claudeWorld({
      git: false,
      settings: `${QUIET}permissions:\n  ask:\n    - program: gh\n`,
    })
    const { model, home, baton } = here
    const commands = join(home.project, '.claude/commands')
    mkdirSync(commands, { recursive: true })
    writeFileSync(join(commands, 'setup-viewboard.md'), 'Set up the board.\n')
    const bin = join(home.path, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'gh'), '#!/bin/sh\necho "stub ran: $*"\n', { mode: 0o755 })
    const env = { PATH: `${bin}:${process.env.PATH}` }
    const listing = 'gh auth status'

    const script = [call('Bash', { command: listing }), say('done', { times: 9 })]
    model.script(request => request.key === home.key && textOf(request).includes('plain work'), script)
    await runClaude({ home, model, prompt: 'plain work', env })
    expect(lastRequestOf(model, home)).not.toContain('stub ran')

    const board = [
      call('Bash', { command: listing }),
      call('Bash', { command: 'gh label create agentize:plan --force' }),
      call('Bash', { command: 'gh repo delete own/repo --yes' }),
      say('done', { times: 9 }),
    ]
    model.script(request => request.key === home.key && textOf(request).includes('Set up the board'), board)
    await runClaude({ home, model, prompt: '/setup-viewboard', env })
    const told = lastRequestOf(model, home)
    expect(told).toContain('stub ran: auth status')
    expect(told).toContain('stub ran: label create agentize:plan --force')
    expect(told).not.toContain('stub ran: repo delete')
    const decisions = await decisionsOf(baton)
    // No one sits at a terminal and no channel is set up, so what a rule asks about is denied.
    expect(decisions.map(({ decision }) => decision)).toEqual(['deny', 'allow', 'allow', 'deny'])
    expect(decisions[1]?.trail[0]?.rule).toContain('workflow setup-viewboard')
  })

  test('in plan mode no rule says yes for the person; a question of a subagent reaches them too', {
    timeout: 180_000,
  }, async () => {
    await using telegram = await startTelegram()
    await using here = await claudeWorld({
      git: false,
      settings: `${QUIET}permission:\n  preset: trusting\n${ASK_DATE}${telegramSettings(telegram)}`,
    })
    const { model, home, baton } = here
    const file = join(home.project, 'made.txt')
    const task = { description: 'look', prompt: 'the-subtask', subagent_type: 'general-purpose' }
    model.script('the-subtask', [call('Bash', { command: 'date +sub-%Y' }), say('looked')])
    model.script({ key: home.key }, [
      call('Agent', { ...task, run_in_background: false }),
      call('Write', { file_path: file, content: 'made' }),
      say('done'),
    ])
    const running = runClaude({ home, model, prompt: 'plan it', args: ['--permission-mode', 'plan'] })
    const sub = await telegram.message(({ text }) => text.includes('sub-'), 'the question of the subagent')
    telegram.press(sub, '❌ Deny')
    const write = await telegram.message(
      ({ text }) => text.includes('made.txt'),
      'the question about the file',
    )
    expect(write.text).toContain('in plan mode a person decides')
    expect(existsSync(file)).toBe(false)
    telegram.press(write, '❌ Deny')
    await running
    expect(existsSync(file)).toBe(false)
    const decisions = await decisionsOf(baton)
    expect(decisions.filter(({ decision }) => decision === 'deny').map(({ by }) => by)).toEqual([
      'person',
      'person',
    ])
  })
})
