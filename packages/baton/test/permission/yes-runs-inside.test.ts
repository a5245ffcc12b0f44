import type { ConfigInput } from '@batonpass/contract/config'
import type { PermissionMode } from '@batonpass/contract/event'
import { describe, expect, test } from 'vitest'
import { whyAsk, whyOwnText } from '../../src/adapters/agents/claude-code/own-rules.ts'
import { type ContainmentPlace, containmentPlace } from '../../src/permission/containment.ts'
import { ownerOfRules } from '../../src/permission/own-rules.ts'
import type { SandboxLink } from '../../src/permission/sandbox-link.ts'
import type { RulePlace } from '../../src/ports/agent.ts'
import {
  asked,
  type Fakes,
  HOME,
  nobody,
  PROJECT,
  reactorWorld,
  requested,
  sayNo,
  sayYes,
} from './reactor-world.ts'

const WRAPPED = "'/state/box' abc"
const ON_HOST = [`${PROJECT}/a.txt`, `${PROJECT}/src`, `${HOME}/notes`, '/srv/data/table.csv']

interface Row {
  command: string
  /** Ask rules in Claude Code's settings. */
  claude?: string[]
  config?: ConfigInput
  snapshot?: Fakes['snapshot']
}

interface Way {
  person?: Fakes['person']
  dialog?: boolean
  /** Where a person says yes, if not where the agent's dialog or a channel asks. */
  broker?: ContainmentPlace['broker']
  mode?: PermissionMode
}

/** What an agent is answered, by the functions that the daemon and `baton check` share. */
async function decide(
  { command, claude = [], config = {}, snapshot = 'taken' }: Row,
  { person = sayYes, dialog = false, broker = dialog ? 'dialog' : 'person', mode = 'default' }: Way = {},
) {
  const prepared: Parameters<SandboxLink['prepare']>[2][] = []
  let discarded = 0
  const settings = JSON.stringify({ permissions: { ask: claude } })
  const rulePlace: RulePlace = {
    home: HOME,
    env: {},
    args: [],
    project: PROJECT,
    cwd: PROJECT,
    toolUseId: undefined,
    read: path => (path === `${HOME}/.claude/settings.json` ? settings : undefined),
    names: () => [],
    lastInTranscript: () => undefined,
  }
  const sandbox: SandboxLink = {
    takes: () => true,
    whyUnavailable: async () => undefined,
    ownRules: async () => ownerOfRules(whyOwnText, command, rulePlace),
    askRule: async () => whyAsk(command, rulePlace),
    place: async (_, context) =>
      containmentPlace(
        {
          worktree: PROJECT,
          cwd: PROJECT,
          home: HOME,
          broker,
          hasRegistries: true,
        },
        { sandbox: { ...context.config.sandbox, requestedHosts: [] } },
        path => path,
      ),
    ports: { exists: path => ON_HOST.includes(path), mayChange: async () => false },
    openedHosts: () => [],
    async prepare(_event, _context, release) {
      prepared.push(release)
      return { ok: true, id: 'abc', text: WRAPPED }
    },
    discard: async () => void discarded++,
    dialogOpened: async () => true,
  }
  const world = reactorWorld({ ports: { sandbox }, snapshot, person })
  const context = world.context(config, { attended: dialog })
  const answer = await world.answer(requested(command, { mode }), context)
  return { answer, world, context, release: prepared.at(-1), waiting: prepared.length - discarded }
}

const ask = (...rules: { program: string; subcommand?: string }[]): ConfigInput => ({
  permissions: { ask: rules },
})
const MAKE = ask({ program: 'make' })
const CAUTIOUS: ConfigInput = { permission: { preset: 'cautious' } }
const NO_UNDO: ConfigInput = { permission: { undo: false } }

/** The question is about the command; after the yes nothing of it leaves. */
const INSIDE: Row[] = [
  { command: 'make', config: MAKE },
  { command: 'make && npm test', config: MAKE },
  { command: 'npm test; make', config: MAKE },
  { command: 'if make; then echo ok; fi', config: MAKE },
  { command: '(cd src && make)', config: MAKE },
  { command: 'f() { make; }; f', config: MAKE },
  { command: 'make > a.txt', config: MAKE },
  { command: 'echo "$(make)"', config: MAKE },
  { command: 'make & wait', config: MAKE },
  { command: 'make | tee a.txt', config: MAKE },
  { command: 'git commit -qam x', config: ask({ program: 'git', subcommand: 'commit' }) },
  { command: 'npm install left-pad', config: ask({ program: 'npm', subcommand: 'install' }) },
  { command: 'ls src', config: ask({ program: 'ls' }) },
  { command: 'make', config: { permissions: { ask: [{ pattern: '^make' }] } } },
  {
    command: 'make',
    config: { permissions: { allow: [{ program: 'make', outside: true }], ask: [{ program: 'make' }] } },
  },
  { command: 'npm test', config: CAUTIOUS },
  { command: 'python3 -c "print(1)"', config: CAUTIOUS },
  { command: 'touch new.txt', config: CAUTIOUS },
  { command: 'npm test', claude: ['Bash(npm test:*)'] },
  { command: 'npm test', claude: ['Bash(npm *)'] },
  { command: 'npm test', claude: ['Bash'] },
  { command: 'cd src && npm test', claude: ['Bash(npm test)'] },
  { command: 'ls', claude: ['Bash(ls:*)'] },
  { command: 'git status', claude: ['Bash(git *)'] },
  { command: 'git commit -m x', claude: ['Bash(git commit:*)'] },
  { command: 'rm a.txt', claude: ['Bash(rm:*)'] },
  { command: '$CMD x', claude: ['Bash'] },
  { command: 'make', config: MAKE, claude: ['Bash(make)'] },
  { command: 'rm a.txt', snapshot: 'none' },
  { command: 'rm a.txt', snapshot: 'broken' },
  { command: 'npm test && rm -rf src', snapshot: 'none' },
  { command: 'echo x > a.txt', snapshot: 'none' },
  { command: 'mv a.txt b.txt', snapshot: 'none' },
  { command: 'rm -rf src', config: NO_UNDO },
  { command: 'rm a.txt', snapshot: 'none', claude: ['Bash(rm:*)'] },
  { command: 'rm a.txt && make', snapshot: 'none', config: MAKE },
]

/** The yes is for what cannot work inside. */
const OUTSIDE: Row[] = [
  { command: 'docker ps', config: ask({ program: 'docker' }) },
  { command: 'make && docker ps', config: MAKE },
  { command: 'cp a.txt /srv/data/table.csv', config: ask({ program: 'cp' }) },
  { command: 'cat /srv/data/table.csv | make', config: MAKE },
  { command: 'cat .env' },
  { command: 'cat .env', config: ask({ program: 'cat' }) },
  { command: 'wc -l < .env' },
  { command: 'git config user.name x', config: ask({ program: 'git' }) },
  { command: 'curl https://example.com', config: ask({ program: 'curl' }) },
  { command: 'rm /srv/data/table.csv', snapshot: 'none' },
  { command: 'docker run alpine', claude: ['Bash(docker:*)'] },
]

/** Everyday commands of which a rule of Claude Code's names something only in passing: its own exact rules decide. */
const NOT_ASKED: Row[] = [
  { command: 'ls src', claude: ['Edit(src/**)'] },
  { command: 'git status', claude: ['Write(**)'] },
  { command: 'cat docs/rm.md', claude: ['Bash(rm:*)'] },
  { command: 'grep -rn "npm publish" .', claude: ['Bash(npm publish:*)'] },
  { command: 'git log --grep "git push"', claude: ['Bash(git push:*)'] },
]

/** Parts that the broker does leave after the yes, and no others. */
const RELEASED: [Row, string[]][] = [
  [{ command: 'make && git push origin a', config: MAKE }, ['git push origin a']],
  [{ command: 'npm test && git push origin a', claude: ['Bash(npm test:*)'] }, ['git push origin a']],
  [{ command: 'rm a.txt && git push origin a', config: MAKE, claude: ['Bash(rm *)'] }, ['git push origin a']],
  [{ command: 'git push origin a', claude: ['Bash(git push:*)'] }, ['git push origin a']],
  // Of equal parts, one is allowed where it stands, and the other is asked about.
  [
    {
      command: 'make; git push origin a; cd src && git push origin a',
      config: {
        permissions: { ask: [{ program: 'make' }], allow: [{ command: 'git push origin a', folder: '.' }] },
      },
    },
    ['git push origin a, by a rule', 'git push origin a in src'],
  ],
]

/** Parts that a rule of the user allows in the words of the command, which the broker may call something else. */
const RULED: [Row, string[]][] = [
  [
    { command: 'git push', config: { permissions: { allow: [{ command: 'git push', folder: '.' }] } } },
    ['git push, by a rule'],
  ],
  [
    {
      command: 'npm test && git push origin HEAD:one; git push origin a',
      config: { permissions: { allow: [{ pattern: '^git push origin HEAD' }] } },
    },
    ['git push origin HEAD:one, by a rule'],
  ],
  [{ command: 'git fetch && gh pr view 1' }, []],
]

const wordsOf = ({ release }: Awaited<ReturnType<typeof decide>>): string[] =>
  (release?.actions ?? []).map(({ words, folders: [folder = ''], byRule }) => {
    const below = folder.slice(PROJECT.length + 1)
    return `${words.join(' ')}${below === '' ? '' : ` in ${below}`}${byRule ? ', by a rule' : ''}`
  })

const named = (rows: readonly Row[]): [string, Row][] =>
  rows.map(row => [`${row.command} ${JSON.stringify({ ...row, command: undefined })}`, row])

describe('after a yes to a question', () => {
  test.each(named(INSIDE))('%s runs inside', async (_, row) => {
    const elsewhere = await decide(row)
    expect(elsewhere.world.questions).toHaveLength(1)
    expect(elsewhere.answer).toEqual({ rewrite: { input: { command: WRAPPED } } })
    // Whoever answers on another channel knows it, too, and reads it once.
    expect(elsewhere.world.questions[0]?.detail.match(/runs in the sandbox/g)).toHaveLength(1)
    expect(wordsOf(elsewhere)).toEqual([])
    expect(elsewhere.world.decisions).toMatchObject([{ decision: 'allow', by: 'person' }])

    const dialog = await decide(row, { dialog: true })
    expect(dialog.answer).toMatchObject({
      permission: { decision: 'ask', reason: expect.stringContaining('runs in the sandbox') },
      rewrite: { input: { command: WRAPPED } },
    })
    expect(dialog.answer.permission?.reason?.match(/runs in the sandbox/g)).toHaveLength(1)
    expect(dialog.release).toEqual({ actions: [], isGranted: false })
    // The dialog opens for the replacement, and nothing but a person closes it.
    const opened = asked(row.command, { sandbox: 'abc' })
    const open = await dialog.world.reactor.react(opened, dialog.context)
    expect(open?.now).toBeUndefined()
  })

  test.each(named(INSIDE))('%s does not run after a no', async (_, row) => {
    const { answer, waiting } = await decide(row, { person: sayNo })
    expect(answer.permission?.decision).toBe('deny')
    expect(answer.rewrite).toBeUndefined()
    expect(waiting).toBe(0)
  })

  test.each(named(INSIDE.slice(0, 3)))(
    '%s: what a yes means is not passed on where no one gave one',
    async (_, row) => {
      const { answer, world } = await decide(row, { person: nobody })
      expect(world.questions[0]?.detail).toContain('After a yes it runs in the sandbox')
      expect(answer.permission?.decision).not.toBe('allow')
      expect(answer.permission?.reason).not.toContain('After a yes')
    },
  )

  test.each(named(OUTSIDE))('%s runs as it is', async (_, row) => {
    for (const dialog of [false, true]) {
      const { answer, waiting } = await decide(row, { dialog })
      expect(answer).toEqual({
        permission: { decision: dialog ? 'ask' : 'allow', reason: expect.anything() },
      })
      expect(waiting).toBe(0)
    }
  })

  test.each(named(NOT_ASKED))('%s is asked about by nobody', async (_, row) => {
    for (const dialog of [false, true]) {
      const { answer, world } = await decide(row, { dialog })
      expect(world.questions).toEqual([])
      expect(answer.permission?.decision).toBe('allow')
    }
  })

  test.each(RELEASED.map(([row, parts]) => [row.command, row, parts] as const))(
    '%s runs inside, and only what waited for the yes leaves',
    async (_, row, parts) => {
      const dialog = await decide(row, { dialog: true })
      expect(dialog.answer).toHaveProperty('rewrite')
      expect(dialog.release?.isGranted).toBe(false)
      expect(wordsOf(dialog)).toEqual(parts)
      const words = `leave the sandbox, once${row.command.startsWith('git') ? '' : ': git push origin a'}`
      expect(dialog.answer.permission?.reason).toContain(words)

      const elsewhere = await decide(row)
      expect(elsewhere.world.questions).toHaveLength(1)
      expect(JSON.stringify(elsewhere.world.questions)).toContain(words)
      expect(elsewhere.release?.isGranted).toBe(true)
      expect(wordsOf(elsewhere)).toEqual(parts)
    },
  )

  test.each(RELEASED.slice(0, 2).map(([row, parts]) => [row.command, row, parts] as const))(
    '%s pushes after the yes in auto mode, too',
    async (_, row, parts) => {
      const auto = { mode: 'auto', broker: 'agent' } as const
      const dialog = await decide(row, { ...auto, dialog: true })
      expect(dialog.answer).toHaveProperty('rewrite')
      expect(dialog.release?.isGranted).toBe(false)
      expect(wordsOf(dialog)).toEqual(parts)
      expect(dialog.answer.permission?.reason).toMatch(
        /^(?!.*leave the sandbox.*leave the sandbox).*leave the sandbox, once: git push origin a\. The rest runs inside/,
      )
      const elsewhere = await decide(row, auto)
      expect(elsewhere.world.questions).toHaveLength(1)
      expect(elsewhere.release?.isGranted).toBe(true)
      expect(wordsOf(elsewhere)).toEqual(parts)
    },
  )

  test.each(RULED.map(([row, parts]) => [row.command, row, parts] as const))(
    '%s: what a rule allows leaves without a question',
    async (_, row, parts) => {
      for (const way of [{}, { mode: 'auto', broker: 'person' } as const]) {
        const { answer, release, world, ...rest } = await decide(row, way)
        expect(answer).toEqual({ rewrite: { input: { command: WRAPPED } } })
        expect(world.questions).toEqual([])
        expect(wordsOf({ answer, release, world, ...rest })).toEqual(parts)
        expect(release?.isGranted ?? true).toBe(true)
      }
    },
  )

  test('bypass asks nothing, and a file of which there is no snapshot is lost inside at most', async () => {
    const { answer, world } = await decide({ command: 'rm a.txt', snapshot: 'none' }, { mode: 'bypass' })
    expect(world.questions).toEqual([])
    expect(answer).toEqual({ rewrite: { input: { command: WRAPPED } } })
  })

  test('a question behind 300 harmless parts is still asked', async () => {
    const { world, answer } = await decide({
      command: `${'true; '.repeat(300)}git push origin a; make`,
      config: MAKE,
    })
    expect(world.questions).toHaveLength(1)
    expect(answer).toHaveProperty('rewrite')
  })
})
