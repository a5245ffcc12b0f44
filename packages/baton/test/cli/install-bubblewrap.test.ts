import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onPath } from '../../src/adapters/system/on-path.ts'
import { installWords, lacksBubblewrap } from '../../src/cli/install-bubblewrap.ts'
import { startTerminal } from '../world/agents/tmux.ts'
import { batonIn } from '../world/baton.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')
const BWRAP = onPath('bwrap', process.env) ?? '/usr/bin/bwrap'

/** A machine without bubblewrap, whose package manager is a small script that notes its words and may install it. */
async function world({ installs = true } = {}) {
  const here = scratch()
  const bin = join(here.path, 'bin')
  mkdirSync(bin)
  // What the launcher, the probe and the scripts below need.
  const programs = 'sh bash git nsenter ln env uname perl cat tmux id ls touch grep readlink'
  for (const name of programs.split(' ')) {
    const found = onPath(name, process.env)
    if (found) symlinkSync(found, join(bin, name))
  }
  const calls = join(here.path, 'calls')
  const install = installs ? `ln -s '${BWRAP}' '${bin}/bwrap'` : 'exit 100'
  here.write('bin/apt-get', `#!/bin/sh\necho "apt-get $*" >> '${calls}'\n${install}\n`, 0o755)
  // Tests run as root and as an ordinary user.
  here.write('bin/sudo', '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n', 0o755)
  here.write('bin/claude', '#!/bin/sh\necho 2.1.0\n', 0o755)
  const project = await gitRepo(join(here.path, 'project'))
  const home = join(here.path, 'home')
  const baton = batonIn(home, project.path)
  const env = { PATH: bin }
  return {
    home,
    env,
    project,
    installed: () => (existsSync(calls) ? readFileSync(calls, 'utf8') : ''),
    run: (...args: string[]) => baton.run(args, { env }),
    async [Symbol.asyncDispose]() {
      await baton[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
      here.remove()
    },
  }
}

const INSTALL = 'apt-get install -y bubblewrap\n'

describe('the command that installs bubblewrap', () => {
  test.each([
    ['apt-get', 0, 'apt-get install -y bubblewrap'],
    ['apt-get', 1000, 'sudo apt-get install -y bubblewrap'],
    ['dnf', 1000, 'sudo dnf install -y bubblewrap'],
    ['pacman', 1000, 'sudo pacman -S --noconfirm --needed bubblewrap'],
    ['zypper', 0, 'zypper --non-interactive install bubblewrap'],
    ['apk', 0, 'apk add bubblewrap'],
  ])('is that of %s for the user %i', async (manager, uid, words) => {
    await using here = scratch()
    here.write(`bin/${manager}`, '', 0o755)
    here.write('bin/sudo', '', 0o755)
    const io = { env: { PATH: join(here.path, 'bin') } }
    expect(installWords(io, { platform: 'linux', uid })?.join(' ')).toBe(words)
  })

  test('is unknown without a package manager, without sudo, and on other systems', async () => {
    await using here = scratch()
    here.write('bin/dnf', '', 0o755)
    const io = { env: { PATH: join(here.path, 'bin') } }
    expect(installWords({ env: { PATH: '/nowhere' } }, { platform: 'linux', uid: 0 })).toBeUndefined()
    expect(installWords(io, { platform: 'linux', uid: 1000 })).toBeUndefined()
    expect(installWords(io, { platform: 'darwin', uid: 0 })).toBeUndefined()
    expect(lacksBubblewrap(io, { platform: 'linux', uid: 0 })).toBe(true)
    expect(lacksBubblewrap(io, { platform: 'darwin', uid: 0 })).toBe(false)
    here.write('bin/bwrap', '', 0o755)
    expect(lacksBubblewrap(io, { platform: 'linux', uid: 0 })).toBe(false)
  })
})

describe('baton init on a machine without bubblewrap', () => {
  test('a script installs nothing unless it says --sandbox; the running daemon notices', {
    timeout: 120_000,
  }, async () => {
    await using here = await world()
    const quiet = await here.run('init', '--yes')
    expect(quiet.stdout).toMatch(
      /needs bubblewrap, .* To install it \(.*bubblewrap\): baton init --sandbox\n/,
    )
    expect((await here.run('status')).stdout).toContain('baton init --sandbox')
    expect((await here.run('init', '--sandbox', '--dry-run')).stdout).toMatch(/Would run: .*bubblewrap\n/)
    expect(here.installed()).toBe('')
    expect((await here.run('init', '--yes', '--sandbox')).stdout).toContain('Installed bubblewrap.')
    expect(here.installed()).toBe(INSTALL)
    // Whether it works is another question: the programs of this PATH are not visible inside.
    expect((await here.run('status')).stdout).not.toContain('baton init --sandbox')
    expect((await here.run('init', '--yes', '--sandbox')).stdout).not.toContain('bubblewrap')
    expect(here.installed()).toBe(INSTALL)
  })

  test('says what to try if the package manager fails', { timeout: 120_000 }, async () => {
    await using here = await world({ installs: false })
    const ran = await here.run('init', '--yes', '--sandbox')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/Could not install bubblewrap\. .* Try: .*apt-get install -y bubblewrap\n/)
  })

  test('at a terminal, asks, and installs only after the plan was accepted', {
    timeout: 120_000,
  }, async () => {
    await using here = await world()
    await here.project.commit({ 'package.json': '{"scripts":{"test":"node --test"}}' })
    const lists = { allow: ['Bash(make:*)'], deny: ['Read(./secrets/**)'] }
    mkdirSync(join(here.home, '.claude'))
    writeFileSync(join(here.home, '.claude/settings.json'), JSON.stringify({ permissions: lists }))
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'init'],
      cwd: here.project.path,
      env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
    })
    await terminal.waitForScreen(/Install it \(.*apt-get install -y bubblewrap\)\? \[Y\/n\]/)
    await terminal.press('Enter')
    for (const question of [/Which\?/, /How much\?/]) {
      await terminal.waitForScreen(question)
      await terminal.press('Enter')
    }
    await terminal.waitForScreen(
      /Only the agent itself follows these.*:\s+deny +Read\(\.\/secrets\/\*\*\).*Add them/s,
    )
    await terminal.press('Enter')
    // No rules for the project's commands: in the sandbox that comes they run without one.
    for (const question of [/Add them.*shadow mode/s, /desktop when/, /Telegram/]) {
      await terminal.waitForScreen(question)
      await terminal.press('Enter')
    }
    for (const question of [/slash commands/, /MCP server/]) {
      await terminal.waitForScreen(question)
      await terminal.type('n')
      await terminal.press('Enter')
    }
    await terminal.waitForScreen(/Would run: .*bubblewrap.*Write it\?/s)
    expect(here.installed()).toBe('')
    await terminal.press('Enter')
    await terminal.waitForScreen(/Installed bubblewrap\./)
    expect(here.installed()).toBe(INSTALL)
  })
})
