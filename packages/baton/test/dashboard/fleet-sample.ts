import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type JobData, MachineReport } from '@batonpass/contract/fleet'
import { openJobQueue } from '../../src/adapters/pg-boss/job-queue.ts'
import { findQueuePackages } from '../../src/adapters/pg-boss/queue-packages.ts'
import { FleetAsks } from '../../src/fleet/fleet-asks.ts'
import { MachineLeases } from '../../src/fleet/machine-leases.ts'
import { signedReports } from '../../src/fleet/signed-report.ts'
import { postgresLeases } from '../../src/store/leases.ts'
import { sampleAsk } from '../ask/sample.ts'
import { machineOn } from '../fleet/membership-world.ts'
import type { DashboardWorld } from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SHOP = 'github.com/acme/web-shop'
const API = 'github.com/acme/payments-api'
const OTHER = 'build-7'

/** Settings of a machine that shares a database with others. */
export const fleetSettings = (url: string): string =>
  `fleet:\n  name: desk\n  postgres: ${url}\nbudget:\n  per_day:\n    money: 25\n`

/**
 * A fleet of two machines on a real PostgreSQL: this one, which takes issues of no repository so far, and another one that joined, works
 * and asks.
 */
export async function fillFleet(world: DashboardWorld, url: string, now = Date.now()): Promise<void> {
  // Its agent is installed, and gets no issue.
  const bin = join(world.scratch.path, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const fleet = await world.baton.fleet.get()
  await fleet.order({ mode: 'up', slots: 3 })
  const other = machineOn(url, OTHER)
  const member = fleet.membership()
  const { token } = await member.giveToken()
  let isDone = false
  const joined = other.membership.join(token).finally(() => {
    isDone = true
  })
  joined.catch(() => {})
  while (!isDone) {
    await member.refresh()
    await pause(20)
  }
  await joined

  const stamp = (hours: number) => new Date(now - hours * HOUR).toISOString()
  const queue = await openJobQueue(url, findQueuePackages(world.folder.dir)?.boss ?? '')
  const machine = `id-${OTHER}`
  const jobOf = (repository: string, issue: number, more: Partial<JobData> = {}): JobData => ({
    ...{ repository, project: '/home/ann/web-shop', issue, priority: 0, addedAt: stamp(2), ...more },
  })
  for (let nth = 0; nth < 34; nth++) {
    // More during the day than at night.
    const ago = nth * 1.3 + (nth % 5) * 0.9 + (nth > 12 ? 8 : 0)
    const data = jobOf(nth % 3 === 0 ? API : SHOP, 100 + nth)
    await queue.saveProgress({ data, machine, isInReview: true })
    const mergedAt = stamp(ago)
    const addedAt = stamp(ago + 0.8 + ((nth * 7) % 11) / 3)
    await queue.dropProgress(data, machine, {
      repository: data.repository,
      issue: data.issue,
      addedAt,
      mergedAt,
    })
  }
  for (const [issue, priority, hours] of [
    [218, 5, 0.4],
    [221, 0, 1.2],
    [223, 0, 0.2],
  ] as const)
    await queue.add(jobOf(SHOP, issue, { priority, addedAt: stamp(hours), agent: 'claude-code' }))
  for (const [repository, issue] of [
    [SHOP, 212],
    [SHOP, 214],
    [API, 88],
  ] as const) {
    const job = await queue.add(jobOf(repository, issue, { agent: issue === 88 ? 'codex' : 'claude-code' }))
    await queue.take(job?.id ?? '', machine, 4)
  }
  const failing = await queue.add(jobOf(API, 79, { agent: 'codex', addedAt: stamp(7) }))
  for (let attempt = 0; attempt < 2 && failing; attempt++) {
    await queue.retry(failing.id)
    await queue.take(failing.id, machine, 9)
    const reason = 'The run ended as stalled: the same test failed three times'
    await queue.fail(failing.id, { reason, at: stamp(1) })
  }
  await queue.saveProgress({ data: jobOf(SHOP, 209, { addedAt: stamp(3) }), machine, isInReview: true })
  await queue.close()

  const leases = postgresLeases(url)
  const session = { by: 'run', agent: 'claude-code', startedAt: stamp(1), lastActivityAt: stamp(0.01) }
  await new MachineLeases({
    leases,
    machine: async () => ({ id: machine, name: OTHER }),
    ttlMs: () => 10 * HOUR,
    reports: signedReports(other.membership),
    clock: { elapsed: () => 0 },
  }).report(
    MachineReport.parse({
      ...{ mode: 'up', slots: 4, busy: 3, agents: ['claude-code', 'codex'] },
      sessions: [
        { ...session, id: 's1', name: 'Apply discounts', project: '/w/issue-212', state: 'working' },
        { ...session, id: 's2', name: 'Sort the cart', project: '/w/issue-214', state: 'dialog' },
        {
          ...session,
          id: 's3',
          agent: 'codex',
          name: 'Refund once',
          project: '/w/issue-88',
          state: 'stalled',
        },
      ],
      merges: [
        {
          ...{ repository: SHOP, issue: 209, base: 'main', state: 'merging', since: stamp(0.3) },
          pullRequest: 'https://github.com/acme/web-shop/pull/230',
          note: 'Baton proves it together with main',
        },
      ],
      changes: [
        { repository: SHOP, issue: 212, files: ['src/cart.ts', 'src/discounts.ts'] },
        { repository: SHOP, issue: 214, files: ['src/cart.ts'] },
      ],
      budget: { used: { tokens: 1_240_000, money: 11.4, hours: 9.2 }, limits: { money: 40 } },
    }),
  )
  await leases.close()
  const asks = new FleetAsks({
    board: other.board,
    membership: other.membership,
    isOfFleet: async () => true,
    redact: value => value,
    journal: async () => {},
    fault: () => {},
    clock: { elapsed: () => 0 },
    pause: ms => pause(ms),
  })
  const ask = sampleAsk({
    facts: { project: '/w/issue-214', agent: 'claude-code', tool: 'Bash' },
    title: 'Claude Code wants to run a command',
    detail: 'npm install left-pad',
    createdAt: stamp(0.05),
    expiresAt: stamp(-1),
  })
  await asks.show(ask)
  await asks.sync()
  await asks.stop()
  await other.close()
}
