import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keyOf, newKey, signText } from '../../src/fleet/signed-statement.ts'
import { type Postgres, postgres, query } from '../world/postgres.ts'
import { admit, machineOn, type TestMachine } from './membership-world.ts'

let server: Postgres
let url: string
let [one, two, three]: TestMachine[] = []
const all = () => [one, two, three] as TestMachine[]
beforeAll(async () => {
  server = await postgres()
}, 60_000)
afterAll(() => server?.[Symbol.asyncDispose]())
beforeEach(async () => {
  url = await server.database()
  ;[one, two, three] = ['one', 'two', 'three'].map(name => machineOn(url, name))
})
afterEach(() => Promise.all(all().map(each => each.close())))

const namesOn = async ({ membership }: TestMachine) => {
  await membership.refresh()
  return (await membership.views()).map(({ name }) => name).sort()
}
const now = () => new Date().toISOString()

describe('the machines of a fleet', () => {
  test('the first founds the fleet, at most one of several at once; the others need a token', async () => {
    const founded = await Promise.allSettled(all().map(({ membership }) => membership.ensure()))
    expect(founded.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const refused = founded.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(refused.reason).toMatchObject({
      code: 'not_allowed',
      remedy: expect.stringContaining('fleet token'),
    })
  })

  test('a machine joins with a token of any member; everyone sees the same machines, also after a restart', async () => {
    const [first, second, third] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    await admit(second, third)
    for (const each of all()) expect(await namesOn(each)).toEqual(['one', 'three', 'two'])
    expect(await second.again().standing()).toBe('member')
    expect(third.membership.isMember('id-one')).toBe(true)
    expect(first.file()?.secret).not.toBe(second.file()?.secret)
  })

  test('a token works once, for 15 minutes, and neither it nor a key of a machine is in the database', async () => {
    const [first, second, third] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    const { token } = await first.membership.giveToken()
    await admit(first, second, token)
    await expect(admit(first, third, token)).rejects.toMatchObject({ code: 'timed_out' })
    const late = await first.membership.giveToken()
    first.pass(15 * 60_000 + 1)
    await expect(admit(first, third, late.token)).rejects.toMatchObject({ code: 'timed_out' })
    expect(await namesOn(first)).toEqual(['one', 'two'])
    const stored = JSON.stringify(await query(url, 'select * from baton.fleet_statements'))
    for (const secret of [token.slice(-43), late.token.slice(-43), first.file()?.secret ?? '?'])
      expect(stored).not.toContain(secret)
    await expect(third.membership.join('batonfleet_x')).rejects.toMatchObject({ code: 'usage' })
  })

  test('writing to the database adds no machine: unsigned, self-signed, forged and copied statements count for nothing', async () => {
    const [first, second] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    const fleet = first.file()?.fleet ?? ''
    const evil = newKey()
    const claim = { kind: 'member', fleet, machine: 'evil', name: 'evil', key: evil.key, at: now() }
    const put = (text: string, signature: string) => first.board.append(fleet, { text, signature })
    const self = signText(JSON.stringify({ ...claim, by: evil.key }), evil)
    await put(self.text, self.signature)
    const asFounder = signText(JSON.stringify({ ...claim, by: fleet }), evil)
    await put(asFounder.text, asFounder.signature)
    await put(asFounder.text, '')
    await put('{', 'x')
    await put('x'.repeat(300_000), self.signature)
    const founded = { kind: 'founded', fleet, machine: 'evil', name: 'evil', by: evil.key, at: now() }
    const again = signText(JSON.stringify(founded), evil)
    await put(again.text, again.signature)
    // A true statement with another name in it.
    await query(
      url,
      `insert into baton.fleet_statements (fleet, text, signature)
       select fleet, replace(text, 'id-two', 'id-evil'), signature from baton.fleet_statements`,
    )
    for (const each of [first, second]) expect(await namesOn(each)).toEqual(['one', 'two'])
  })

  test('a removed machine is out at once and permanently, also if its removal is deleted or its statements come again', async () => {
    const [first, second, third] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    const invited = await second.membership.giveToken()
    await first.membership.remove('two')
    await second.membership.refresh()
    expect(await second.membership.standing()).toBe('removed')
    await expect(second.membership.giveToken()).rejects.toMatchObject({ code: 'not_allowed' })
    // Its key signs a machine with a date before its removal.
    await expect(admit(second, third, invited.token)).rejects.toMatchObject({ code: 'timed_out' })
    const own = keyOf(second.file()?.secret ?? '')
    const evil = newKey()
    const backdated = signText(
      JSON.stringify({
        kind: 'member',
        fleet: first.file()?.fleet,
        machine: 'evil',
        name: 'evil',
        key: evil.key,
        by: own.key,
        at: '2020-01-01T00:00:00.000Z',
      }),
      own,
    )
    await first.board.append(first.file()?.fleet ?? '', backdated)
    expect(await namesOn(first)).toEqual(['one'])
    await query(
      url,
      `insert into baton.fleet_statements (fleet, text, signature)
       select fleet, text, signature from baton.fleet_statements where text like '%"member"%';
       delete from baton.fleet_statements where text like '%"removed"%'`,
    )
    expect(await namesOn(first)).toEqual(['one'])
    // It may join again with a new token, and gets a new key.
    await admit(first, second)
    expect(await namesOn(first)).toEqual(['one', 'two'])
    expect(await second.membership.standing()).toBe('member')
  })

  test('the founder cannot be removed; another machine can found a fleet that the first does not belong to', async () => {
    const [first, second, third] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    await expect(second.membership.remove('one')).rejects.toMatchObject({ code: 'not_allowed' })
    await expect(second.membership.remove('nine')).rejects.toMatchObject({ code: 'not_found' })
    await second.membership.foundAgain()
    await admit(second, third)
    expect(await namesOn(third)).toEqual(['three', 'two'])
    expect(second.membership.isMember('id-one')).toBe(false)
  })

  test('rows too long to be read are not even loaded, and those after them still count', async () => {
    const [first, second] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    const fleet = first.file()?.fleet ?? ''
    await query(
      url,
      `insert into baton.fleet_statements (fleet, text, signature)
       select '${fleet}', repeat('a', 300000), 'x' from generate_series(1, 60);
       insert into baton.fleet_statements (fleet, text, signature) values ('${fleet}', 'x', repeat('a', 300000));
       insert into baton.fleet_asks (machine, ask, fleet, text, signature, is_open, changed)
       select 'm', 'ask_' || n, '${fleet}', repeat('a', 300000), 'x', true, now() from generate_series(1, 60) n`,
    )
    const rows = await first.board.statements(fleet, 0)
    expect(Math.max(...rows.map(({ text, signature }) => text.length + signature.length))).toBeLessThan(2000)
    expect(await first.board.asks(fleet)).toEqual([])
    await first.membership.remove('two')
    expect(await namesOn(second)).toEqual(['one'])
  })

  test('a row with a number far ahead hides no later removal, whether it can be stored or not', async () => {
    const [first, second] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    const fleet = first.file()?.fleet ?? ''
    const put = (seq: string) =>
      query(url, `insert into baton.fleet_statements values (${seq}, '${fleet}', 'x', 'x')`)
    await put(String(Number.MAX_SAFE_INTEGER - 1))
    await put(String(Number.MAX_SAFE_INTEGER))
    await put('9223372036854775807')
    for (const each of [first, second]) await each.membership.refresh()
    expect(first.file()?.seq).toBeLessThan(1000)
    await first.membership.remove('two')
    expect(first.membership.isMember('id-two')).toBe(false)
    // The other one reads again after a minute, or after a restart.
    expect(await second.again().refresh()).toBeUndefined()
    second.pass(61_000)
    await second.membership.refresh()
    expect(await second.membership.standing()).toBe('removed')
  })

  test('after the database was restored or replaced, new removals count and old ones stay', async () => {
    const [first, second, third] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    await admit(first, third)
    for (const each of all()) await each.membership.refresh()
    // Without the machine three, and with numbers that begin again.
    await query(
      url,
      `create table kept as select fleet, text, signature from baton.fleet_statements order by seq limit 3;
       truncate baton.fleet_statements restart identity;
       insert into baton.fleet_statements (fleet, text, signature) select * from kept`,
    )
    for (const each of all()) each.pass(61_000)
    for (const each of all()) expect(await namesOn(each)).toEqual(['one', 'three', 'two'])
    await first.membership.remove('two')
    for (const each of [first, third]) expect(await namesOn(each)).toEqual(['one', 'three'])
    await query(url, `delete from baton.fleet_statements where text like '%"removed"%'`)
    for (const each of all()) each.pass(61_000)
    for (const each of [first, third]) expect(await namesOn(each)).toEqual(['one', 'three'])
  })

  test('copies of a request to join add nothing, and people are told once', async () => {
    const [first, second] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    await query(
      url,
      `insert into baton.fleet_statements (fleet, text, signature)
       select fleet, text, signature from baton.fleet_statements, generate_series(1, 100) where text like '%"joining"%'`,
    )
    await first.membership.refresh()
    await first.again().refresh()
    expect(
      await query(url, `select 1 from baton.fleet_statements where text like '%"member"%'`),
    ).toHaveLength(1)
    expect(first.journal.filter(entry => entry.startsWith('admitted'))).toHaveLength(1)
    expect(first.announced).toEqual([expect.stringContaining('The machine two joined the fleet')])
  })

  test('a machine that takes the name, the id or the key of another as its name can be removed by its key', async () => {
    const [first, second] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    const key = keyOf(second.file()?.secret ?? '').key
    const mimic = machineOn(url, key)
    try {
      await admit(first, mimic)
      expect(await first.membership.remove(key)).toMatchObject({ name: 'two', key })
      expect(await first.membership.remove(key)).toMatchObject({ name: key })
      expect(await namesOn(first)).toEqual(['one'])
    } finally {
      await mimic.close()
    }
  })

  test('a flood of rows is read a bounded part at a time, and not after the daemon began to stop', async () => {
    const [first, second] = all() as [TestMachine, TestMachine, TestMachine]
    await first.membership.ensure()
    await admit(first, second)
    const fleet = first.file()?.fleet ?? ''
    await query(
      url,
      `insert into baton.fleet_statements (fleet, text, signature) select '${fleet}', 'x', 'x' from generate_series(1, 1500)`,
    )
    await first.membership.remove('two')
    let pages = 0
    const { statements } = second.board
    second.board.statements = (...given) => {
      pages++
      return statements(...given)
    }
    await second.membership.refresh()
    expect([pages, await second.membership.standing()]).toEqual([20, 'member'])
    await second.membership.refresh()
    expect(await second.membership.standing()).toBe('removed')
    second.membership.stop()
    pages = 0
    await second.membership.refresh()
    expect(pages).toBe(0)
  })
})
