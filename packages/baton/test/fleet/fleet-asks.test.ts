import { setTimeout as pause } from 'node:timers/promises'
import type { Ask } from '@batonpass/contract/ask'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Asks } from '../../src/ask/asks.ts'
import { FleetAsks } from '../../src/fleet/fleet-asks.ts'
import { digestOf, keyOf, newKey, signText } from '../../src/fleet/signed-statement.ts'
import { makeRedactor } from '../../src/journal/redact.ts'
import type { AnswerHandler } from '../../src/ports/channel.ts'
import { type AskWorld, askWorld, sampleAsk, sampleQuestion } from '../ask/sample.ts'
import { type Postgres, postgres, query } from '../world/postgres.ts'
import { until } from '../world/wait.ts'
import { admit, machineOn, type TestMachine } from './membership-world.ts'

let server: Postgres
beforeAll(async () => {
  server = await postgres()
}, 60_000)
afterAll(() => server?.[Symbol.asyncDispose]())

interface Place extends TestMachine {
  world: AskWorld
  asks: Asks
  fleet: FleetAsks
}
let url: string
let places: Place[] = []
/** The machine that asks, and two on which people answer. */
let [owner, ann, bob]: Place[] = []

async function placeOn(name: string): Promise<Place> {
  const machine = machineOn(url, name)
  const world = await askWorld()
  const fleet = fleetAsksOf(machine, world)
  return { ...machine, world, fleet, asks: await world.begin([fleet]) }
}

function fleetAsksOf(machine: TestMachine, world: AskWorld, membership = machine.membership): FleetAsks {
  return new FleetAsks({
    board: machine.board,
    membership,
    isOfFleet: async ({ facts }) => facts.project === '/work',
    redact: makeRedactor(() => ['hunter2000']).redact,
    journal: async reason => void machine.journal.push(reason),
    fault: (during, cause) => world.faults.push(`${during}: ${cause}`),
    clock: { elapsed: () => performance.now() },
    pause: ms => pause(Math.min(ms, 10)),
  })
}

beforeEach(async () => {
  url = await server.database()
  places = []
  for (const name of ['owner', 'ann', 'bob']) places.push(await placeOn(name))
  ;[owner, ann, bob] = places
  await owner?.membership.ensure()
  for (const other of [ann, bob]) if (owner && other) await admit(owner, other)
  await owner?.fleet.sync()
})
afterEach(async () => {
  for (const { asks, fleet, world, close } of places) {
    await asks.stop()
    await fleet.stop()
    await world[Symbol.asyncDispose]()
    await close()
  }
})

const the = (place: Place | undefined): Place => {
  if (!place) throw new Error('no machine')
  return place
}
const never = { signal: new AbortController().signal, withinMs: 60_000 }
const by = { channel: 'terminal', who: 'ann' }

/** Asks on the first machine, and waits until another one shows it. */
async function asked(command: string, more = {}) {
  const outcome = the(owner).asks.ask(sampleQuestion(command, more), never)
  const shown = await until(
    async () => (await the(ann).fleet.others()).find(ask => ask.detail.includes(command.slice(0, 8))),
    { what: 'the ask on another machine', timeout: 120_000, every: 20 },
  )
  return { outcome, shown }
}
const isOpen = ({ id }: Pick<Ask, 'id'>) =>
  the(owner)
    .asks.open()
    .some(ask => ask.id === id)
/** Puts a statement into the database as someone who can write to it does. */
const forge = async (statement: object, own: { secret: string; key: string }) => {
  const signed = signText(JSON.stringify({ by: own.key, at: new Date().toISOString(), ...statement }), own)
  await the(owner).board.append(the(owner).file()?.fleet ?? '', signed)
  await the(owner).membership.refresh()
}
const seenOf = async ({ id }: Pick<Ask, 'id'>) =>
  digestOf(String((await query(url, `select text from baton.fleet_asks where ask = '${id}'`))[0]?.text))

describe('asks of a fleet', () => {
  test('are shown on every machine without secrets, and the answer of one settles them there', async () => {
    const { outcome, shown } = await asked('deploy --token hunter2000')
    expect(shown).toMatchObject({
      state: 'open',
      detail: 'deploy --token [redacted]',
      facts: { machine: 'owner' },
    })
    expect(JSON.stringify(await query(url, 'select * from baton.fleet_asks'))).not.toContain('hunter2000')
    const taken = await the(ann).fleet.answer(shown.id, { option: 'allow-once', by })
    expect(taken).toMatchObject({ verdict: 'taken', ask: { state: 'answered' } })
    expect(await outcome).toMatchObject({
      result: 'answered',
      option: 'allow-once',
      by: { channel: 'fleet', who: 'ann (terminal) on ann' },
    })
    expect(the(ann).journal.at(-1)).toBe(`ann answered ${shown.id} of the machine owner`)
    expect(await the(bob).fleet.others()).toEqual([])
  })

  test('are found by the start of their id, unless several begin like that', async () => {
    const { shown, outcome } = await asked('npm publish')
    expect(await the(ann).fleet.find(shown.id.slice(0, 12))).toMatchObject({ id: shown.id })
    expect(await the(ann).fleet.find('ask_~')).toBeUndefined()
    const second = await asked('npm version')
    expect(await the(ann).fleet.find('ask_')).toBeUndefined()
    expect(await the(ann).fleet.find(second.shown.id)).toMatchObject({ id: second.shown.id })
    for (const { id } of [shown, second.shown]) await the(owner).asks.answer(id, { option: 'deny', by })
    await Promise.all([outcome, second.outcome])
  })

  test('are not published if they are settled while their machine signs them', async () => {
    const { fleet } = the(owner)
    const ask = sampleAsk({ facts: { project: '/work' } })
    const showing = fleet.show(ask)
    await fleet.settle({ ...ask, state: 'withdrawn' })
    expect(await showing).toBe(false)
    await fleet.sync()
    expect(await the(ann).fleet.others()).toEqual([])
    expect(await query(url, 'select * from baton.fleet_asks')).toEqual([])
    // The same ask can be shown later.
    await fleet.show(ask)
    await fleet.sync()
    expect(await the(ann).fleet.others()).toMatchObject([{ id: ask.id }])
  })

  test('are answered once: of many answers at the same time one counts, and the others see whose', async () => {
    const { outcome, shown } = await asked('npm publish')
    const answers = await Promise.all([
      the(ann).fleet.answer(shown.id, { option: 'allow-once', by: { channel: 'terminal', who: 'ann' } }),
      the(bob).fleet.answer(shown.id, { option: 'deny', by: { channel: 'dashboard', who: 'bob' } }),
    ])
    expect(answers.map(({ verdict }) => verdict).sort()).toEqual(['closed', 'taken'])
    const { by: first } = (await outcome) as { by: { who: string } }
    for (const { ask } of answers) expect(ask?.answer?.by.who).toBe(first.who)
    // Answered on the machine itself meanwhile: the other machine is told so.
    const second = await asked('npm version')
    await the(owner).asks.answer(second.shown.id, { option: 'deny', by: { channel: 'terminal', who: 'kim' } })
    expect(await the(ann).fleet.answer(second.shown.id, { option: 'allow-once', by })).toMatchObject({
      verdict: 'closed',
      ask: { answer: { option: 'deny', by: { who: 'kim' } } },
    })
  })

  test('writing to the database answers nothing: forged, changed, replayed and foreign answers are refused', async () => {
    const { shown } = await asked('git push --force')
    const fleet = the(owner).file()?.fleet
    const seen = await seenOf(shown)
    const right = { kind: 'answer', fleet, ask: shown.id, seen, option: 'allow-once', who: 'x', channel: 'x' }
    const stranger = newKey()
    const annKey = keyOf(the(ann).file()?.secret ?? '')
    await forge(right, stranger)
    await forge({ ...right, by: annKey.key }, stranger)
    // Of a member, but not about exactly what this machine published.
    await forge({ ...right, seen: digestOf('another text') }, annKey)
    await forge({ ...right, fleet: stranger.key }, annKey)
    // Not what another machine may answer.
    await forge({ ...right, option: 'allow-everywhere' }, annKey)
    expect(isOpen(shown)).toBe(true)
    await forge(right, annKey)
    expect(isOpen(shown)).toBe(false)
    // The same answer again, for the next ask about the same command.
    const next = await asked('git push --force --again', { key: 'evt_next' })
    await query(
      url,
      `insert into baton.fleet_statements (fleet, text, signature)
       select fleet, replace(text, '${shown.id}', '${next.shown.id}'), signature from baton.fleet_statements;
       insert into baton.fleet_statements (fleet, text, signature) select fleet, text, signature from baton.fleet_statements`,
    )
    await the(owner).membership.refresh()
    expect(isOpen(next.shown)).toBe(true)
  })

  test('a machine that was removed neither shows asks nor answers them', async () => {
    const { shown } = await asked('rm -rf dist')
    const key = keyOf(the(ann).file()?.secret ?? '')
    const seen = await seenOf(shown)
    await the(bob).membership.remove('ann')
    const fleet = the(owner).file()?.fleet
    await forge(
      { kind: 'answer', fleet, ask: shown.id, seen, option: 'allow-once', who: 'x', channel: 'x' },
      key,
    )
    expect(isOpen(shown)).toBe(true)
    await expect(the(ann).fleet.answer(shown.id, { option: 'allow-once', by })).rejects.toMatchObject({
      code: 'not_allowed',
    })
  })

  test('text that someone changed in the database is not shown, and an ask of a stranger neither', async () => {
    const { shown } = await asked('curl evil.example')
    await query(url, `update baton.fleet_asks set text = replace(text, 'curl evil.example', 'npm test')`)
    expect(await the(ann).fleet.others()).toEqual([])
    expect(await the(ann).fleet.find(shown.id)).toBeUndefined()
    const stranger = newKey()
    const fleet = the(owner).file()?.fleet ?? ''
    const own = signText(JSON.stringify({ kind: 'ask', fleet, by: stranger.key, ask: shown }), stranger)
    await the(owner).board.putAsk(fleet, stranger.key, { ask: shown.id, ...own, isOpen: true })
    expect(await the(ann).fleet.others()).toEqual([])
  })

  test('wait for no database, stay on their machine if they are not of the fleet, and count as unseen if there is no other', async () => {
    await server.stop()
    try {
      const started = performance.now()
      expect(await the(owner).fleet.show({ ...sampleAsk(), facts: { project: '/private' } })).toBe(false)
      expect(await the(owner).fleet.show(sampleAsk())).toBe(true)
      expect(performance.now() - started).toBeLessThan(1000)
    } finally {
      await server.start()
    }
    for (const name of ['ann', 'bob']) await the(owner).membership.remove(name)
    expect(await the(owner).fleet.show(sampleAsk())).toBe(false)
  })

  test('an answer that arrives while the daemon restarts counts, also before the ask is shown again', async () => {
    const { shown } = await asked('npm publish')
    const other = await asked('git push --force', { key: 'evt_other' })
    const { world, asks, fleet } = the(owner)
    await asks.stop()
    await fleet.stop()
    const textOf = async (id: string) =>
      (await query(url, `select text from baton.fleet_asks where ask = '${id}'`))[0]?.text
    const before = await textOf(other.shown.id)
    await the(ann).membership.sign(({ fleet }) => ({
      ...{ kind: 'answer', fleet, ask: shown.id, seen: digestOf(String(before)), option: 'allow-once' },
      ...{ who: 'ann', channel: 'terminal' },
    }))
    const seen = await seenOf(shown)
    await the(ann).membership.sign(({ fleet }) => ({
      ...{
        kind: 'answer',
        fleet,
        ask: shown.id,
        seen,
        option: 'allow-once',
        who: 'ann',
        channel: 'terminal',
      },
    }))
    const membership = the(owner).again()
    const next = fleetAsksOf(the(owner), world, membership)
    const channel = {
      ...{ name: 'fleet', stop: () => next.stop(), settle: (ask: Ask) => next.settle(ask) },
      async start(answering: AnswerHandler) {
        await next.start(answering)
        // A tick comes before the stored asks are shown.
        await membership.refresh()
      },
      show: (ask: Ask) => next.show(ask),
    }
    const again = await world.begin([channel])
    expect(await again.find(shown.id)).toMatchObject({
      state: 'answered',
      answer: { option: 'allow-once', by: { who: 'ann (terminal) on ann' } },
    })
    await until(async () => (await the(ann).fleet.find(shown.id))?.state === 'answered', {
      ...{ what: 'the answer to be confirmed', timeout: 120_000, every: 20 },
    })
    // The other is published again with the same bytes: an answer to it names their digest.
    await next.sync()
    expect(await textOf(other.shown.id)).toBe(before)
    await again.stop()
    await next.stop()
  })

  test('too long to be published are not counted as seen, by bytes and not by letters', async () => {
    expect(await the(owner).fleet.show(sampleAsk({ detail: 'é'.repeat(100_000) }))).toBe(true)
    expect(await the(owner).fleet.show(sampleAsk({ detail: 'é'.repeat(140_000) }))).toBe(false)
  })
})
