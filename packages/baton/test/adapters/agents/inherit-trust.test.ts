import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inheritTrust } from '../../../src/adapters/agents/claude-code/inherit-trust.ts'
import { scratch } from '../../world/scratch.ts'

const trusted = { hasTrustDialogAccepted: true, allowedTools: ['x'] }

describe('trust in Claude Code', () => {
  test('a clone inherits it from its project, and nothing else in the file changes', async () => {
    await using home = scratch()
    const config = { oauth: { a: 1 }, projects: { '/p': trusted, '/q': {} } }
    const file = home.write('.claude.json', JSON.stringify(config), 0o600)
    await inheritTrust('/p-fleet/issue-1', '/p', { home: home.path })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ...config,
      projects: { ...config.projects, '/p-fleet/issue-1': { hasTrustDialogAccepted: true } },
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(existsSync(`${file}.lock`)).toBe(false)
  })

  test.each([
    ['the project is not trusted', JSON.stringify({ projects: { '/p': { hasTrustDialogAccepted: false } } })],
    ['the project is not known', JSON.stringify({ projects: {} })],
    ['a name of the prototype is asked for', JSON.stringify({ projects: 7 })],
    ['the file is half written', '{"projects": {"/p": '],
  ])('nothing is written if %s', async (_, text) => {
    await using home = scratch()
    const file = home.write('.claude.json', text, 0o600)
    await inheritTrust('/p-fleet/issue-1', '/p', { home: home.path })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('it waits until Claude Code has let go of its file', async () => {
    await using home = scratch()
    const folder = join(home.path, 'config')
    const file = home.write('config/.claude.json', JSON.stringify({ projects: { '/p': trusted } }), 0o600)
    mkdirSync(`${file}.lock`)
    const done = inheritTrust('/c', '/p', { home: home.path, configFolder: folder })
    expect(readFileSync(file, 'utf8')).not.toContain('/c')
    rmdirSync(`${file}.lock`)
    await done
    expect(JSON.parse(readFileSync(file, 'utf8')).projects['/c']).toEqual({ hasTrustDialogAccepted: true })
  })
})
