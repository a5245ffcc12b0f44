import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
  expect(planned.stderr).toContain("Baton's hooks are not installed in Claude Code")
  for (const more of [[], ['--dry-run']])
    expect(await baton.run(['work', 'new', 'A thing', ...more])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/Not a git repository: .*Nothing was created\n.*git init/),
    })
  expect(existsSync(join(here.path, '.paw'))).toBe(false)
})
