import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prBody, prTitle, withoutClosing } from '../../src/claim/open-pull-request.ts'

const facts = { summary: 'Renew leases', issue: 42, branch: 'issue-42', agentId: 'ann-1' }
/** What GitHub takes for "close this issue when merged". */
const CLOSES = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+\/[\w.-]+)?#\d+/i

describe("a pull request's text", () => {
  test('ours has the summary, a reference that closes nothing, and unticked boxes', () => {
    const body = prBody(facts, undefined)
    expect(body).toContain('Renew leases')
    expect(body).toContain('\nRefs #42\n')
    const integrity = body.slice(body.indexOf('## Integrity'), body.indexOf('## Tests'))
    expect(integrity.match(/^- \[ \] /gm)).toHaveLength(5)
    expect(body.slice(body.indexOf('## Tests')).match(/^- \[ \] /gm)).toHaveLength(3)
    expect(body).not.toContain('[x]')
  })

  test('a template of the person’s own is filled in once, and refers to the issue even if it forgot', () => {
    expect(prBody({ ...facts, summary: '{ISSUE} costs $& more' }, 'Do {SUMMARY}')).toBe(
      'Do {ISSUE} costs $& more\n\nRefs #42\n',
    )
    expect(prBody(facts, 'For #42 on {BRANCH} by {AGENT}')).toBe('For #42 on issue-42 by ann-1\n')
    expect(prBody(facts, 'See #421')).toContain('Refs #42\n')
  })

  test.each([
    ['Fixes #42', 'Refs #42'],
    ['closes: #42 and resolved acme/lib#7', 'Refs #42 and Refs acme/lib#7'],
    ['FIXED GH-3', 'Refs GH-3'],
    ['Resolves https://github.com/acme/app/issues/9.', 'Refs https://github.com/acme/app/issues/9.'],
    ['It fixes the 42 tests, closes files', 'It fixes the 42 tests, closes files'],
    ['prefix #42', 'prefix #42'],
  ])('%s becomes %s', (before, after) => {
    expect(withoutClosing(before)).toBe(after)
  })

  test('whatever the agent writes, nothing closes an issue by itself', () => {
    const word = fc.constantFrom(
      'fixes',
      'Closes:',
      'resolved',
      ' ',
      '\n',
      '#42',
      'acme/app#7',
      'closes fixes',
      'x',
      '{SUMMARY}',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.boolean(), (words, inTemplate) => {
        const text = words.join(' ')
        const body = inTemplate ? prBody(facts, text) : prBody({ ...facts, summary: text }, undefined)
        expect(body).not.toMatch(CLOSES)
        expect(prTitle(text)).not.toMatch(CLOSES)
      }),
    )
  })

  test('a long summary still is one line of title', () => {
    expect(prTitle(`a\nb\t${'x'.repeat(400)}`).length).toBeLessThanOrEqual(250)
    expect(prTitle('a\n b')).toBe('a b')
  })
})
