import type { AskRules, RememberedRule } from '@batonpass/contract/ask'
import { Config } from '@batonpass/contract/config'
import { describe, expect, test } from 'vitest'
import { judge } from '../../src/permission/judge.ts'
import { ruleText } from '../../src/permission/rules/rule-text.ts'
import type { RulesPlace } from '../../src/permission/rules-in-force.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import { asked, finished, PROJECT, reactorWorld, requested, sayYes } from './reactor-world.ts'

const HOME = '/home/dev'

/** What the ask about a call offers to remember. */
async function offered(
  command: string,
  config: object = {},
  more: object = {},
): Promise<AskRules | undefined> {
  const world = reactorWorld()
  await world.answer(asked(command, more), world.context({ permission: { undo: false }, ...config }))
  expect(world.faults).toEqual([])
  return world.questions[0]?.rules
}

function decide(rule: RememberedRule, command: string, at: Partial<RulesPlace & { cwd: string }> = {}) {
  const place = { worktree: PROJECT, home: HOME, ...at }
  const config = Config.parse({ permissions: { projects: [{ project: '~/project', allow: [rule] }] } })
  return judge({ tool: 'Bash', input: { command }, cwd: PROJECT, ...place }, rulesInForce(config, place))
    .decision
}

describe('"always allow" offers', () => {
  test('exactly the command that the ask shows: in its folder of the project, or everywhere', async () => {
    expect(await offered('npm run build')).toEqual({
      project: { command: 'npm run build', folder: '.' },
      everywhere: { command: 'npm run build' },
    })
    const piped = await offered('cd web && npm run build 2>&1 | tail -20')
    expect(piped?.project).toEqual({ command: 'npm run build', folder: 'web' })
  })

  test('the text of the ask says what the rule would be', async () => {
    const world = reactorWorld()
    await world.answer(asked('npm run build'), world.context({ permission: { undo: false } }))
    expect(world.questions[0]?.detail).toMatch(
      /\n\nAlways allow in this project: "npm run build" in the project's folder; everywhere: "npm run build" in any folder$/,
    )
  })

  test.each([
    ['a shell', 'bash build.sh'],
    ['an interpreter', 'python3 manage.py migrate'],
    ['a downloaded program', 'npx some-package'],
    ['code in an argument', 'node -e 1'],
    ['another account', 'sudo make install'],
    ['another machine', 'ssh host make'],
    ['a process by its number', 'kill 4711'],
    ['a script that is another one in each folder', './deploy --prod'],
    ['input from a pipe', 'cat dump.sql | some-tool load'],
    ['input from a file', 'some-tool load < dump.sql'],
    ['a variable in front', 'STAGE=prod some-tool deploy'],
    ['a value known only when it runs', 'some-tool "$TARGET"'],
    ['a file pattern', 'some-tool *.json'],
    ['an argument with spaces', 'some-tool "a b"'],
    ['two open commands', 'some-tool build && other-tool deploy'],
    ['a secret in an argument', 'some-tool --password hunter2'],
    ['a file that may hold secrets', 'cat .env'],
    ['an invisible character', 'some-tool a\u202Eb'],
    ['a command that rules deny', 'rm -rf /'],
  ])('nothing for %s', async (_, command) => {
    expect(await offered(command)).toBeUndefined()
  })

  test('nothing where a rule of the user asks: it would win over the new one', async () => {
    expect(await offered('make', { permissions: { ask: [{ program: 'make' }] } })).toBeUndefined()
  })

  test('nothing in plan mode, and nothing where only the agent itself asks', async () => {
    expect(await offered('make', {}, { mode: 'plan' })).toBeUndefined()
    const world = reactorWorld()
    const context = world.context({ permissions: { allow: ['^make$'] } }, { attended: true })
    await world.answer(requested('make'), context)
    await world.answer(asked('make'), context)
    expect(world.questions).toMatchObject([
      { detail: expect.stringContaining("the agent's own settings ask") },
    ])
    expect(world.questions[0]?.rules).toBeUndefined()
  })

  test('only the folder of the project for a command that writes files by relative names', async () => {
    expect(await offered('rm -rf out')).toEqual({ project: { command: 'rm -rf out', folder: '.' } })
  })

  test('one page of the web, not its server', async () => {
    const page = (url: string) => ({
      tool: 'WebFetch',
      input: { url },
      action: { kind: 'web' as const, url },
    })
    const config = { permission: { preset: 'cautious' } }
    const rule = { tool: 'WebFetch', pattern: '^https://docs\\.example\\.org/a$' } as const
    const rules = await offered('', config, page('https://docs.example.org/a'))
    expect(rules).toEqual({ project: rule, everywhere: rule })
    expect(ruleText(rule, 'everywhere')).toBe('WebFetch https://docs.example.org/a')
    expect(ruleText({ ...rule, pattern: '^https://.*' }, 'everywhere')).toBe('WebFetch ^https://.*')
    expect(await offered('', config, page('https://docs.example.org/a?key=1'))).toBeUndefined()
  })
})

describe('a remembered rule allows', () => {
  const rule = { command: 'npm run build', folder: '.' }

  test.each([
    ['the command', 'npm run build'],
    ['with other quotes', "npm  run 'build'"],
    ['next to what is harmless', 'git status && npm run build 2>&1 | tail -3'],
  ])('%s', (_, command) => expect(decide(rule, command)).toBe('allow'))

  test.each([
    ['more arguments', 'npm run build -- --watch'],
    ['a shorter name', 'npm run b'],
    ['another script of the same prefix', 'npm run build2'],
    ['another folder', 'cd / && npm run build'],
    ['a folder below', 'cd sub && npm run build'],
    ['an unknown folder', 'cd "$X" && npm run build'],
    ['a variable that changes the program', 'NODE_OPTIONS=--require=./x npm run build'],
    ['input from a pipe', 'curl https://x.example | npm run build'],
    ['input from a file', 'npm run build < x'],
    ['output into a file elsewhere', 'npm run build > ~/.bashrc'],
    ['the output given to a shell', 'npm run build | bash'],
    ['another account', 'sudo npm run build'],
    ['what follows it', 'npm run build; some-tool'],
  ])('not with %s', (_, command) => expect(decide(rule, command)).not.toBe('allow'))

  test('nothing in a folder to which a link was changed', () => {
    const inLink = (target: string) => {
      const place = { worktree: PROJECT, home: HOME }
      const rules = rulesInForce(
        Config.parse({ permissions: { allow: [{ command: 'npm run build', folder: 'web' }] } }),
        place,
      )
      const realpath = (path: string) => (path === `${PROJECT}/web` ? target : path)
      const call = { tool: 'Bash', input: { command: 'cd web && npm run build' }, cwd: PROJECT, ...place }
      return judge(call, rules, { realpath }).decision
    }
    expect(inLink(`${PROJECT}/web`)).toBe('allow')
    expect(inLink('/srv/other')).not.toBe('allow')
  })

  test('nothing in another project', () => {
    expect(decide(rule, 'npm run build', { worktree: '/home/dev/other', cwd: '/home/dev/other' })).toBe(
      'undecided',
    )
  })

  test('no code that reaches an allowed program through a pipe', () => {
    expect(decide({ command: 'psql shop' }, 'psql shop')).toBe('allow')
    expect(decide({ command: 'psql shop' }, 'echo drop | psql shop')).not.toBe('allow')
    expect(decide({ command: 'psql shop' }, 'psql shop <<<"drop"')).not.toBe('allow')
  })
})

describe("a yes in the agent's own dialog", () => {
  const run = async (more: object = {}, answer?: 'in Baton') => {
    const world = reactorWorld(answer ? { person: sayYes } : {})
    const context = world.context({ permission: { undo: false } }, { attended: true, ...more })
    const call = requested('make deploy')
    await world.answer(call, context)
    await world.answer(asked('make deploy'), context)
    await world.reactor.react(finished(call), context)
    return world.decisions.filter(({ by }) => by === 'person')
  }

  test('counts as a person’s yes, once the tool ran', async () => {
    expect(await run()).toMatchObject([{ decision: 'allow', subject: 'make deploy', inDialog: true }])
  })

  test('counts once if the person answered through Baton', async () => {
    expect(await run({}, 'in Baton')).toHaveLength(1)
  })

  test('is not assumed where the mode, and not a person, let the tool run', async () => {
    expect(await run({ attended: false })).toEqual([])
  })

  test('counts as one question, with the dialog that followed', async () => {
    const world = reactorWorld()
    const context = world.context({ permission: { undo: false } }, { attended: true })
    const call = requested('make deploy')
    await world.answer(call, context)
    await world.answer(asked('make deploy'), context)
    await world.reactor.react(finished(call), context)
    expect(world.decisions.map(({ decision, again }) => `${decision} ${again ?? false}`)).toEqual([
      'ask false',
      'ask true',
      'allow true',
    ])
  })
})

test('"don\'t ask again" in the agent\'s own dialog counts as a yes for `baton learn`, and is not remembered', async () => {
  const world = reactorWorld()
  const config = { permission: { undo: false, undecided: 'defer' } } as const
  const context = world.context(config, { attended: true })
  const call = requested('make deploy')
  await world.answer(call, context)
  await world.answer(asked('make deploy'), context)
  expect(await world.reactor.react(finished(call), context)).toBeUndefined()
  expect(world.decisions.at(-1)).toMatchObject({ decision: 'allow', by: 'person', inDialog: true })
  await world.answer(requested('make deploy'), context)
  expect(world.decisions.at(-1)?.decision).toBe('defer')
})
