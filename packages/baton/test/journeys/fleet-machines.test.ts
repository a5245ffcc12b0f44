import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { AskList } from '@batonpass/contract/ask'
import { FleetStatus, FleetToken } from '@batonpass/contract/fleet'
import { expect, test } from 'vitest'
import { batonIn, batonOnPath } from '../world/baton.ts'
import { callSocket, settingsFor } from '../world/claims.ts'
import { type FakeGitHub, fakeGitHub } from '../world/github.ts'
import { asPerson } from '../world/person.ts'
import { postgres, query } from '../world/postgres.ts'
import { plainGit, type Scratch, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

const exec = promisify(execFile)
const FILES = {
  'package.json': JSON.stringify({ name: 'app', private: true, scripts: { test: 'node --test' } }),
  'sum.test.js': "require('node:test')('adds', () => require('node:assert').equal(1 + 2, 3))\n",
}
/** An agent that pushes its first commit, waits until the test lets it go, and hands the branch off. */
const AGENT = `#!/bin/bash
case "$*" in *--version*) echo '2.1.0 (Claude Code)'; exit;; esac
n=\${PWD##*issue-}
if [ ! -e part-$n.js ]; then
  echo "module.exports = $n" > part-$n.js && git add -A && git commit -qm "Begin part $n" && git push -q -u origin HEAD
fi
echo "ready $n"
while [ ! -e "$GO" ]; do sleep 0.2; done
echo "// done on $MACHINE" >> part-$n.js && git commit -qam "Finish part $n" && baton claim ready --summary "Add part $n"
while :; do sleep 1; done
`

/** A machine of its own: home, state, daemon, tmux server, agent and clones. */
async function machineIn(folder: Scratch, sockets: Scratch, name: string, github: FakeGitHub, url: string) {
  const root = join(folder.path, name)
  const env = { ...process.env, ...plainGit }
  const projects: string[] = []
  for (const full of ['acme/app', 'acme/lib']) {
    const project = join(root, full.replace('acme/', ''))
    // Not synchronously: this process serves the remote.
    await exec('git', ['clone', '-q', github.repositoryNamed(full).remote, project], { env })
    await exec('git', ['-C', project, 'config', 'user.name', 'Dev'])
    await exec('git', ['-C', project, 'config', 'user.email', 'dev@example.com'])
    projects.push(project)
  }
  const home = join(root, 'home')
  const baton = batonIn(home, projects[0] ?? '')
  const bin = batonOnPath(home)
  writeFileSync(join(bin, 'claude'), AGENT, { mode: 0o755 })
  const go = join(root, 'go')
  const tmux = join(sockets.path, name)
  const socket = join(tmux, `tmux-${process.getuid?.()}`, 'default')
  const own = { HOME: home, PATH: `${bin}:${process.env.PATH}`, TMUX_TMPDIR: tmux, GO: go, MACHINE: name }
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
  expect(
    spawnSync('tmux', ['-S', socket, 'new-session', '-d', '-s', 'keep'], { env: { ...env, ...own } }).status,
  ).toBe(0)
  baton.configure(settingsFor(github, `fleet:\n  name: ${name}\n  postgres: ${url}\n`))
  const must = async (...args: string[]) => {
    const ran = await baton.run(args, { env: own })
    expect(ran, args.join(' ')).toMatchObject({ code: 0 })
    return ran.stdout
  }
  return {
    ...{ name, projects, baton, must },
    up: async (token?: string) => {
      await must('up', '--restart')
      if (token) {
        const stdin = join(root, 'token')
        writeFileSync(stdin, `${token}\n`)
        const { stateDir } = baton
        await asPerson({ home, stateDir, stdin }, 'fleet', 'join')
      }
      await must('fleet', 'up', '--slots', '4', '--repos', projects.join(','))
    },
    letGo: () => writeFileSync(go, ''),
    signal: (signal: NodeJS.Signals) => {
      const { pid } = JSON.parse(readFileSync(join(baton.stateDir, 'endpoint.json'), 'utf8'))
      process.kill(pid, signal)
    },
    agents: () =>
      spawnSync('tmux', ['-S', socket, 'list-panes', '-aF', '#{pane_title} #{pane_current_command}'])
        .stdout.toString()
        .split('\n')
        .filter(line => line !== '').length - 1,
    status: async () => FleetStatus.parse(JSON.parse(await must('fleet', 'status', '--json'))),
    nudge: () =>
      Promise.all(
        ['acme/app', 'acme/lib'].map(repository =>
          callSocket(baton.stateDir, 'POST', '/api/claims/nudge', { repository }),
        ),
      ),
    screens: () =>
      spawnSync('sh', [
        '-c',
        `for p in $(tmux -S '${socket}' list-panes -aF '#{pane_id}'); do tmux -S '${socket}' capture-pane -pt $p; done`,
      ]).stdout.toString(),
    end: async () => {
      spawnSync('tmux', ['-S', socket, 'kill-server'])
      await baton[Symbol.asyncDispose]()
    },
  }
}

test('two machines, one PostgreSQL that restarts, one machine suspended past its lease: each issue is merged once, from the pushed branch', {
  timeout: 600_000,
}, async () => {
  await using server = await postgres()
  await using github = await fakeGitHub({ repositories: ['acme/app', 'acme/lib'] })
  const repositories = ['acme/app', 'acme/lib'].map(full => github.repositoryNamed(full))
  await using folder = scratch('bf-')
  await using sockets = scratch('bx-')
  const url = await server.database()
  const issues: { full: string; issue: number }[] = []
  for (const each of repositories) {
    await each.git.commit('main', FILES)
    for (const title of ['First', 'Second'])
      issues.push({ full: each.fullName, issue: await each.issue({ title }) })
  }
  const one = await machineIn(folder, sockets, 'one', github, url)
  const two = await machineIn(folder, sockets, 'two', github, url)
  const evidence = async () =>
    `${await two.must('fleet', 'status').catch(String)}\n${await two.must('logs', '--lines', '80').catch(String)}\n${one.screens()}\n${two.screens()}`
  const eventually = <T>(what: string, look: () => T | Promise<T>) =>
    until(look, { what, timeout: 240_000, every: 500, evidence })
  try {
    await one.up()
    for (const { full, issue } of issues)
      await one.must(
        'queue',
        'add',
        String(issue),
        '--repo',
        one.projects[full.endsWith('app') ? 0 : 1] ?? '',
      )
    await eventually('four agents that have pushed', () => one.screens().split('ready ').length > 4)
    // Not without a token; an agent, which has no terminal of its own, gets none.
    await two.must('up', '--restart')
    const early = await two.baton.run(['fleet', 'up'])
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('baton fleet token') })
    expect(await one.baton.run(['fleet', 'token'])).toMatchObject({
      stderr: expect.stringContaining('person'),
    })
    await two.up(FleetToken.parse(JSON.parse(await asPerson(one.baton, 'fleet', 'token', '--json'))).token)
    const both = await eventually('both machines', async () => {
      const { machines } = await two.status()
      return machines.length === 2 && machines.some(({ busy }) => busy === 4) ? machines : undefined
    })
    expect(both.map(({ name, isHere, isAlive, busy }) => [name, isHere, isAlive, busy]).sort()).toEqual([
      ['one', false, true, 4],
      ['two', true, true, 0],
    ])

    // Machine one falls asleep. The database's clock cannot be set, so what it wrote down moves into the past.
    one.signal('SIGSTOP')
    await query(url, "update baton.leases set until = now() - interval '1 second' where host = 'one'")
    await eventually('four agents on the other machine', () => two.screens().split('ready ').length > 4)
    await server.stop()
    await server.start()
    two.letGo()
    const pulls = async () => (await Promise.all(repositories.map(each => each.pulls()))).flat()
    const merged = async () => {
      for (const each of repositories)
        for (const { number, state } of await each.pulls())
          if (state === 'open') await each.check(number, 'ci', 'success')
      await two.nudge()
      const states = await Promise.all(
        issues.map(({ full, issue }) => github.repositoryNamed(full).issueNow(issue)),
      )
      return states.filter(({ state }) => state === 'closed').length
    }
    /** A person answers a question about a merge on a machine, of this one or of another. */
    const answered: string[] = []
    const allowOn = async ({ name, baton }: typeof one) => {
      const [ask] = AskList.parse(await baton.read('/api/asks?fleet=true')).asks
      // One that ended meanwhile is gone from the list at the next look.
      const said = ask && (await asPerson(baton, 'allow', ask.id).catch(() => undefined))
      if (said !== undefined) answered.push(`${name} for ${ask?.facts.machine ?? name}`)
    }
    await eventually('a merge', async () => {
      if (answered.length === 0) await allowOn(two)
      return (await merged()) > 0
    })

    // Machine one wakes up while the other one works: it ends its agents, keeps its clones and does nothing outside.
    one.letGo()
    one.signal('SIGCONT')
    await eventually('the end of its agents', () => one.agents() === 0)
    await eventually('the merge of all', async () => {
      await allowOn(one)
      return (await merged()) === issues.length
    })
    expect([...new Set(answered)]).toEqual(['two for two', 'one for two'])
    expect((await pulls()).map(({ head }) => head.ref).sort()).toEqual(
      issues.map(({ issue }) => `issue-${issue}`).sort(),
    )
    for (const { full, issue } of issues) {
      const { git } = github.repositoryNamed(full)
      expect(await git.git('show', `main:part-${issue}.js`)).toBe(`module.exports = ${issue}\n// done on two`)
    }
    await eventually('what it says about each of its issues', async () => {
      const entries = await one.baton.entries({ kind: 'fleet' })
      const fenced = entries.flatMap(({ body }) =>
        body.kind === 'fleet' && body.what === 'fenced' ? [`${body.repository}#${body.issue}`] : [],
      )
      return new Set(fenced).size === issues.length
    })
    await eventually('an empty queue', async () => (await two.status()).jobs.length === 0)
    expect(existsSync(`${two.projects[0]}-fleet/issue-${issues[0]?.issue}`)).toBe(false)
    github.assertClean()

    // A machine that is removed notices it and goes down.
    expect(await asPerson(one.baton, 'fleet', 'remove', 'two')).not.toContain('two  up')
    await eventually('the end of the removed machine', async () => (await two.status()).mode === 'down')
    expect(await two.baton.run(['fleet', 'up'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was removed from the fleet'),
    })
  } finally {
    await Promise.all([one.end(), two.end()])
  }
})
