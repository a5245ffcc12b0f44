import { Config } from '@batonpass/contract/config'
import { expect, it } from 'vitest'
import { systemGit } from '../../../src/adapters/git/git.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { forgeKeeper } from '../../../src/compose/forge.ts'
import { fakeGitHub } from '../../world/github.ts'
import { gitRepo } from '../../world/scratch.ts'
import { event, world, write } from './world.ts'

it('A run ends when its pull request is on GitHub with the last commit, and reports its link', {
  timeout: 120_000,
}, async () => {
  await using github = await fakeGitHub()
  await using repo = await gitRepo()
  await repo.git('remote', 'add', 'origin', github.repository.remote)
  await repo.git('checkout', '-q', '-b', 'issue-42')
  const host = new URL(github.url).host
  const forges = forgeKeeper({
    git: systemGit,
    env: { GITHUB_TOKEN: github.token },
    clock: systemClock,
    config: async () => Config.parse({ github: { host, api_url: github.apiUrl } }),
  })
  await using w = world({}, { git: systemGit, forgeFor: () => forges.find(repo.path) })
  const stop = async () => {
    await w.tell(write('s1', 'part', `work ${w.journal.length}`))
    return w.tell(event('TurnEnded', 's1', { cwd: repo.path }))
  }
  await w.tell(event('PromptSubmitted', 's1', { prompt: '/issue-to-impl 42', cwd: repo.path }))
  await repo.commit({ 'a.txt': 'one' }, 'First')
  await repo.git('push', '-q', '-u', 'origin', 'HEAD')
  expect((await stop()).goOn?.prompt).toContain('1/10')

  const number = await github.repository.pull({ branch: 'issue-42' })
  await repo.commit({ 'a.txt': 'two' }, 'Not pushed yet')
  expect((await stop()).goOn?.prompt).toContain('2/10')
  expect(w.state('s1').pr_number).toBe(number)

  await repo.git('push', '-q')
  const end = await stop()
  expect(end.goOn).toBeUndefined()
  expect(end.notice).toContain(`pull request #${number} is open`)
  expect(w.state('s1')).toMatchObject({ state: 'done', pr_number: number })
  expect(w.announced).toMatchObject([
    { end: 'unproven', pullRequest: expect.stringContaining(`/pull/${number}`) },
  ])
  github.assertClean()
})
