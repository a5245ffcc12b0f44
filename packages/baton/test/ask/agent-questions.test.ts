import { Ask } from '@batonpass/contract/ask'
import { Config } from '@batonpass/contract/config'
import type { AgentEvent } from '@batonpass/contract/event'
import { EventId } from '@batonpass/contract/ids'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../src/adapters/agents/claude-code/adapter.ts'
import { type QuestionPorts, questionReactor } from '../../src/ask/agent-questions.ts'
import type { Asks } from '../../src/ask/asks.ts'
import type { Contribution } from '../../src/ports/contribution.ts'
import type { ReactionContext } from '../../src/ports/reactor.ts'
import { recorded } from '../adapters/agents/recorded.ts'
import { settled } from '../world/time.ts'
import { askWorld, listChannel, SESSION, sampleAsk } from './sample.ts'

const ann = { channel: 'terminal', who: 'Ann' }
const never = new AbortController().signal
const SQLITE = [{ question: 'Which database?', chosen: ['SQLite'] }]

/** A recorded hook as the event that reactors receive. */
function eventOf(name: string, change: object = {}): { event: AgentEvent; payload: Record<string, unknown> } {
  const payload = { ...(recorded('claude-code', name) as Record<string, unknown>), ...change }
  const decoded = claudeCode.decode(payload, undefined)
  if ('ignored' in decoded) throw new Error(decoded.ignored)
  const stamp = {
    id: EventId.parse('evt_0123456789abcdefghij'),
    at: '2026-01-01T00:00:00.000Z',
    session: SESSION,
  }
  return { event: { ...decoded.event, ...stamp, agent: 'claude-code' } as AgentEvent, payload }
}

const context: ReactionContext = {
  session: { id: SESSION } as ReactionContext['session'],
  project: '/work',
  config: Config.parse({}),
  attended: true,
  now: 0,
}

/** In an object, so that awaiting this function does not wait for the person. */
async function reactTo(
  asks: Asks,
  event: AgentEvent,
  ports: Partial<QuestionPorts> = {},
  at = context,
): Promise<{ waiting: Promise<Contribution> }> {
  const outcome = await questionReactor({
    asks,
    workflowOf: async () => undefined,
    isAway: async () => false,
    parkRun: async () => false,
    resumeRun: async () => {},
    ...ports,
  }).react(event, at)
  const waiting = outcome?.later?.run(never) ?? Promise.resolve({})
  await settled()
  return { waiting }
}

describe('a question of the agent', () => {
  it('that comes before its dialog is asked elsewhere, or left to the dialog', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const before = (given: true | undefined) => {
      const { event } = eventOf('permission-request.question')
      if (event.type !== 'PermissionAsked' || event.action.kind !== 'question') throw new Error(event.type)
      const action = { ...event.action, ...(given ? { beforeDialog: given } : {}) }
      return { ...event, type: 'ToolRequested' as const, action }
    }
    // Its dialog has a hook of its own, which asks.
    expect(await (await reactTo(asks, before(undefined))).waiting).toEqual({})
    expect(asks.open()).toEqual([])
    const { waiting } = await reactTo(asks, before(true))
    const [ask] = asks.open()
    expect(ask?.options).toEqual(['reply', 'decline', 'on-screen'])
    await asks.answer(ask?.id ?? '', { option: 'on-screen', by: ann })
    expect(await waiting).toEqual({})
  })

  it('does not hold the hook if the dialog on the screen can be answered, too', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const { event } = eventOf('permission-request.question')
    if (event.type !== 'PermissionAsked' || event.action.kind !== 'question') throw new Error(event.type)
    const action = { ...event.action, beforeDialog: true as const }
    const requested = { ...event, type: 'ToolRequested' as const, action }
    const taken: string[] = []
    const onScreen = { take: async ({ title }: { title: string }) => taken.push(title) > 0 }
    const pane = { ...context, session: { ...context.session, pane: '%1 /tmp/s' } }
    expect(await (await reactTo(asks, requested, { onScreen }, pane)).waiting).toEqual({})
    expect(taken).toEqual(['Which database?'])
    // Without a terminal, and for a subagent, the hook waits.
    await reactTo(asks, requested, { onScreen })
    expect(asks.open()).toHaveLength(1)
    await reactTo(asks, { ...requested, subagent: { id: 'a', type: 'general' } }, { onScreen }, pane)
    expect(asks.open()).toHaveLength(2)
    expect(taken).toHaveLength(1)
  })

  it('goes to every channel, and the answer goes back as Claude Code expects it', async () => {
    await using world = await askWorld()
    const phone = listChannel('telegram')
    const asks = await world.begin([phone])
    const { event, payload } = eventOf('permission-request.question')
    const { waiting } = await reactTo(asks, event)
    const [ask] = asks.open()
    expect(ask).toMatchObject({ kind: 'question', title: 'Which database?', options: ['reply', 'decline'] })
    expect(ask?.detail).toContain('1. Postgres (recommended): Shared by several machines')
    expect(phone.shown).toEqual([ask])
    expect(() => Ask.parse(ask)).not.toThrow()

    const wrong = await asks.answer(ask?.id ?? '', { option: 'reply', by: ann, replies: [] })
    expect(wrong).toMatchObject({ verdict: 'invalid', problem: 'an answer is missing' })
    expect((await asks.answer(ask?.id ?? '', { option: 'allow-once', by: ann })).verdict).toBe('not-offered')
    expect((await asks.answer(ask?.id ?? '', { option: 'decline', by: ann, replies: SQLITE })).verdict).toBe(
      'invalid',
    )
    expect((await asks.answer(ask?.id ?? '', { option: 'reply', by: ann, replies: SQLITE })).verdict).toBe(
      'taken',
    )
    expect((await asks.answer(ask?.id ?? '', { option: 'reply', by: ann, replies: SQLITE })).verdict).toBe(
      'closed',
    )

    const reaction = await waiting
    expect(reaction).toEqual({ answer: { accepted: true, replies: SQLITE } })
    expect(claudeCode.encode(reaction, 'PermissionRequest', false, payload)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: {
          behavior: 'allow',
          updatedInput: { ...(payload.tool_input as object), answers: { 'Which database?': 'SQLite' } },
        },
      },
    })
  })

  it('that is declined becomes a refusal with the reason', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const { event, payload } = eventOf('permission-request.question')
    const { waiting } = await reactTo(asks, event)
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'decline', by: ann, reason: 'ask me on Monday' })
    expect(claudeCode.encode(await waiting, 'PermissionRequest', false, payload)).toMatchObject({
      hookSpecificOutput: {
        decision: { behavior: 'deny', message: 'Ann declined to answer: ask me on Monday' },
      },
    })
  })

  it('is withdrawn when it was answered on the screen, even if the daemon restarted since', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const { event, payload } = eventOf('permission-request.question')
    const { waiting } = await reactTo(asks, event)
    const other = eventOf('post-tool-use.bash')
    await reactTo(asks, other.event)
    expect(asks.open()).toHaveLength(1)
    const answers = { 'Which database?': 'SQLite' }
    const done = eventOf('post-tool-use.bash', {
      tool_name: 'AskUserQuestion',
      tool_input: { ...(payload.tool_input as object), answers },
    })
    await reactTo(asks, done.event)
    expect(asks.open()).toEqual([])
    expect(await waiting).toEqual({})
    expect((await asks.recent(1))[0]).toMatchObject({ state: 'withdrawn', withdrawn: 'settled-elsewhere' })
  })

  /** The run of a workflow that asks after its own time. */
  const inRun = () => {
    const did: string[] = []
    const ports: Partial<QuestionPorts> = {
      workflowOf: async () => ({ unansweredMinutes: 10 }),
      parkRun: async (_, reason) => did.push(reason) > 0,
      resumeRun: async () => void did.push('resumed'),
    }
    return { did, ports }
  }

  it('that no one answers in time parks the run, and the answer takes it up again before the agent gets it', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const { did, ports } = inRun()
    const { event } = eventOf('permission-request.question')
    const { waiting } = await reactTo(asks, event, ports)
    const id = asks.open()[0]?.id ?? ''
    await world.time.advance(10 * 60_000 - 1)
    expect(did).toEqual([])
    await world.time.advance(1)
    const parked = `no one answered within 10 minutes. Which database? (baton asks ${id})`
    expect(did).toEqual([parked])

    // A daemon that was killed right after it stored the parked ask parks the run when it is asked again.
    await asks.stop()
    const next = await world.begin([listChannel('telegram')])
    const again = await reactTo(next, event, ports)
    await world.time.advance(1)
    expect(did).toEqual([parked, parked])
    await next.answer(id, { option: 'reply', by: ann, replies: SQLITE })
    expect(await again.waiting).toMatchObject({ answer: { accepted: true } })
    expect(did.at(-1)).toBe('resumed')
    void waiting
  })

  it('that was parked and is answered on the screen takes the run up again', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const { did, ports } = inRun()
    const { event, payload } = eventOf('permission-request.question')
    await reactTo(asks, event, ports)
    await world.time.advance(10 * 60_000)
    expect(did).toHaveLength(1)
    const done = eventOf('post-tool-use.bash', {
      tool_name: 'AskUserQuestion',
      tool_input: payload.tool_input,
    })
    await reactTo(asks, done.event, ports)
    expect(did.slice(1)).toEqual(['resumed'])
  })

  it('stays open without any channel while its dialog is on the screen', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram', async () => false)])
    await reactTo(asks, eventOf('permission-request.question').event)
    expect(asks.open()).toHaveLength(1)
  })

  it('with the same words twice is left to the dialog, because Claude Code finds answers by their words', () => {
    const questions = [
      { question: 'Same?', options: [{ label: 'A' }, { label: 'B' }] },
      { question: 'Same?', options: [{ label: 'C' }, { label: 'D' }] },
    ]
    const { event } = eventOf('permission-request.question', { tool_input: { questions } })
    expect(event).toMatchObject({ action: { kind: 'other' } })
  })
})

describe('a plan', () => {
  const tool_input = { plan: '# Plan\n\n1. Do it', planFilePath: '/home/dev/.claude/plans/a.md' }
  const planned = () => eventOf('permission-request.question', { tool_name: 'ExitPlanMode', tool_input })

  it('is approved with exactly the plan that was shown', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const { event, payload } = planned()
    const { waiting } = await reactTo(asks, event)
    const [ask] = asks.open()
    expect(ask).toMatchObject({ kind: 'plan', detail: tool_input.plan, options: ['approve', 'send-back'] })
    await asks.answer(ask?.id ?? '', { option: 'approve', by: ann })
    expect(claudeCode.encode(await waiting, 'PermissionRequest', false, payload)).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: tool_input } },
    })
  })

  it('goes back only with a comment, which the agent receives', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const { event, payload } = planned()
    const { waiting } = await reactTo(asks, event)
    const id = asks.open()[0]?.id ?? ''
    expect((await asks.answer(id, { option: 'send-back', by: ann })).verdict).toBe('reason-missing')
    await asks.answer(id, { option: 'send-back', by: ann, reason: 'add a rollback step' })
    expect(claudeCode.encode(await waiting, 'PermissionRequest', false, payload)).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'deny', message: 'add a rollback step' } },
    })
  })
})

describe('a form of a tool server', () => {
  const replies = [
    { question: 'name', words: 'Ada' },
    { question: 'age', words: '36' },
    { question: 'news', chosen: ['true'] },
    { question: 'plan', chosen: ['pro'] },
  ]

  it('is filled in with the types that the server wants', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const { event, payload } = eventOf('elicitation')
    const { waiting } = await reactTo(asks, event)
    const [ask] = asks.open()
    expect(ask).toMatchObject({ kind: 'form', options: ['reply', 'decline', 'on-screen'] })
    expect(ask?.detail).toContain('Please sign up')
    await asks.answer(ask?.id ?? '', { option: 'reply', by: ann, replies })
    expect(claudeCode.encode(await waiting, 'Elicitation', false, payload)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'Elicitation',
        action: 'accept',
        content: { name: 'Ada', age: 36, news: true, plan: 'pro' },
      },
    })
  })

  it('opens on the agent’s screen at once if no channel reaches a person, or if the person wants it there', async () => {
    await using world = await askWorld()
    const nowhere = await world.begin([listChannel('telegram', async () => false)])
    const { event, payload } = eventOf('elicitation')
    expect(await (await reactTo(nowhere, event)).waiting).toEqual({})

    await using other = await askWorld()
    const asks = await other.begin([listChannel('telegram')])
    const { waiting } = await reactTo(asks, event)
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'on-screen', by: ann })
    expect(claudeCode.encode(await waiting, 'Elicitation', false, payload)).toEqual({})
  })

  it('that Baton cannot show is left to the agent', () => {
    const decode = (change: object) =>
      claudeCode.decode({ ...(recorded('claude-code', 'elicitation') as object), ...change }, undefined)
    expect(decode({ mode: 'url' })).toHaveProperty('ignored')
    expect(
      decode({ requested_schema: { type: 'object', properties: { x: { type: 'object' } } } }),
    ).toHaveProperty('ignored')
    expect(decode({ requested_schema: undefined })).toHaveProperty('ignored')
  })
})

it('asks that an older Baton stored are read and answered as before', async () => {
  await using world = await askWorld()
  // As 0.1 wrote it: no questions, no attachments.
  const old = Ask.parse(JSON.parse(JSON.stringify(sampleAsk({ expiresAt: '2100-01-01T00:00:00.000Z' }))))
  await world.store.asks.add(old)
  const asks = await world.begin([listChannel('telegram')])
  expect(asks.open()).toEqual([old])
  expect((await asks.answer(old.id, { option: 'reply', by: ann, replies: SQLITE })).verdict).toBe(
    'not-offered',
  )
  expect((await asks.answer(old.id, { option: 'allow-once', by: ann })).verdict).toBe('taken')
  expect(Ask.parse((await asks.recent(1))[0])).toMatchObject({
    state: 'answered',
    answer: { option: 'allow-once' },
  })
})
