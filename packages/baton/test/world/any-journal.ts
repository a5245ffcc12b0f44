import type { AgentEvent } from '@batonpass/contract/event'
import type { EntryBody, NewEntry } from '@batonpass/contract/journal'
import type { Reaction } from '@batonpass/contract/reaction'
import fc from 'fast-check'
import { anEntry, aPrompt, at, eventId, nativeOf, sessionId } from './journal.ts'

/** Any text an agent may send, NUL and half surrogate pairs included. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constant('x'.repeat(9000)),
  fc.constant('\0\ud800'),
)
const maybe = <K extends string, T>(key: K, value: fc.Arbitrary<T>) =>
  fc.option(
    value.map(given => ({ [key]: given }) as { [P in K]?: T }),
    { nil: {} as { [P in K]?: T } },
  )

const anyAction = fc.oneof(
  fc.record({ kind: fc.constant('shell' as const), command: text }),
  fc.record({ kind: fc.constant('write' as const), paths: fc.array(text, { maxLength: 3 }) }),
  fc
    .tuple(maybe('url', text), maybe('query', text))
    .map(([url, query]) => ({ kind: 'web' as const, ...url, ...query })),
  fc.record({ kind: fc.constant('mcp' as const), server: text, tool: text }),
)

export const anyEvent: fc.Arbitrary<AgentEvent> = fc
  .record({
    session: fc.integer({ min: 1, max: 4 }),
    words: text,
    value: fc.jsonValue(),
    action: anyAction,
    kind: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ session, words, value, action, kind }): AgentEvent => {
    const { prompt: _, ...common } = { ...aPrompt('', sessionId(session)), prompt: '' }
    const call = { tool: 'Bash', input: value, action, toolUseId: 'toolu_01' }
    switch (kind) {
      case 0:
        return { ...common, type: 'PromptSubmitted', prompt: words }
      case 1:
        return { ...common, ...call, type: 'ToolRequested' }
      case 2:
        return { ...common, ...call, type: 'ToolFinished', failed: false, response: { words, value } }
      case 3:
        return { ...common, type: 'TurnEnded', continued: false, outcome: 'completed', lastMessage: words }
      case 4:
        return { ...common, type: 'Compacted', summary: words }
      default:
        return { ...common, type: 'SessionEnded', reason: 'other' }
    }
  })

const anyReaction: fc.Arbitrary<Reaction> = fc
  .tuple(
    maybe('permission', fc.record({ decision: fc.constantFrom('allow', 'deny', 'ask'), reason: text })),
    maybe('goOn', fc.record({ prompt: fc.string({ minLength: 1 }) })),
    maybe('context', text),
  )
  .map(([permission, goOn, context]) => ({ ...permission, ...goOn, ...context }) as Reaction)

export const anyBody: fc.Arbitrary<EntryBody> = fc.oneof(
  {
    weight: 4,
    arbitrary: anyEvent.map(event => ({ kind: 'event' as const, source: 'user' as const, event })),
  },
  anyReaction.map(reaction => ({
    kind: 'reaction' as const,
    event: eventId(1),
    reaction,
    by: ['x'],
    tookMs: 1,
  })),
  text.map(message => ({
    kind: 'fault' as const,
    during: 'hook',
    error: { code: 'internal' as const, message },
  })),
  fc.constant({ kind: 'daemon' as const, what: 'started' as const, version: '0.1.0', pid: 1 }),
)

export const anyEntry: fc.Arbitrary<NewEntry> = fc
  .tuple(anyBody, fc.nat({ max: 1000 }))
  .map(([body, seconds]) => {
    const session = body.kind === 'event' ? body.event.session : undefined
    return {
      id: anEntry('').id,
      at: at(seconds),
      ...(session ? { session, nativeSession: nativeOf(session), agent: 'claude-code' as const } : {}),
      project: '/home/dev/project',
      body,
    }
  })
