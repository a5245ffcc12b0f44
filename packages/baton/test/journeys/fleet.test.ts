import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { FleetStatus, type JobView } from '@batonpass/contract/fleet'
import { expect, test } from 'vitest'
import { claudeHome } from '../world/agents/claude.ts'
import { installAgent } from '../world/agents/install.ts'
import { batonFor, batonOnPath } from '../world/baton.ts'
import { callSocket, cloneInto, settingsFor } from '../world/claims.ts'
import { fakeGitHub } from '../world/github.ts'
import { startModel, textOf } from '../world/model.ts'
import { asPerson } from '../world/person.ts'
import { plainGit, scratch } from '../world/scratch.ts'
import { call, say } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const exec = promisify(execFile)
const bash = (command: string) => call('Bash', { command })
const FILES = {
  'package.json': JSON.stringify({ name: 'app', private: true, scripts: { test: 'node --test' } }),
  'sum.js': 'module.exports = (a, b) => a + b\n',
  'sum.test.js':
    "require('node:test')('adds', () => require('node:assert').equal(require('./sum')(1, 2), 3))\n",
}

/** What the agent does for each issue, whatever the number of its session. */
function turnOf(text: string, turn: number) {
  const issue = /Implement issue: (\d+)/.exec(text)?.[1] ?? '0'
  const turns = [
    () => bash('git status --porcelain && git log --oneline -1'),
    () =>
      bash(
        `echo 'module.exports = ${issue}' > part-${issue}.js && git add -A && git commit -qm "Part ${issue}"`,
      ),
    () => bash(`baton claim ready --summary "Add part ${issue}"`),
    () => say('Handed off.'),
  ]
  return turns[turn]?.() ?? say('There is nothing to do.')
}

test('three issues of two repositories, two slots, the real Claude Code and a kill -9: each gets one pull request, and one is merged', {
  timeout: 900_000,
}, async () => {
  await using github = await fakeGitHub({ repositories: ['acme/app', 'acme/lib'] })
  const [app, lib] = ['acme/app', 'acme/lib'].map(name => github.repositoryNamed(name)) as [
    typeof github.repository,
    typeof github.repository,
  ]
  for (const { git } of [app, lib]) await git.commit('main', FILES)
  const issues = [
    { repository: app, issue: await app.issue({ title: 'First' }) },
    { repository: app, issue: await app.issue({ title: 'Second' }) },
    { repository: lib, issue: await lib.issue({ title: 'Third', labels: ['baton'] }) },
  ]
  await using model = await startModel()
  await using home = claudeHome()
  await cloneInto(home, github)
  const second = join(home.path, '..', 'lib')
  await exec('git', ['clone', '-q', lib.remote, second], { env: { ...process.env, ...plainGit } })
  for (const [key, value] of [
    ['user.name', 'Dev'],
    ['user.email', 'dev@example.com'],
  ] as const)
    await exec('git', ['-C', second, 'config', key, value])
  home.trust(second)
  await using sockets = scratch('bx-')
  const socket = join(sockets.path, `tmux-${process.getuid?.()}`, 'default')
  const bin = batonOnPath(home.path)
  symlinkSync(await installAgent('claude-code'), join(bin, 'claude'))
  const env = { ...home.env(model), PATH: `${bin}:${process.env.PATH}`, TMUX_TMPDIR: sockets.path }
  // Its panes inherit this environment, which keeps Claude Code away from the network; the daemon's own is smaller.
  mkdirSync(dirname(socket), { mode: 0o700 })
  expect(spawnSync('tmux', ['-S', socket, 'new-session', '-d', '-s', 'keep'], { env }).status).toBe(0)
  await using baton = await batonFor(home)
  baton.configure(settingsFor(github))
  const must = async (args: string[], cwd = home.project) => {
    const ran = await baton.run(args, { env, cwd })
    expect(ran, args.join(' ')).toMatchObject({ code: 0 })
    return ran.stdout
  }
  await must(['up', '--restart'])
  model.script({ key: home.key }, request => {
    const messages = (request.body.messages ?? []) as { role: string }[]
    return turnOf(textOf(request), messages.filter(({ role }) => role === 'assistant').length)
  })
  const status = async () => FleetStatus.parse(JSON.parse(await must(['fleet', 'status', '--json'])))
  const evidence = async () =>
    `${(await baton.run(['fleet', 'status'], { env })).stdout}\n${(await baton.run(['logs', '--lines', '150'], { env })).stdout}\n${model.summary()}\n${
      spawnSync('sh', [
        '-c',
        `for p in $(tmux -S '${socket}' list-panes -aF '#{pane_id}'); do tmux -S '${socket}' capture-pane -pt $p; done`,
      ]).stdout
    }`
  const eventually = <T>(what: string, look: () => T | Promise<T>) =>
    until(look, { what, timeout: 300_000, every: 300, evidence })
  const kill = () => {
    const { pid } = JSON.parse(readFileSync(join(baton.stateDir, 'endpoint.json'), 'utf8'))
    process.kill(pid, 'SIGKILL')
  }
  const pulls = async () => {
    const all = await Promise.all(
      [app, lib].map(async each => (await each.pulls()).map(({ head }) => `${each.fullName} ${head.ref}`)),
    )
    return all.flat().sort()
  }
  const jobs = async (state: JobView['state']) => (await status()).jobs.filter(job => job.state === state)

  try {
    for (const { repository, issue } of issues)
      if (repository === app) await must(['queue', 'add', String(issue), '--repo', home.project])
    expect(await must(['queue', 'watch', '--repo', second])).toContain('issues with the label baton')
    expect(await must(['queue', 'add', String(issues[0]?.issue)])).toContain('Already there')

    // The daemon is killed right after GitHub created the first pull request, before it can write that down.
    let killed = false
    github.on(
      'after',
      ({ method, path }) => method === 'POST' && path.endsWith('/pulls'),
      () => {
        if (killed) return
        killed = true
        kill()
      },
    )
    expect(await must(['fleet', 'up', '--slots', '2'])).toContain('takes issues from the queue')
    await eventually('the kill', () => killed)
    await must(['up'])
    const busy = (await status()).busy
    expect(busy).toBeLessThanOrEqual(2)
    await eventually('three pull requests', async () => (await jobs('review')).length === 3)
    expect(await pulls()).toEqual(
      issues.map(({ repository, issue }) => `${repository.fullName} issue-${issue}`).sort(),
    )
    expect(await status()).toMatchObject({ mode: 'up', busy: 0, slots: 2 })

    // Each agent had its own clone with its own refs.
    const clone = (await jobs('review')).find(({ repository }) => repository.endsWith('/lib'))?.clone ?? ''
    expect(clone).toBe(`${second}-fleet/issue-${issues[2]?.issue}`)
    expect(readFileSync(join(clone, '.git/objects/info/alternates'), 'utf8')).toBe(
      `${second}-fleet/shared.git/objects\n`,
    )

    // The base moves. A person says yes: Baton merges the base, proves that, pushes and merges it, although it is killed
    // right after GitHub did the merge. Then it closes the issue and deletes the clone.
    const [pull] = await lib.pulls()
    await lib.git.commit('main', { 'base.js': 'module.exports = 0\n' })
    let merges = 0
    github.on(
      'after',
      ({ method, path }) => method === 'PUT' && path.endsWith('/merge'),
      () => {
        if (++merges === 1) kill()
      },
    )
    const ask = await eventually('the question', async () => {
      await callSocket(baton.stateDir, 'POST', '/api/claims/nudge', { repository: 'acme/lib' })
      const { asks } = (await callSocket(baton.stateDir, 'GET', '/api/asks')) as {
        asks: { id: string; title: string; facts: { project?: string } }[]
      }
      return asks.find(({ title, facts }) => title.startsWith('Merge PR') && facts.project === second)
    })
    await asPerson(baton, 'allow', ask.id)
    await eventually('the merge', () => merges > 0)
    await must(['up'])
    await eventually('the clean-up', () => !existsSync(clone))
    expect(merges).toBe(1)
    expect(await lib.pullNow(pull?.number ?? 0)).toMatchObject({ merged: true })
    expect((await lib.issueNow(issues[2]?.issue ?? 0)).state).toBe('closed')
    const files = await lib.git.git('ls-tree', '-r', '--name-only', 'main')
    expect(files.split('\n')).toEqual(expect.arrayContaining(['base.js', `part-${issues[2]?.issue}.js`]))
    expect(await jobs('review')).toHaveLength(2)
    expect(await must(['fleet', 'down'])).toContain('is down')
    github.assertClean()
  } finally {
    spawnSync('tmux', ['-S', socket, 'kill-server'])
  }
})
