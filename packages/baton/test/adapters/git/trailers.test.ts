import { expect, it } from 'vitest'
import { gitCheckouts } from '../../../src/adapters/git/checkouts.ts'
import { gitRepo, scratch } from '../../world/scratch.ts'

it('reads a trailer from the commits of the work, and from no other', async () => {
  await using folder = scratch()
  await using project = await gitRepo(folder.path)
  const reason = (text: string) =>
    `Remove it\n\nTest-Change-Reason: ${text}\nSigned-off-by: Dev <dev@example.com>\n`
  await project.commit({ a: '1' }, reason('before'))
  const base = await project.git('rev-parse', 'HEAD')
  await project.commit({ a: '2' }, reason('the issue asks\n for it'))
  await project.commit({ a: '3' }, 'Words\n\nA Test-Change-Reason: in the text\n\nmore words that end it')
  const head = await project.git('rev-parse', 'HEAD')
  const found = await gitCheckouts.trailers(folder.path, base.trim(), head.trim(), 'Test-Change-Reason')
  expect(found).toEqual(['the issue asks for it'])
})
