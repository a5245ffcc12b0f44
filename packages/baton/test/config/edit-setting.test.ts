import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingForm, withSetting } from '../../src/config/edit-setting.ts'
import { configKeys } from '../../src/config/keys.ts'

const FILE = `# my settings
permission:
  # asked too often
  undecided: ask # until Friday
  undo: on
permissions:
  deny:
    - ^rm # never
    # next one after an accident
    - ^dd
journal: {} # nothing yet
`
const keyOf = (name: string) => {
  const key = configKeys().find(each => each.name === name)
  if (!key) throw new Error(`no key ${name}`)
  return key
}

describe('changing a setting', () => {
  test('changes the value and keeps every comment', () => {
    expect(withSetting(FILE, { key: 'permission.undecided', value: 'respect' })).toBe(
      FILE.replace('undecided: ask', 'undecided: respect'),
    )
  })

  test('adds a key, and a section where there is none', () => {
    expect(withSetting(FILE, { key: 'permission.preset', value: 'cautious' })).toContain(
      'undo: on\n  preset: cautious\n',
    )
    expect(parse(withSetting('', { key: 'sandbox.mode', value: 'strict' }))).toEqual({
      sandbox: { mode: 'strict' },
    })
  })

  test('removes a key, and a section that is empty then', () => {
    const without = withSetting(FILE, { key: 'permission.undo' })
    expect(without).toBe(FILE.replace('  undo: on\n', ''))
    expect(
      withSetting('# mine\nsandbox:\n  mode: strict\nshadow:\n  enabled: true\n', { key: 'sandbox.mode' }),
    ).toBe('# mine\nshadow:\n  enabled: true\n')
    expect(withSetting(FILE, { key: 'sandbox.mode' })).toBe(FILE)
    // A section with a comment in it stays.
    const commented = withSetting('sandbox:\n  # why\n  mode: strict\n', { key: 'sandbox.mode' })
    expect([commented.includes('# why'), parse(commented)]).toEqual([true, { sandbox: {} }])
  })

  test('takes a list as it is written, comments included', () => {
    const form = settingForm(keyOf('permissions.deny'), FILE, [])
    expect(form).toEqual({
      kind: 'yaml',
      isSet: true,
      value: '- ^rm # never\n# next one after an accident\n- ^dd',
    })
    expect(withSetting(FILE, { key: 'permissions.deny', yaml: form.value })).toBe(FILE)
    const more = withSetting(FILE, {
      key: 'permissions.deny',
      yaml: `${form.value}\n- {program: shred} # added`,
    })
    expect(more).toContain('    - ^dd\n    - { program: shred } # added\n')
    expect(more).toContain('# next one after an accident')
  })

  test.each([
    ['permission.undecided', { value: 'perhaps' }, /permission\.undecided: expected one of/],
    ['handsoff.max_continuations', { value: -1 }, /expected a whole number/],
    ['permissions.deny', { yaml: '- [' }, /Not valid YAML/],
    ['permissions.deny', { yaml: '- (' }, /permissions\.deny/],
    ['permissions.deny', { yaml: '*unknown' }, /Not valid YAML/],
    ['permissions.deny', { yaml: '# only a comment' }, /Write a value/],
    ['no.such.key', { value: 1 }, /does not have a setting/],
    ['__proto__', { value: 1 }, /does not have a setting/],
    ['permission', { yaml: '{undo: false}' }, /does not have a setting/],
  ])('refuses %s: %j', (key, change, message) => {
    expect(() => withSetting(FILE, { key, ...change })).toThrow(message)
  })

  test('refuses a change that another key would share, and a file that is not valid', () => {
    const shared = 'permissions:\n  deny: &same [^rm]\n  ask: *same\n'
    expect(() => withSetting(shared, { key: 'permissions.deny', yaml: '[^dd]' })).toThrow()
    const scalar = 'permission: {undecided: &same ask}\nwatch: &other {}\n'
    expect(parse(withSetting(scalar, { key: 'permission.undecided', value: 'defer' })).permission).toEqual({
      undecided: 'defer',
    })
    expect(() => withSetting('a: [', { key: 'sandbox.mode', value: 'strict' })).toThrow(/not valid/)
    expect(() => withSetting('- a', { key: 'sandbox.mode', value: 'strict' })).toThrow(/not valid/)
  })

  test('a text that looks like something else stays a text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), value => {
        let after: string
        try {
          after = withSetting(FILE, { key: 'handsoff.auto_continue_prompt', value })
        } catch {
          return
        }
        expect(parse(after).handsoff.auto_continue_prompt).toBe(value)
        expect(after).toContain('undecided: ask # until Friday')
      }),
    )
  })
})

describe('the form of a setting', () => {
  test.each([
    ['permission.undo', { kind: 'flag', isSet: true, value: 'false' }],
    [
      'permission.undecided',
      { kind: 'choice', choices: ['respect', 'ask', 'defer'], isSet: true, value: 'ask' },
    ],
    ['permission.preset', { kind: 'choice', isSet: false, value: 'standard' }],
    ['telegram.token', { kind: 'secret', isSet: false }],
    ['permissions.allow', { kind: 'yaml', isSet: false, value: '' }],
  ])('%s', (name, expected) => {
    expect(settingForm(keyOf(name), FILE, 'standard')).toMatchObject(expected)
  })

  test('every setting has one, and none of a secret has a value', () => {
    for (const key of configKeys()) {
      const secretFile = `${key.path.map((step, n) => `${'  '.repeat(n)}${step}:`).join('\n')} hunter2secret\n`
      const form = settingForm(key, secretFile, undefined)
      if (key.facts.secret) expect(JSON.stringify(form)).not.toContain('hunter2')
      expect(form.isSet).toBe(true)
    }
  })
})
