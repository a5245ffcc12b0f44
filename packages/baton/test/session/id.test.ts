import { AgentName } from '@batonpass/contract/event'
import { SessionId } from '@batonpass/contract/ids'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessionId } from '../../src/session/id.ts'

const anyAgent = fc.constantFrom(...AgentName.options)

describe('session ids', () => {
  it('follow from the agent and its own id alone, and are well formed for anything an agent calls a session', () => {
    fc.assert(
      fc.property(anyAgent, fc.string({ unit: 'binary-ascii' }), (agent, native) => {
        expect(SessionId.parse(sessionId(agent, native))).toBe(sessionId(agent, native))
      }),
    )
  })

  it('differ between agents and between sessions', () => {
    const pair = fc.tuple(anyAgent, fc.string())
    fc.assert(
      fc.property(pair, pair, (one, other) => {
        fc.pre(one[0] !== other[0] || one[1] !== other[1])
        expect(sessionId(...one)).not.toBe(sessionId(...other))
      }),
    )
  })

  it('stay what they were in earlier versions: the journal is found by them', () => {
    expect(sessionId('claude-code', '6f1d9a5e-3c1b-4d53-9a53-1f5f1c1f0001')).toBe('ses_hqa2svijamjjl18h')
  })
})
