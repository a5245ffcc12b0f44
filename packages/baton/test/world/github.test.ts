import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fakeGitHub } from './github.ts'
import { gitRepo, plainGit } from './scratch.ts'
import { until } from './wait.ts'

const run = promisify(execFile)

test('a real git push over HTTP becomes a branch that a pull request can be made of', async () => {
  await using gh = await fakeGitHub()
  await using repo = await gitRepo()
  const env = { ...process.env, ...plainGit }
  const { stdout } = await run('git', ['ls-remote', gh.repository.address], { env })
  expect(stdout).toContain('refs/heads/main')
  await repo.git('remote', 'add', 'origin', gh.repository.remote)
  await repo.git('fetch', '-q', 'origin')
  await repo.git('checkout', '-q', '-b', 'claude/fix', 'origin/main')
  const sha = await repo.commit({ 'a.txt': 'a', 'deep/b.txt': 'b' })
  await repo.git('push', '-q', '-u', 'origin', 'claude/fix')
  const number = await gh.repository.pull({ branch: 'claude/fix' })
  expect((await gh.repository.pullNow(number)).head.sha).toBe(sha)
  await gh.repository.merge(number)
  await repo.git('fetch', '-q', 'origin')
  expect(await repo.git('show', 'origin/main:deep/b.txt')).toBe('b')
  gh.assertClean()
})

test('a push without a token is refused', async () => {
  await using gh = await fakeGitHub()
  await using repo = await gitRepo()
  await expect(repo.git('push', '-q', gh.repository.address, 'HEAD:refs/heads/x')).rejects.toThrow(
    /could not read|Authentication/,
  )
})

test('an unknown route, a wrong query and a field it does not serve are failures', async () => {
  await using gh = await fakeGitHub()
  const headers = { authorization: `token ${gh.token}` }
  const ask = (query: string) =>
    fetch(`${gh.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) }).then(answer =>
      answer.json(),
    )
  gh.assertClean()
  expect((await fetch(`${gh.url}/repos/acme/app/stargazers`, { headers })).status).toBe(404)
  expect(await ask('{ viewer { nonsense } }')).toMatchObject({
    errors: [{ message: expect.stringContaining('nonsense') }],
  })
  await ask('{ viewer { bio } }')
  await ask('{ repository(owner: "acme", name: "app") { pullRequests { nodes { number } } } }')
  expect(gh.failures).toHaveLength(4)
  expect(() => gh.assertClean()).toThrow(/stargazers[\s\S]*nonsense[\s\S]*User\.bio/)
})

test('webhooks arrive signed', async () => {
  await using gh = await fakeGitHub()
  const heard: { event: string; valid: boolean }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const expected = `sha256=${createHmac('sha256', 'hush').update(Buffer.concat(chunks)).digest('hex')}`
    heard.push({
      event: String(request.headers['x-github-event']),
      valid: request.headers['x-hub-signature-256'] === expected,
    })
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    await gh.repository.webhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, 'hush')
    await gh.repository.git.commit('claude/fix', { 'a.txt': 'a' })
    const number = await gh.repository.pull({ branch: 'claude/fix' })
    await gh.repository.check(number, 'test', 'failure')
    await gh.repository.merge(number)
    const events = ['pull_request', 'check_run']
    await until(() => events.every(event => heard.some(one => one.event === event)), {
      what: 'the deliveries',
    })
    expect(heard.every(({ valid }) => valid)).toBe(true)
  } finally {
    server.close()
  }
})

test('something can happen right before a call and right after it', async () => {
  await using gh = await fakeGitHub()
  const number = await gh.repository.issue()
  const seen: string[] = []
  const state = async () => (await gh.repository.issueNow(number)).state
  gh.on('before', /PATCH/, async () => void seen.push(`before ${await state()}`))
  gh.on('after', /PATCH/, async () => void seen.push(`after ${await state()}`))
  await fetch(`${gh.url}/repos/acme/app/issues/${number}`, {
    method: 'PATCH',
    headers: { authorization: `token ${gh.token}` },
    body: JSON.stringify({ state: 'closed' }),
  })
  expect(seen).toEqual(['before open', 'after closed'])
})
