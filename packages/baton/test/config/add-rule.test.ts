import { Config } from '@batonpass/contract/config'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { withRule } from '../../src/config/add-rule.ts'

const rule = { command: 'npm run build', folder: '.' }
const add = (text: string, more: object = {}) =>
  withRule(text, { rule, scope: 'project', project: '~/shop', comment: '2026-10-01: always allow', ...more })

test('a rule for a project is added to the user’s file with a comment; everything else stays', () => {
  const first = add('# mine\npermissions:\n  deny:\n    - ^rm # never\n')
  expect(first).toBe(
    '# mine\npermissions:\n  deny:\n    - ^rm # never\n  projects:\n    - project: ~/shop\n      allow:\n        - { command: npm run build, folder: . } # 2026-10-01: always allow\n',
  )
  expect(add(first)).toBe(first)
  const second = add(add(first, { rule: { command: 'make' } }), { project: '~/other' })
  expect(Config.parse(parse(second)).permissions).toMatchObject({
    deny: ['^rm'],
    projects: [
      { project: '~/shop', allow: [rule, { command: 'make' }] },
      { project: '~/other', allow: [rule] },
    ],
  })
})

test('a rule for everywhere is added to permissions.allow', () => {
  const after = add('', { scope: 'everywhere', rule: { command: 'make' } })
  expect(after).toBe('permissions:\n  allow:\n    - { command: make } # 2026-10-01: always allow\n')
  const again = add('permissions:\n  allow: [^ls$]\n', { scope: 'everywhere', rule: { command: 'make' } })
  expect(Config.parse(parse(again)).permissions.allow).toEqual(['^ls$', { command: 'make' }])
})

test('a section without anything in it receives the rule', () => {
  const everywhere = { scope: 'everywhere', rule: { command: 'make' } }
  for (const text of [
    'permissions:\n',
    '# mine\npermissions:\n  allow:\n',
    'permissions:\n  projects:\n',
    '# mine\n',
  ])
    expect(Config.parse(parse(add(add(text, everywhere)))).permissions).toMatchObject({
      allow: [{ command: 'make' }],
      projects: [{ project: '~/shop', allow: [rule] }],
    })
})

test('words of a command cannot break out of the rule', () => {
  for (const command of ['x # }', '{a: b}', '"x"', "it's", '- y', '!!js x', 'a: b', '&a *a', '@x', '%TAG'])
    expect(
      Config.parse(parse(add('', { scope: 'everywhere', rule: { command } }))).permissions.allow,
    ).toEqual([{ command }])
})

test('nothing is added to a file that Baton cannot read', () => {
  expect(() => add('permissions: [\n')).toThrow(/not valid/)
  expect(() => add('permissions:\n  projects: yes\n')).toThrow(/not a list/)
  expect(() => add('permisions: {}\n')).toThrow(/unknown key/)
})
