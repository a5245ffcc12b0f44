import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { claudeCode } from '../../src/adapters/agents/claude-code/adapter.ts'
import { profiles } from '../../src/adapters/agents/profiles.ts'
import { makeLauncher } from '../../src/hook/launcher.ts'
import { programPaths } from '../../src/hook/program.ts'
import { toolCall } from '../hook/world.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { scratch } from '../world/scratch.ts'

const FIXTURE = readFileSync(join(import.meta.dirname, '../fixtures/claude-code/settings-0.1.jsonc'), 'utf8')
const KEY = '0123456789abcdef'.repeat(4)

/** The home of someone who used Baton 0.1: its state folder with the key, its launcher, its HTTP hooks. */
function homeOf01(port: number) {
  const dir = scratch('br-')
  const here = batonIn(join(dir.path, 'home'), dir.path)
  dir.write('bin/claude', '#!/bin/sh\necho "9.9.9 (Claude Code)"\n', 0o755)
  const env = { PATH: `${join(dir.path, 'bin')}:${process.env.PATH}` }
  const settings = join(here.home, '.claude/settings.json')
  const launcher = join(here.stateDir, 'bin/baton-hook')
  const places = { home: here.stateDir, ...programPaths(), agents: profiles, waitSeconds: 60 }
  mkdirSync(dirname(launcher), { recursive: true, mode: 0o700 })
  writeFileSync(launcher, makeLauncher('perl', places) ?? '', { mode: 0o755 })
  writeFileSync(join(here.stateDir, 'observe-key'), `${KEY}\n`, { mode: 0o600 })
  mkdirSync(dirname(settings))
  const text = FIXTURE.replaceAll('/home/dev/', `${here.home}/`).replaceAll(':4747/', `:${port}/`)
  writeFileSync(settings, text)
  return {
    ...{ dir, here, env, settings, text },
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]()
      dir.remove()
    },
  }
}

const hooksIn = (
  path: string,
): Record<string, { hooks: { type: string; url?: string; command?: string }[] }[]> =>
  parse(readFileSync(path, 'utf8'), [], { allowTrailingComma: true }).hooks

/** Runs Claude Code's hooks of one event as Claude Code does. */
async function runHooks(here: BatonHere, settings: string, event: string, body: string) {
  for (const { hooks } of hooksIn(settings)[event] ?? [])
    for (const { type, url = '', command = '' } of hooks) {
      if (type === 'command') {
        const env = { PATH: process.env.PATH, HOME: here.home }
        spawnSync('/bin/sh', ['-c', command], { input: body, env })
      } else if (url.startsWith('http://127.0.0.1')) {
        await fetch(url, { method: 'POST', body }).catch(() => {})
      }
    }
}

describe('after an update from 0.1', { timeout: 240_000 }, () => {
  test('a program that took the old port receives nothing, and the daemon still learns of it', async () => {
    const received: string[] = []
    const thief = createServer(async (request, response) => {
      for await (const chunk of request) received.push(String(chunk))
      response.end('{}')
    })
    await new Promise<void>(resolve => thief.listen(0, '127.0.0.1', resolve))
    await using world = homeOf01((thief.address() as AddressInfo).port)
    const { here, settings, text } = world
    await here.must('up')
    const done = { hook_event_name: 'PostToolUse', tool_response: { stdout: 'a secret' } }
    await runHooks(here, settings, 'PostToolUse', toolCall('done', done))
    expect(received).toEqual([])
    expect((await here.events()).map(({ type }) => type)).toEqual(['ToolFinished'])

    // Nothing else in the file has changed, and the change is in the journal.
    const repaired = readFileSync(settings, 'utf8')
    const lines = repaired.split('\n')
    const changed = text.split('\n').filter((line, at) => line !== lines[at])
    expect(lines).toHaveLength(text.split('\n').length)
    expect(changed.every(line => line.includes('"http"') || line.includes(KEY))).toBe(true)
    expect(repaired).not.toContain(KEY)
    expect(repaired).toContain('https://audit.example/claude-code/PostToolUse')
    expect((await here.entries({ kind: 'daemon' })).map(({ body }) => body)).toContainEqual(
      expect.objectContaining({ what: 'recovered', detail: expect.stringContaining(settings) }),
    )
    thief.closeAllConnections()
    await new Promise(resolve => thief.close(resolve))
  })

  test('the daemon leaves the hooks of another state folder alone, and doctor and init handle them', async () => {
    await using world = homeOf01(4747)
    const { here, env, settings } = world
    const foreign = readFileSync(settings, 'utf8').replaceAll(KEY, 'f'.repeat(64))
    writeFileSync(settings, foreign)
    await here.must('up')
    expect(readFileSync(settings, 'utf8')).toBe(foreign)

    const seen = await here.run(['doctor'], { env })
    expect(seen.code).toBe(1)
    expect(seen.stdout).toContain('user settings hold HTTP hooks of Baton 0.1')
    expect(seen.stdout).toContain('fix: baton init --agent claude')
    const shown = await here.run(['init', '--agent', 'claude', '--dry-run'], { env })
    expect(shown.stdout).toContain('/observe/<key>/')
    expect(shown.stdout).not.toContain('f'.repeat(64))
    expect((await here.run(['init', '--agent', 'claude'], { env })).code).toBe(0)
    expect(readFileSync(settings, 'utf8')).not.toContain('/observe/')
    expect((await here.run(['doctor'], { env })).code).toBe(0)
  })

  test('settings that are a link stay one, and private settings of a project are repaired, too', async () => {
    await using world = homeOf01(4747)
    const { dir, here, settings, text } = world
    const kept = join(dir.path, 'dotfiles/settings.json')
    mkdirSync(dirname(kept))
    renameSync(settings, kept)
    symlinkSync(kept, settings)
    const project = join(dir.path, 'project')
    mkdirSync(join(project, '.git'), { recursive: true })
    const local = join(project, '.claude/settings.local.json')
    mkdirSync(dirname(local))
    await here.must('up')
    await runHooks(here, settings, 'PreToolUse', toolCall('here', { cwd: project }))
    await here.must('down')
    writeFileSync(kept, text)
    writeFileSync(
      local,
      text.replaceAll('source=user', 'source=local').replaceAll('--source user', '--source local'),
    )
    await here.must('up')
    expect(lstatSync(settings).isSymbolicLink()).toBe(true)
    for (const path of [kept, local]) expect(readFileSync(path, 'utf8'), path).not.toContain(KEY)
    expect(readFileSync(local, 'utf8')).toContain('claude-code PostToolUse --source local')
  })
})

test('uninstall removes the HTTP hooks of 0.1 and leaves what was there before', () => {
  const [change] = claudeCode.uninstall({ scope: 'user', project: '/p', home: '/h' }, () => FIXTURE)
  expect(change?.after).not.toContain('/observe/')
  expect(change?.after).not.toContain('baton')
  expect(parse(change?.after ?? '', [], { allowTrailingComma: true })).toEqual({
    model: 'opus',
    hooks: {
      PostToolUse: [
        { hooks: [{ type: 'http', url: 'https://audit.example/claude-code/PostToolUse?source=user' }] },
      ],
    },
  })
})
