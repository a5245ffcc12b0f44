import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { configFolders, stateDir } from '../../src/config/places.ts'
import { findWorktreeRoot } from '../../src/config/project.ts'

describe('the state folder', () => {
  test.each([
    ['BATON_HOME first', { BATON_HOME: '/b', AGENTIZE_HOME: '/a', XDG_STATE_HOME: '/x' }, '/b'],
    ['AGENTIZE_HOME without BATON_HOME', { AGENTIZE_HOME: '/a', XDG_STATE_HOME: '/x' }, '/a'],
    ['an empty BATON_HOME does not count', { BATON_HOME: '', AGENTIZE_HOME: '/a' }, '/a'],
    ['a relative BATON_HOME counts from home, not from the working folder', { BATON_HOME: 'b' }, '/h/b'],
    ['then XDG_STATE_HOME', { XDG_STATE_HOME: '/x' }, '/x/baton'],
    ['a relative XDG_STATE_HOME is ignored', { XDG_STATE_HOME: 'x' }, '/h/.local/state/baton'],
    ['then the home folder', {}, '/h/.local/state/baton'],
  ])('%s', (_, env, expected) => {
    expect(stateDir(env, '/h')).toBe(expected)
  })
})

describe('the folders searched for configuration', () => {
  test('are the project, BATON_HOME and HOME, in this order', () => {
    const places = { project: '/p', env: { BATON_HOME: '/b' }, home: '/h' }
    expect(configFolders(places)).toEqual(['/p', '/b', '/h'])
  })
  test('name each folder once', () => {
    expect(configFolders({ project: '/h/', env: { AGENTIZE_HOME: '/h' }, home: '/h' })).toEqual(['/h'])
  })
})

describe('the worktree root', () => {
  const root = mkdtempSync(join(tmpdir(), 'baton-root-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  test('is the nearest folder above that holds .git, as a folder or as a file', () => {
    mkdirSync(join(root, 'repo/.git'), { recursive: true })
    mkdirSync(join(root, 'repo/a/b'), { recursive: true })
    mkdirSync(join(root, 'repo/linked/deep'), { recursive: true })
    writeFileSync(join(root, 'repo/linked/.git'), 'gitdir: elsewhere\n')
    expect(findWorktreeRoot(join(root, 'repo/a/b'))).toBe(join(root, 'repo'))
    expect(findWorktreeRoot(join(root, 'repo/linked/deep'))).toBe(join(root, 'repo/linked'))
  })
  test('is the folder itself outside a repository, even if it does not exist', () => {
    mkdirSync(join(root, 'plain'), { recursive: true })
    expect(findWorktreeRoot(join(root, 'plain'))).toBe(join(root, 'plain'))
    expect(findWorktreeRoot(join(root, 'plain/absent'))).toBe(join(root, 'plain/absent'))
  })
})
