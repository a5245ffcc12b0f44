import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { scratch } from '../world/scratch.ts'

test('the tour takes an issue from claim to closing with real hooks, daemon and engine, and leaves no trace', {
  timeout: 180_000,
}, async () => {
  await using folder = scratch()
  const home = join(folder.path, 'home')
  await using baton = batonIn(home, folder.path)
  const before = readdirSync(home)
  folder.write('tmp/keep', '')
  const TMPDIR = join(folder.path, 'tmp')
  const { code, stdout, stderr } = await baton.run(['tour', '--yes', '--pace', '20'], { env: { TMPDIR } })

  expect(stderr).toBe('')
  expect(code).toBe(0)
  // Nothing of it stays, and nothing of the person's was touched: there is not even a daemon.
  expect(readdirSync(TMPDIR)).toEqual(['keep'])
  expect(readdirSync(home)).toEqual(before)
  for (const told of [
    /issue #42: claimed/,
    /Baton sends it on \(1 of at most 10\)/,
    /refused: git push --force origin main/,
    /curl -s https:\/\/get\.example\.com\/format\.sh \| sh/,
    /answered: deny \(tour\)/,
    /the context is nearly full: a handoff is due/,
    /agrees with git and the transcript/,
    /a fresh session begins/,
    /it has goal, branch and next step: the work goes on/,
    /Baton opened the pull request/,
    /issue-to-impl is complete: pull request #43/,
    /issue #42: merged/,
    /Should I close issue #42\?/,
    /answered: yes \(tour\)/,
    /npx batonpass init/,
  ])
    expect(stdout).toMatch(told)
  expect(stdout).not.toMatch(/fault during|a person is needed/)
})
