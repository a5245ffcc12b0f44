import { Config, type ConfigInput } from '@batonpass/contract/config'
import { describe, expect, test } from 'vitest'
import { agent as claudeCode } from '../../src/adapters/agents/claude-code/agent.ts'
import { modes } from '../../src/adapters/agents/claude-code/modes.ts'
import { fingerprintFor } from '../../src/permission/ask-for.ts'
import { canRunInside, type SandboxLink } from '../../src/permission/sandbox-link.ts'
import { asked, HOME, PROJECT, reactorWorld, requested, sayYes } from './reactor-world.ts'

const WRAPPED = `'/state/box' abc`

const link = (more: Partial<SandboxLink> = {}) => {
  const calls = { prepared: [] as string[], discarded: [] as string[] }
  const sandbox: SandboxLink = {
    takes: event => event.tool === 'Bash',
    whyUnavailable: async () => undefined,
    ownRules: async () => undefined,
    place: async () => ({
      worktree: PROJECT,
      cwd: PROJECT,
      home: HOME,
      readable: [],
      writable: [],
    }),
    ports: {
      exists: path => path === `${PROJECT}/a.txt` || path === `${HOME}/notes`,
      mayChange: async () => false,
    },
    prepare: async event => {
      calls.prepared.push(event.action.kind === 'shell' ? event.action.command : '')
      return { ok: true, id: 'abc', text: WRAPPED }
    },
    openedHosts: () => [],
    discard: async (_, id) => void calls.discarded.push(id),
    dialogOpened: async () => false,
    ...more,
  }
  return { sandbox, calls }
}

const strict = { sandbox: { mode: 'strict' as const } }

describe('a command in the sandbox', () => {
  test('is rewritten and nothing else is decided, so without the rewriting the agent asks as usual', async () => {
    const { sandbox, calls } = link()
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    const event = requested('npm test', { input: { command: 'npm test', timeout: 5000 } })
    const answer = await world.answer(event)
    expect(answer).toEqual({ rewrite: { input: { command: WRAPPED, timeout: 5000 } } })
    expect(calls.prepared).toEqual(['npm test'])
    expect(world.decisions).toMatchObject([
      { decision: 'allow', by: 'sandbox', subject: 'npm test', undo: '7' },
    ])
    expect(world.questions).toEqual([])
    // The rewriting was lost: what is asked about is the original.
    await world.answer(asked('npm test'))
    expect(world.questions).toHaveLength(1)
  })

  test('is allowed in the dialog only where Baton recognised its own request', async () => {
    const { sandbox } = link()
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    await world.answer(requested('npm test'))
    expect(await world.answer(asked('npm test', { sandbox: 'abc' }))).toEqual({
      permission: { decision: 'allow', reason: 'runs in the sandbox' },
    })
    expect(world.decisions).toHaveLength(1)
    await world.answer(asked(WRAPPED))
    expect(world.decisions.at(-1)?.decision).not.toBe('allow')
  })

  test('that only reads needs no snapshot', async () => {
    const { sandbox } = link()
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    expect(await world.answer(requested('ls'))).toHaveProperty('rewrite')
    expect(world.snapshots).toBe(0)
  })

  test('that a rule of the person allows is replaced, too, after a snapshot', async () => {
    const { sandbox, calls } = link()
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    const config = { permissions: { allow: [{ program: 'make' }] } }
    expect(await world.answer(requested('make'), world.context(config))).toHaveProperty('rewrite')
    expect([calls.prepared, world.snapshots]).toEqual([['make'], 1])
    const out = { permissions: { allow: [{ program: 'make', outside: true }] } }
    expect(await world.answer(requested('make'), world.context(out))).not.toHaveProperty('rewrite')
    expect(world.decisions.at(-1)).toMatchObject({ decision: 'allow', by: 'rules' })
  })

  test('that names a hidden file comes with a hint', async () => {
    const { sandbox } = link()
    const world = reactorWorld({ ports: { sandbox } })
    expect((await world.answer(requested('cat ~/notes'))).context).toContain('baton request path')
  })
})

describe('a command that cannot work in the sandbox, in a mode that does not ask', () => {
  const MIXED = 'npm test && docker run alpine'
  const decide = async (
    command: string,
    { config = {}, more = {} }: { config?: ConfigInput; more?: Partial<SandboxLink> } = {},
  ) => {
    const world = reactorWorld({ ports: link(more) })
    await world.answer(requested(command, { mode: 'auto' }), world.context(config))
    return { decision: world.decisions.at(-1)?.decision, questions: world.questions.length }
  }

  test('is left to the mode only if Baton understood every part of it', async () => {
    expect(await decide('docker run alpine')).toEqual({ decision: 'defer', questions: 0 })
    expect(await decide(MIXED)).toEqual({ decision: 'ask', questions: 1 })
    const allow = [{ program: 'docker' }, { program: 'npm' }]
    const ruled = await decide(MIXED, { config: { permissions: { allow } } })
    expect(ruled).toEqual({ decision: 'allow', questions: 0 })
  })

  test('is never left to the mode with sandbox.mode: strict', async () => {
    expect(await decide('docker run alpine', { config: strict })).toEqual({ decision: 'ask', questions: 1 })
  })

  test.each([
    'npx eslint . && cat /srv/table.csv',
    'tsc --noEmit; ls /srv/table.csv',
    'cdk diff',
    'terraform plan',
    'terraform show',
    'terragrunt output',
    'docker compose config',
    'docker compose -f evil.yml convert',
    'helm template . && cat /srv/table.csv',
    'npm whoami',
    'cargo owner --list x',
    'terraform output',
    'terraform state list',
    'terraform workspace list',
    'terraform providers',
    'rustc --version && cat /srv/table.csv',
    'cargo --version && cat /srv/table.csv',
    'cargo build --help && cat /srv/table.csv',
    'rustfmt --version; ls /srv/table.csv',
    'rustup show && cat /srv/table.csv',
  ])('asks about what the project’s files decide: %s', async command => {
    const exists = (path: string) => path === '/srv/table.csv'
    const ports = { exists, mayChange: async () => false }
    for (const mode of ['default', 'auto'] as const) {
      const world = reactorWorld({ ports: link({ ports }) })
      const { permission } = await world.answer(requested(command, { mode }))
      expect(permission?.decision, mode).not.toBe('allow')
      expect(world.questions).toHaveLength(1)
    }
  })

  test.each<[string, ConfigInput?]>([
    ['eslint . && docker ps'],
    ['eslint --fix . && docker ps'],
    ['prettier --write . && docker ps'],
    ['cargo check --fix && docker ps'],
    ['rustfmt src/main.rs && docker ps'],
    ['terraform plan -out=p'],
    ['eslint . && docker ps', { permission: { preset: 'cautious' } }],
    ['cargo check && docker ps', { permission: { preset: 'cautious' } }],
  ])(
    'asks in every mode about what the project’s files decide, whatever its flags and the preset: %s %j',
    async (command, config = {}) => {
      for (const mode of ['auto', 'bypass', 'never-ask'] as const) {
        const world = reactorWorld({ ports: link() })
        await world.answer(requested(command, { mode }), world.context(config))
        expect(world.questions, mode).toHaveLength(1)
      }
    },
  )

  test('needs no question about it where a rule of the person allows it', async () => {
    const allow = [{ program: 'prettier' }]
    const ruled = await decide('prettier --write . && docker ps', { config: { permissions: { allow } } })
    expect(ruled).toEqual({ decision: 'allow', questions: 0 })
  })

  test.each<[string, Partial<SandboxLink>]>([
    ['without a sandbox', { whyUnavailable: async () => 'no bubblewrap.' }],
    ['where the user’s settings of the agent apply to every command', { ownRules: async () => 'user' }],
    ['in the agent’s own sandbox', { ownSandbox: async () => ({ name: 'Codex’s', hasNetwork: true }) }],
  ])('is left to the mode as before: %s', async (_, more) => {
    expect(await decide(MIXED, { more })).toEqual({ decision: 'defer', questions: 0 })
  })

  const ASKED = { decision: 'ask', questions: 1 }

  test.each<[string, string, Partial<SandboxLink>]>([
    ['only the project’s files bring rules for the agent', MIXED, { ownRules: async () => 'project' }],
    ['they do, and it would work inside', 'npm test', { ownRules: async () => 'project' }],
    ['the user’s settings apply by the command’s words', MIXED, { ownRules: async () => 'command' }],
    ['they do, and it would work inside', 'npm test # .env', { ownRules: async () => 'command' }],
    ['preparing it fails', 'npm test', { prepare: () => Promise.reject(new Error('no disk')) }],
    [
      'no boundary can be drawn',
      'npm test',
      { prepare: async () => ({ ok: false, reason: 'It has too many files.' }) },
    ],
  ])('asks about code that no one has read where %s', async (_, command, more) => {
    expect(await decide(command, { more })).toEqual(ASKED)
  })

  test.each(['cargo check # .env', 'eslint . && echo secrets'])(
    'asks about what the project’s files decide where the command names what a rule of the agent is about: %s',
    async command => {
      const leaving = reactorWorld({ ports: link({ ownRules: async () => 'command' }) })
      const { permission } = await leaving.answer(requested(command))
      expect(permission?.decision).not.toBe('allow')
      expect(leaving.questions).toHaveLength(1)
      const always = reactorWorld({ ports: link({ ownRules: async () => 'user' }) })
      expect((await always.answer(requested(command))).permission?.decision).toBe('allow')
    },
  )

  test('is left to the agent’s own sandbox where it is on, whatever the command names', async () => {
    const more: Partial<SandboxLink> = {
      ownRules: async () => 'command',
      ownSandbox: async () => ({ name: 'Codex’s' }),
    }
    expect(await decide('npm test', { more })).toEqual({ decision: 'defer', questions: 0 })
  })

  test('asks about such code where a file would be lost: there is no snapshot', async () => {
    const world = reactorWorld({ ports: link(), snapshot: 'none' })
    await world.answer(requested('npm test && rm a.txt', { mode: 'auto' }))
    expect([world.decisions.at(-1)?.decision, world.questions.length]).toEqual(['ask', 1])
  })

  test('does not ask where the snapshot lacks only what is not there yet', async () => {
    const world = reactorWorld({ ports: link(), snapshot: 'kept' })
    await world.answer(requested('npm test && rm -r a.txt node_modules/.cache', { mode: 'auto' }))
    expect([world.decisions.at(-1)?.decision, world.questions.length]).toEqual(['allow', 0])
  })

  test.each<[string, Partial<SandboxLink>]>([
    ['the user’s own rules for the agent may apply', { ownRules: async () => 'user' }],
    ['the project’s may', { ownRules: async () => 'project' }],
    ['preparing fails', { prepare: () => Promise.reject(new Error('no disk')) }],
    [
      'the project is the home folder',
      {
        place: async () => ({
          worktree: HOME,
          cwd: HOME,
          home: HOME,
          readable: [],
          writable: [],
        }),
      },
    ],
  ])('asks or denies with sandbox.mode: strict where %s', async (_, more) => {
    for (const command of ['docker run alpine', 'npm test', MIXED]) {
      const { decision } = await decide(command, { config: strict, more })
      expect(decision, command).toMatch(/^(ask|deny)$/)
    }
  })
})

describe('a command with a part that leaves the sandbox, at the terminal', () => {
  const COMMAND = 'npm test && git push'
  const dialogLink = (more: Partial<SandboxLink> = {}) => {
    const releases: unknown[] = []
    const { sandbox } = link({ dialogOpened: async () => true })
    const place = async () => ({ ...(await sandboxPlace()), broker: 'dialog' as const })
    const sandboxPlace = () => link().sandbox.place(requested('x'), reactorWorld().context())
    const prepare: SandboxLink['prepare'] = async (_event, _context, release) => {
      releases.push(release)
      return { ok: true, id: 'abc', text: WRAPPED }
    }
    return { sandbox: { ...sandbox, place, prepare, ...more }, releases }
  }
  const attended = { attended: true } as const
  const action = { words: ['git', 'push'], folders: [PROJECT] }

  test('is asked about in the agent’s dialog, and replaced all the same', async () => {
    const { sandbox, releases } = dialogLink()
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    const answer = await world.answer(requested(COMMAND), world.context({}, attended))
    expect(answer).toMatchObject({
      permission: { decision: 'ask', reason: expect.stringContaining('leave the sandbox, once: git push.') },
      rewrite: { input: { command: WRAPPED } },
    })
    expect(releases).toEqual([{ actions: [expect.objectContaining(action)], isGranted: false }])
    // The dialog stays open next to the other channels.
    expect(world.questions).toEqual([])
    const dialog = await world.answer(asked(COMMAND, { sandbox: 'abc' }), world.context({}, attended))
    expect(dialog.permission?.decision).toBe('ask')
    expect(world.questions).toHaveLength(1)
  })

  test.each<[string, Parameters<typeof reactorWorld>[0], object, string | undefined, boolean]>([
    ['a model allows', { model: 'allow' }, {}, undefined, true],
    ['a model denies', { model: 'deny' }, {}, 'deny', false],
    ['a model doubts', { model: 'ask' }, {}, 'ask', true],
    [
      'a rule allows',
      {},
      { permissions: { allow: [{ program: 'git', subcommand: 'push' }] } },
      undefined,
      true,
    ],
    ['a rule denies', {}, { permissions: { deny: [{ program: 'git', subcommand: 'push' }] } }, 'deny', false],
    ['a rule asks', {}, { permissions: { ask: [{ program: 'git', subcommand: 'push' }] } }, 'ask', true],
    ['the setting leaves it to the agent', {}, { permission: { undecided: 'defer' } }, 'ask', true],
  ])('where %s', async (_, fakes, config, decision, isReplaced) => {
    const { sandbox } = dialogLink()
    const world = reactorWorld({ ...fakes, ports: { sandbox }, snapshot: 'taken' })
    const answer = await world.answer(requested(COMMAND), world.context(config, attended))
    expect(answer.permission?.decision).toBe(decision)
    expect(answer.rewrite !== undefined).toBe(isReplaced)
  })

  test('is not asked about where its words are known only when it runs: it runs inside, and the broker asks then', async () => {
    const { sandbox, releases } = dialogLink()
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    const only = await world.answer(requested('gh pr merge "$N"'), world.context({}, attended))
    expect(only).toEqual({ rewrite: { input: { command: WRAPPED } } })
    // The dialog asks about the rest, and a yes to it releases nothing else.
    const both = await world.answer(requested('git push && gh pr merge "$N"'), world.context({}, attended))
    expect(both).toMatchObject({
      permission: { decision: 'ask', reason: expect.stringContaining('leave the sandbox, once: git push.') },
      rewrite: { input: { command: WRAPPED } },
    })
    expect(releases).toEqual([undefined, { actions: [expect.objectContaining(action)], isGranted: false }])
    expect(world.questions).toEqual([])
    const real = world.context(
      {},
      { attended: false, brokered: 'command', takeRelease: async () => undefined },
    )
    await world.answer(requested('gh pr merge 12'), real)
    expect(world.questions).toHaveLength(1)
  })

  test('runs without a question where the mode never asks, and where a person allowed it for the session', async () => {
    const { sandbox, releases } = dialogLink()
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    const bypass = await world.answer(requested(COMMAND, { mode: 'bypass' }), world.context({}, attended))
    expect(bypass).toEqual({ rewrite: { input: { command: WRAPPED } } })
    world.remember(fingerprintFor(requested(COMMAND)))
    const answer = await world.answer(requested(COMMAND), world.context({}, attended))
    expect(answer).toEqual({ rewrite: { input: { command: WRAPPED } } })
    expect(releases).toEqual([undefined, expect.objectContaining({ isGranted: true })])
  })

  test.each([
    ['git push origin main', 'allow', 1],
    ['git fetch origin', 'allow', 0],
    ['rm -rf /', 'deny', 0],
  ])('the broker asks for %s: %s', async (command, decision, takes) => {
    const world = reactorWorld()
    let taken = 0
    const takeRelease = async () => {
      taken++
      return 'person' as const
    }
    const context = world.context({}, { attended: false, brokered: 'command', takeRelease })
    expect((await world.answer(requested(command), context)).permission?.decision).toBe(decision)
    expect(taken).toBe(takes)
    expect(world.questions).toEqual([])
  })
})

describe('the permission modes of Claude Code', () => {
  // In `plan` a person decides about the command as it is.
  test.each([
    ['default', true],
    ['acceptEdits', true],
    ['bypassPermissions', true],
    ['auto', true],
    ['dontAsk', true],
    ['plan', false],
  ])('%s: in the sandbox %s', (name, expected) => {
    const { sandboxing } = claudeCode
    const mode = modes[name]
    const event = requested('npm test')
    expect(mode).toBeDefined()
    expect(canRunInside(event, sandboxing, mode, PROJECT, Config.parse({}))).toBe(expected)
    expect(canRunInside(event, sandboxing, mode, '/', Config.parse({}))).toBe(false)
    const off = Config.parse({ sandbox: { mode: 'off' } })
    expect(canRunInside(event, sandboxing, mode, PROJECT, off)).toBe(false)
  })
})

describe('a command takes the way of its text', () => {
  test('where it is denied: nothing is prepared', async () => {
    const { sandbox, calls } = link()
    const world = reactorWorld({ ports: { sandbox } })
    expect((await world.answer(requested('rm -rf /'))).permission?.decision).toBe('deny')
    expect(calls.prepared).toEqual([])
  })

  test.each<[string, Partial<SandboxLink>]>([
    ['the agent’s own rules may apply', { ownRules: async () => 'user' }],
    ['the machine has no sandbox', { whyUnavailable: async () => 'bubblewrap is missing.' }],
    [
      'no boundary can be drawn',
      { prepare: async () => ({ ok: false, reason: 'It contains your home folder.' }) },
    ],
    ['preparing fails', { prepare: () => Promise.reject(new Error('no disk')) }],
    ['the call is none for it', { takes: () => false }],
  ])('where %s', async (_, more) => {
    const { sandbox } = link(more)
    const world = reactorWorld({ ports: { sandbox }, person: sayYes })
    const answer = await world.answer(requested('some-tool'))
    expect(answer).toMatchObject({ permission: { decision: 'allow' } })
    expect(answer.rewrite).toBeUndefined()
    expect(world.questions).toHaveLength(1)
  })

  test('unless the mode is strict: then it is denied with the reason', async () => {
    for (const more of [
      { whyUnavailable: async () => 'bubblewrap is missing. Install it.' },
      { prepare: async () => ({ ok: false as const, reason: 'bubblewrap is missing. Install it.' }) },
    ]) {
      const world = reactorWorld({ ports: { sandbox: link(more).sandbox } })
      const { permission } = await world.answer(requested('ls'), world.context(strict))
      expect(permission).toMatchObject({
        decision: 'deny',
        reason: expect.stringContaining('Install it. With sandbox.mode'),
      })
    }
  })
})

describe('an agent that would run the command itself if it dropped the replacement', () => {
  test('first shows with a harmless command that it does not', async () => {
    const { sandbox, calls } = link({ rewriteState: async () => 'unknown' })
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    expect((await world.answer(requested('some-tool'))).permission).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('Run `true`'),
    })
    expect(world.questions).toEqual([])
    expect(calls.prepared).toEqual([])
    for (const command of ['true', 'ls', 'echo hello > b.txt'])
      expect(await world.answer(requested(command))).toHaveProperty('rewrite')
  })

  test.each([
    ['auto', 'deny'],
    ['never-ask', 'deny'],
    ['bypass', undefined],
  ] as const)('in mode %s, what is left to the agent is %s', async (mode, expected) => {
    const { sandbox } = link({ rewriteState: async () => 'unknown' })
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    const { permission, rewrite } = await world.answer(requested('some-tool', { mode }))
    expect([permission?.decision, rewrite !== undefined]).toEqual([expected, expected === undefined])
  })

  test('does not show it with a command of which there is no snapshot', async () => {
    const { sandbox, calls } = link({ rewriteState: async () => 'unknown' })
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'none' })
    expect((await world.answer(requested('echo hello > b.txt'))).permission?.decision).toBe('deny')
    expect(calls.discarded).toEqual(['abc'])
  })

  test('is judged by the text once it dropped one; in strict mode nothing runs', async () => {
    const { sandbox } = link({ rewriteState: async () => 'dropped' })
    const world = reactorWorld({ ports: { sandbox }, person: sayYes })
    expect((await world.answer(requested('some-tool'))).rewrite).toBeUndefined()
    expect(world.questions).toHaveLength(1)
    const { permission } = await world.answer(requested('ls'), world.context(strict))
    expect(permission?.decision).toBe('deny')
  })
})

describe('the agent’s own sandbox', () => {
  const own = { ownSandbox: async () => ({ name: 'Codex’s own sandbox (workspace-write)' }) }

  test('counts as the sandbox: the command runs as it is, with a snapshot', async () => {
    const { sandbox, calls } = link(own)
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken' })
    const { permission, rewrite } = await world.answer(requested('npm test'))
    expect(permission).toMatchObject({ decision: 'allow', reason: expect.stringContaining('own sandbox') })
    expect(rewrite).toBeUndefined()
    expect(calls.prepared).toEqual([])
    expect(world.decisions).toMatchObject([{ by: 'sandbox', undo: '7' }])
  })

  test.each(['npm install left-pad', 'git push'])(
    'does not count for %s, which needs the network',
    async command => {
      const { sandbox } = link(own)
      const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken', person: sayYes })
      await world.answer(requested(command))
      expect(world.decisions.at(-1)?.by).not.toBe('sandbox')
    },
  )

  const told = {
    ownSandbox: async () => ({ name: 'Codex’s own sandbox', withoutNetwork: 'Run it again outside.' }),
  }

  test.each(['npm install left-pad', 'npm test && git push'])(
    'asks no one about %s, which fails there even if allowed: the model learns what works',
    async command => {
      const { sandbox, calls } = link(told)
      const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken', person: sayYes })
      const { permission } = await world.answer(requested(command))
      expect(permission).toMatchObject({
        decision: 'deny',
        reason: expect.stringContaining('Run it again outside.'),
      })
      expect(world.questions).toEqual([])
      expect(calls.prepared).toEqual([])
    },
  )

  test('hides no deny, and no rule of the agent that may let the command out', async () => {
    const { sandbox } = link({ ...told, ownRules: async () => 'user' })
    const world = reactorWorld({ ports: { sandbox }, snapshot: 'taken', person: sayYes })
    await world.answer(requested('git push'))
    expect(world.questions).toHaveLength(1)
    const denied = await reactorWorld({ ports: link(told) }).answer(requested('rm -rf / && git push'))
    expect(denied.permission?.reason).not.toContain('Run it again')
  })
})
