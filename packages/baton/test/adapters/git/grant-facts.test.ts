import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitGrantFacts } from '../../../src/adapters/git/grant-facts.ts'
import { gitRepo } from '../../world/scratch.ts'

const facts = async (folder: string) => {
  const found = await gitGrantFacts.read(folder)
  if (!found) throw new Error('no facts')
  return found
}

it('A repository tells where a push goes', async () => {
  await using repo = await gitRepo()
  await repo.git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  await repo.git('switch', '-c', 'issue-42')
  expect(await facts(repo.path)).toMatchObject({
    root: repo.path,
    branch: 'issue-42',
    push: 'any',
    pushesTo: 'origin',
    fetchesFrom: 'origin',
    remotes: [{ name: 'origin', url: 'https://github.com/acme/shop.git' }],
    hooks: [],
  })
  await repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  expect(await gitGrantFacts.bases(repo.path, ['origin'])).toEqual(['origin/main'])
  expect(await gitGrantFacts.read('/')).toBeUndefined()
})

it('Every setting but those of a branch changes the digest', async () => {
  await using repo = await gitRepo()
  await repo.git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  const before = (await facts(repo.path)).settings
  await repo.git('config', 'branch.main.remote', 'origin')
  expect((await facts(repo.path)).settings).toBe(before)
  for (const [key, value] of [
    ['remote.origin.url', 'https://evil.example/x'],
    ['remote.origin.pushurl', 'https://evil.example/x'],
    ['url.https://evil.example/.insteadOf', 'https://github.com/'],
    ['core.sshCommand', '/tmp/x'],
    ['core.hooksPath', '/tmp/hooks'],
    ['credential.helper', '!x'],
    ['remote.origin.gh-resolved', 'evil/x'],
  ] as const) {
    await repo.git('config', key, value)
    expect((await facts(repo.path)).settings, key).not.toBe(before)
    if (key === 'remote.origin.url') await repo.git('config', key, 'https://github.com/acme/shop.git')
    else await repo.git('config', '--unset', key)
    expect((await facts(repo.path)).settings, key).toBe(before)
  }
})

it.each([
  ['push.default', 'upstream', 'target'],
  ['push.default', 'matching', 'target'],
  ['push.default', 'current', 'any'],
  ['remote.origin.push', 'HEAD:main', 'target'],
  ['remote.origin.mirror', 'true', 'none'],
  ['push.followTags', 'true', 'none'],
  ['push.followTags', 'false', 'any'],
  ['push.recurseSubmodules', 'on-demand', 'none'],
  ['push.recurseSubmodules', 'check', 'any'],
])('With %s = %s a push may name its branch: %s', async (key, value, push) => {
  await using repo = await gitRepo()
  await repo.git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  await repo.git('config', key, value)
  expect((await facts(repo.path)).push).toBe(push)
})

it('A push without a remote goes where the branch or the settings say', async () => {
  await using repo = await gitRepo()
  for (const name of ['origin', 'fork'])
    await repo.git('remote', 'add', name, `https://github.com/${name}/shop`)
  await repo.git('config', 'branch.main.remote', 'fork')
  expect(await facts(repo.path)).toMatchObject({ pushesTo: 'fork', fetchesFrom: 'fork' })
  await repo.git('config', 'remote.pushDefault', 'origin')
  expect((await facts(repo.path)).pushesTo).toBe('origin')
  await repo.git('config', 'branch.main.pushRemote', 'fork')
  expect((await facts(repo.path)).pushesTo).toBe('fork')
})

it('Hooks are found where git would look for them', async () => {
  await using repo = await gitRepo()
  repo.write('.git/hooks/pre-push', '#!/bin/sh\n')
  chmodSync(join(repo.path, '.git/hooks/pre-push'), 0o755)
  expect((await facts(repo.path)).hooks).toEqual(['pre-push'])
  repo.write('.husky/pre-commit', 'npm test\n')
  await repo.git('config', 'core.hooksPath', '.husky')
  expect((await facts(repo.path)).hooks).toEqual(['pre-commit'])
})
