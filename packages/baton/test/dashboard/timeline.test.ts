import type { AgentEvent } from '@batonpass/contract/event'
import type { AskId } from '@batonpass/contract/ids'
import type { Entry, EntryBody } from '@batonpass/contract/journal'
import type { DecisionEntry } from '@batonpass/contract/permission'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stepsOf } from '../../../../apps/dashboard/src/parts/timeline.ts'
import { anEntry, at, eventId, nativeOf, sessionId } from '../world/journal.ts'

const who = { agent: 'claude-code', session: sessionId(1), nativeSession: nativeOf(sessionId(1)) } as const
const bash = (command: string) =>
  ({ tool: 'Bash', input: { command }, action: { kind: 'shell', command } }) as const

const event = (event: AgentEvent): EntryBody => ({ kind: 'event', source: 'user', event })
const requested = (n: number, command: string, toolUseId?: string) =>
  event({
    ...who,
    id: eventId(n),
    at: at(n),
    type: 'ToolRequested',
    ...bash(command),
    ...(toolUseId ? { toolUseId } : {}),
  })
const asked = (n: number, command: string) =>
  event({ ...who, id: eventId(n), at: at(n), type: 'PermissionAsked', ...bash(command) })
const finished = (n: number, command: string, toolUseId?: string) =>
  event({
    ...who,
    id: eventId(n),
    at: at(n),
    type: 'ToolFinished',
    ...bash(command),
    ...(toolUseId ? { toolUseId } : {}),
    failed: false,
    response: {},
  })
const decided = (
  n: number,
  decision: DecisionEntry['decision'],
  more: Partial<DecisionEntry> = {},
): EntryBody => ({
  kind: 'decision',
  event: eventId(n),
  tool: 'Bash',
  subject: '',
  decision,
  reason: '',
  by: 'rules',
  trail: [],
  tookMs: 1,
  ...more,
})
const ask = (what: 'opened' | 'answered', key: string): EntryBody => ({
  kind: 'ask',
  what,
  ask: `ask_${'1'.repeat(20)}` as AskId,
  title: 'Bash',
  fingerprint: 'f'.repeat(64) as never,
  key,
})
const reaction = (n: number, goOn?: string): EntryBody => ({
  kind: 'reaction',
  event: eventId(n),
  reaction: goOn === undefined ? {} : { goOn: { prompt: goOn } },
  by: [],
  tookMs: 1,
})

/** Given oldest first, as they happen; the page has them newest first. */
const steps = (...bodies: EntryBody[]) =>
  stepsOf(bodies.map((body, index): Entry => ({ ...anEntry('', { body }), seq: index + 1 })).reverse())

describe('the timeline of a session', () => {
  test('shows a call that a person answered as one step, from the request to its end', () => {
    const [step, ...others] = steps(
      requested(1, 'npm publish'),
      decided(1, 'ask', { by: 'nobody' }),
      reaction(1),
      asked(2, 'npm publish'),
      ask('opened', eventId(2)),
      event({ ...who, id: eventId(3), at: at(3), type: 'Idle', kind: 'permission' }),
      ask('answered', eventId(2)),
      decided(2, 'allow', { by: 'person' }),
      finished(4, 'npm publish'),
      decided(4, 'allow', { by: 'person', inDialog: true }),
    )
    expect(others).toEqual([])
    expect(step).toMatchObject({
      call: { type: 'ToolRequested' },
      ask: { what: 'answered' },
      end: { event: { type: 'ToolFinished' } },
    })
    expect(step?.decisions.map(({ decision }) => decision.decision)).toEqual(['ask', 'allow', 'allow'])
  })

  test('shows a turn that Baton continued once, next to what the workflow counts', () => {
    const ended = event({
      ...who,
      id: eventId(5),
      at: at(5),
      type: 'TurnEnded',
      continued: false,
      outcome: 'completed',
    })
    const continued: EntryBody = { kind: 'workflow', what: 'continued', workflow: 'issue-to-impl', count: 1 }
    const [workflow, turn, ...others] = steps(ended, continued, reaction(5, 'Continue'))
    expect(others).toEqual([])
    expect(workflow?.entry.body.kind).toBe('workflow')
    expect(turn?.continued?.body).toMatchObject({ reaction: { goOn: { prompt: 'Continue' } } })
  })

  test('gives each of two equal calls its own end, and ids decide where the agent has them', () => {
    const [second, first] = steps(
      requested(1, 'ls', 'a'),
      requested(2, 'ls', 'b'),
      finished(3, 'ls', 'b'),
      finished(4, 'ls', 'a'),
    )
    expect([first?.end?.event.id, second?.end?.event.id]).toEqual([eventId(4), eventId(3)])
    const [later, earlier] = steps(requested(1, 'ls'), requested(2, 'ls'), finished(3, 'ls'))
    expect([earlier?.end?.event.id, later?.end]).toEqual([eventId(3), undefined])
  })

  test('attributes a shared snapshot to the last call that has it: the earlier ones changed nothing', () => {
    const [second, first] = steps(
      requested(1, 'touch a'),
      decided(1, 'allow', { by: 'undo', undo: '7' }),
      finished(3, 'touch a'),
      requested(2, 'touch b'),
      decided(2, 'allow', { by: 'undo', undo: '7' }),
    )
    expect([first?.undo, second?.undo]).toEqual([
      { project: '/home/dev/project', step: 7, unchanged: true },
      { project: '/home/dev/project', step: 7, unchanged: false },
    ])
  })

  test('does not say that a call changed nothing if the call with the same snapshot began before its end', () => {
    const [second, first] = steps(
      requested(1, 'touch a', 'a'),
      decided(1, 'allow', { by: 'undo', undo: '7' }),
      requested(2, 'touch b', 'b'),
      decided(2, 'allow', { by: 'undo', undo: '7' }),
      finished(3, 'touch b', 'b'),
      finished(4, 'touch a', 'a'),
    )
    expect([first?.undo?.unchanged, second?.undo?.unchanged]).toEqual([false, false])
  })

  test('keeps an end, a decision and an answer whose beginning is not loaded', () => {
    expect(steps(finished(1, 'ls'), decided(9, 'deny'), ask('answered', eventId(8)))).toHaveLength(3)
  })

  test('never loses a call, in whatever order entries arrive', () => {
    const body = fc.oneof(
      fc.nat(4).map(n => requested(n, `echo ${n % 2}`)),
      fc.nat(4).map(n => asked(10 + n, `echo ${n % 2}`)),
      fc.nat(4).map(n => finished(20 + n, `echo ${n % 2}`)),
      fc.nat(24).map(n => decided(n, 'allow', { undo: '3' })),
      fc.nat(24).map(n => ask('opened', eventId(n))),
    )
    fc.assert(
      fc.property(fc.array(body, { maxLength: 30 }), bodies => {
        const found = steps(...bodies)
        const calls = bodies.filter(
          ({ kind, ...each }) =>
            'event' in each && typeof each.event === 'object' && each.event.type === 'ToolRequested',
        )
        expect(found.filter(({ call }) => call?.type === 'ToolRequested')).toHaveLength(calls.length)
        const seqs = found.map(({ entry }) => entry.seq)
        expect(seqs).toEqual([...seqs].sort((a, b) => b - a))
      }),
    )
  })
})
