import type { AgentEvent } from '@batonpass/contract/event'
import { MAX_SESSION_NAME, sessionLabel } from '@batonpass/contract/session-name'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  inheritedName,
  nameAfterEvent,
  nameAfterIssue,
  nameAfterPrompt,
  shortName,
} from '../../src/session/session-name.ts'

describe('a session is named', () => {
  it.each([
    ['Fix the login', 'Fix the login'],
    ['Fix the login\n\nand the logout', 'Fix the login and the logout'],
    ['/baton:issue-to-impl 42', 'issue-to-impl 42'],
    [
      'Please rewrite the billing service in Rust, and keep every test green while you do so',
      'Please rewrite the billing service in Rust, and keep every…',
    ],
    ['/my-command make the header of the page smaller', 'make the header of the page smaller'],
  ])('after its first prompt: %j', (prompt, name) => {
    expect(nameAfterPrompt(prompt)).toEqual({ name, namedBy: 'prompt' })
  })

  it.each([
    'hello',
    'continue',
    '/clear',
    '/model opus',
    '',
    'Create handoff document now - context at 87%',
    'Read handoff from .bmad/handoffs/handoff-2026-01-22-14-30.md and resume work',
    'This is an auto-continuation prompt for handsoff mode, it is currently 1/10 continuations.',
  ])('but not after %j', prompt => {
    expect(nameAfterPrompt(prompt)).toBeUndefined()
  })

  it('after its issue rather than its prompt, and never against a person', () => {
    const issue = { name: '#42 Say hello', namedBy: 'issue' }
    expect(nameAfterIssue({ name: 'begin', namedBy: 'prompt' }, 42, 'Say hello')).toEqual(issue)
    expect(nameAfterIssue({ name: 'mine', namedBy: 'person' }, 42, 'Say hello')).toBeUndefined()
    expect(nameAfterIssue({ name: '#42 Say hello', namedBy: 'issue' }, 42, 'Say hello')).toBeUndefined()
  })

  it('like the session that it continues', () => {
    expect(inheritedName({ name: 'a', namedBy: 'issue' }, { name: 'b', namedBy: 'prompt' })).toEqual({
      name: 'a',
      namedBy: 'issue',
    })
    expect(inheritedName({ name: 'a', namedBy: 'issue' }, { name: 'b', namedBy: 'person' })).toEqual({})
    expect(inheritedName({}, { name: 'b' })).toEqual({})
  })

  it('by the start of its id if nothing else is known', () => {
    expect(sessionLabel({ nativeSession: '3f2a91c0-aaaa' })).toBe('3f2a91c0')
    expect(sessionLabel({ name: 'Fix it', nativeSession: '3f2a91c0-aaaa' })).toBe('Fix it')
  })
})

it('only a prompt of a person names a session, and secrets are removed before it is cut', () => {
  const prompt = `${'Log in with the key '.repeat(2)}hunter2hunter2hunter2`
  const event = (more: object) => ({ type: 'PromptSubmitted', prompt, ...more }) as AgentEvent
  const redact = (text: string) => text.replaceAll('hunter2hunter2hunter2', '[redacted]')
  expect(nameAfterEvent(event({}), redact)?.name).toBe('Log in with the key Log in with the key [redacted]')
  expect(nameAfterEvent(event({ automatic: true }), redact)).toBeUndefined()
  expect(nameAfterEvent(event({ subagent: { id: 'a' } }), redact)).toBeUndefined()
  expect(nameAfterEvent(event({ type: 'TurnEnded' }), redact)).toBeUndefined()
})

it('a name is one line of at most 60 characters without anything that could steer a terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), text => {
      const name = shortName(text)
      expect([...name].length).toBeLessThanOrEqual(MAX_SESSION_NAME)
      expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]|\s{2}|^\s|\s$/u)
    }),
  )
})
