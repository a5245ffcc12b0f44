import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Given, Handler } from '../../src/cli/command.ts'
import { config } from '../../src/cli/commands/config.ts'
import { trust } from '../../src/cli/commands/trust.ts'
import { configWorld } from './world.ts'

function commandWorld() {
  const world = configWorld()
  world.write('project/.git', 'gitdir: elsewhere\n')
  const run = async (
    command: Handler,
    words: string[] = [],
    options: Given['options'] = {},
    cwd = 'project/deep',
  ) => {
    const out = { stdout: '', stderr: '' }
    const stream = (name: keyof typeof out) => ({
      write(text: string) {
        out[name] += text
      },
    })
    const exit = await command(
      { positionals: words, options },
      {
        stdin: new PassThrough(),
        stdout: stream('stdout'),
        stderr: stream('stderr'),
        env: { ...world.places.env, BATON_HOME: world.places.stateDir },
        cwd: join(world.path, cwd),
        home: world.places.home,
        isTTY: false,
        signal: new AbortController().signal,
      },
    )
    const plain = (text: string) => text.replaceAll(`${world.path}/`, '')
    return { exit, stdout: plain(out.stdout), stderr: plain(out.stderr) }
  }
  return { ...world, run }
}

const allow = 'permissions:\n  allow: [make]\ntelegram:\n  token: "1:s3cret"\n'

describe('baton config', () => {
  test('reads the file at the root of the worktree, from any folder in it', async () => {
    await using world = commandWorld()
    world.write('project/.baton.yaml', 'handsoff: {max_continuations: 3}\n')
    expect(await world.run(config, ['handsoff.max_continuations'])).toEqual({
      exit: 0,
      stdout: '3\n',
      stderr: '',
    })
  })

  test('tells what is wrong and what is not trusted on stderr, and fails only for what is wrong', async () => {
    await using world = commandWorld()
    world.write('project/.baton.yaml', allow)
    const untrusted = await world.run(config)
    expect(untrusted.exit).toBe(0)
    expect(untrusted.stderr).toContain(
      'note: project/.baton.yaml:2:10: not trusted, so Baton ignores permissions.allow',
    )
    world.write('home/.baton.yaml', 'handsof: {}\n')
    const wrong = await world.run(config)
    expect(wrong.exit).toBe(4)
    expect(wrong.stderr).toContain('error: home/.baton.yaml:1:1: unknown key handsof. Did you mean handsoff?')
    const json = await world.run(config, [], { json: true })
    expect(json).toMatchObject({ exit: 4, stderr: '' })
    expect(JSON.parse(json.stdout).problems).toHaveLength(1)
  })

  test('prints the JSON Schema for editors', async () => {
    await using world = commandWorld()
    const { stdout } = await world.run(config, [], { schema: true })
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', additionalProperties: false })
  })
})

describe('baton trust', () => {
  test('pins the project’s file, shows what counts with it, and takes it back', async () => {
    await using world = commandWorld()
    world.write('project/.baton.yaml', allow)
    const dry = await world.run(trust, [], { 'dry-run': true })
    expect(dry.stdout).toContain('Would trust project/.baton.yaml')
    expect((await world.run(trust, [], { list: true })).stdout).toBe('')
    const given = await world.run(trust)
    expect(given).toEqual({
      exit: 0,
      stdout:
        'Trusted project/.baton.yaml as it is now. This counts with it:\n  permissions.allow: ["make"] (line 2)\n  telegram.token: •••• (line 4)\n',
      stderr: '',
    })
    expect((await world.run(config, ['permissions.allow[0]'])).stdout).toBe('make\n')
    expect((await world.run(trust, [], { list: true })).stdout).toBe('trusted  project/.baton.yaml\n')
    world.write('project/.baton.yaml', `${allow}#`)
    expect((await world.run(trust, [], { list: true })).stdout).toBe('changed  project/.baton.yaml\n')
    expect((await world.run(trust, [], { remove: true })).stdout).toBe(
      'project/.baton.yaml is no longer trusted.\n',
    )
    expect((await world.run(trust, [], { list: true, json: true })).stdout).toBe('[]\n')
  })

  test('says next to a rule for a container client that it ends containment', async () => {
    await using world = commandWorld()
    world.write('project/.baton.yaml', 'permissions:\n  allow:\n    - program: docker\n')
    expect((await world.run(trust, [], { 'dry-run': true })).stdout).toContain('this ends containment')
  })

  test('takes a file or a folder, and removes the pin of a file that is gone', async () => {
    await using world = commandWorld()
    const path = world.write('project/.agentize.local.yaml', 'handsoff: {debug: true}\n')
    expect((await world.run(trust, ['project'], {}, '.')).stdout).toContain('Nothing in it needed that.')
    rmSync(path)
    expect((await world.run(trust, [], { list: true })).stdout).toBe(
      'gone     project/.agentize.local.yaml\n',
    )
    const removed = await world.run(trust, ['project/.agentize.local.yaml'], { remove: true }, '.')
    expect(removed.stdout).toBe('project/.agentize.local.yaml is no longer trusted.\n')
  })

  test.each([
    ['nothing to trust', undefined, undefined, 'not_found'],
    ['a file of another name', 'project/other.yaml', 'a: 1\n', 'usage'],
    ['a file with errors', 'project/.baton.yaml', 'nonsense: 1\n', 'config_invalid'],
    ['a file that is absent', 'project/absent/.baton.yaml', undefined, 'not_found'],
  ])('refuses %s', async (_, name, yaml, code) => {
    await using world = commandWorld()
    if (name && yaml) world.write(name, yaml)
    await expect(world.run(trust, name ? [name] : [], {}, '.').then(() => 'done')).rejects.toMatchObject({
      code,
    })
    expect((await world.run(trust, [], { list: true })).stdout).toBe('')
  })

  test('refuses a link out of the project, and a pipe without waiting for its writer', async () => {
    await using world = commandWorld()
    symlinkSync(world.write('elsewhere.yaml', allow), join(world.path, 'project/.baton.yaml'))
    await expect(world.run(trust)).rejects.toMatchObject({ code: 'config_outside_project' })
    rmSync(join(world.path, 'project/.baton.yaml'))
    execFileSync('/usr/bin/env', ['mkfifo', join(world.path, 'project/.baton.yaml')])
    await expect(world.run(trust)).rejects.toMatchObject({ code: 'config_unreadable' })
  })

  test('says that the user’s own file needs none', async () => {
    await using world = commandWorld()
    world.write('home/.baton.yaml', allow)
    expect((await world.run(trust, ['home/.baton.yaml'], {}, '.')).stdout).toBe(
      'home/.baton.yaml is your own file: it needs no trust.\n',
    )
  })
})
