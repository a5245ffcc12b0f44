import type { MachineReport } from '@batonpass/contract/fleet'
import { expect, test } from 'vitest'
import { MachineLeases } from '../../src/fleet/machine-leases.ts'
import type { Member } from '../../src/fleet/membership-file.ts'
import { signedReports } from '../../src/fleet/signed-report.ts'
import { type MachineKey, newKey, signText } from '../../src/fleet/signed-statement.ts'
import { memoryLeases } from './memory-leases.ts'

const founder = newKey()
const other = newKey()
const stranger = newKey()
const MEMBERS: Member[] = [
  { machine: 'id-one', name: 'one', key: founder.key },
  { machine: 'id-two', name: 'two', key: other.key },
]
const reportsWith = (own: MachineKey) =>
  signedReports({
    async signOwn(make) {
      const member = MEMBERS.find(({ key }) => key === own.key)
      return member && signText(make({ ...member, fleet: founder.key }), own)
    },
    memberWith: key => MEMBERS.find(member => member.key === key),
    fleet: async () => founder.key,
  })
const REPORT: MachineReport = {
  mode: 'up',
  slots: 2,
  busy: 1,
  agents: ['claude-code'],
  sessions: [],
  merges: [],
  changes: [{ repository: 'github.com/acme/app', issue: 7, files: ['a.ts'] }],
}

const mergeWith = (note: string): MachineReport['merges'][number] => ({
  ...{ repository: 'github.com/acme/app', issue: 7, pullRequest: 'https://x/7', base: 'main', note },
  ...{ state: 'waiting', since: '2026-01-01T00:00:00.000Z' },
})

test('what a machine reports is read only if its own key has signed it, for this machine and this fleet', async () => {
  const [one, two, none] = [founder, other, stranger].map(reportsWith)
  const stored = await two?.sign(REPORT)
  expect(await one?.read('id-two', stored)).toEqual(REPORT)
  expect(await one?.read('id-one', stored), "another machine's").toBeUndefined()
  expect(await none?.sign(REPORT), 'of a machine that is not a member').toBeUndefined()
  expect(await one?.read('id-two', JSON.stringify(REPORT)), 'without a signature').toBeUndefined()
  expect(await one?.read('id-two', stored?.replace('a.ts', 'b.ts')), 'changed').toBeUndefined()
  const text = JSON.stringify({
    kind: 'report',
    fleet: founder.key,
    by: other.key,
    machine: 'id-two',
    report: REPORT,
  })
  expect(
    await one?.read('id-two', JSON.stringify(signText(text, stranger))),
    "with a stranger's key",
  ).toBeUndefined()
  for (const bad of [undefined, '', '{', 'null', '[]']) expect(await one?.read('id-two', bad)).toBeUndefined()
})

test('a report that is too long to read goes without changed files, then without its lists', async () => {
  const [one, two] = [founder, other].map(reportsWith)
  const readBack = async (report: MachineReport) => one?.read('id-two', await two?.sign(report))
  const merges = [mergeWith('short')]
  // Many short names: the signed text is within the limit, and what is stored, with its quotes escaped, is not.
  for (const [length, count] of [
    [400, 20],
    [2, 200],
  ] as const) {
    const files = Array.from({ length: count }, () => 'x'.repeat(length))
    const changes = Array.from({ length: 200 }, (_, index) => ({
      repository: 'github.com/acme/app',
      issue: index + 1,
      files,
    }))
    expect(await readBack({ ...REPORT, merges, changes })).toEqual({ ...REPORT, merges, changes: [] })
  }
  const long = Array.from({ length: 200 }, () => mergeWith('x'.repeat(2000)))
  expect(await readBack({ ...REPORT, merges: long })).toEqual({ ...REPORT, merges: [], changes: [] })
})

test('a machine whose report was forged is shown without it', async () => {
  const leases = memoryLeases(() => 0)
  const leasesOf = (own: MachineKey, id: string) =>
    new MachineLeases({
      leases,
      machine: async () => ({ id, name: id }),
      ttlMs: () => 60_000,
      isMember: machine => MEMBERS.some(member => member.machine === machine),
      reports: reportsWith(own),
      clock: { elapsed: () => 0 },
    })
  await leasesOf(other, 'id-two').report(REPORT)
  const here = leasesOf(founder, 'id-one')
  expect(await here.machines()).toMatchObject([
    { id: 'id-two', isAlive: true, busy: 1, changes: REPORT.changes },
  ])
  const [held] = await leases.list({ repository: 'fleet machines', folder: '' })
  const name = { repository: 'fleet machines', issue: held?.issue ?? 0, folder: '' }
  const details = JSON.stringify({ ...REPORT, busy: 99 })
  await leases.take(name, { claim: 'id-two', agent: 'two', host: 'two', details }, 60_000)
  expect(await here.machines()).toMatchObject([{ id: 'id-two', isAlive: true, busy: 0, changes: [] }])
})
