import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { batonOnPath } from '../world/baton.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { type ModelRequest, textOf } from '../world/model.ts'
import { call, say, type Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const NEVER = new Promise<void>(() => {})
const SETTINGS =
  'permission:\n  preset: trusting\nhandsoff:\n  hung_sec: 10\n  max_same_failures: 3\nwatch:\n  interval_sec: 1\n'

/** Repeats the essentials by their ids; which is the goal and which the next step, it finds out. */
function check(request: ModelRequest): string {
  const ids = [...new Set(textOf(request).match(/\[[0-9a-f]{8}\]/g))]
  const [goal, next] = /That is not what/.test(request.lastText) ? ids.toReversed() : ids
  return `<handoff-check>\ngoal: ${goal}\nbranch: main\nnext: ${next ?? goal}\ninstructions: ${ids.join(' ')}\n</handoff-check>`
}

describe('a run that hangs or loops, with the real Claude Code', () => {
  test('gets Escape and a prompt, then a fresh session; there a repeated failure ends it (after 10 seconds and 3 times, to be short)', {
    timeout: 300_000,
  }, async () => {
    await using here = await claudeWorld({ settings: SETTINGS })
    const { model, home, baton } = here
    mkdirSync(join(home.project, '.claude/commands'), { recursive: true })
    writeFileSync(join(home.project, '.claude/commands/issue-to-impl.md'), 'Implement issue $ARGUMENTS.\n')
    const heard: string[] = []
    model.script({ key: home.key }, (request): Turn => {
      const last = request.lastText
      if (/That is not what|and resume work/.test(last)) return say(check(request))
      if (/Now continue the work/.test(last) || heard.includes('continued')) {
        if (!heard.includes('continued')) heard.push('continued')
        return call('Bash', { command: 'echo "no such module" && false' })
      }
      if (/automatic prompt from Baton/.test(last)) heard.push('nudged')
      else if (request.toolResults.length === 0)
        // While a tool runs, silence is no hang.
        return call('Bash', { command: 'sleep 12 && echo one > one.txt' })
      return say('never', { gate: NEVER })
    })
    const env = { PATH: `${batonOnPath(home.path)}:${process.env.PATH}` }
    await using terminal = await claudeInTmux({ home, model, permissionMode: 'bypassPermissions', env })
    await terminal.submit('/issue-to-impl 42')
    const evidence = async () => `${await terminal.screen()}\n${await baton.must('logs')}\n${model.summary()}`
    const ends = async () =>
      (await baton.entries({ kind: 'workflow' })).flatMap(({ body }) =>
        body.kind === 'workflow' && body.what === 'ended' ? [`${body.end}: ${body.reason}`] : [],
      )
    await until(async () => (await ends()).length > 1, {
      what: 'the end of the run',
      timeout: 240_000,
      every: 300,
      evidence,
    })
    const actions = (await baton.entries({ kind: 'health' })).flatMap(({ body }) =>
      body.kind === 'health' && body.message.startsWith('issue-to-impl #42') ? [body.action] : [],
    )
    expect(actions).toEqual([
      'interrupted the turn and told the agent to continue',
      'moves the work to a fresh session',
    ])
    expect(heard).toEqual(['nudged', 'continued'])
    const sessions = (await baton.events()).filter(({ type }) => type === 'SessionStarted')
    expect(new Set(sessions.map(({ nativeSession }) => nativeSession)).size).toBe(2)
    expect(await ends()).toEqual([
      expect.stringMatching(/^handed-off: /),
      expect.stringMatching(
        /^stalled: the same command failed 3 times with the same result: Bash echo "no such module" && false: .*no such module/,
      ),
    ])
    // Escape ended the loop: the terminal waits.
    await terminal.waitUntilReady()
  })
})
