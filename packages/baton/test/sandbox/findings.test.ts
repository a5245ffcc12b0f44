import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostFiles } from '../../src/adapters/bubblewrap/files.ts'
import { riskyLine } from '../../src/sandbox/git-config.ts'
import { SessionSandbox } from '../../src/sandbox/session-sandbox.ts'
import { sandboxWorld, testSandbox } from '../world/sandbox.ts'

describe('protected files that a command makes', () => {
  it('are moved aside and reported, at any depth', async () => {
    await using world = await sandboxWorld()
    const { path } = world.project
    await world.run(`
      mkdir -p .vscode a/b/.claude .github/hooks .idea
      echo '{}' > .mcp.json; echo x > a/b/.claude/settings.json; echo x > a/.envrc; echo x > .vscode/tasks.json
      ln -s /etc .cursor; echo x > .github/hooks/h.json; echo x > .baton.yaml; echo ok > a/kept.txt; echo KEY=1 > .env`)
    const reports = await world.session.check()
    expect(reports.map(report => report.path).sort()).toEqual([
      '.baton.yaml',
      '.cursor',
      '.github/hooks',
      '.idea',
      '.mcp.json',
      '.vscode',
      'a/.envrc',
      'a/b/.claude',
    ])
    for (const { path: name, movedTo } of reports) {
      expect(existsSync(join(path, name))).toBe(false)
      expect(movedTo?.startsWith(join(world.state, 'sandbox/aside'))).toBe(true)
    }
    const tasks = reports.find(report => report.path === '.vscode')?.movedTo ?? ''
    expect(readFileSync(join(tasks, 'tasks.json'), 'utf8')).toBe('x\n')
    expect([existsSync(join(path, 'a/kept.txt')), existsSync(join(path, '.env'))]).toEqual([true, true])
    expect(await world.session.check()).toEqual([])
  })

  it('leaves new repositories alone while they are harmless, and only then', async () => {
    await using world = await sandboxWorld()
    await world.run(
      'git init -q lib && cd lib && git config user.name X && git remote add origin ../x && echo a > a && git add a && git commit -q -m A',
    )
    expect(await world.session.check()).toEqual([])
    const end = await world.run(
      'cd lib && git config user.email x@example.com && git commit -q --allow-empty -m B && git log --format=%s',
    )
    expect([end.code, end.stdout]).toEqual([0, 'B\nA\n'])

    await world.run(
      `cd lib && git config core.fsmonitor ./evil && echo x > .git/hooks/post-checkout && git init -q --bare ../bare.git && git -C ../bare.git config alias.st '!evil'`,
    )
    const reports = await world.session.check()
    expect(reports.map(report => report.path).sort()).toEqual([
      'bare.git/config',
      'lib/.git/config',
      'lib/.git/hooks/post-checkout',
    ])
    expect(reports.every(report => report.movedTo !== undefined)).toBe(true)
  })

  it('include forged pointers and parts that the repository did not have', async () => {
    await using world = await sandboxWorld()
    await world.run(`
      mkdir -p evil/objects evil/refs forged; echo 'ref: refs/heads/x' > evil/HEAD; printf '[core]\\n\\tfsmonitor = ./x\\n' > evil/config
      echo 'gitdir: ../evil' > forged/.git; echo ../evil > .git/commondir; printf '[core]\\n' > .git/config.worktree
      git worktree add -q linked -b linked 2>/dev/null; true`)
    const paths = (await world.session.check()).map(report => report.path).sort()
    expect(paths).toEqual(['.git/commondir', '.git/config.worktree', 'evil/config', 'forged/.git'])
  })

  it('are found when a folder around them was renamed to make room', async () => {
    await using world = await sandboxWorld({
      before: async ({ project }) => void (await project.commit({ 'sub/.vscode/tasks.json': 'mine\n' })),
    })
    await world.run('mv sub moved && mkdir -p sub/.vscode && echo evil > sub/.vscode/tasks.json')
    const reports = await world.session.check()
    expect(reports.map(report => report.path)).toEqual(['sub/.vscode'])
    expect(readFileSync(join(world.project.path, 'moved/.vscode/tasks.json'), 'utf8')).toBe('mine\n')
    expect((await world.run('echo x > moved/.vscode/tasks.json')).code).toBe(1)
  })

  it('are noticed while a background command runs, and after the daemon was away', async () => {
    await using world = await sandboxWorld()
    await world.run(
      '(while ! [ -e go ]; do sleep 0.05; done; echo x > .envrc; exec sleep 600) > /dev/null 2>&1 &',
    )
    expect(await world.session.check()).toEqual([])
    writeFileSync(join(world.project.path, 'go'), '')
    const next = testSandbox(world.state)
    const settings = {
      home: world.home,
      state: world.state,
      readable: [],
      writable: [],
      envFiles: 'hidden',
      identity: {},
    } as const
    const session = await SessionSandbox.open({ sandbox: next, files: hostFiles() }, 'ses_test', settings)
    // The worktrees are known again with the first command.
    await session.run({ worktree: world.project.path, cwd: world.project.path, path: '/usr/bin:/bin' }, [
      '/bin/sh',
      '-c',
      'while ! [ -e .envrc ]; do sleep 0.05; done',
    ])
    expect(await session.hasProcesses()).toBe(true)
    expect((await session.check()).map(report => report.path)).toEqual(['.envrc'])
    await session.end()
  })

  it('do not include what the user makes while no command runs', async () => {
    await using world = await sandboxWorld()
    await world.run('true')
    await world.session.check()
    mkdirSync(join(world.project.path, '.vscode'))
    writeFileSync(join(world.project.path, '.vscode/settings.json'), '{}')
    await world.project.git('init', '-q', 'mine')
    await world.project.git('-C', 'mine', 'config', 'core.fsmonitor', 'true')
    expect((await world.run('echo x > .vscode/settings.json')).code).toBe(1)
    expect((await world.run('echo x >> mine/.git/config')).code).toBe(1)
    expect(await world.session.check()).toEqual([])
  })
})

describe('a git configuration', () => {
  it.each([
    ['[core]\n\tbare = false\n[remote "origin"]\n\turl = x\n\tfetch = +refs/*:refs/*\n', undefined],
    ['# comment\n[user]\n name = "A; B"\n', undefined],
    ['[core]\n\tfsmonitor = x\n', 'fsmonitor = x'],
    ['[core] fsmonitor = x\n', '[core] fsmonitor = x'],
    ['[alias "x"]\n\tst = !evil\n', 'st = !evil'],
    ['[include]\n\tpath = evil\n', 'path = evil'],
    ['[user]\n\tname = a\\\n\tb\n', 'name = a\\'],
    ['[CORE]\n\tHooksPath = x\n', 'HooksPath = x'],
    ['[filter "x"]\n\tclean = evil\n', 'clean = evil'],
    ['[core]\n\tbare = false\n\u0000', '\u0000'],
  ])('%j is harmless, or not: %j', (config, line) => {
    expect(riskyLine(config)).toBe(line)
  })
})
