import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ClaimFile } from '@batonpass/contract/claim'
import { expect, test } from 'vitest'
import { claudeHome } from '../world/agents/claude.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { installAgent } from '../world/agents/install.ts'
import { batonFor, batonOnPath } from '../world/baton.ts'
import { callSocket, cloneInto, settingsFor } from '../world/claims.ts'
import { fakeGitHub } from '../world/github.ts'
import { startModel, textOf } from '../world/model.ts'
import { asPerson } from '../world/person.ts'
import { call, say } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')
const plugin = join(import.meta.dirname, '../../../../plugin')
const SECRET = 'a secret that only GitHub and Baton know'

test('the whole life of an issue with the real Claude Code: no person except for the merge and the closing yes', {
  timeout: 480_000,
}, async () => {
  await using github = await fakeGitHub()
  const board = github.board({ owner: 'acme' })
  const issue = await github.repository.issue({ title: 'Say hello', labels: ['ready-for-agent'] })
  board.add(issue, { status: 'Todo' })
  await using model = await startModel()
  await using home = claudeHome()
  const repo = await cloneInto(home, github)
  const bin = batonOnPath(home.path)
  await using baton = await batonFor(home)
  baton.configure(settingsFor(github, 'permission:\n  preset: trusting\n  undecided: defer\n'))
  await baton.must('up', '--restart')

  // GitHub's webhook, as a tunnel would bring it.
  const listener = spawn(process.execPath, [CLI, 'webhook', '--port', '0'], {
    cwd: home.project,
    env: { PATH: process.env.PATH, HOME: home.path, BATON_WEBHOOK_SECRET: SECRET },
  })
  let heard = ''
  listener.stdout.on('data', chunk => {
    heard += String(chunk)
  })
  try {
    const hook = await until(() => /http:\/\/127\.0\.0\.1:\d+\//.exec(heard)?.[0], { what: 'the webhook' })
    await github.repository.webhook(hook, SECRET)
    const bash = (command: string) => call('Bash', { command })
    const turns = [
      () => bash(`baton claim ${issue}`),
      () => bash('echo hello > hello.txt && git add hello.txt && git commit -q -m "Say hello"'),
      () => bash('baton claim ready --summary "Say hello to everybody"'),
      () => say('Handed off.'),
      // Woken up by Baton
      () => bash('echo "hello, world" > hello.txt && git commit -q -am "Greet the world" && git push -q'),
      () => say('Fixed and pushed.'),
    ]
    let n = 0
    model.script({ key: home.key }, () => turns[n++]?.() ?? say('There is nothing to do.'))
    await using terminal = await claudeInTmux({
      home,
      model,
      pluginDir: plugin,
      permissionMode: 'bypassPermissions',
      env: { PATH: `${bin}:${process.env.PATH}` },
    })
    const file = join(home.project, '.agent-claim.json')
    const signal = () => ClaimFile.parse(JSON.parse(readFileSync(file, 'utf8')))
    const evidence = async () =>
      `${await terminal.screen()}\n${heard}\n${await baton.must('logs', '--kind', 'claim')}`
    const eventually = <T>(what: string, look: () => T | Promise<T>) =>
      until(look, { what, timeout: 120_000, every: 100, evidence })

    await terminal.submit(`/baton:claim ${issue}`)
    const pull = await eventually('the pull request', () => signal().pr_number)
    expect((await github.repository.pullNow(pull)).title).toBe('Say hello to everybody')
    await eventually('the board', () => board.of(issue)?.status === 'In Review')

    // A check fails: the agent rests, so Baton types what is to be fixed into its terminal.
    const failure = { state: 'failure', workflow: 'CI', log: 'expected "hello, world"\n' }
    await github.repository.check(pull, 'test', failure)
    const told = await eventually('the agent to receive it', () =>
      model.mainRequests({ key: home.key }).find(request => textOf(request).includes('FAILED on PR')),
    )
    expect(textOf(told)).toContain('expected "hello, world"')
    await eventually('the fixed branch', async () =>
      (await github.repository.git.git('show', `issue-${issue}:hello.txt`)).includes('world'),
    )
    await github.repository.check(pull, 'test', 'success')
    await eventually('green checks', async () => (await baton.must('claim', 'list')).includes('1/1 passed'))

    // The two things a person does.
    await github.repository.merge(pull)
    const ask = await eventually('the question', async () => {
      const { asks } = (await callSocket(baton.stateDir, 'GET', '/api/asks')) as {
        asks: { id: string; title: string }[]
      }
      return asks.find(({ title }) => title === `PR #${pull} merged! Should I close issue #${issue}?`)
    })
    await asPerson(baton, 'allow', ask.id)

    await eventually('the end', () => !existsSync(file))
    const closed = await github.repository.issueNow(issue)
    expect(closed).toMatchObject({
      state: 'closed',
      comments: [expect.stringContaining(`Completed in #${pull}`)],
    })
    expect(board.of(issue)).toEqual({ status: 'Done', agent: undefined })
    expect(await repo.git('status', '--porcelain')).toBe('')
    const what = (await baton.entries({ kind: 'claim' })).flatMap(({ body }) =>
      body.kind === 'claim' ? body.what : [],
    )
    for (const each of ['claimed', 'opened', 'checks', 'told', 'merged', 'asked', 'answered', 'closed'])
      expect(what).toContain(each)
    expect(heard).toContain('acme/app')
    github.assertClean()
  } finally {
    listener.kill()
  }
})

test('claim.wake: resume starts the session of an agent that has ended again, with what is to be fixed', {
  timeout: 480_000,
}, async () => {
  await using github = await fakeGitHub()
  const issue = await github.repository.issue({ title: 'Say hello' })
  await using model = await startModel()
  await using home = claudeHome()
  await cloneInto(home, github)
  const bin = batonOnPath(home.path)
  symlinkSync(await installAgent('claude-code'), join(bin, 'claude'))
  await using baton = await batonFor(home)
  const settings = 'permission:\n  preset: trusting\n  undecided: defer\nclaim:\n  wake: resume\n'
  baton.configure(settingsFor(github, settings))
  const env = { ...home.env(model), PATH: `${bin}:${process.env.PATH}` }
  expect(await baton.run(['up', '--restart'], { env })).toMatchObject({ code: 0 })
  const bash = (command: string) => call('Bash', { command })
  const turns = [
    () => bash(`baton claim ${issue}`),
    () => bash('echo hello > hello.txt && git add hello.txt && git commit -q -m "Say hello"'),
    () => bash('baton claim ready --summary "Say hello to everybody"'),
    () => say('Handed off.'),
    // Taken up again by Baton
    () => bash('echo "hello, world" > hello.txt && git commit -q -am "Greet the world"'),
    () => bash('baton claim ready'),
    () => say('Fixed.'),
  ]
  let n = 0
  model.script({ key: home.key }, () => turns[n++]?.() ?? say('There is nothing to do.'))
  const file = join(home.project, '.agent-claim.json')
  const eventually = <T>(what: string, look: () => T | Promise<T>) =>
    until(look, {
      what,
      timeout: 120_000,
      every: 200,
      evidence: async () => `${await baton.must('logs')}\n${model.summary()}`,
    })
  let socket = ''
  try {
    const terminal = await claudeInTmux({
      home,
      model,
      permissionMode: 'bypassPermissions',
      env: { PATH: env.PATH },
    })
    await terminal.submit(`please do issue ${issue}`)
    const pull = await eventually(
      'the pull request',
      () => ClaimFile.parse(JSON.parse(readFileSync(file, 'utf8'))).pr_number,
    )
    await eventually('the end of the turn', () => n >= 4)
    const [before] = home.sessions()
    socket = terminal.socket
    // Gone without a goodbye: its terminal was closed.
    await terminal.kill()
    await github.repository.check(pull, 'test', {
      state: 'failure',
      workflow: 'CI',
      log: 'expected "hello, world"\n',
    })
    await callSocket(baton.stateDir, 'POST', '/api/claims/nudge', { repository: 'acme/app' })
    const told = await eventually('the agent to be taken up again', () =>
      model.mainRequests({ key: home.key }).find(request => textOf(request).includes('FAILED on PR')),
    )
    // The same conversation, not a new one.
    expect(textOf(told)).toContain(`please do issue ${issue}`)
    expect(textOf(told)).toContain('expected "hello, world"')
    await eventually('the fixed branch', async () =>
      (await github.repository.git.git('show', `issue-${issue}:hello.txt`)).includes('world'),
    )
    expect(home.sessions()).toEqual([before])
    const whats = (await baton.entries({ kind: 'claim' })).map(({ body }) => body)
    expect(whats).toContainEqual(
      expect.objectContaining({ what: 'told', reason: expect.stringContaining('by resuming its session') }),
    )
    // Woken while it runs: it is told there, and no second one begins beside it.
    expect((await baton.must('ps', '--json')).match(/"nativeSession"/g)).toHaveLength(1)
    github.assertClean()
  } finally {
    spawnSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' })
  }
})
