import { describe, expect, test } from 'vitest'
import { parseCommitPayload, whyNotSigned } from '../../src/sandbox/broker/commit-payload.ts'

const TREE = `tree ${'a'.repeat(40)}\n`
const ME = 'Me <me@example.com> 1700000000 +0100\n'
const BODY = `author Other <o@example.com> 1600000000 -0500\ncommitter ${ME}\nAdd a thing\n\nWhy.\n`

describe('what gets a signature', () => {
  test('is a commit object, with its committer, parents and subject', () => {
    expect(
      parseCommitPayload(`${TREE}parent ${'b'.repeat(40)}\nparent ${'c'.repeat(40)}\n${BODY}`),
    ).toMatchObject({
      tree: 'a'.repeat(40),
      parents: ['b'.repeat(40), 'c'.repeat(40)],
      committer: { name: 'Me', email: 'me@example.com', atMs: 1_700_000_000_000 },
      subject: 'Add a thing',
    })
    expect(parseCommitPayload(`tree ${'a'.repeat(64)}\n${BODY}`)).toMatchObject({ parents: [] })
  })

  test.each([
    ['a tag', `object ${'a'.repeat(40)}\ntype commit\ntag v1\ntagger ${ME}\nx\n`],
    ['a push certificate', `certificate version 0.1\npusher me 1700000000 +0000\n\nx`],
    ['a text', 'I owe you 100 euros\n'],
    ['a header that is not known', `${TREE}author ${ME}committer ${ME}HG:extra x\n\nx`],
    ['a second tree', `${TREE}${TREE}${BODY}`],
    ['something before it', `x\n${TREE}${BODY}`],
    ['a short id', `tree abc\n${BODY}`],
    ['a zero byte', `${TREE}${BODY}\0`],
    ['too many parents', `${TREE}${`parent ${'b'.repeat(40)}\n`.repeat(17)}${BODY}`],
    ['no message', TREE],
  ])('is not %s', (_, text) => {
    expect(parseCommitPayload(text)).toBeUndefined()
  })

  test('is committed by the user, now', () => {
    const commit = parseCommitPayload(`${TREE}${BODY}`)
    if (!commit) throw new Error('not parsed')
    const now = 1_700_000_000_000
    const me = { name: 'Me', email: 'me@example.com' }
    expect(whyNotSigned(commit, me, now)).toBeUndefined()
    expect(whyNotSigned(commit, me, now + 11 * 60_000)).toMatch(/not now/)
    expect(whyNotSigned(commit, me, now - 11 * 60_000)).toMatch(/not now/)
    expect(whyNotSigned(commit, { ...me, name: 'You' }, now)).toMatch(/not the user/)
    expect(whyNotSigned(commit, {}, now)).toMatch(/not the user/)
  })
})
