import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENTS } from '@batonpass/contract/agents'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemFiles } from '../../src/adapters/system/files.ts'
import { loadConfig } from '../../src/config/load.ts'
import { FileError, type Files } from '../../src/ports/files.ts'
import { configWorld } from './world.ts'

const at = 'home/.baton.yaml'

const wrong: [what: string, yaml: string, ...problems: string[]][] = [
  [
    'an unknown key, with the key that was meant',
    'handsoff:\n  max_continuation: 3\n',
    `${at}:2:3: unknown key handsoff.max_continuation. Did you mean handsoff.max_continuations?`,
  ],
  [
    'a key in the wrong section',
    'max_continuations: 3\n',
    `${at}:1:1: unknown key max_continuations. Did you mean handsoff.max_continuations?`,
  ],
  [
    'a key that resembles nothing',
    'journal:\n  zzzzzzzzzz: 1\n',
    `${at}:2:3: unknown key journal.zzzzzzzzzz. Expected one of retain, content.`,
  ],
  [
    'a wrong type',
    'handsoff:\n  enabled: maybe\n',
    `${at}:2:12: handsoff.enabled: expected true or false, found other text.`,
  ],
  [
    'a map where a value belongs',
    'handsoff:\n  debug:\n    a: 1\n',
    `${at}:3:5: handsoff.debug: expected true or false, found a map.`,
  ],
  [
    'a value where a section belongs',
    'handsoff: true\n',
    `${at}:1:11: handsoff: expected keys under it, such as enabled, max_continuations, auto_permission, found true.`,
  ],
  [
    'a number out of range',
    'telegram:\n  timeout_sec: 7201\n',
    `${at}:2:16: telegram.timeout_sec: expected a whole number from 1 to 7200, found 7201.`,
  ],
  [
    'a fraction where a whole number belongs',
    'handsoff:\n  max_continuations: 1.5\n',
    `${at}:2:22: handsoff.max_continuations: expected a whole number from 0 to 1000, found 1.5.`,
  ],
  [
    'an unknown choice, with the one that was meant',
    'handsoff:\n  supervisor:\n    provider: cluade\n',
    `${at}:3:15: handsoff.supervisor.provider: expected one of none, ${Object.keys(AGENTS).join(', ').replace('claude-code', 'claude')}, found other text. Did you mean claude?`,
  ],
  [
    'nothing where a value belongs',
    'handsoff:\n  enabled:\n',
    `${at}:2:11: handsoff.enabled: expected true or false, found nothing.`,
  ],
  [
    'a size without sense',
    'journal:\n  retain:\n    size: big\n',
    `${at}:3:11: journal.retain.size: expected a size such as 500MB or 2GB, at least 10MB, found other text.`,
  ],
  [
    'a rule that is neither text nor a map',
    'permissions:\n  deny:\n    - rm -rf\n    - 3\n',
    `${at}:4:7: permissions.deny[1]: expected a pattern as text, or a rule such as {pattern: "^npm test", tool: Bash}, found 3.`,
  ],
  [
    'outside in a rule that denies',
    'permissions:\n  deny:\n    - {program: make, outside: true}\n',
    `${at}:3:7: permissions.deny[0]: \`outside\` belongs to a rule of permissions.allow`,
  ],
  [
    'a pattern that could hold up a decision',
    "permissions:\n  allow:\n    - '^ok'\n    - pattern: 'a(?=b)'\n",
    `${at}:4:16: permissions.allow[1]: the pattern uses lookahead or lookbehind. See docs/guides/permission.md`,
  ],
  [
    'a pattern that is not a valid regular expression, as plain text',
    'permissions:\n  deny: ["rm ("]\n',
    `${at}:2:10: permissions.deny[0]: the pattern has an unclosed bracket. See docs/guides/permission.md`,
  ],
  [
    'an unknown key in a rule, with the key that was meant',
    'permissions:\n  allow:\n    - program: git\n      subcomand: status\n',
    `${at}:4:7: unknown key permissions.allow[0].subcomand. Did you mean permissions.allow[0].subcommand?`,
  ],
  [
    'a rule that names nothing',
    'permissions:\n  ask:\n    - reason: because\n',
    `${at}:3:7: permissions.ask[0]: a rule must name at least a tool, a program, a path or a host.`,
  ],
  [
    'a workflow name that fits no command',
    'workflows:\n  a b: {}\n',
    `${at}:2:3: workflows."a b": invalid name; expected a map from workflow names (letters, digits, . _ : -) to their settings.`,
  ],
  [
    'one bad id in a list, once',
    'telegram:\n  allowed_user_ids: [1, x, y]\n',
    `${at}:2:25: telegram.allowed_user_ids: expected user ids, as "123,456" or as a list, found other text.`,
  ],
  [
    'a duplicate key',
    'handsoff:\n  debug: true\n  debug: false\n',
    `${at}:3:3: the key "debug" appears twice. Remove one of the two.`,
  ],
  [
    'a prototype key',
    'workflows:\n  __proto__: {polluted: true}\n',
    `${at}:2:3: the key __proto__ is not allowed anywhere.`,
  ],
  [
    'a prototype key deep in a loose map',
    'workflows:\n  a:\n    b: {constructor: 1}\n',
    `${at}:3:9: the key constructor is not allowed anywhere.`,
  ],
  ['tabs', 'handsoff:\n\tdebug: true\n', `${at}:2:1: invalid YAML: indent with spaces, not tabs.`],
  [
    'a missing quote',
    'telegram:\n  token: "12:ab\n',
    `${at}:3:1: invalid YAML: a closing quote, bracket or a space is missing.`,
  ],
  ['an unclosed list', 'permissions:\n  deny: [a\n', `${at}:3:1: invalid YAML`],
  [
    'a second document',
    'daemon: {port: 1}\n---\na: 1\n',
    `${at}:2:1: invalid YAML: expected one document, without a second "---".`,
  ],
  [
    'a tag',
    'daemon:\n  port: !!js/function x\n',
    `${at}:2:9: invalid YAML: tags such as !name are not supported.`,
  ],
  [
    'a binary tag',
    'daemon:\n  port: !!binary aGk=\n',
    `${at}:2:9: invalid YAML: tags such as !name are not supported.`,
  ],
  ['a list at the top', '- a\n', `${at}:1:1: expected keys such as "handsoff:" at the top of the file.`],
  ['text at the top', 'hello\n', `${at}:1:1: expected keys such as "handsoff:" at the top of the file.`],
  [
    'an alias without anchor',
    'daemon:\n  port: *x\n',
    `${at}:2:9: an alias refers to an anchor that is not in the file.`,
  ],
  [
    'an alias in itself',
    'workflows: &a\n  b: *a\n',
    `${at}:2:6: an alias refers to a value that contains the alias.`,
  ],
  ['an alias bomb', bomb(), `${at}:6:25: the file has too many values after expanding aliases.`],
  ['deep nesting', `workflows: ${'['.repeat(3000)}`, `${at}:1:`],
  ['a flood of tokens', `daemon: [${','.repeat(900_000)}`, `${at}:1:`],
  [
    'a control character',
    'daemon:\n  port: 1\u0000\n',
    `${at}:2:10: the file contains a control character. Remove it.`,
  ],
  ['a map as a key', '{a: 1}: 2\n', `${at}:1:1: expected a key, as text.`],
]

describe('one error each, with file, line and column', () => {
  test.each(wrong)('%s: one error at its place', async (_, yaml, ...expected) => {
    await using world = configWorld()
    world.write(at, yaml)
    const problems = await world.problems()
    expect(problems).toHaveLength(expected.length)
    for (const [index, line] of expected.entries()) expect(problems[index]).toMatch(startOf(line))
  })

  test('every wrong thing of a file is told, in its order', async () => {
    await using world = configWorld()
    world.write(
      at,
      'handsof:\n  enabled: true\nhandsoff:\n  debug: 3\n  debug: 4\ntelegram:\n  timeout_sec: 0\n  chat: 1\n',
    )
    expect((await world.problems()).map(line => line.split(': ')[0])).toEqual([
      `${at}:1:1`,
      `${at}:4:10`,
      `${at}:5:3`,
      `${at}:7:16`,
      `${at}:8:3`,
    ])
  })

  test('a rule with a wrong key goes as a whole: what is left of it would allow more', async () => {
    await using world = configWorld()
    world.write(
      at,
      'permissions:\n  allow:\n    - {program: git, subcomand: status}\n    - {program: make}\n  deny: [rm]\n',
    )
    const { config } = await world.load()
    expect(config.permissions).toEqual({ allow: [{ program: 'make' }], deny: ['rm'], ask: [], projects: [] })
    expect(config.permission.preset).toBe('cautious')
  })

  test('bytes that are not UTF-8', async () => {
    await using world = configWorld()
    writeFileSync(join(world.path, at), Buffer.from('daemon:\n  port: 1 # caf\xe9\n', 'latin1'))
    expect(await world.problems()).toEqual([`${at}:2:16: the file is not UTF-8 text. Save it as UTF-8.`])
  })

  test('a file that is too large', async () => {
    await using world = configWorld()
    world.write(at, `# ${'x'.repeat(1_000_000)}`)
    expect(await world.problems()).toEqual([
      `${at}:1:1: the file is larger than 1 MB. Remove everything that is not configuration.`,
    ])
  })

  test('a folder in place of the file', async () => {
    await using world = configWorld()
    mkdirSync(join(world.path, at))
    expect(await world.problems()).toEqual([
      `${at}:1:1: expected a file, found a folder or something else. Replace it with a regular file.`,
    ])
  })

  test('a file that may not be read', async () => {
    await using world = configWorld()
    const path = world.write(at, 'handsoff: {}\n')
    const files: Files = {
      ...systemFiles,
      read: async (name, limit) => {
        if (name === path) throw new FileError('denied', name)
        return systemFiles.read(name, limit)
      },
    }
    const { problems } = await loadConfig(world.places, { files })
    expect(problems).toEqual([
      expect.objectContaining({ code: 'config_unreadable', file: path, line: 1, column: 1 }),
    ])
  })

  test('a link that leads nowhere', async () => {
    await using world = configWorld()
    symlinkSync('nowhere', join(world.path, at))
    expect(await world.problems()).toEqual([
      `${at}:1:1: the file is a dangling link. Remove or fix the link.`,
    ])
  })

  test('a project file that is a link out of the project', async () => {
    await using world = configWorld()
    symlinkSync(
      world.write('elsewhere.yaml', 'handsoff: {debug: true}\n'),
      join(world.path, 'project/.baton.yaml'),
    )
    const { problems, config } = await world.load()
    expect(problems).toEqual([
      expect.objectContaining({ code: 'config_outside_project', line: 1, column: 1 }),
    ])
    expect(config.handsoff.debug).toBe(false)
  })

  test('but a link within the project, and a link among the user’s own files, are followed', async () => {
    await using world = configWorld()
    world.write('project/config/baton.yaml', 'handsoff: {debug: true}\n')
    symlinkSync('config/baton.yaml', join(world.path, 'project/.baton.yaml'))
    symlinkSync(
      world.write('dotfiles/baton.yaml', 'handsoff: {max_continuations: 3}\n'),
      join(world.path, at),
    )
    const { problems, config } = await world.load()
    expect(problems).toEqual([])
    expect(config.handsoff).toMatchObject({ debug: true, max_continuations: 3 })
  })

  test.each([0o664, 0o646])('a file of the user’s own that others can write (%o)', async mode => {
    await using world = configWorld()
    chmodSync(world.write(at, 'handsoff: {debug: true}\n'), mode)
    const { problems, config } = await world.load()
    expect(problems).toEqual([
      expect.objectContaining({ code: 'config_untrusted', remedy: expect.stringContaining('chmod go-w') }),
    ])
    expect(config.handsoff.debug).toBe(false)
  })

  test('a file of the user’s own that belongs to another user, unless that is root', async () => {
    await using world = configWorld()
    world.write(at, 'handsoff: {debug: true}\n')
    const owned = async (owner: number) => {
      const read: Files['read'] = async (path, limit) => {
        const { bytes, facts } = await systemFiles.read(path, limit)
        return { bytes, facts: { ...facts, owner } }
      }
      return loadConfig(world.places, { files: { ...systemFiles, read, user: 1000 } })
    }
    expect((await owned(1001)).problems).toEqual([expect.objectContaining({ code: 'config_untrusted' })])
    expect((await owned(1000)).problems).toEqual([])
    expect((await owned(0)).problems).toEqual([])
  })

  test('a value in the environment that makes no sense', async () => {
    await using world = configWorld()
    world.places.env.BATON_STORE_URL = 'mysql://root:hunter2@db'
    expect(await world.problems()).toEqual([
      '$BATON_STORE_URL: expected an address such as postgres://user:password@host/database.',
    ])
  })
})

test('no error quotes a value, wherever a secret was put', async () => {
  const secret = 's3cr3t-value'
  const misplaced = [
    `telegram:\n  token: [${secret}]\n`,
    `telegram:\n  chat_id: ${secret}\n`,
    `telegram:\n  token: "${secret}\n`,
    `telegram: ${secret}\n`,
    `store:\n  url: https://u:${secret}@h\n`,
    `store:\n  url: @${secret}\n`,
    `handsoff:\n  enabled: ${secret}\n`,
    `telegram:\n  token: ${secret}: x: y\n`,
    `telegram:\n  token: !${secret} x\n`,
    `telegram:\n  token: *${secret}\n`,
    `telegram:\n  token: "\\q${secret}"\n`,
  ]
  for (const yaml of misplaced) {
    await using world = configWorld()
    world.write(at, yaml)
    const { problems } = await world.load()
    expect(problems.length, yaml).toBeGreaterThan(0)
    expect(JSON.stringify(problems), yaml).not.toContain(secret)
  }
})

test('an unknown key never passes, at whatever depth', async () => {
  await using world = configWorld()
  const word = fc.stringMatching(/^[a-z_]{1,12}$/).map(text => `zz_${text}`)
  const place = fc.constantFrom(
    [],
    ['handsoff'],
    ['handsoff', 'supervisor'],
    ['telegram'],
    ['journal', 'retain'],
    ['budget', 'per_day'],
  )
  await fc.assert(
    fc.asyncProperty(place, word, fc.jsonValue({ maxDepth: 2 }), async (path, key, value) => {
      const nested = path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), { [key]: value })
      world.write(at, JSON.stringify(nested))
      const { problems } = await world.load()
      expect(problems.map(problem => problem.key)).toContain([...path, key].join('.'))
    }),
    { numRuns: 60 },
  )
})

test('any bytes give a configuration or problems, never a crash', async () => {
  await using world = configWorld()
  const yamlish = fc.string({
    unit: fc.constantFrom(...' \n:-?[]{},#&*!|>\'"%@`ab01~\t\r'.split('')),
    maxLength: 60,
  })
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    yamlish.map(text => new TextEncoder().encode(text)),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async content => {
      writeFileSync(join(world.path, at), content)
      const { problems, config } = await world.load()
      expect(config.daemon.port).toBe(4747)
      for (const problem of problems)
        expect(problem).toMatchObject({ line: expect.any(Number), column: expect.any(Number) })
    }),
    { numRuns: 300 },
  )
})

function bomb(): string {
  const levels = Array.from({ length: 10 }, (_, level) => {
    const items = level === 0 ? 'x' : Array.from({ length: 10 }, () => `*l${level - 1}`).join(', ')
    return `  w${level}: {items: &l${level} [${items}]}`
  })
  return `workflows:\n${levels.join('\n')}\n`
}

const startOf = (line: string): RegExp => new RegExp(`^${line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)
