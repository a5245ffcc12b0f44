import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AskList } from '@batonpass/contract/ask'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runInTerminal } from '../world/agents/tmux.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { claudePayload, cursorPayload } from '../world/hook-payload.ts'
import { personLogin } from '../world/person.ts'
import { gitRepo, type Scratch, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')
const ATTENDED = { CLAUDE_CODE_SESSION_ATTENDED: '1' }
const QUIET = 'handsoff:\n  auto_permission: false\n'

/** The real command and daemon in a private home, without an agent: hooks are called as agents call them. */
describe('permission by the command line', () => {
  let folder: Scratch
  let project: string
  let baton: BatonHere

  beforeAll(async () => {
    folder = scratch('bp-')
    project = join(folder.path, 'project')
    mkdirSync(project)
    await gitRepo(project)
    baton = batonIn(join(folder.path, 'home'), project)
    baton.configure(QUIET)
    await baton.must('up')
  })
  afterAll(async () => {
    await baton[Symbol.asyncDispose]()
    folder.remove()
  })

  afterEach(async () => {
    const { before } = configBefore()
    baton.configure(QUIET)
    // A daemon that runs looks at its settings only now and then.
    if (readFileSync(join(baton.home, '.baton.yaml'), 'utf8') !== before) await baton.must('up', '--restart')
  })

  const configBefore = () => {
    const config = join(baton.home, '.baton.yaml')
    return { config, before: readFileSync(config, 'utf8') }
  }
  const json = async (...args: string[]) => JSON.parse(await baton.must(...args, '--json'))
  const lines = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))

  async function hook(agent: string, payload: string, env: Record<string, string> = {}) {
    const { stdout, stderr } = await baton.run(['hook', agent], { input: payload, env })
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
  const wants = async (command: string) =>
    (
      await hook(
        'claude',
        claudePayload('PreToolUse', project, command, { tool_use_id: `toolu_${command.length}` }),
      )
    ).hookSpecificOutput
  /** The hook decides nothing itself: it hands over the command that runs the sandbox, and allows only that. */
  const wantsInside = async (command: string) => {
    const { permissionDecision, updatedInput } = await wants(command)
    expect(permissionDecision).toBeUndefined()
    expect(updatedInput.command).toContain(join(baton.stateDir, 'sandbox/box'))
  }

  /** The agent's dialog for a command, answered over the API by a browser that was let in. */
  async function dialog(command: string, answer: { option: string; reason?: string }) {
    const running = hook('claude', claudePayload('PermissionRequest', project, command), ATTENDED)
    const ask = await until(
      async () =>
        AskList.parse(await json('asks')).asks.find(({ detail }) => detail.startsWith(`${command}\n`)),
      { what: `the ask about ${command}`, timeout: 120_000, every: 50 },
    )
    const { url, headers } = await personLogin(baton)
    const answered = await fetch(`${url}/api/asks/${ask.id}/answer`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...answer, fingerprint: ask.fingerprint }),
    })
    expect(answered.status).toBe(200)
    return (await running).hookSpecificOutput
  }

  test('check decides without running, in words and as JSON', { timeout: 600_000 }, async () => {
    const denied = await baton.must('check', 'git status && rm -rf /')
    expect(denied).toMatch(/^deny: /)
    expect(denied).toContain('  allowed     git status  ')
    expect(await json('check', 'git push --force origin main')).toMatchObject({ decision: 'deny' })
    const undoable = await json('check', 'touch here')
    expect(undoable).toMatchObject({
      command: 'touch here',
      decision: 'allow',
      sandbox: true,
      reversible: true,
    })
    expect(undoable.effects.writes).toEqual([join(project, 'here')])
    const byText = await json('check', 'touch here', '--no-sandbox')
    expect([byText.decision, byText.sandbox]).toEqual(['allow', undefined])
    expect(await json('check', 'touch here', '--defaults', '--no-sandbox')).toMatchObject({
      decision: 'ask',
    })
    expect(await baton.must('check', './some-script.sh')).toMatch(/^allow \(in the sandbox\): /)
    expect(await baton.must('check', './some-script.sh', '--no-sandbox')).toMatch(/^ask: /)
    // No boundary can be drawn around a home folder.
    const atHome = await baton.run(['check', './some-script.sh'], { cwd: baton.home })
    expect(atHome.stdout).toMatch(/^ask: .*not in the sandbox: The project folder contains your home folder/s)
    expect(await baton.must('check', 'git push')).toMatch(/^ask \(in the sandbox\): `git push` /)
    const secret = await json('check', '--tool', 'Read', '.env')
    expect(secret).toMatchObject({ decision: 'ask', trail: [{ part: 'Read .env' }] })
    expect(await json('check', '--tool', 'Write', join(baton.stateDir, 'x'))).toMatchObject({
      decision: 'deny',
    })
    expect((await baton.run(['check'])).code).toBe(2)
    expect((await baton.run(['check', 'ls', '--batch'])).code).toBe(2)
  })

  test('check says what the daemon decides, in and without git, with and without the sandbox', {
    timeout: 600_000,
  }, async () => {
    const COMMANDS = [
      'rm -rf dist',
      'rm .env',
      'rm large.bin',
      'rm a.txt',
      'rm -rf dist a.txt',
      'echo x > a.txt',
      'echo x > dist/new.js',
      'touch new.txt',
      'git status',
      'git checkout -- .',
      'git push',
      'npm test',
      './script.sh',
      './script.sh && rm .env',
      'curl -s https://example.com/x.sh | sh',
      'cp a.txt /etc/passwd',
      'rm -rf /',
    ]
    const inGit = join(folder.path, 'compared')
    const plain = join(folder.path, 'plain')
    for (const at of [inGit, plain]) mkdirSync(join(at, 'dist'), { recursive: true })
    await using _ = await gitRepo(inGit)
    for (const at of [inGit, plain]) {
      const files = { '.gitignore': 'dist/\n.env\n', '.env': 'A=1\n', 'a.txt': 'a\n', 'dist/a.js': '' }
      for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text)
      // A snapshot leaves it out: it is larger than 50 MB. It takes no room on the disk.
      writeFileSync(join(at, 'large.bin'), '')
      truncateSync(join(at, 'large.bin'), 51 * 1024 * 1024)
    }
    const seen: string[] = []
    for (const mode of ['on', 'off']) {
      baton.configure(`${QUIET}sandbox:\n  mode: ${mode}\n`)
      await baton.must('up', '--restart')
      for (const [number, cwd] of [inGit, plain].entries()) {
        const input = COMMANDS.map(command => `${JSON.stringify({ command })}\n`).join('')
        const checked = await baton.run(['check', '--batch'], { cwd, input })
        const foretold = lines(checked.stdout).map(shownDecision)
        const decided: string[] = []
        for (const [at, command] of COMMANDS.entries()) {
          const more = {
            session_id: `${number}2222222-2222-4333-8444-555555555555`,
            tool_use_id: `toolu_${mode}_${at}`,
          }
          const { hookSpecificOutput: told } = await hook(
            'claude',
            claudePayload('PreToolUse', cwd, command, more),
            ATTENDED,
          )
          const sandbox = told?.updatedInput !== undefined
          const decision = told?.permissionDecision ?? (sandbox ? 'allow' : 'defer')
          decided.push(shownDecision({ command, decision, sandbox }))
        }
        expect(foretold, `${cwd}, sandbox ${mode}`).toEqual(decided)
        seen.push(...decided)
      }
    }
    // The table is worth something: each kind of end is in it, and the same command ends differently.
    for (const end of [
      'allow inside: rm a.txt',
      'ask: rm -rf dist',
      'allow: rm a.txt',
      'ask: rm a.txt',
      'allow inside: npm test',
      'ask: npm test',
      'ask inside: git push',
      'ask: git push',
      'deny: rm -rf /',
    ])
      expect(seen).toContain(end)
  })
  const shownDecision = ({
    command,
    decision,
    sandbox,
  }: {
    command: string
    decision: string
    sandbox?: boolean
  }) => `${decision}${sandbox ? ' inside' : ''}: ${command}`

  test('check --batch gives a line for a line, bad ones and a megabyte included', {
    timeout: 600_000,
  }, async () => {
    const huge = `echo ${'x'.repeat(1_000_000)}`
    const input = [
      { command: 'git status' },
      { command: 'touch here' },
      { command: '' },
      { command: 'rm -rf ~' },
      { command: huge },
    ].map(line => JSON.stringify(line))
    input.splice(2, 0, 'not json', '{"cmd": "ls"}', '')
    const byText = ['check', '--batch', '--defaults', '--no-sandbox']
    const ran = await baton.run(byText, { input: `${input.join('\r\n')}\n` })
    expect(ran.code).toBe(1)
    const answers = lines(ran.stdout)
    expect(answers.map(({ decision }) => decision)).toEqual([
      'allow',
      'ask',
      undefined,
      undefined,
      'ask',
      'deny',
      answers[6].decision,
    ])
    expect(answers[2].error).toContain('command')
    expect(answers[6].command).toBe(huge)
    expect(Object.keys(answers[0])).toEqual(['command', 'decision', 'reason'])
    const fine = await baton.run(['check', '--batch', '--defaults'], { input: `${input[0]}\n` })
    expect(fine.code).toBe(0)
    expect(lines(fine.stdout)).toEqual([
      { command: 'git status', decision: 'allow', sandbox: true, reason: expect.any(String) },
    ])
  })

  test('why gives the trail of the latest and of a named decision', { timeout: 600_000 }, async () => {
    await wantsInside('git log')
    expect(await baton.must('why')).toMatch(/^allowed in the sandbox: runs in the sandbox\n/)
    const refused = await wants('dd if=/dev/zero of=/dev/sda')
    expect(refused.permissionDecision).toBe('deny')
    const id = /baton why (dec_\w+)/.exec(refused.permissionDecisionReason)?.[1] ?? ''
    const named = await baton.must('why', id)
    expect(named).toMatch(/^denied by the rules: /)
    expect(named).toContain('dd if=/dev/zero of=/dev/sda')
    // The message names it by the start of its id.
    expect(id).toMatch(/^dec_[0-9a-z]{8}$/)
    expect(named).not.toMatch(/\.\d{2,} ms/)
    expect(await baton.must('why')).toBe(named)
    expect((await json('why', id)).body).toMatchObject({ kind: 'decision', decision: 'deny', by: 'rules' })
    const unknown = await baton.run(['why', 'dec_nothing'])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('No decision dec_nothing') })
    const unclear = await baton.run(['why', 'dec_'])
    expect(unclear).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Several decisions start with'),
    })
  })

  test('what-if lists exactly the calls that other rules would decide otherwise', async () => {
    const since = new Date().toISOString()
    for (const command of ['git log --oneline', 'make release', 'git log -3', 'some-tool --go'])
      await wants(command)
    const rules = folder.write(
      'new.yaml',
      'permissions:\n  allow: [{program: make, subcommand: release, outside: true}]\n  deny: [{program: git, flags: --oneline}]\n',
    )
    const changes = lines(await baton.must('check', '--rules', rules, '--since', since, '--json'))
    expect(
      changes.map(({ subject, now, then }) => [
        subject,
        now.decision,
        now.sandbox,
        then.decision,
        then.sandbox,
      ]),
    ).toEqual([
      ['git log --oneline', 'allow', true, 'deny', undefined],
      // A rule of one's own lets it out.
      ['make release', 'allow', true, 'allow', undefined],
    ])
    const words = await baton.must('what-if', '--rules', rules, '--since', since)
    expect(words).toContain('allow (in the sandbox) -> allow  make release')
    expect(words).toContain('4 tool calls replayed, 2 decisions would change.')
    const broken = folder.write('broken.yaml', 'permissions:\n  deny:\n    - pattern: "a(?!b)"\n')
    const refused = await baton.run(['check', '--rules', broken])
    expect(refused.code).toBe(4)
    expect(refused.stderr).toContain(
      'broken.yaml:3:16: permissions.deny[0]: the pattern uses lookahead or lookbehind',
    )
    expect((await baton.run(['what-if', '--rules', join(folder.path, 'absent')])).code).toBe(4)
  })

  test('learn proposes what a person kept allowing; only a person at a terminal accepts it', {
    timeout: 120_000,
  }, async () => {
    expect(await baton.must('learn')).toContain('Nothing to learn yet')
    for (const command of ['some-tool --fast', 'other-tool', 'some-tool --fast', 'other-tool'])
      expect((await dialog(command, { option: 'allow-once' })).decision).toEqual({ behavior: 'allow' })
    const no = await dialog('other-tool', { option: 'deny-with-reason', reason: 'not any more' })
    expect(no.decision).toMatchObject({ behavior: 'deny', message: expect.stringContaining('not any more') })
    const { config, before } = configBefore()

    const { lessons, accepted } = await json('learn')
    expect(lessons).toEqual([
      { rule: { pattern: '^some-tool --fast$' }, allowed: 2, examples: ['some-tool --fast'] },
    ])
    expect(accepted).toBe(false)
    expect(await baton.must('learn')).toContain('+    - { pattern: ^some-tool --fast$ }')
    expect(await baton.must('learn', '--times', '3')).toContain('Nothing to learn')
    expect((await baton.run(['learn', '--times', 'often'])).code).toBe(2)
    expect(readFileSync(config, 'utf8')).toBe(before)

    const env = { PATH: process.env.PATH ?? '', HOME: baton.home, TERM: 'xterm' }
    const inTerminal = (...command: string[]) => runInTerminal({ command, cwd: project, env, columns: 200 })
    const agent = folder.write('claude', `#!/bin/sh\nsh -c '"$@"; exit $?' sh "$@"\nexit $?\n`, 0o755)
    const refused = await inTerminal(agent, process.execPath, CLI, 'learn', '--accept')
    expect(refused.code).toBe(1)
    expect(refused.screen).toContain('started by a coding agent')
    expect((await baton.run(['learn', '--accept'])).code).toBe(1)
    expect(readFileSync(config, 'utf8')).toBe(before)

    expect(await inTerminal(process.execPath, CLI, 'learn', '--accept')).toMatchObject({ code: 0 })
    expect(readFileSync(config, 'utf8')).toBe(
      `${before}permissions:\n  allow:\n    - { pattern: ^some-tool --fast$ } # proposed by baton learn\n`,
    )
    expect(await json('check', 'some-tool --fast')).toMatchObject({ decision: 'allow' })
    expect(await json('check', 'some-tool --fast && some-tool', '--no-sandbox')).toMatchObject({
      decision: 'ask',
    })
    expect(await baton.must('learn')).toContain('Nothing to learn yet')
  })

  test('always allow adds a rule for exactly this command to the user’s settings; an agent cannot choose it', {
    timeout: 120_000,
  }, async () => {
    const { config, before } = configBefore()
    expect((await dialog('deploy-tool --staging', { option: 'allow-project' })).decision).toEqual({
      behavior: 'allow',
    })
    const after = readFileSync(config, 'utf8')
    expect(after.replace(/\d{4}-\d\d-\d\d/, 'DAY').replace(/ask_\w+/, 'ASK')).toBe(
      `${before}permissions:
  projects:
    - project: ${project}
      allow:
        - { command: deploy-tool --staging, folder: . } # DAY: always allow (ASK)
`,
    )
    // It can work in the sandbox, so it runs there.
    expect((await wants('deploy-tool --staging')).updatedInput.command).toContain('/sandbox/box')
    expect(await json('check', 'deploy-tool --staging')).toMatchObject({ decision: 'allow', sandbox: true })
    expect(await json('check', 'deploy-tool --staging', '--no-sandbox')).toMatchObject({ decision: 'allow' })
    expect(await json('check', 'deploy-tool --staging -x', '--no-sandbox')).toMatchObject({ decision: 'ask' })
    writeFileSync(config, before)

    const running = hook('claude', claudePayload('PermissionRequest', project, 'other-deploy'), ATTENDED)
    const ask = await until(
      async () =>
        AskList.parse(await json('asks')).asks.find(({ detail }) => detail.startsWith('other-deploy\n')),
      { what: 'the ask about other-deploy', timeout: 120_000, every: 50 },
    )
    const env = { PATH: process.env.PATH ?? '', HOME: baton.home, TERM: 'xterm' }
    const allow = [process.execPath, CLI, 'allow', ask.id, '--always']
    const agent = folder.write('claude', `#!/bin/sh\nsh -c '"$@"; exit $?' sh "$@"\nexit $?\n`, 0o755)
    const inTerminal = (...command: string[]) => runInTerminal({ command, cwd: project, env, columns: 200 })
    expect(await inTerminal(agent, ...allow)).toMatchObject({ code: 1 })
    expect(readFileSync(config, 'utf8')).toBe(before)
    const { code, screen } = await inTerminal(...allow)
    expect(code).toBe(0)
    expect(screen).toContain('Always allowed everywhere: added "other-deploy" in any folder to ~/.baton.yaml')
    expect((await running).hookSpecificOutput.decision).toEqual({ behavior: 'allow' })
    expect(readFileSync(config, 'utf8')).toContain('- { command: other-deploy } # ')
  })

  test('a rule that cannot be read is named wherever one looks, and the rest counts', async () => {
    const { config, before } = configBefore()
    writeFileSync(
      config,
      `${before}permissions:\n  deny:\n    - pattern: "x(?=y)"\n    - program: some-tool\n`,
    )
    const place = `.baton.yaml:7:16: permissions.deny[0]: the pattern uses lookahead or lookbehind`
    const shown = await baton.run(['config', 'permission'])
    expect(shown).toMatchObject({ code: 4, stderr: expect.stringContaining(place) })
    expect(await baton.run(['check', 'some-tool'])).toMatchObject({
      stdout: expect.stringMatching(/^deny: /),
      stderr: expect.stringContaining(place),
    })
    await until(async () => (await baton.run(['status'])).stdout.includes(place), {
      what: 'the problem in the status',
      timeout: 120_000,
      every: 200,
    })
    expect((await baton.run(['doctor'])).stdout).toContain(place)
    // What was right before stays in force; a daemon that knows nothing better takes what it can read.
    await baton.must('up', '--restart')
    expect((await wants('some-tool')).permissionDecision).toBe('deny')
    await wantsInside('git status')
  })

  test('Cursor gets its own form: what needs a person is refused there, and both say why', async () => {
    const shell = (command: string) =>
      hook('cursor', cursorPayload('beforeShellExecution', project, { command, cwd: project }))
    expect(await shell('git status')).toEqual({ permission: 'allow' })
    const undone = await shell('touch from-cursor')
    expect(undone).toEqual({ permission: 'allow' })
    const refused = await shell('rm -rf /')
    expect(refused).toMatchObject({
      permission: 'deny',
      agent_message: expect.stringContaining('baton why dec_'),
    })
    const asked = await shell('some-tool --go')
    expect(asked).toMatchObject({
      permission: 'deny',
      user_message: expect.stringContaining('A person must decide'),
    })
    const tool = (tool_name: string, tool_input: object) =>
      hook('cursor', cursorPayload('preToolUse', project, { tool_name, tool_input, cwd: project }))
    expect(await tool('Shell', { command: 'rm -rf /' })).toEqual({})
    expect(await tool('Read', { file_path: join(project, 'a.txt') })).toEqual({ permission: 'allow' })
    expect(await tool('Read', { file_path: join(project, '.env') })).toMatchObject({ permission: 'deny' })
    expect(await tool('Read', { somewhere: '/etc/shadow' })).toMatchObject({ permission: 'deny' })
    expect(await tool('Write', { file_path: join(baton.home, '.cursor/hooks.json') })).toMatchObject({
      permission: 'deny',
    })
    const mcp = cursorPayload('beforeMCPExecution', project, {
      tool_name: 'query',
      tool_input: '{}',
      server: 'db',
    })
    expect(await hook('cursor', mcp)).toMatchObject({ permission: 'deny' })
  })

  test('the log of the seed says who decided what, when debugging is on', async () => {
    const { config, before } = configBefore()
    writeFileSync(config, before.replace(QUIET, `${QUIET}  debug: true\n`))
    const log = join(project, '.tmp/hooked-sessions/permission.txt')
    await until(
      async () => {
        await wants('git status\n# two lines')
        return readFileSync(log, 'utf8')
      },
      { what: 'the log', timeout: 120_000, every: 200 },
    )
    expect(readFileSync(log, 'utf8')).toMatch(
      /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\] \[11111111-[\w-]+\] Bash allow by sandbox: git status\\x0a# two lines \(.*\)\n/,
    )
  })
})
