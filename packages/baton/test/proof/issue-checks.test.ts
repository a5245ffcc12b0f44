import type { Check } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import { checksFrom } from '../../src/proof/declared-checks.ts'
import { checksOfIssue, readIssueChecks, withIssueChecks } from '../../src/proof/issue-checks.ts'

const block = (text: string, fence = '```') =>
  `Please add a parser.\n\n${fence}baton\n${text}\n${fence}\nThanks`
const BOTH = block('done_when:\n  - npm run e2e\n  - files: {changed: ["src/**"]}')
const FILES = { files: { changed: ['src/**'] } }

describe('The checks of an issue', () => {
  it.each<[string, string, unknown[], number]>([
    ['a block', BOTH, ['npm run e2e', FILES], 0],
    [
      'a block with tildes and CRLF',
      block('done_when: [npm test]', '~~~').replaceAll('\n', '\r\n'),
      ['npm test'],
      0,
    ],
    ['two blocks', `${block('done_when: [a]')}\n${block('done_when: [b]')}`, ['a', 'b'], 0],
    ['no block', 'Add a parser.', [], 0],
    ['a task list', '- [ ] npm test\n- [x] done', [], 0],
    ['a block of another language', '```yaml\ndone_when: [npm test]\n```', [], 0],
    ['a block inside another one', '````md\n```baton\ndone_when: [npm test]\n```\n````', [], 0],
    ['a block that does not end', '```baton\ndone_when: [npm test]\n', [], 0],
    ['not YAML', block('done_when: [npm test'), [], 1],
    ['an unknown key', block('done_when: [npm test]\nsetup: evil'), [], 1],
    ['an unknown kind', block('done_when: [{shell: evil}]'), [], 1],
    ['a path outside', block('done_when: [{files: {exist: ["../x"]}}]'), [], 1],
    ['aliases', block('a: &a [npm test]\ndone_when: *a'), [], 1],
    ['too many', block(`done_when: [${Array.from({ length: 31 }, () => 'x').join(', ')}]`), [], 1],
  ])('%s', (_, body, done_when, refused) => {
    const found = readIssueChecks(42, body, true)
    expect(found.done_when).toEqual(done_when)
    expect(found.refused).toHaveLength(refused)
  })

  it('never run a command of an author who is not trusted', () => {
    for (const run of ['npm test', '{run: npm test}', '{run: npm test, name: files}']) {
      const found = readIssueChecks(42, block(`done_when:\n  - ${run}\n  - diff: {max_lines: 5}`), false)
      expect(found).toMatchObject({ done_when: [{ diff: { max_lines: 5 } }], isTrusted: false })
      expect(found.refused).toEqual([expect.stringContaining('npm test does not count')])
    }
  })

  it('never let an author who is not trusted ask people', () => {
    const text = 'done_when: [{person: "Approve?"}, {forge: {checks: green}}]'
    expect(readIssueChecks(42, block(text), true).done_when).toHaveLength(2)
    expect(readIssueChecks(42, block(text), false)).toMatchObject({ done_when: [], isTrusted: false })
  })

  it.each<[string, string | undefined, string | undefined, string[], boolean]>([
    ['the user', 'dev', 'Dev', [], true],
    ['someone else', 'stranger', 'dev', [], false],
    ['someone who is listed', 'Lead', 'dev', ['lead'], true],
    ['someone who is listed, while the own login is unknown', 'lead', undefined, ['lead'], true],
    ['anyone, while the own login is unknown', 'dev', undefined, [], false],
    ['a deleted account', undefined, 'dev', ['lead'], false],
  ])('by %s', async (_, author, me, trusted, isTrusted) => {
    const forge = {
      me: async () => {
        if (me === undefined) throw new Error('no login')
        return me
      },
    }
    const issue = { number: 42, title: 'A parser', author, body: BOTH }
    const found = await checksOfIssue(issue, forge, { trusted_authors: trusted, tasks: true })
    expect(found.isTrusted).toBe(isTrusted)
    expect(found.done_when).toEqual(isTrusted ? ['npm run e2e', FILES] : [FILES])
    expect(found.text).toContain('A parser\n\nPlease add a parser.')
  })

  it.each<[string, string, string[]]>([
    [
      'open boxes',
      '- [ ] Add a  parser\r\n* [ ] Document it\n1. [ ] Test it',
      ['Add a parser', 'Document it', 'Test it'],
    ],
    ['nested ones', '- Work\n  - [ ] Inner', ['Inner']],
    ['none that are ticked', '- [x] Done\n- [X] Also done', []],
    ['none in code', '```md\n- [ ] Example\n```\n    text', []],
    ['none in comments', '<!-- - [ ] For maintainers -->\n<!--\n- [ ] Also\n-->', []],
    ['none in quotes', '> - [ ] Quoted', []],
    ['none that are empty', '- [ ]\n- [ ]  ', []],
  ])('are also the boxes of its task list: %s', (_, body, tasks) => {
    expect(readIssueChecks(42, body, false).tasks).toEqual(tasks)
  })

  it('show every box, also those that are too many for one review', () => {
    const { tasks } = readIssueChecks(42, '- [ ] x\n'.repeat(200), true)
    expect(tasks).toHaveLength(31)
    expect(tasks.at(-1)).toMatch(/^170 more open boxes: x; x/)
  })

  it('leave task lists alone if proof.tasks is off', async () => {
    const issue = { number: 42, title: 'A', author: 'dev', body: '- [ ] Add a parser' }
    const settings = { trusted_authors: [], tasks: false }
    expect((await checksOfIssue(issue, { me: async () => 'dev' }, settings)).tasks).toEqual([])
  })

  it('never turn a box into a command', () => {
    const added = readIssueChecks(42, '- [ ] npm run evil\n- [ ] {run: evil}', true)
    const own: Check[] = checksFrom(['npm test'], 'settings', 'proof.done_when', 15)
    expect(withIssueChecks(own, added, 15).slice(1)).toMatchObject([
      { kind: 'task', name: 'npm run evil', task: 'npm run evil', source: 'issue' },
      { kind: 'task', name: '{run: evil}' },
    ])
  })

  it('add to the others, with names of their own', () => {
    const own: Check[] = checksFrom(['npm test'], 'settings', 'proof.done_when', 15)
    const added = readIssueChecks(42, block('done_when: [npm test, npm run e2e]'), true)
    expect(withIssueChecks(own, added, 15)).toMatchObject([
      { name: 'npm test', source: 'settings' },
      { name: 'npm test (2)', source: 'issue', where: 'issue #42' },
      { name: 'npm run e2e', source: 'issue' },
    ])
    expect(withIssueChecks(own, undefined, 15)).toEqual(own)
  })

  it('of a stranger never make work proven by themselves', () => {
    expect(withIssueChecks([], readIssueChecks(42, BOTH, false), 15)).toEqual([])
    expect(withIssueChecks([], readIssueChecks(42, BOTH, true), 15)).toHaveLength(2)
  })
})
