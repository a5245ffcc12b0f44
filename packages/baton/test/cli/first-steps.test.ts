import { afterAll, expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { scratch } from '../world/scratch.ts'

const here = scratch()
afterAll(() => here.remove())

test('before set-up and outside git, commands say what is missing', { timeout: 120_000 }, async () => {
  await using baton = batonIn(here.path, here.path)
  const planned = await baton.run(['run', '--agent', 'claude', '--dry-run', '--json', 'fix it'])
  expect(JSON.parse(planned.stdout)).toEqual({
    agent: 'claude',
    driver: 'tmux',
    cwd: here.path,
    prompt: 'fix it',
    sandbox: false,
  })
  const begun = await baton.run(['work', 'new', 'A thing'])
  expect(begun).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`Not a git repository: ${here.path}`),
  })
})
