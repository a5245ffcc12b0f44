import { type Check, CheckDeclaration } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  declarationOf,
  readDeclaration,
  withAddedCheck,
  withChecks,
  withoutCheck,
} from '../../src/cli/done-when-file.ts'
import { checksFrom, withKeptTests } from '../../src/proof/declared-checks.ts'

const checks = (...declared: CheckDeclaration[]): Check[] =>
  withKeptTests(checksFrom(declared, 'settings', 'x', 15))

describe('pinned checks', () => {
  it('are a list that people can read, and comments stay', () => {
    const before = '# ours\nsandbox:\n  hosts: [a.example] # the API\nproof:\n  minutes: 15\n'
    const after = withChecks(before, checks('npm test', 'npm run lint'))
    expect(after).toBe(
      '# ours\nsandbox:\n  hosts: [ a.example ] # the API\nproof:\n  minutes: 15\n  done_when:\n    # What must pass before work counts as done; see: baton checks --help\n    - npm test\n    - npm run lint\n',
    )
    expect(() => withChecks(after, checks('npm test'))).toThrow('pinned already')
    expect(withChecks(undefined, checks('a'))).toContain('done_when:')
  })

  it.each<CheckDeclaration>([
    'npm test',
    { run: 'npm test', name: 'tests', exit: 3, output: '^ok', minutes: 2 },
    { files: { exist: ['a'], changed: ['b'] }, name: 'files' },
    { diff: { max_lines: 5, only: ['src/**'], tests: 'kept' }, name: 'small' },
    { forge: { checks: 'green', review: 'approved' }, name: 'forge', minutes: 60 },
    { review: 'Is it\nminimal?', agent: 'codex', model: 'gpt', name: 'review', minutes: 5 },
    { person: 'Does it look right?', name: 'person', minutes: 60 },
  ])('keep everything about %j', declared => {
    const [check] = checks(declared)
    if (!check) throw new Error('no check')
    const written = declarationOf(check, 15)
    expect(written).toEqual(declared)
    expect(CheckDeclaration.safeParse(written).success).toBe(true)
  })
})

describe('one check', () => {
  it('is added and removed by its name or command', () => {
    const first = withAddedCheck('# mine\n', readDeclaration('npm test', {}))
    const both = withAddedCheck(first, readDeclaration('npm run e2e', { name: 'end to end', minutes: 30 }))
    expect(parse(both)).toEqual({
      proof: { done_when: ['npm test', { run: 'npm run e2e', name: 'end to end', minutes: 30 }] },
    })
    expect(both).toContain('# mine')
    expect(parse(withoutCheck(both, 'end to end'))).toEqual({ proof: { done_when: ['npm test'] } })
    expect(parse(withoutCheck(both, 'npm run e2e'))).toEqual({ proof: { done_when: ['npm test'] } })
    expect(() => withoutCheck(both, 'other')).toThrow('No check other')
    expect(parse(withoutCheck(first, 'npm test')).proof).toEqual({})
  })

  it.each(['{files: {changed: ["docs/**"]}}', '{person: Is it good?}'])(
    'may be of another kind: %s',
    given => {
      expect(parse(withAddedCheck(undefined, readDeclaration(given, {}))).proof.done_when).toHaveLength(1)
    },
  )

  it.each(['{', '{ran: x}', '', '{files: {exist: ["/etc"]}}'])('is refused if it is not one: %s', given => {
    expect(() => readDeclaration(given, {})).toThrow('is not a check')
  })

  it.each(['proof: []', '[a]', 'a: [', 'proof:\n  done_when: yes'])(
    'leaves a broken file alone: %s',
    text => {
      expect(() => withAddedCheck(text, 'npm test')).toThrow()
    },
  )
})
