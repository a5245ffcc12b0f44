import { Ask } from '@batonpass/contract/ask'
import { Session } from '@batonpass/contract/session'

/** An open permission ask. */
export const sampleAsk = (given: Partial<Record<keyof Ask, unknown>> = {}): Ask =>
  Ask.parse({
    id: 'ask_00000000000000000001',
    kind: 'permission',
    title: 'Bash in /work/shop',
    detail: 'make deploy\n\nit leaves the machine',
    facts: { agent: 'claude-code', project: '/work/shop', nativeSession: 'abc' },
    key: 'k',
    fingerprint: 'f'.repeat(64),
    options: ['allow-once', 'allow-session', 'deny', 'deny-with-reason'],
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T00:01:00.000Z',
    state: 'open',
    ...given,
  })

export const sampleSession = (given: Partial<Record<keyof Session, unknown>> = {}): Session =>
  Session.parse({
    id: 'ses_00000000000000000001',
    agent: 'claude-code',
    nativeSession: 'abc',
    project: '/work/shop',
    startedAt: '2026-01-01T00:00:00.000Z',
    lastSeenAt: '2026-01-01T00:00:00.000Z',
    lastEvent: 'TurnEnded',
    events: 3,
    ...given,
  })
