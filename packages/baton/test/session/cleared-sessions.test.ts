import type { AgentEvent } from '@batonpass/contract/event'
import { EventId } from '@batonpass/contract/ids'
import { expect, test } from 'vitest'
import { ClearedSessions } from '../../src/session/cleared-sessions.ts'
import { sessionId } from '../../src/session/id.ts'

const common = (native: string) => ({
  id: EventId.parse(`evt_${'0'.repeat(20)}`),
  at: '2026-01-22T14:00:00Z',
  agent: 'claude-code' as const,
  session: sessionId('claude-code', native),
  nativeSession: native,
  cwd: '/work',
})
const ended = (native: string, reason = 'clear'): AgentEvent => ({
  ...common(native),
  type: 'SessionEnded',
  reason,
})
const started = (native: string, source: 'clear' | 'startup' = 'clear'): AgentEvent => ({
  ...common(native),
  type: 'SessionStarted',
  source,
})

test('a session that /clear began continues the one that /clear ended, in the same process and once', () => {
  const cleared = new ClearedSessions()
  expect(cleared.parentOf(ended('a'), { pid: 7 })).toBe(undefined)
  expect(cleared.parentOf(started('x'), { pid: 8 })).toBe(undefined)
  expect(cleared.parentOf(started('b'), { pid: 7 })).toBe(sessionId('claude-code', 'a'))
  expect(cleared.parentOf(started('c'), { pid: 7 })).toBe(undefined)
})

test('another end, another beginning and the session itself continue nothing', () => {
  const cleared = new ClearedSessions()
  cleared.parentOf(ended('a', 'other'), { pid: 7 })
  expect(cleared.parentOf(started('b'), { pid: 7 })).toBe(undefined)
  cleared.parentOf(ended('a'), { pane: '%1 /s' })
  expect(cleared.parentOf(started('b', 'startup'), { pane: '%1 /s' })).toBe(undefined)
  expect(cleared.parentOf(started('a'), { pane: '%1 /s' })).toBe(undefined)
})
