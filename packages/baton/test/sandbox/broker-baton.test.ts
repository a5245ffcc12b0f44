import { describe, expect, test } from 'vitest'
import { brokerTakes } from '../../src/sandbox/broker/broker-takes.ts'
import { commandText } from '../../src/sandbox/broker/command-text.ts'
import { planBaton } from '../../src/sandbox/broker/plan-baton.ts'

describe('the broker and baton', () => {
  test.each([
    [['done'], ['done']],
    [
      ['done', '--blocked', 'no rights to push'],
      ['done', '--blocked=no rights to push'],
    ],
    // A value that looks like an option stays a value.
    [
      ['done', '--blocked', '--dry-run'],
      ['done', '--blocked=--dry-run'],
    ],
    [['status'], ['status']],
    [
      ['status', 'auth-system', '--json'],
      ['status', '--json', '--', 'auth-system'],
    ],
    [
      ['claim', '42'],
      ['claim', '--', '42'],
    ],
    [
      ['claim', 'ready', '--summary=Say hello'],
      ['claim', '--summary=Say hello', '--', 'ready'],
    ],
    [
      ['claim', 'board', 'setup', '--title', 'App board'],
      ['claim', '--title=App board', '--', 'board', 'setup'],
    ],
    [
      ['handoff', '--focus', 'the tests'],
      ['handoff', '--focus=the tests'],
    ],
    [
      ['handoff', 'show', '--section', 'decisions'],
      ['handoff', '--section=decisions', '--', 'show'],
    ],
  ])('hands on %j', (argv, args) => {
    const plan = planBaton(argv)
    if (plan.kind !== 'baton') throw new Error(JSON.stringify(plan))
    expect(plan.args).toEqual(args)
    expect(commandText(plan.shown)).toBe(commandText(['baton', ...argv]))
    expect(plan).toMatchObject({ input: undefined, isHelp: false })
    expect(brokerTakes(['baton', ...argv])).toBe(true)
  })

  test('has a document that is to be checked read inside', () => {
    const plan = planBaton(['handoff', '--verify', '/home/me/.ssh/id_ed25519'])
    expect(plan).toMatchObject({ args: ['handoff', '--verify=-'], input: '/home/me/.ssh/id_ed25519' })
  })

  test.each([
    ['allow', 'ask_3f2a'],
    ['deny', 'ask_3f2a'],
    ['answer', 'ask_3f2a', '1'],
    ['asks'],
    ['learn'],
    ['trust'],
    ['trust', '--remove'],
    ['config'],
    ['config', 'set', 'sandbox.mode', 'off'],
    ['pause'],
    ['unpause'],
    ['away'],
    ['down'],
    ['up', '--restart'],
    ['init', '--yes'],
    ['uninstall', '--yes'],
    ['forget', '3f2a91c0'],
    ['run', 'do it'],
    ['chat', '--prompt', 'do it'],
    ['kill', '3f2a91c0'],
    ['stop', '3f2a91c0'],
    ['undo', 'last'],
    ['hook', 'claude'],
    ['mcp', '--http'],
    ['logs', '--follow'],
    ['recap'],
    ['dashboard'],
    ['ps', '3f2a', '--name', 'x'],
    ['done', '3f2a91c0'],
    ['done', '--session', '3f2a91c0'],
    ['status', '--all'],
    ['status', '../other'],
    ['claim', 'release'],
    ['claim', 'takeover', '42'],
    ['claim', 'takeover', '42', '--force'],
    ['claim', '42', '--anyway'],
    ['claim', '42', 'setup'],
    ['handoff', '--to', 'codex'],
    ['handoff', '--session', '3f2a91c0'],
    ['handoff', '-s', '3f2a91c0'],
    ['handoff', '--transcript', '/home/me/other.jsonl'],
    ['handoff', 'facts', 'remove', '3fa2c18b'],
    ['handoff', 'now', '5d0c3ab2'],
    ['handoff', 'show', '../../../.ssh/id_ed25519'],
    ['--config', 'mine.yaml', 'done'],
    ['--', 'allow', 'ask_3f2a'],
    ['done', '--', 'allow'],
    ['constructor'],
    [''],
    [],
  ])('refuses `baton %s %s %s` in one line', (...argv) => {
    const plan = planBaton(argv)
    expect(plan.kind).toBe('refused')
    if (plan.kind === 'refused')
      expect(plan.reason).toMatch(/^baton .*does not run from inside the sandbox\. [^\n]+$/)
    expect(brokerTakes(['baton', ...argv])).toBe(false)
  })

  test('a word that is only known when the command runs is taken for a value or a name', () => {
    expect(brokerTakes(['baton', 'done', '--blocked', undefined])).toBe(true)
    expect(brokerTakes(['baton', undefined])).toBe(false)
    expect(brokerTakes(['/usr/bin/baton', 'done'])).toBe(false)
  })
})
