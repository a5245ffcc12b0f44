import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AskList } from '@batonpass/contract/ask'
import { QueueList } from '@batonpass/contract/fleet'
import { PsList } from '@batonpass/contract/watch'
import { expect, test } from 'vitest'
import { type FleetMachine, fleetMachine } from '../world/fleet-machine.ts'
import { fakeGitHub } from '../world/github.ts'
import { asPerson } from '../world/person.ts'
import { postgres, query } from '../world/postgres.ts'
import { scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'
import { type ShowSize, showFleet } from './fleet-show.ts'

const REPOSITORIES = ['acme/app', 'acme/lib']
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

test('two machines, one PostgreSQL that restarts, one machine suspended past its lease: each issue is merged once, from the pushed branch', {
  timeout: 600_000,
}, async () => {
  await using server = await postgres()
  await using github = await fakeGitHub({ repositories: REPOSITORIES })
  const repositories = REPOSITORIES.map(full => github.repositoryNamed(full))
  await using folder = scratch('bf-')
  await using sockets = scratch('bx-')
  const url = await server.database()
  const issues: { full: string; issue: number }[] = []
  for (const each of repositories) {
    await each.git.commit('main', FILES)
    for (const title of ['First', 'Second'])
      issues.push({ full: each.fullName, issue: await each.issue({ title }) })
  }
  const machineNamed = (name: string) =>
    fleetMachine({
      ...{ folder, sockets, name, github, repositories: REPOSITORIES, agent: AGENT, slots: 4 },
      env: { GO: join(folder.path, `${name}-go`), MACHINE: name },
      settings: `fleet:\n  name: ${name}\n  postgres: ${url}\n`,
    })
  const letGo = ({ name }: FleetMachine) => writeFileSync(join(folder.path, `${name}-go`), '')
  const one = await machineNamed('one')
  const two = await machineNamed('two')
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
    await two.up(await one.token())
    const both = await eventually('both machines', async () => {
      const { machines } = await two.status()
      return machines.length === 2 && machines.some(({ busy }) => busy === 4) ? machines : undefined
    })
    expect(both.map(({ name, isHere, isAlive, busy }) => [name, isHere, isAlive, busy]).sort()).toEqual([
      ['one', false, true, 4],
      ['two', true, true, 0],
    ])

    // Every command shows the whole fleet on the machine that does not work.
    const sessions = await eventually('the sessions of the other machine', async () => {
      const rows = PsList.parse(JSON.parse(await two.must('ps', '--fleet', '--json'))).sessions
      const theirs = rows.filter(({ machine }) => machine === 'one')
      return theirs.length === issues.length ? theirs : undefined
    })
    const clonesOf = ({ projects }: FleetMachine) =>
      issues.map(({ full, issue }) => `${projects[full.endsWith('app') ? 0 : 1]}-fleet/issue-${issue}`).sort()
    expect(sessions.map(({ project }) => project).sort()).toEqual(clonesOf(one))
    expect((await two.must('ps', '--fleet')).match(/ one\b/g)).toHaveLength(issues.length)
    expect(await two.must('ps')).not.toContain('MACHINE')
    const queue = QueueList.parse(JSON.parse(await two.must('queue', '--json'))).jobs
    expect(queue.map(({ issue, state, machine }) => `${issue} ${state} on ${machine}`).sort()).toEqual(
      issues.map(({ issue }) => `${issue} working on one`).sort(),
    )
    expect(await two.must('queue')).toMatch(/working.* on one/)

    // Machine one falls asleep. The database's clock cannot be set, so what it wrote down moves into the past.
    process.kill(one.pid(), 'SIGSTOP')
    await query(url, "update baton.leases set until = now() - interval '1 second' where host = 'one'")
    await eventually('four agents on the other machine', () => two.screens().split('ready ').length > 4)
    await server.stop()
    await server.start()
    letGo(two)
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
    const allowOn = async ({ name, baton }: FleetMachine) => {
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
    letGo(one)
    process.kill(one.pid(), 'SIGCONT')
    await eventually('the end of its agents', () => one.agents().length === 0)
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

const MIDDLE: ShowSize = {
  ...{
    machines: 3,
    slots: 2,
    repositories: 2,
    issues: 7,
    daemonKills: 3,
    agentKills: 2,
    databaseRestarts: 1,
  },
  ...{ thinkMs: 1000, timeoutMs: 15 * 60_000, seed: 1 },
}
const FULL: ShowSize = {
  ...{
    machines: 4,
    slots: 3,
    repositories: 6,
    issues: 10,
    daemonKills: 8,
    agentKills: 8,
    databaseRestarts: 2,
  },
  ...{ thinkMs: 2000, timeoutMs: 80 * 60_000, seed: 1 },
}

// With BATON_LONG=1; every run of CI has the two machines above.
test.each(process.env.BATON_LONG ? [MIDDLE, FULL] : [])(
  '$machines machines, $repositories repositories with $issues issues each: every one is merged once or parked, whatever is killed',
  { timeout: 90 * 60_000 },
  async size => {
    const figures = await showFleet(size, line => process.stdout.write(`${line}\n`))
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
    expect(figures.merged + figures.parked.length).toBe(size.repositories * size.issues)
  },
)
