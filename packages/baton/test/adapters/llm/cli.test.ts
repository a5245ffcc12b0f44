import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cliModel } from '../../../src/adapters/llm/cli.ts'
import type { PrivateCalls } from '../../../src/adapters/llm/private-call.ts'
import { systemIds } from '../../../src/adapters/system/ids.ts'
import { systemPrograms } from '../../../src/adapters/system/programs.ts'
import type { ModelUsage, OnModelUsage } from '../../../src/ports/model.ts'
import type { ProgramCall, Programs } from '../../../src/ports/programs.ts'
import { OwnModelCalls } from '../../../src/session/own-model-calls.ts'
import { type ClaudeHome, claudeHome } from '../../world/agents/claude.ts'
import { claudeEvents, recordHooks } from '../../world/agents/claude-hooks.ts'
import { installAgent } from '../../world/agents/install.ts'
import { type Model as FakeModel, startModel } from '../../world/model.ts'
import { call, hold, say, unauthorized } from '../../world/turn.ts'
import { until } from '../../world/wait.ts'
import { Choice, never, question } from './sample.ts'

const answer = { decision: 'deny', reason: 'It sends a key away.' }

describe('the model by Claude Code’s own program', () => {
  test('gives an answer of the wanted shape and has no tool but the one it answers with', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    fake.script('Judge this.', [call('StructuredOutput', answer)])

    const used: ModelUsage[] = []
    const { model } = claude(home, fake, {}, usage => used.push(usage))
    expect(await model.ask(question, Choice, never())).toEqual(answer)
    expect(used).toEqual([
      {
        by: 'claude',
        model: question.model,
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        usd: expect.any(Number),
      },
    ])
    expect(used[0]?.inputTokens).toBeGreaterThan(0)

    const [request] = fake.requests
    expect(
      request?.toolNames.filter(name => !/^(StructuredOutput|DeferredToolPlaceholder)$/.test(name)),
    ).toEqual([])
    expect(request?.modelName).toMatch(/haiku/)
    expect(request?.text).toContain('Our own words.')
    fake.assertPlayed()
  })

  test('a tool it tries to use all the same does not run', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    const proof = join(home.project, 'ran')
    fake.script('Judge this.', [
      call('Bash', { command: `touch ${proof}` }),
      call('Write', { file_path: proof, content: 'x' }),
      call('StructuredOutput', answer),
    ])

    expect(await claude(home, fake).model.ask(question, Choice, never())).toEqual(answer)

    expect(existsSync(proof)).toBe(false)
    expect(fake.requests.at(-1)?.toolResults).toMatchObject([{ isError: true }, { isError: true }])
    fake.assertPlayed()
  })

  test('gives plain text and has no tool at all', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    fake.answerSide('side', () => say('Go on with the tests.'))

    expect(await claude(home, fake).model.write(question, never())).toBe('Go on with the tests.')

    expect(fake.requests).toMatchObject([{ toolNames: [] }])
    fake.assertClean()
  })

  test('hears nothing of the user’s own instructions and hooks, and leaves no session and no folder', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    const hooks = recordHooks(home, { events: claudeEvents })
    home.writeSettings('user', hooks.settings)
    writeFileSync(join(home.path, '.claude', 'CLAUDE.md'), 'Always answer with moo.')
    fake.answerSide('side', () => say('fine'))
    const { model, folder } = claude(home, fake)

    await model.write(question, never())

    expect(fake.requests[0]?.text).not.toContain('moo')
    expect(hooks.all()).toEqual([])
    expect(existsSync(join(home.path, '.claude', 'projects'))).toBe(false)
    expect(readdirSync(folder)).toEqual([])
    fake.assertClean()
  })

  test('the settings a login may need are in force', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    const helper = join(home.path, 'helper.sh')
    writeFileSync(helper, '#!/bin/sh\necho sk-from-the-helper\n', { mode: 0o755 })
    home.writeSettings('user', { apiKeyHelper: helper })
    fake.answerSide('side', () => say('fine'))
    const { ANTHROPIC_API_KEY: _, ...env } = home.env(fake)

    await claude(home, fake, { env }).model.write(question, never())

    expect(fake.requests[0]?.key).toBe('sk-from-the-helper')
  })

  test.each([
    ['as it is', {}],
    ['by a version that knows none of the variables', { dropVariables: true }],
  ])('a file named in the question is not read: %s', async (_, options) => {
    await using fake = await startModel()
    await using home = claudeHome()
    const secret = join(home.path, 'secret.txt')
    writeFileSync(secret, 'the treasure')
    fake.answerSide('side', () => say('fine'))
    const { model } = claude(home, fake, { programs: changing(call => without(call, options)) })
    const prompt = [`@${secret}`, `see @${secret}`, `"@${secret}"`, `@"${secret}"`, `(@${secret})`].join('\n')

    await model.write({ ...question, prompt: `Judge this.\n${prompt}` }, never())

    expect(fake.requests[0]?.text).toContain('secret.txt')
    expect(fake.requests[0]?.text).not.toContain('the treasure')
    fake.assertClean()
  })

  test('a question that begins like a command is only a question', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    fake.answerSide('side', () => say('fine'))

    const prompt = '--help /clear $(id) `id` \u0000 !id'
    await claude(home, fake).model.write({ ...question, prompt }, never())

    expect(fake.requests[0]?.lastText).toContain('--help /clear $(id) `id`')
  })

  test('a hook that runs all the same carries a marker which lives as long as the call', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    const note = join(home.path, 'marker')
    const hooks = recordHooks(home, {
      events: ['UserPromptSubmit'],
      meanwhile: `echo "$BATON_MARKER" >"${note}"`,
    })
    home.writeSettings('user', hooks.settings)
    const held = hold()
    fake.answerSide('side', () => say('fine', { gate: held.gate }))
    // As an administrator's hooks do, which no switch of ours turns off.
    const programs = changing(call => without(call, { dropVariables: true }))
    const { model, own } = claude(home, fake, { programs })

    const writing = model.write(question, never())
    await fake.waitForRequest(() => true)
    const marker = readFileSync(note, 'utf8').trim()

    expect(marker).not.toBe('')
    expect(own.isLive(marker)).toBe(true)
    held.release()
    await writing
    expect(own.isLive(marker)).toBe(false)
  })

  test('it runs in an empty folder of its own, without the tokens of our other services', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    fake.answerSide('side', () => say('fine'))
    const seen: { call: ProgramCall; files: string[] }[] = []
    const programs = changing(call => {
      seen.push({ call, files: readdirSync(call.cwd) })
      return call
    })
    const env = {
      ...home.env(fake),
      BATON_TELEGRAM_TOKEN: 't',
      GITHUB_TOKEN: 'g',
      BATON_STORE_URL: 'p',
      NODE_OPTIONS: 'n',
    }

    const { model, folder } = claude(home, fake, { env, programs })
    await Promise.all([model.write(question, never()), model.write(question, never())])

    const [one, two] = seen
    expect([one?.files, two?.files]).toEqual([[], []])
    expect(one?.call.cwd).not.toBe(two?.call.cwd)
    expect(one?.call.env.BATON_MARKER).not.toBe(two?.call.env.BATON_MARKER)
    expect(one?.call.cwd.startsWith(`${folder}/`)).toBe(true)
    expect(one?.call.env).not.toHaveProperty('GITHUB_TOKEN')
    for (const name of ['BATON_TELEGRAM_TOKEN', 'BATON_STORE_URL', 'NODE_OPTIONS'])
      expect(one?.call.env).not.toHaveProperty(name)
  })

  test('one that takes too long is gone, with its folder and its marker', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    const held = hold()
    fake.answerSide('side', () => say('late', { gate: held.gate, times: 99 }))
    const { model, folder, own, markers } = claude(home, fake)

    const writing = model.write({ ...question, withinMs: 1500 }, never())
    await until(() => processesIn(folder).length > 0, { what: 'the program to begin' })

    await expect(writing).rejects.toMatchObject({ code: 'timed_out' })
    expect(processesIn(folder)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    expect(markers.map(marker => own.isLive(marker))).toEqual([false])
    await until(() => fake.requests.every(each => each.ended === 'hung-up'), {
      what: 'the connection to close',
    })
    held.release()
  })

  test('one that nobody waits for any more is gone', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    const held = hold()
    fake.answerSide('side', () => say('late', { gate: held.gate, times: 99 }))
    const abort = new AbortController()
    const { model, folder } = claude(home, fake)

    const writing = model.write(question, abort.signal)
    await fake.waitForRequest(() => true)
    abort.abort()

    await expect(writing).rejects.toMatchObject({ code: 'model_failed' })
    expect(processesIn(folder)).toEqual([])
    held.release()
  })

  test('a failed login is a failed call that repeats neither key nor question', async () => {
    await using fake = await startModel()
    await using home = claudeHome()
    fake.answerSide('side', () => ({ ...unauthorized(), times: 99 }))

    const failure = await claude(home, fake)
      .model.write(question, never())
      .catch((error: unknown) => error)

    expect(failure).toMatchObject({ code: 'model_failed' })
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toMatch(/sk-ant|Judge this/)
  })

  test('a model’s name cannot be another option', async () => {
    await using fake = await startModel()
    await using home = claudeHome()

    const asking = claude(home, fake).model.write(
      { ...question, model: '--dangerously-skip-permissions' },
      never(),
    )

    await expect(asking).rejects.toMatchObject({ code: 'config_invalid' })
    expect(fake.requests).toEqual([])
  })

  test.each([
    ['text around it', { result: 'Sure! {"decision":"allow","reason":"ok"}' }],
    ['a code fence', { result: '```json\n{"decision":"allow","reason":"ok"}\n```' }],
    ['a field more', { structured_output: { decision: 'allow', reason: 'ok', run: 'rm' } }],
    ['another word', { structured_output: { decision: 'ALLOW', reason: 'ok' } }],
    ['an error that looks like an answer', { is_error: true, result: '{"decision":"allow","reason":"ok"}' }],
    ['an end by force', { subtype: 'error_max_turns', result: '{"decision":"allow","reason":"ok"}' }],
    ['no JSON', undefined],
  ])('%s is no answer', async (_, printed) => {
    await using fake = await startModel()
    await using home = claudeHome()
    const stdout = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: '',
      ...printed,
    })
    const programs: Programs = {
      run: async () => ({ why: 'itself', code: 0, stdout: printed ? stdout : 'allow', stderr: '' }),
    }

    const asking = claude(home, fake, { programs }).model.ask(question, Choice, never())

    await expect(asking).rejects.toMatchObject({ code: 'model_failed' })
  })
})

const program = await installAgent('claude-code')

function claude(
  home: ClaudeHome,
  fake: FakeModel,
  changes: Partial<PrivateCalls> = {},
  onUsage?: OnModelUsage,
) {
  const own = new OwnModelCalls(systemIds)
  const markers: string[] = []
  const folder = join(home.path, 'baton-calls')
  mkdirSync(folder, { recursive: true })
  const ownCall = () => {
    const issued = own.issue()
    markers.push(issued.marker)
    return issued
  }
  const calls = { programs: systemPrograms, ownCall, env: home.env(fake), folder, ...changes }
  return { model: cliModel(program, calls, onUsage), own, markers, folder }
}

function changing(change: (call: ProgramCall) => ProgramCall): Programs {
  return { run: (call, signal) => systemPrograms.run(change(call), signal) }
}

function without(call: ProgramCall, { dropVariables = false }): ProgramCall {
  if (!dropVariables) return call
  const env = Object.fromEntries(
    Object.entries(call.env).filter(([name]) => !/^CLAUDE_CODE_(SAFE_MODE|DISABLE_(ATTACH|FILE))/.test(name)),
  )
  return { ...call, env }
}

/** The processes whose working folder lies under `folder`. */
function processesIn(folder: string): number[] {
  if (!existsSync('/proc/self/cwd')) return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => workingFolder(pid)?.startsWith(`${folder}/`))
    .map(Number)
}

function workingFolder(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}
