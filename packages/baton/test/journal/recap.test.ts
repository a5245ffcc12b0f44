import type { Entry, EntryBody } from '@batonpass/contract/journal'
import { Recap } from '@batonpass/contract/recap'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AWAY_MS, awaySince } from '../../src/journal/away.ts'
import { buildRecap, type RecapFacts } from '../../src/journal/recap.ts'
import { anyEntry } from '../world/any-journal.ts'
import { anEntry, aPrompt, aSession, at, eventId, sessionId } from '../world/journal.ts'

const nothing: RecapFacts & { entries: Entry[] } = {
  since: at(0),
  until: at(100_000),
  entries: [],
  sessions: [],
  asks: [],
  commits: new Map(),
  readTest: command => (command === 'npm test' ? { command, passed: true } : undefined),
}
let seq = 0
const entry = (seconds: number, body: EntryBody): Entry => ({
  ...anEntry('', { at: at(seconds), body }),
  seq: ++seq,
})
const decision = (more: object): EntryBody => ({
  kind: 'decision',
  event: eventId(1),
  tool: 'Bash',
  subject: 'ls',
  decision: 'allow',
  reason: 'reads only',
  by: 'rules',
  trail: [],
  tookMs: 1,
  ...more,
})

describe('a recap', () => {
  test('says what was decided, puts equal reasons together, and refused things first', () => {
    const { decided, decisions } = buildRecap({
      ...nothing,
      entries: [
        entry(1, decision({ subject: 'ls a' })),
        entry(2, decision({ subject: 'ls b' })),
        entry(3, decision({ decision: 'deny', reason: 'force-push', subject: 'git push -f' })),
        entry(4, decision({ by: 'person', subject: 'curl x' })),
        entry(5, decision({ decision: 'ask', by: 'nobody', subject: 'make' })),
      ],
    })
    expect(decisions).toEqual({ all: 5, without: 3 })
    expect(decided.map(({ decision: of, count, subjects }) => [of, count, subjects])).toEqual([
      ['deny', 1, ['git push -f']],
      ['ask', 1, ['make']],
      ['allow', 2, ['ls b', 'ls a']],
    ])
  })

  test('counts a question once: at the call, not again with the dialog that follows and the yes in it', () => {
    const { decisions } = buildRecap({
      ...nothing,
      entries: [
        entry(1, decision({ decision: 'ask', by: 'nobody' })),
        entry(2, decision({ by: 'person', inDialog: true, again: true })),
        entry(3, decision({ decision: 'ask', by: 'nobody', again: true })),
      ],
    })
    expect(decisions).toEqual({ all: 1, without: 0 })
  })

  test('counts what was performed outside for a call as a part of that call, unless a person was asked', () => {
    const brokered = (seconds: number, body: EntryBody) => ({
      ...entry(seconds, body),
      toolUseId: 'broker_297d04glsql73nmsonjc',
    })
    const { decisions } = buildRecap({
      ...nothing,
      entries: [
        entry(1, decision({ by: 'sandbox', subject: 'git push' })),
        brokered(2, decision({ subject: 'git push' })),
        brokered(3, decision({ by: 'person', subject: 'git push' })),
      ],
    })
    expect(decisions).toEqual({ all: 2, without: 1 })
  })

  test('gathers commits, files, tests and steps that can be taken back by project', () => {
    const call = { tool: 'Bash', input: {}, failed: false, response: '' }
    const finished = (action: object): EntryBody => {
      const { prompt: _, ...common } = { ...aPrompt(''), prompt: '' }
      return {
        kind: 'event',
        source: 'user',
        event: { ...common, ...call, type: 'ToolFinished', action } as never,
      }
    }
    const { projects } = buildRecap({
      ...nothing,
      entries: [
        entry(1, finished({ kind: 'shell', command: 'npm test' })),
        entry(2, finished({ kind: 'write', paths: ['/home/dev/project/src/a.ts'] })),
        entry(3, decision({ by: 'undo', undo: '4', subject: 'rm x' })),
        entry(4, decision({ by: 'undo', undo: '5', subject: 'rm y' })),
      ],
      commits: new Map([
        ['/home/dev/project', [{ id: 'abc', subject: 'Add a', files: ['src/a.ts', 'b.ts'] }]],
      ]),
    })
    expect(projects).toEqual([
      {
        project: '/home/dev/project',
        commits: [{ id: 'abc', subject: 'Add a', files: 2 }],
        files: ['src/a.ts', 'b.ts'],
        tests: { command: 'npm test', passed: true, at: at(1), runs: 1 },
        undo: [
          { step: 5, subject: 'rm y', at: at(4) },
          { step: 4, subject: 'rm x', at: at(3) },
        ],
      },
    ])
  })

  test('tells each end once, by the workflow where there was one, and what waits', () => {
    const ended = (n: number) => aSession(n, { endedAt: at(50), endReason: 'other' })
    const { ended: ends, waits } = buildRecap({
      ...nothing,
      entries: [
        {
          ...entry(9, {
            kind: 'workflow',
            what: 'ended',
            workflow: 'plan',
            end: 'stalled',
            reason: 'no progress',
          }),
          session: sessionId(1),
        },
      ],
      sessions: [ended(1), ended(2), aSession(3, { lastEvent: 'TurnEnded' }), aSession(4)],
    })
    expect(ends.map(({ workflow, reason }) => [workflow, reason])).toEqual([
      [undefined, 'no reason given'],
      ['plan', 'no progress'],
    ])
    expect(waits.sessions).toMatchObject([{ session: sessionId(3), why: 'finished its turn' }])
  })

  test('says what is proven of a claim last, before what ended well, and not twice if a run says it', () => {
    const claim = (issue: number, end: 'proven' | 'unproven', reason: string): EntryBody => ({
      ...({ kind: 'claim', what: end, claim: `clm_${'0'.repeat(16)}`, issue, end, reason } as EntryBody),
    })
    const run: EntryBody = {
      kind: 'workflow',
      what: 'ended',
      workflow: 'issue-to-impl',
      issue: 3,
      end: 'proven',
      reason: 'all',
    }
    const both = (...bodies: EntryBody[]) =>
      buildRecap({ ...nothing, entries: bodies.map((body, index) => entry(index + 1, body)) }).ended.map(
        ({ workflow, end }) => [workflow, end],
      )
    expect(both(run, claim(3, 'unproven', 'CI failed'))).toEqual([['claim', 'unproven']])
    expect(both(claim(3, 'unproven', 'CI failed'), run)).toEqual([['issue-to-impl', 'proven']])
    const { ended } = buildRecap({
      ...nothing,
      entries: [
        entry(1, claim(1, 'unproven', 'CI failed')),
        entry(2, claim(2, 'unproven', 'CI failed')),
        entry(3, claim(1, 'proven', 'proven')),
        entry(4, claim(3, 'proven', 'proven')),
        entry(5, run),
      ],
    })
    expect(ended.map(({ workflow, issue, end }) => [workflow, issue, end])).toEqual([
      ['claim', 2, 'unproven'],
      ['issue-to-impl', 3, 'proven'],
      ['claim', 1, 'proven'],
    ])
  })

  test('is well-formed whatever the journal holds, and leaves out what lies outside its time', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 30 }), fc.nat({ max: 900 }), (entries, from) => {
        const numbered = entries.map((each, index): Entry => ({ ...each, seq: index + 1 }))
        const recap = buildRecap({ ...nothing, since: at(from), entries: numbered })
        expect(Recap.parse(JSON.parse(JSON.stringify(recap)))).toBeTruthy()
        expect(recap.faults.every(fault => fault.at >= at(from))).toBe(true)
      }),
    )
  })
})

describe('since when a person was away', () => {
  const act = (minutesAgo: number): Entry =>
    entry(100_000 - minutesAgo * 60, { kind: 'event', source: 'user', event: aPrompt('hi') })
  const now = Date.parse(at(100_000))

  test('is their last deed before a pause', () => {
    expect(awaySince([act(90)], now)).toBe(at(100_000 - 90 * 60))
    expect(awaySince([act(2), act(5), act(200), act(210)], now)).toBe(at(100_000 - 200 * 60))
  })

  test('is a day ago when they never went, or never were here', () => {
    for (const acts of [[], [act(1), act(20), act(45)]])
      expect(awaySince(acts, now)).toBe(new Date(now - 24 * 3_600_000).toISOString())
    expect(AWAY_MS).toBe(1_800_000)
  })
})
