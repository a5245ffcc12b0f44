import { join } from 'node:path'
import { Health } from '@batonpass/contract/api'
import { expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { startBrowser } from '../world/browser.ts'
import { claudePayload } from '../world/hook-payload.ts'
import { loginLink } from '../world/person.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

test('a machine that slept with its daemon: the page says so, and everything continues where it was', {
  timeout: 180_000,
}, async () => {
  const here = scratch('bz-')
  // Last of all: the daemon is ended from a folder in it.
  await using _ = { [Symbol.asyncDispose]: async () => here.remove() }
  await using project = await gitRepo(join(here.path, 'project'))
  await using baton = batonIn(join(here.path, 'home'), project.path)
  await baton.must('up')
  const { pid } = Health.parse(JSON.parse(await baton.must('status', '--json')).daemon)
  const link = await loginLink(baton)
  const hook = (event: string) =>
    baton.run(['hook', 'claude-code', event], {
      input: claudePayload(event, project.path, 'ls', { prompt: 'good morning' }),
    })
  await hook('SessionStart')

  await using browser = await startBrowser()
  await using opened = await browser.open()
  const { page } = opened
  await page.clock.install()
  await page.goto(link)
  await page.locator('.card').first().waitFor()
  await page.locator('.link-state', { hasText: 'live' }).waitFor()

  process.kill(pid, 'SIGSTOP')
  try {
    // Half a minute without a sign of life, in a moment.
    await page.clock.fastForward(30_000)
    await page.getByText('The daemon does not answer right now').waitFor()
    await page.locator('.link-state', { hasText: 'reconnecting' }).waitFor()
    // What was known stays to be read.
    expect(await page.locator('.card').count()).toBe(1)
    // A night: every timer of the page comes far too late.
    await page.clock.fastForward('08:00:00')
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await page.clock.runFor(6000)
  await page.locator('.link-state', { hasText: 'live' }).waitFor()
  await page.getByText('The daemon does not answer right now').waitFor({ state: 'detached' })
  expect(await hook('UserPromptSubmit')).toMatchObject({ code: 0 })
  await page.locator('.card', { hasText: 'good morning' }).waitFor()
  // The same daemon, awake: it was neither doubled nor replaced, and found nothing wrong.
  const after = Health.parse(JSON.parse(await baton.must('status', '--json')).daemon)
  expect(after.pid).toBe(pid)
  expect(await baton.entries({ kind: 'fault' })).toEqual([])
})
