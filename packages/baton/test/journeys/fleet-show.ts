import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FleetStatus } from '@batonpass/contract/fleet'
import { expect } from 'vitest'
import { randomFrom } from '../../../../bench/fleet/parts.ts'
import { type FleetMachine, fleetMachine } from '../world/fleet-machine.ts'
import type { BareRepository } from '../world/github/git.ts'
import { fakeGitHub, type GateCall } from '../world/github.ts'
import { type Postgres, postgres } from '../world/postgres.ts'
import { plainGit, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

export interface ShowSize {
  machines: number
  slots: number
  repositories: number
  /** Of each repository; three of ten change a file that others change, too. */
  issues: number
  daemonKills: number
  agentKills: number
  databaseRestarts: number
  /** How long an agent thinks. */
  thinkMs: number
  timeoutMs: number
  seed: number
}

export interface ShowFigures {
  merged: number
  parked: { issue: string; reason: string }[]
  seconds: number
  resumed: number
  sentBack: number
  daemonKills: number
  agentKills: number
  /** CPU seconds of Baton's daemons and of the programs that they start (git, checks), for each issue. */
  daemonCpuPerIssue: number
  childCpuPerIssue: number
}

const FILES = {
  'package.json': JSON.stringify({ name: 'app', private: true, scripts: { test: 'node --test' } }),
  'shared.txt': 'the first line\n',
  'parts.test.js': `const { readdirSync, readFileSync } = require('node:fs')
const assert = require('node:assert')
require('node:test')('every part is its number, and every line is there once', () => {
  for (const file of readdirSync(__dirname).filter(name => /^part-\\d+\\.js$/.test(name)))
    assert.equal(require('./' + file), Number(/\\d+/.exec(file)[0]))
  const lines = readFileSync(__dirname + '/shared.txt', 'utf8').split('\\n')
  assert.equal(new Set(lines).size, lines.length)
  assert.ok(lines.every(line => /^(the first line|issue \\d+|)$/.test(line)))
})
`,
}
const AGENT = fileURLToPath(new URL('../world/agents/fleet-agent.mjs', import.meta.url))

const run = promisify(execFile)

/** A minute, the shortest that Baton takes. */
const LEASE_MINUTES = 1
const SUSPENDED_MS = LEASE_MINUTES * 60_000 + 45_000

/**
 * Machines with a home and a daemon each, one real PostgreSQL, a strict GitHub, agents with hooks; and what goes wrong: daemons and
 * agents are killed, the database restarts, a machine sleeps past its lease. Checks that nothing is lost and nothing happens twice.
 */
export async function showFleet(size: ShowSize, say: (line: string) => void): Promise<ShowFigures> {
  const repositories = Array.from({ length: size.repositories }, (_, nth) => `acme/app${nth + 1}`)
  await using server = await postgres()
  await using github = await fakeGitHub({ repositories })
  await using folder = scratch('bf-')
  await using sockets = scratch('bx-')
  const url = await server.database()
  const issues: { full: string; issue: number }[] = []
  for (const full of repositories) {
    const repository = github.repositoryNamed(full)
    await repository.git.commit('main', FILES)
    for (let nth = 0; nth < size.issues; nth++)
      issues.push({
        full,
        issue: await repository.issue({ title: `Add a part (${nth + 1})`, labels: ['baton'] }),
      })
  }
  const machines: FleetMachine[] = []
  const cpu = new CpuTimes()
  const began = performance.now()
  const evidence = async () =>
    (
      await Promise.all(
        machines.map(
          async each =>
            `--- ${each.name}\n${await each.must('fleet', 'status').catch(String)}\n${each.screens().slice(-3000)}`,
        ),
      )
    ).join('\n')
  let trouble: Trouble | undefined
  try {
    for (let nth = 1; nth <= size.machines; nth++) {
      const name = `m${nth}`
      const settings = `fleet:\n  name: ${name}\n  postgres: ${url}\n  lease_minutes: ${LEASE_MINUTES}\nmerge:\n  policy: proven\nclaim:\n  poll_seconds: 10\n`
      const machine = await fleetMachine({
        ...{ folder, sockets, name, github, repositories, settings, slots: size.slots },
        agent: `#!/bin/sh\nexec '${process.execPath}' '${AGENT}' "$@"\n`,
        env: { THINK_MS: String(size.thinkMs) },
      })
      machines.push(machine)
      await machine.up(nth === 1 ? undefined : await machines[0]?.token())
    }
    const [one] = machines
    if (!one) throw new Error('no machine')
    for (const project of one.projects) await one.must('queue', 'watch', '--repo', project)
    say(`${issues.length} issues have their label, after ${secondsSince(began)} s`)
    const merges = () => github.calls.filter(isMerge).map(({ path }) => path)
    trouble = new Trouble(size, { machines, server, cpu, merges, say })
    const checked = new Set<string>()
    let jobs: FleetStatus['jobs'] = []
    await until(
      async () => {
        cpu.sample(machines)
        for (const full of repositories) {
          const repository = github.repositoryNamed(full)
          for (const { number, state, head } of await repository.pulls()) {
            const key = `${full} ${(await repository.git.branches()).get(head.ref)}`
            if (state !== 'open' || checked.has(key)) continue
            await repository.check(number, 'ci', 'success')
            checked.add(key)
          }
        }
        await Promise.all(machines.map(each => each.nudge().catch(() => undefined)))
        if (!(await trouble?.next())) return false
        jobs = (await one.status()).jobs
        return (
          merges().length + jobs.length === issues.length && jobs.every(({ state }) => state === 'failed')
        )
      },
      { what: 'every issue merged or parked', timeout: size.timeoutMs, every: 1000, evidence },
    )
    cpu.sample(machines)

    const parked = jobs.map(({ repository, issue, reason = '' }) => ({
      issue: `${repository.replace(/^[^/]*\//, '')}#${issue}`,
      reason,
    }))
    for (const { full, issue } of issues) {
      const repository = github.repositoryNamed(full)
      const name = `${full}#${issue}`
      const pulls = (await repository.pulls()).filter(({ head }) => head.ref === `issue-${issue}`)
      expect(pulls.length, `pull requests of ${name}`).toBeLessThanOrEqual(1)
      if (parked.some(each => each.issue === name)) continue
      const [pull] = pulls
      expect((await repository.issueNow(issue)).state, name).toBe('closed')
      const path = `/repos/${full}/pulls/${pull?.number}/merge`
      expect(merges().filter(each => each === path).length, `merges of ${name}`).toBe(1)
      expect(await repository.git.git('show', `main:part-${issue}.js`)).toBe(`module.exports = ${issue}`)
      const lines = (await repository.git.git('show', 'main:shared.txt')).split('\n')
      expect(lines.filter(line => line === `issue ${issue}`).length, name).toBe(issue % 10 < 3 ? 1 : 0)
    }
    for (const { reason } of parked) expect(reason).not.toBe('')
    for (const full of repositories) await checkEachMerge(github.repositoryNamed(full).git, folder.path)
    github.assertClean()
    const entries = (await Promise.all(machines.map(each => each.baton.entries({ kind: 'fleet' })))).flat()
    const count = (what: string) =>
      entries.filter(({ body }) => body.kind === 'fleet' && body.what === what).length
    return {
      merged: merges().length,
      parked,
      seconds: secondsSince(began),
      resumed: count('resumed'),
      sentBack: count('sent-back'),
      ...trouble.done,
      daemonCpuPerIssue: rounded(cpu.own / issues.length),
      childCpuPerIssue: rounded(cpu.children / issues.length),
    }
  } finally {
    trouble?.wake()
    await Promise.all(machines.map(each => each.end()))
  }
}

const isMerge = ({ method, path, status }: GateCall) =>
  method === 'PUT' && status === 200 && /\/pulls\/\d+\/merge$/.test(path)
const secondsSince = (began: number) => Math.round((performance.now() - began) / 1000)
const rounded = (value: number) => Math.round(value * 100) / 100

/** Runs the checks on each commit that the base branch had. */
async function checkEachMerge(git: BareRepository, folder: string): Promise<void> {
  const commits = (await git.git('rev-list', '--first-parent', 'main')).split('\n')
  for (const commit of commits.slice(0, -1)) {
    const place = join(folder, `check-${commit}`)
    const env = { ...process.env, ...plainGit }
    await run('git', ['clone', '-q', '--no-checkout', '--shared', git.path, place], { env })
    await run('git', ['-C', place, 'checkout', '-q', commit], { env })
    await run(process.execPath, ['--test'], { cwd: place, env })
  }
}

type Part = 'kill a daemon' | 'kill an agent' | 'restart the database' | 'suspend a machine'
interface Stage {
  machines: readonly FleetMachine[]
  server: Postgres
  cpu: CpuTimes
  merges(): string[]
  say(line: string): void
}

const PATIENCE_MS = 45_000

/** What goes wrong, one after the other, in an order that the seed decides. */
class Trouble {
  readonly #stage: Stage
  readonly #random: () => number
  readonly #parts: Part[]
  readonly #total: number
  readonly #issues: number
  #lastAt = performance.now()
  #asleep: Promise<void> | undefined
  #sleeper: FleetMachine | undefined
  /** Lets a suspended machine continue at once. */
  wake: () => void = () => {}
  readonly done = { daemonKills: 0, agentKills: 0 }

  constructor(size: ShowSize, stage: Stage) {
    this.#stage = stage
    this.#random = randomFrom(size.seed)
    const parts: Part[] = [
      ...Array<Part>(size.daemonKills).fill('kill a daemon'),
      ...Array<Part>(size.agentKills).fill('kill an agent'),
      ...Array<Part>(size.databaseRestarts).fill('restart the database'),
      'suspend a machine',
    ]
    this.#parts = parts
      // Agents end early, so what hits them comes early.
      .map(part => ({ part, order: this.#random() * (part === 'kill an agent' ? 0.5 : 1) }))
      .sort((a, b) => a.order - b.order)
      .map(({ part }) => part)
    this.#total = parts.length
    this.#issues = size.issues * size.repositories
  }

  /** Does what is due: spread over the merges, or after a while without one. True: nothing more will go wrong. */
  async next(): Promise<boolean> {
    const [part] = this.#parts
    if (!part) {
      await this.#asleep
      return true
    }
    const quietMs = performance.now() - this.#lastAt
    const merged = this.#stage.merges().length
    const isDue =
      merged >= (this.#issues / (this.#total + 2)) * (this.#total - this.#parts.length) ||
      quietMs > PATIENCE_MS
    if (!isDue || quietMs < 5000) return false
    const done = await this.#doFirstPossible()
    if (!done && quietMs < 4 * PATIENCE_MS) return false
    this.#parts.splice(done ? this.#parts.indexOf(done) : 0, 1)
    this.#lastAt = performance.now()
    this.#stage.say(`${done ?? `nothing to hit: ${part}`} (${merged} merged)`)
    return false
  }

  /** What finds nothing to hit at the moment, such as an agent, does not hold up the others. */
  async #doFirstPossible(): Promise<Part | undefined> {
    for (const part of new Set(this.#parts)) if (await this.#do(part)) return part
    return undefined
  }

  /** False: there is nothing that it could hit at the moment. */
  async #do(part: Part): Promise<boolean> {
    const { server, cpu } = this.#stage
    const awake = this.#stage.machines.filter(each => each !== this.#sleeper)
    const withAgents = awake.filter(each => each.agents().length > 0)
    const pick = <T>(list: readonly T[]) => list[Math.floor(this.#random() * list.length)]
    switch (part) {
      case 'restart the database':
        await server.stop()
        await server.start()
        return true
      case 'kill a daemon': {
        const machine = pick(awake)
        if (!machine) return false
        cpu.sample([machine])
        process.kill(machine.pid(), 'SIGKILL')
        this.done.daemonKills++
        await machine.must('up')
        return true
      }
      case 'kill an agent': {
        const agent = pick(withAgents.flatMap(each => each.agents()))
        if (agent === undefined) return false
        process.kill(-agent, 'SIGKILL')
        this.done.agentKills++
        return true
      }
      case 'suspend a machine': {
        // Not the first one, which this test asks about the queue.
        const machine = pick(awake.filter(each => each !== this.#stage.machines[0]))
        if (!machine) return false
        this.#sleeper = machine
        const all = [machine.pid(), ...machine.agents()].flatMap(withDescendants)
        signal(all, 'SIGSTOP')
        this.#asleep = new Promise(resolve => {
          const timer = setTimeout(() => this.wake(), SUSPENDED_MS)
          this.wake = () => {
            this.wake = () => {}
            clearTimeout(timer)
            signal(all, 'SIGCONT')
            this.#sleeper = undefined
            this.#stage.say(`${machine.name} wakes up (${this.#stage.merges().length} merged)`)
            resolve()
          }
        })
        return true
      }
    }
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
}

function withDescendants(root: number): number[] {
  const rows = spawnSync('ps', ['-eo', 'pid=,ppid='])
    .stdout.toString()
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
  const found = [root]
  for (const pid of found) for (const [child = 0, parent] of rows) if (parent === pid) found.push(child)
  return found
}

const TICKS_PER_SECOND = 100

/** The CPU time of all daemons that ran, and of the programs that they waited for, in seconds. */
class CpuTimes {
  readonly #byDaemon = new Map<number, { own: number; children: number }>()

  sample(machines: readonly FleetMachine[]): void {
    for (const machine of machines)
      try {
        const pid = machine.pid()
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const fields = stat
          .slice(stat.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number)
        const seconds = (first: number) =>
          ((fields[first] ?? 0) + (fields[first + 1] ?? 0)) / TICKS_PER_SECOND
        this.#byDaemon.set(pid, { own: seconds(11), children: seconds(13) })
      } catch {
        // It is being started, or this is not Linux.
      }
  }

  get own(): number {
    return [...this.#byDaemon.values()].reduce((sum, each) => sum + each.own, 0)
  }

  get children(): number {
    return [...this.#byDaemon.values()].reduce((sum, each) => sum + each.children, 0)
  }
}
