import { Config } from '@batonpass/contract/config'
import { describe, expect, test } from 'vitest'
import { systemGit } from '../../src/adapters/git/git.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { forgeKeeper } from '../../src/compose/forge.ts'
import { gitRepo } from '../world/scratch.ts'

async function world() {
  const repo = await gitRepo()
  await repo.git('remote', 'add', 'origin', 'https://github.example/acme/app.git')
  let github: object = {}
  // No gh on this PATH.
  const forges = forgeKeeper({
    git: systemGit,
    env: { PATH: '/nowhere' },
    clock: systemClock,
    config: async () => Config.parse({ github }),
  })
  const at = { home: repo.path }
  return {
    repo,
    forges,
    at,
    set: (next: object) => {
      github = next
    },
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  }
}

describe('the forge of a project', () => {
  test('is there as soon as its token is set, also right after it was missing', async () => {
    await using w = await world()
    await expect(w.forges.open(w.at)).rejects.toThrow('No token for')
    expect(await w.forges.find(w.repo.path)).toBeUndefined()
    w.set({ host: 'github.example', token: 'one' })
    const forge = await w.forges.open(w.at)
    expect(await w.forges.find(w.repo.path)).toBe(forge)
    // Another token is another connection.
    w.set({ host: 'github.example', token: 'two' })
    expect(await w.forges.open(w.at)).not.toBe(forge)
  })

  test('is opened once, until it is dropped', async () => {
    await using w = await world()
    w.set({ host: 'github.example', token: 'one' })
    const forge = await w.forges.open(w.at)
    expect(await w.forges.open(w.at)).toBe(forge)
    w.forges.drop('github.example/acme/app')
    expect(await w.forges.open(w.at)).not.toBe(forge)
  })
})
