import { Config } from '@batonpass/contract/config'
import type { AgentEvent } from '@batonpass/contract/event'
import { Session } from '@batonpass/contract/session'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trackSession as trackIn } from '../../src/session/track-session.ts'
import { anyEvent } from '../world/any-journal.ts'
import { aPrompt, at, sessionId } from '../world/journal.ts'

const { context: zones } = Config.parse({})
const track = (
  known: Session | undefined,
  event: AgentEvent,
  seen: { project: string | undefined; pane: string | undefined; pid?: number },
) => trackIn(known, event, seen, zones)
const unseen = { project: undefined, pane: undefined }
const after = (events: readonly AgentEvent[], seen = unseen): Session | undefined =>
  events.reduce<Session | undefined>((known, event) => track(known, event, seen), undefined)
const ofOneSession = fc.array(
  anyEvent.map(event => ({ ...event, session: sessionId(1), nativeSession: 'native-1' })),
  { minLength: 1, maxLength: 8 },
)

const prompt = aPrompt('hello')
const ended: AgentEvent = { ...without(prompt), type: 'SessionEnded', reason: 'logout', at: at(60) }
const finished: AgentEvent = {
  ...without(prompt),
  type: 'ToolFinished',
  tool: 'Bash',
  input: {},
  action: { kind: 'other' },
  failed: false,
  response: null,
  at: at(61),
}

function without(event: AgentEvent) {
  const { id, agent, session, nativeSession, at } = event
  return { id, agent, session, nativeSession, at }
}

describe('what is known of a session', () => {
  it('is a valid session after any events, counts each of them and never forgets its beginning', () => {
    fc.assert(
      fc.property(ofOneSession, events => {
        const session = Session.parse(after(events))
        expect(session.events).toBe(events.length)
        expect(session.startedAt).toBe(events[0]?.at)
        expect(session.lastSeenAt).toBe(events.at(-1)?.at)
        expect(session.lastEvent).toBe(events.at(-1)?.type)
      }),
    )
  })

  it('changes nothing it was given', () => {
    fc.assert(
      fc.property(ofOneSession, anyEvent, (events, next) => {
        const known = Object.freeze(after(events))
        expect(() => track(known, next, unseen)).not.toThrow()
      }),
    )
  })

  it('pins folder and project to where it began, and follows transcript, mode and pane', () => {
    const first = track(
      undefined,
      { ...prompt, cwd: '/p', transcript: '/t1', mode: 'default' },
      { project: '/p', pane: '%1' },
    )
    const moved = track(
      first,
      { ...prompt, cwd: '/p/sub', transcript: '/t2', mode: 'bypass' },
      { project: '/q', pane: '%2' },
    )
    expect(moved).toMatchObject({ cwd: '/p', project: '/p', transcript: '/t2', mode: 'bypass', pane: '%2' })
    expect(track(moved, prompt, unseen)).toMatchObject({ transcript: '/t2', mode: 'bypass', pane: '%2' })
  })

  it('is not looked for in its old pane when another process resumed it outside of tmux', () => {
    const resumed: AgentEvent = { ...without(prompt), type: 'SessionStarted', source: 'resume' }
    const known = track(undefined, prompt, { project: '/p', pane: '%1 /s', pid: 7 })
    expect(track(known, resumed, { ...unseen, pid: 8 })).not.toHaveProperty('pane')
    expect(track(known, resumed, { ...unseen, pid: 7 })).toMatchObject({ pane: '%1 /s' })
    expect(track(known, finished, { ...unseen, pid: 8 })).toMatchObject({ pane: '%1 /s' })
    const hosted = { ...known, pane: 'hosted 0123' }
    expect(track(hosted, resumed, { ...unseen, pid: 8 })).toMatchObject({ pane: 'hosted 0123' })
  })

  it('knows its own process by its second word: a shell that runs one hook is gone with it', () => {
    const seen = (pid: number) => ({ ...unseen, pid })
    const once = track(undefined, prompt, seen(7))
    expect(once).toMatchObject({ pid: 7 })
    expect(once).not.toHaveProperty('ownPid')
    const twice = track(once, finished, seen(7))
    expect(twice).toMatchObject({ pid: 7, ownPid: true })
    expect(track(twice, finished, unseen)).toMatchObject({ pid: 7, ownPid: true })
    expect(track(twice, finished, seen(8))).not.toHaveProperty('ownPid')
    const figure: AgentEvent = { ...without(prompt), type: 'ContextMeasured', used: 10 }
    expect(track(twice, figure, seen(9))).toMatchObject({ pid: 7, ownPid: true })
  })

  it('ends with its end', () => {
    expect(after([prompt, ended])).toMatchObject({ endedAt: at(60), endReason: 'logout' })
  })

  it('stays ended when a hook that ran in parallel with the end arrives late', () => {
    const turn: AgentEvent = { ...without(prompt), type: 'TurnEnded', continued: false, outcome: 'completed' }
    for (const late of [finished, turn, { ...without(prompt), type: 'SubagentEnded' } satisfies AgentEvent])
      expect(after([prompt, ended, late])).toMatchObject({ endedAt: at(60), endReason: 'logout', events: 3 })
  })

  it('lives again with anything it says when its end was only concluded', () => {
    const gone = {
      ...track(undefined, prompt, unseen),
      endedAt: at(60),
      endReason: 'lost: its process is gone',
    }
    const back = track(gone, finished, unseen)
    expect(back).not.toHaveProperty('endedAt')
    expect(back).not.toHaveProperty('endReason')
    expect(track(gone, ended, unseen)).toMatchObject({ endReason: 'logout' })
  })

  it('lives again when it is resumed', () => {
    const resumed: AgentEvent = { ...without(prompt), type: 'SessionStarted', source: 'resume', at: at(90) }
    const session = after([prompt, ended, resumed])
    expect(session).not.toHaveProperty('endedAt')
    expect(session).not.toHaveProperty('endReason')
  })

  it('keeps its parent', () => {
    const child = { ...track(undefined, prompt, unseen), parent: sessionId(9) }
    expect(track(child, finished, unseen).parent).toBe(sessionId(9))
  })
})
