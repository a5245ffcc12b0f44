import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { lastRequestOf, textOf } from '../world/model.ts'
import { plainGit } from '../world/scratch.ts'
import { startTelegram, telegramSettings } from '../world/telegram.ts'
import { call, say } from '../world/turn.ts'

const SETTINGS = 'sandbox:\n  mode: on\nhandsoff:\n  auto_permission: false\n  max_continuations: 1\n'
const WORK = 'git switch -qc feature && git add -A && git commit -qm "add notes" && git push -u origin HEAD'
const AGAIN = 'git commit -q --allow-empty -m again && git push && git fetch && git status -sb | head -1'
/** The script pushes the same once more, which no one saw in the dialog. */
const AT_TERMINAL = `git commit -q --allow-empty -m "it's # typed" && git push origin feature && sh again.sh; echo "ended with $?"`

describe('the broker, with the real Claude Code', () => {
  test('edit, commit and push in one command: one question, about the push alone; then a rule answers it, then a person in the dialog', {
    timeout: 480_000,
  }, async () => {
    await using telegram = await startTelegram()
    await using here = await claudeWorld({ settings: SETTINGS + telegramSettings(telegram) })
    const { model, home, baton } = here
    const { project } = home
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: project,
        encoding: 'utf8',
        env: { ...process.env, ...plainGit },
      }).trim()
    const origin = join(home.path, 'origin.git')
    git('init', '-q', '--bare', origin)
    git('remote', 'add', 'origin', origin)
    const write = call('Write', { file_path: join(project, 'notes.md'), content: 'notes\n' })
    const round = (words: string) => (request: Parameters<typeof textOf>[0] & { key?: string }) =>
      request.key === home.key && textOf(request).includes(words)
    model.script(round('first round'), [write, call('Bash', { command: WORK }), say('pushed', { times: 9 })])

    const running = runClaude({ home, model, prompt: 'first round', timeout: 360_000 })
    const question = await telegram.message(
      ({ text }) => text.includes('git push'),
      'the question about the push',
    )
    expect(question.text).toContain('git push -u origin feature')
    expect(question.text).not.toContain('git commit')
    telegram.press(question, '✅ Allow')
    expect((await running).isError).toBe(false)
    expect(git('--git-dir', origin, 'log', '-1', '--format=%s', 'feature')).toBe('add notes')
    expect(lastRequestOf(model, home)).toContain('set up to track')

    const bodies = (await baton.entries({})).map(({ body }) => body)
    const opened = bodies.filter(body => body.kind === 'ask' && body.what === 'opened')
    expect(opened).toHaveLength(1)
    const decisions = bodies.flatMap(body => (body.kind === 'decision' && body.tool === 'Bash' ? body : []))
    expect(decisions.map(({ subject, decision, by }) => [subject, decision, by])).toEqual([
      [WORK, 'allow', 'sandbox'],
      ['git push -u origin feature', 'allow', 'person'],
    ])
    expect(bodies.filter(({ kind }) => kind === 'broker')).toEqual([
      expect.objectContaining({ command: 'git push -u origin feature', exit: 0 }),
    ])
    expect(bodies.filter(({ kind }) => kind === 'fault')).toEqual([])

    baton.configure(
      `${SETTINGS}permissions:\n  allow:\n    - program: git\n      subcommand: push\n${telegramSettings(telegram)}`,
    )
    await baton.must('up', '--restart')
    model.script(round('second round'), [call('Bash', { command: AGAIN }), say('pushed again', { times: 9 })])
    expect((await runClaude({ home, model, prompt: 'second round', timeout: 360_000 })).isError).toBe(false)
    expect(git('--git-dir', origin, 'log', '-1', '--format=%s', 'feature')).toBe('again')
    expect(lastRequestOf(model, home)).toContain('## feature...origin/feature')
    expect(telegram.messages().filter(({ text }) => text.includes('git push'))).toHaveLength(1)

    // At the terminal, Claude Code's own dialog asks, and after the yes the command runs inside.
    baton.configure(SETTINGS)
    await baton.must('up', '--restart')
    model.script(round('third round'), [call('Bash', { command: AT_TERMINAL }), say('the end of it')])
    writeFileSync(
      join(project, 'again.sh'),
      'git commit -q --allow-empty -m again && git push origin feature\n',
    )
    await using terminal = await claudeInTmux({ home, model, columns: 180, rows: 50 })
    await terminal.submit('third round')
    const dialog = await terminal.waitForScreen(/Do you want to proceed/, { timeout: 240_000 })
    expect(dialog).toContain(`# ${AT_TERMINAL}`)
    expect(dialog).toMatch(/leave the sandbox, once: git push origin feature\./)
    expect(git('--git-dir', origin, 'log', '-1', '--format=%s', 'feature')).toBe('again')
    await terminal.answerDialog(/Do you want to proceed/, 'Enter')
    await terminal.waitForScreen(/the end of it/, { timeout: 240_000 })
    expect(git('--git-dir', origin, 'log', '-1', '--format=%s', 'feature')).toBe("it's # typed")
    expect(lastRequestOf(model, home)).toContain('ended with 1')
    const atTerminal = (await baton.entries({})).map(({ body }) => body).slice(bodies.length)
    expect(atTerminal.flatMap(body => (body.kind === 'broker' ? body : [])).slice(-2)).toEqual([
      expect.objectContaining({ command: 'git push origin feature', exit: 0 }),
      expect.objectContaining({ command: 'git push origin feature', refused: expect.any(String) }),
    ])
    // The journal says how each part ended that left, or was to leave.
    const ends = atTerminal.flatMap(body => {
      const isEnd = body.kind === 'event' && /^Tool(Finished|Denied)$/.test(body.event.type)
      return isEnd && 'toolUseId' in body.event && body.event.toolUseId?.startsWith('broker_')
        ? body.event.type
        : []
    })
    expect(ends.slice(-2)).toEqual(['ToolFinished', 'ToolDenied'])
    expect(JSON.stringify(atTerminal)).not.toContain('/sandbox/box')
  })
})
