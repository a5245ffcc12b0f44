import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gist, stateByEvents } from '../../../src/session/watch/activity.ts'
import { handoffFinding } from '../../../src/session/watch/handoff-findings.ts'
import { byParentOf, descendants } from '../../../src/session/watch/orphan-processes.ts'
import { subjects } from '../../../src/session/watch/subjects.ts'
import { aSession, at } from '../../world/journal.ts'

describe('The gist of a screen', () => {
  it('is the same while only a spinner, a clock or a bar moves', () => {
    const screen = (verb: string, seconds: number) => [
      '● Reading 3 files',
      `✶ ${verb}… (${seconds}s)`,
      '━━━━ 45%',
      '❯ ',
    ]
    expect(gist(screen('Pondering', 3))).toBe(gist(screen('Cooking', 900)))
    expect(gist(['⠋ building...', 'a'])).toBe(gist(['⠙ building...', 'a']))
    expect(gist(['step one'])).not.toBe(gist(['step two']))
  })

  it('can be taken of anything', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), lines => {
        expect(typeof gist(lines)).toBe('string')
      }),
      { numRuns: 30 },
    )
  })
})

it('Without a screen, the last event tells what a session is doing', () => {
  expect(stateByEvents({ lastEvent: 'ToolRequested' })).toBe('working')
  expect(stateByEvents({ lastEvent: 'TurnEnded' })).toBe('waiting')
  expect(stateByEvents({ lastEvent: 'PermissionAsked' })).toBe('dialog')
  expect(stateByEvents({ lastEvent: 'Something new' })).toBe('unknown')
  expect(stateByEvents({ lastEvent: 'TurnEnded', endedAt: at() })).toBe('ended')
})

it('Descendants are found at any depth, once each, even in a table with a circle', () => {
  const process = (pid: number, parent: number) => ({ pid, parent, born: '', command: '' })
  const table = [process(2, 1), process(3, 2), process(4, 3), process(2, 4), process(9, 8)]
  expect(descendants(byParentOf(table), 1).map(({ pid }) => pid)).toEqual([2, 3, 4])
  expect(descendants(byParentOf(table), 77)).toEqual([])
})

it('Every session and every spawn is under watch once, whatever panes they share', () => {
  const session = fc.record({
    n: fc.integer({ min: 1, max: 6 }),
    pane: fc.option(fc.constantFrom('%1 /s', '%2 /s'), { nil: undefined }),
    seen: fc.nat(1000),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(session, { selector: ({ n }) => n }),
      fc.array(fc.constantFrom('%1 /s', '%2 /s', '%3 /s'), { maxLength: 3 }),
      (given, places) => {
        const sessions = given.map(({ n, pane, seen }) =>
          aSession(n, { ...(pane ? { pane } : {}), lastSeenAt: at(seen) }),
        )
        const spawns = [...new Set(places)].map((place, i) => ({
          ...{
            id: `spn_${String(i).padStart(20, '0')}` as never,
            kind: 'run' as const,
            session: null,
            project: null,
          },
          ...{
            agent: 'claude-code' as const,
            place,
            pid: 9,
            born: null,
            title: 't',
            status: 'running' as const,
          },
          ...{ started_at: at(500), ended_at: null },
        }))
        const found = subjects(sessions, spawns)
        const at1 = found
          .filter(({ session, place }) => session && place !== undefined)
          .map(({ place }) => place)
        expect(new Set(at1).size).toBe(at1.length)
        expect(found.flatMap(({ spawn }) => spawn?.id ?? []).sort()).toEqual(
          spawns.map(({ id }) => id).sort(),
        )
        expect(found.filter(({ session }) => session?.pane === undefined && session).length).toBe(
          sessions.filter(({ pane }) => pane === undefined).length,
        )
      },
    ),
  )
})

it('A handoff that went well, failed or came too often is a finding in the seed’s words', () => {
  const cycle = (parts: object) => ({
    body: { kind: 'cycle', cycle: 'cyc_1', step: 'due', ...parts } as never,
  })
  expect(handoffFinding(cycle({ what: 'completed', percent: 87, document: 'h.md', tookMs: 1200 }))).toEqual({
    check: 'handoff',
    status: 'ok',
    message: '',
    details: { context_at_trigger: 0.87, handoff_file: 'h.md', cycle_duration_ms: 1200 },
    action: 'Automated handoff cycle completed successfully',
  })
  expect(handoffFinding(cycle({ what: 'completed', verified: false }))).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('not verified'),
  })
  expect(handoffFinding(cycle({ what: 'person', reason: 'the new session has another goal' }))).toMatchObject(
    {
      status: 'critical',
      details: { error: 'the new session has another goal' },
      action: 'Manual intervention required',
    },
  )
  expect(handoffFinding(cycle({ what: 'failed', reason: 'its terminal is gone' }))).toMatchObject({
    status: 'critical',
    details: { error: 'its terminal is gone' },
  })
  expect(handoffFinding(cycle({ what: 'warned' }))).toMatchObject({ check: 'context', status: 'warning' })
  expect(handoffFinding(cycle({ what: 'cleared' }))).toBeUndefined()
  expect(handoffFinding({ body: { kind: 'daemon', what: 'started', version: '1', pid: 1 } })).toBeUndefined()
})
