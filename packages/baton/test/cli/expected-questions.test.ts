import { mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countQuestions, questionsLine } from '../../src/cli/expected-questions.ts'
import type { Io } from '../../src/cli/io.ts'
import { ROWS } from '../adapters/agents/agent-rows.ts'
import { claudeRows, piRows, type Step } from '../handoff/sessions.ts'
import { type Scratch, scratch } from '../world/scratch.ts'

const run = (command: string): Step => ({ run: { command } })
const STEPS = [run('git status'), run('npm test'), run('rm -rf /')]

function ioIn(home: Scratch, signal = new AbortController().signal): Io & { said: string[] } {
  const said: string[] = []
  const write = (text: string) => said.push(text)
  const io = { stdin: process.stdin, stdout: { write }, stderr: { write }, isTTY: false, signal }
  return { ...io, env: {}, cwd: home.path, home: home.path, said }
}

/** A transcript of Claude Code in which the user chose a mode. */
const inMode = (permissionMode: string, steps: readonly Step[]): string =>
  [JSON.stringify({ type: 'permission-mode', permissionMode, sessionId: 'x' }), ...claudeRows(steps)].join(
    '\n',
  )

describe('the questions to expect', () => {
  test.each([
    ['default', 1],
    ['plan', 1],
    ['acceptEdits', 1],
    ['auto', 0],
    ['bypassPermissions', 0],
    ['dontAsk', 0],
    ['aModeOfTomorrow', 1],
  ])('are counted by the mode that Claude Code’s transcript names: %s', async (mode, respect) => {
    await using home = scratch()
    home.write('.claude/projects/-work/one.jsonl', inMode(mode, STEPS))
    const count = await countQuestions(ioIn(home))
    expect(count).toEqual({ sessions: 1, calls: 3, respect, ask: 1, defer: 0 })
  })

  test('a mode that changed counts from there on', async () => {
    await using home = scratch()
    const rows = [inMode('auto', [run('npm test')]), inMode('default', [run('npm test')])]
    home.write('.claude/projects/-work/one.jsonl', rows.join('\n'))
    expect(await countQuestions(ioIn(home))).toMatchObject({ calls: 2, respect: 1, ask: 2 })
  })

  test.each([
    ['.codex/sessions/2026/11/16/rollout-2026-11-16T10-00-00-c0de.jsonl', ROWS.codex(STEPS)],
    ['.copilot/session-state/c0/events.jsonl', ROWS.copilot(STEPS)],
    ['.gemini/tmp/project/chats/session-2026-11-16T10-00-c0.jsonl', ROWS.gemini(STEPS)],
    ['.pi/agent/sessions/--work--/2026-11-16_c0.jsonl', piRows(STEPS, 3)],
  ])('%s is found and read; its mode is not known, so it counts as a default mode', async (name, rows) => {
    await using home = scratch()
    home.write(name, `${rows.join('\n')}\n`)
    expect(await countQuestions(ioIn(home))).toEqual({ sessions: 1, calls: 3, respect: 1, ask: 1, defer: 0 })
  })

  test('only the newest twenty sessions count, and none that called no tool', async () => {
    await using home = scratch()
    for (let n = 0; n < 25; n++) {
      const path = home.write(
        `.claude/projects/-work/s${n}.jsonl`,
        inMode('default', [run(n < 5 ? 'npm test' : 'ls')]),
      )
      utimesSync(path, 1000 + n, 1000 + n)
    }
    expect(await countQuestions(ioIn(home))).toMatchObject({ sessions: 20, calls: 20, ask: 0 })
    const silent = home.write(
      '.claude/projects/-work/silent.jsonl',
      claudeRows([{ prompt: 'hi' }]).join('\n'),
    )
    utimesSync(silent, 5000, 5000)
    expect(await countQuestions(ioIn(home))).toMatchObject({ sessions: 19, calls: 19 })
  })

  test('the rules and the preset in force decide', async () => {
    await using home = scratch()
    home.write('.claude/projects/-work/one.jsonl', inMode('auto', [...STEPS, run('date')]))
    home.write('.baton.yaml', 'permissions:\n  ask:\n    - program: date\n')
    expect(await countQuestions(ioIn(home))).toMatchObject({ respect: 1, ask: 2, defer: 1 })
    // Somebody who chose to be cautious is asked in every mode.
    expect(await countQuestions(ioIn(home), 'cautious')).toMatchObject({ respect: 2, ask: 2, defer: 2 })
    expect(await countQuestions(ioIn(home), 'trusting')).toMatchObject({ respect: 1, ask: 1, defer: 1 })
  })

  test('without transcripts, with broken ones and with folders in their place nothing is counted', async () => {
    await using home = scratch()
    const none = { sessions: 0, calls: 0, respect: 0, ask: 0, defer: 0 }
    expect(await countQuestions(ioIn(home))).toEqual(none)
    home.write(
      '.claude/projects/-work/broken.jsonl',
      '{"type":"assistant","message":{"content":[{"type":"tool_use"',
    )
    home.write('.claude/projects/-work/other.jsonl', `${'\0'.repeat(5000)}\n[1]\n"x"\n{"permissionMode":7}\n`)
    mkdirSync(join(home.path, '.claude/projects/-work/folder.jsonl'))
    expect(await countQuestions(ioIn(home))).toEqual(none)
    expect(questionsLine(none, 'respect')).toBeUndefined()
  })

  test('whoever breaks off waits for nothing', async () => {
    await using home = scratch()
    home.write('.claude/projects/-work/one.jsonl', inMode('default', STEPS))
    expect(await countQuestions(ioIn(home, AbortSignal.abort()))).toMatchObject({ sessions: 0 })
  })

  test('are said in a sentence', () => {
    const count = { sessions: 20, calls: 900, respect: 7, ask: 143, defer: 0 }
    expect(questionsLine(count, 'respect')).toBe(
      'In your last 20 sessions Baton would have asked 7 times instead of 143.',
    )
    expect(questionsLine(count, 'ask')).toBe('In your last 20 sessions Baton would have asked 143 times.')
    expect(questionsLine({ ...count, sessions: 1 }, 'defer')).toBe(
      'In your last session Baton would have asked 0 times instead of 143.',
    )
  })
})
