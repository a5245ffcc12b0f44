import { execFileSync } from 'node:child_process'
import type { ReleasedAction } from '@batonpass/contract/permission'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commentFor, preparedId, wrappedCommand } from '../../src/adapters/bubblewrap/box.ts'
import { looksPrepared } from '../../src/ports/sandbox.ts'
import { isSameAction } from '../../src/sandbox/broker/released-actions.ts'
import { type SandboxWorld, sandboxWorld, testSandbox } from '../world/sandbox.ts'

const NOW = 1_000_000
const PUSH = ['git', 'push', 'origin', 'feature']

async function releaseWorld() {
  const world = await sandboxWorld()
  const prepare = async (text: string, { isGranted = false, isRuled = false } = {}) => {
    const { path } = world.project
    const push = { words: PUSH, folders: [path], ...(isRuled ? { byRule: true as const } : {}) }
    const other = { words: ['git', 'push', 'origin', 'other'], folders: [path] }
    const release = { actions: [push, other], isGranted, untilMs: NOW + 1000 }
    const call = {
      shell: 'bash' as const,
      text,
      worktree: path,
      cwd: path,
      path: process.env.PATH ?? '',
      release,
    }
    const result = await world.session.prepare(call)
    if (!result.ok) throw new Error(result.reason)
    return result.prepared
  }
  return { world, prepare }
}

const take = (
  { sandbox, project }: Pick<SandboxWorld, 'sandbox' | 'project'>,
  { words = PUSH, cwd = project.path, nowMs = NOW, session = 'ses_test', byRule = true } = {},
) => {
  const isSame = (action: ReleasedAction) => isSameAction(action, { words, cwd, branch: undefined })
  return sandbox.takeRelease(session, isSame, nowMs, byRule).then(by => by !== undefined)
}

/** As the agent runs it after a yes. */
const runText = (text: string, cwd: string) =>
  execFileSync('/bin/bash', ['-c', `eval ${quote(text)}`], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

describe('a yes in the dialog, in a real sandbox', { timeout: 120_000 }, () => {
  test('counts for exactly that action of the command that runs, once', async () => {
    const { world, prepare } = await releaseWorld()
    await using _ = world
    const { id, text } = await prepare('true')
    expect(await world.sandbox.dialogOpened('ses_other', id)).toBe(false)
    expect(await world.sandbox.dialogOpened('ses_test', '../x')).toBe(false)
    expect(await world.sandbox.dialogOpened('ses_test', id)).toBe(true)
    // The person has not answered: nothing runs.
    expect(await take(world)).toBe(false)
    runText(text, world.project.path)
    for (const other of [
      { words: ['git', 'push', 'origin', 'main'] },
      { words: ['git', 'push', 'origin'] },
      { cwd: `${world.project.path}/src` },
      { session: 'ses_other' },
      { nowMs: NOW + 1001 },
    ])
      expect(await take(world, other)).toBe(false)
    const [first, second] = await Promise.all([take(world), take(world)])
    expect([first, second].filter(Boolean)).toHaveLength(1)
    expect(await take(world)).toBe(false)
  })

  test('does not count if no dialog opened, or after the command has ended', async () => {
    const { world, prepare } = await releaseWorld()
    await using _ = world
    const unseen = await prepare('true')
    runText(unseen.text, world.project.path)
    expect(await take(world)).toBe(false)
    await world.session.discard(unseen.id)
    const seen = await prepare('true')
    await world.sandbox.dialogOpened('ses_test', seen.id)
    runText(seen.text, world.project.path)
    await world.session.discard(seen.id)
    expect(await take(world)).toBe(false)
  })

  test('outlives a daemon that is killed between, and is still used once', async () => {
    const { world, prepare } = await releaseWorld()
    await using _ = world
    const { id, text } = await prepare('true')
    await world.sandbox.dialogOpened('ses_test', id)
    const next = { sandbox: testSandbox(world.state), project: world.project }
    expect(await next.sandbox.dialogOpened('ses_test', id)).toBe(true)
    expect(await take(next)).toBe(false)
    runText(text, world.project.path)
    expect(await take(next)).toBe(true)
    expect(await take(world)).toBe(false)
  })

  test('is not waited for where it was given before', async () => {
    const { world, prepare } = await releaseWorld()
    await using _ = world
    const { id, text } = await prepare('true', { isGranted: true })
    expect(await world.sandbox.dialogOpened('ses_test', id)).toBe(false)
    expect(await take(world)).toBe(false)
    runText(text, world.project.path)
    expect(await take(world)).toBe(true)
  })

  test('is not needed for what a rule allows, only for the rest', async () => {
    const { world, prepare } = await releaseWorld()
    await using _ = world
    const { text } = await prepare('true', { isRuled: true })
    expect(await take(world)).toBe(false)
    runText(text, world.project.path)
    expect(await take(world, { words: ['git', 'push', 'origin', 'other'] })).toBe(false)
    // Where another rule asks, this one's yes is neither taken nor used up.
    expect(await take(world, { byRule: false })).toBe(false)
    expect(await take(world)).toBe(true)
    expect(await take(world)).toBe(false)
  })

  test('the comment in front of what runs is never run, and the request is found again by the whole text', async () => {
    const { world, prepare } = await releaseWorld()
    await using _ = world
    const hostile = [
      'echo once\n# x\necho twice',
      `echo "it's" # a comment; touch owned`,
      'echo `id` $(id) "${HOME}" !! \\\n  more',
      'echo a\r\u2028\u0000\u202e\u200b'.replace('\u0000', ''),
      `echo ${'x'.repeat(5000)} && git push origin feature`,
    ]
    for (const command of hostile) {
      const { id, text } = await prepare(command)
      expect(text.split('\n')[0]).toBe(commentFor(command).trimEnd())
      expect(await world.sandbox.findPrepared('ses_test', text)).toEqual({
        id,
        text: command,
        isTaken: false,
      })
      expect(
        await world.sandbox.findPrepared('ses_test', text.replace(/^#[^\n]*/, '# other')),
      ).toBeUndefined()
      expect(await world.sandbox.findPrepared('ses_test', text.replace(/^#[^\n]*\n/, ''))).toBeUndefined()
    }
    const { text } = await prepare(hostile[0] ?? '')
    expect(runText(text, world.project.path)).toBe('once\ntwice\n')
  })
})

test('a comment is one line without what hides or reorders text, whatever the command', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), command => {
      const comment = commentFor(command)
      expect(comment).toMatch(/^# [^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*\n$/u)
      expect(preparedId('/b/box', comment + wrappedCommand('/b/box', '/r/abc', 'abc', 'bash'))).toBe('abc')
      expect(looksPrepared(comment + wrappedCommand("/b's/sandbox/box", '/r/abc', 'abc', 'bash'))).toBe(true)
    }),
  )
})
