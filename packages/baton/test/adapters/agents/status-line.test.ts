import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/adapters/agents/claude-code/adapter.ts'
import { hooks } from '../../../src/adapters/agents/claude-code/hooks.ts'
import { statusLineText } from '../../../src/hook/launcher.ts'
import type { InstallScope } from '../../../src/ports/agent.ts'
import { scratch } from '../../world/scratch.ts'
import { until } from '../../world/wait.ts'
import { parseSettings, settingsText } from './settings-text.ts'

const place = (scope: InstallScope = 'user') => ({ scope, project: '/p', home: '/home/dev' })
const target = (scope: InstallScope = 'user') => ({
  ...place(scope),
  launcher: "/home/dev/it's here/bin/baton-hook",
  waitSeconds: 60,
  statusLine: true,
})
const install = (before: string | undefined, scope: InstallScope = 'user') => {
  const [change] = claudeCode.install(target(scope), () => before)
  return change ? change.after : before
}
const uninstall = (before: string | undefined, scope: InstallScope = 'user') => {
  const [change] = claudeCode.uninstall(place(scope), () => before)
  return change ? change.after : before
}
const lineIn = (text: string | undefined) =>
  parseSettings(text ?? '{}').statusLine as { command: string; padding?: number } | undefined
const events = hooks.map(({ event }) => event)

describe('the status line in the settings', () => {
  it('comes with the hooks and goes without a trace, whatever stood there before', () => {
    const command = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom("echo 'a'", '~/my line.sh $X', '"'),
    )
    const ownLine = fc.option(fc.record({ command, padding: fc.option(fc.nat(3)), odd: fc.boolean() }))
    fc.assert(
      fc.property(settingsText(events, 'groups'), ownLine, ({ text }, line) => {
        const bare = text.replace(/^\uFEFF/, '')
        // Somebody's own line, put in as the last key; `odd` writes it with needless escapes.
        const raw = line && JSON.stringify(line.command)
        const written = line?.odd ? raw?.replaceAll('/', '\\/') : raw
        const own =
          line && `"statusLine": {"padding": ${line.padding}, "type": "command", "command": ${written}}`
        const before = own && bare.trimEnd().endsWith('}') ? withLast(bare, own) : text
        const after = install(before)
        expect(lineIn(after)?.command).toContain('baton-statusline')
        expect(uninstall(after)).toBe(before)
        expect(install(after)).toBe(after)
      }),
      { numRuns: 300 },
    )
  })

  it('is put into a file of its own, and the file goes with it', () => {
    const after = install(undefined)
    expect(lineIn(after)?.command).toBe("'/home/dev/it'\\''s here/bin/baton-statusline' user")
    expect(uninstall(after)).toBeUndefined()
  })

  it('keeps what is next to the command', () => {
    const after = install('{"statusLine": {"type": "command", "command": "my-line", "padding": 2}}')
    expect(lineIn(after)).toMatchObject({ padding: 2 })
    expect(lineIn(after)?.command).toMatch(/baton-statusline' user my-line$/)
  })

  it('is moved along when the launcher moves, and wraps the same line only once', () => {
    const once = install('{"statusLine": {"type": "command", "command": "my-line"}}')
    const [moved] = claudeCode.install({ ...target(), launcher: '/elsewhere/baton-hook' }, () => once)
    expect(lineIn(moved?.after)?.command).toBe('/elsewhere/baton-statusline user my-line')
  })

  it.each([
    ['project', '{"statusLine": {"type": "command", "command": "team-line"}}'],
    ['project', '{}'],
    ['local', '{}'],
    ['user', '{"statusLine": "odd"}'],
  ] as const)('of scope %s leaves %s alone', (scope, before) => {
    expect(parseSettings(install(before, scope) ?? '').statusLine).toEqual(parseSettings(before).statusLine)
  })
})

describe('the program of the status line', () => {
  async function world() {
    const folder = scratch('bs-')
    const bin = join(folder.path, 'bin')
    mkdirSync(bin)
    const program = join(bin, 'baton-statusline')
    writeFileSync(program, statusLineText({ home: folder.path }))
    const heard = join(folder.path, 'heard')
    const hook = `#!/bin/sh\ncat > '${heard}.new'; echo "$@" >> '${heard}.new'; mv '${heard}.new' '${heard}'\necho '{"statusLine":"context 43%, about 9 turns left"}'\n`
    writeFileSync(join(bin, 'baton-hook'), hook)
    for (const each of [program, join(bin, 'baton-hook')]) chmodSync(each, 0o755)
    const server = createServer()
    await new Promise<void>(resolve => server.listen(join(folder.path, 'daemon.sock'), resolve))
    return { folder, program, heard, close: () => server.close() }
  }
  const input = '{"a":"$HOME `x`"}\n\n'

  it('shows what the user’s own line prints, given the same input, and tells the daemon beside it', async () => {
    const { program, heard, close, folder } = await world()
    const own = `cat; printf 'it'"'"'s %s' mine; exit 3`
    const ran = spawnSync(program, ['user', own], { input, encoding: 'utf8' })
    expect(ran).toMatchObject({ stdout: `${input}it's mine`, status: 3 })
    await until(() => existsSync(heard), { what: 'the daemon to be told' })
    expect(readFileSync(heard, 'utf8')).toBe(`${input}claude-code StatusLine --source user\n`)
    close()
    folder.remove()
  })

  it('shows Baton’s own words where there is no other, and nothing without a daemon', async () => {
    const { program, heard, close, folder } = await world()
    const env = { PATH: process.env.PATH }
    expect(execFileSync(program, ['user'], { input, env, encoding: 'utf8' })).toBe(
      'context 43%, about 9 turns left\n',
    )
    close()
    await until(() => !existsSync(join(folder.path, 'daemon.sock')), { what: 'the socket to go' })
    writeFileSync(heard, '')
    expect(execFileSync(program, ['user'], { input, env, encoding: 'utf8' })).toBe('')
    expect(readFileSync(heard, 'utf8')).toBe('')
    folder.remove()
  })
})

/** The object with one more key at its end. */
function withLast(text: string, property: string): string {
  const at = text.lastIndexOf('}')
  const value = parseSettings(text)
  const inside = text.slice(0, at).trimEnd()
  const comma = Object.keys(value).length > 0 && !inside.endsWith(',') && !/(\/\/[^\n]*|\*\/)$/.test(inside)
  if (Object.keys(value).length > 0 && !comma && !inside.endsWith(',')) return text
  return `${text.slice(0, at)}${comma ? ',' : ''}${property}${text.slice(at)}`
}
