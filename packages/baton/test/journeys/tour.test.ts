import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shownLines } from '../../../../scripts/tour-picture.ts'
import { startTerminal } from '../world/agents/tmux.ts'
import { batonIn } from '../world/baton.ts'
import { type Scratch, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

test('the tour takes an issue from claim to closing with real hooks, daemon and engine, and leaves no trace', {
  timeout: 360_000,
}, async () => {
  await using here = world()
  const baton = batonIn(here.home, here.path)
  const before = picture(here.home)
  const { code, stdout, stderr } = await baton.run(['tour', '--yes', '--pace', '20'], { env: here.env })

  expect(stderr).toBe('')
  expect(code).toBe(0)
  // Nothing of it stays, and nothing of the person's was touched: there is not even a daemon.
  expect(here.left()).toEqual({ folders: [], processes: [] })
  expect(picture(here.home)).toEqual(before)
  for (const told of [
    /issue #42: claimed/,
    /Baton told it to continue \(1 of at most 10\)/,
    /denied: git push --force origin main/,
    /curl -s https:\/\/get\.example\.com\/format\.sh \| sh/,
    /answered: no/,
    /the context is nearly full: time to hand off/,
    /matches git and the transcript/,
    /a fresh session starts/,
    /it knows the goal, the branch and the next step: work continues/,
    /Baton opened the pull request/,
    /issue-to-impl is proven: pull request #43 is open; 2 checks passed on commit/,
    /issue #42: merged/,
    /Should I close issue #42\?/,
    /answered: yes/,
    /#43 {2}pull request opened, checked and merged; issue closed/,
    // Whether npm put `baton` on the PATH depends on how the tests were started.
    /^ {2}(baton|node \S+\/cli\.js) init --dry-run/m,
  ])
    expect(stdout).toMatch(told)
  // Once, although Baton performs it outside for the command in the sandbox.
  expect(stdout.match(/allowed: git push -u origin issue-42/g)).toHaveLength(1)
  expect(stdout).not.toMatch(/fault during|a person is needed|\x1b/)

  // The picture in the README shows what the tour prints; renew it with scripts/record-tour.ts.
  const svg = readFileSync(join(import.meta.dirname, '../../../../docs/tour.svg'), 'utf8')
  const drawn = [...svg.matchAll(/<text class="l\d+"[^>]*>(.*)<\/text>/g)].map(([, line = '']) => plain(line))
  const milestones = drawn.filter(line => /^[▶❯↻⇄]/u.test(line))
  expect(milestones.length).toBeGreaterThan(8)
  expect(milestones.filter(line => !shownLines(stdout).includes(line))).toEqual([])
})

const plain = (svg: string) =>
  svg
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

test('at a terminal it asks, shows a dashboard that works, and Ctrl-C at any point ends everything', {
  timeout: 300_000,
}, async () => {
  await using here = world()
  for (const point of [/Setting up: .*hooks/s, /Let it run\?/]) {
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'tour', '--pace', '20'],
      cwd: here.path,
      env: { ...here.env, HOME: here.home, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
      columns: 60,
      rows: 200,
      evidence: () => `running:\n${here.left().processes.join('\n')}`,
    })
    const screen = await terminal.waitForScreen(point, { timeout: 240_000 })
    const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(screen) ?? []
    if (url) expect(await (await fetch(url)).text()).toMatch(/<title>Baton/)
    // The terminal breaks nothing, except an address that is longer than it is wide.
    const lines = (await terminal.joinedHistory()).split('\n')
    expect(lines.filter(line => line.trimEnd().length > 60 && !line.includes('http'))).toEqual([])
    await terminal.press('C-c')
    await terminal.waitForExit({ timeout: 120_000 })
    expect(await terminal.history()).toContain('Tour cancelled.')
    expect(here.left()).toEqual({ folders: [], processes: [] })
  }
})

test('a closed pipe ends it, and what a killed tour left behind goes with the next one', {
  timeout: 240_000,
}, async () => {
  await using here = world()
  const start = () => {
    const env = { PATH: process.env.PATH, HOME: here.home, ...here.env }
    const child = spawn(process.execPath, [CLI, 'tour', '--yes', '--pace', '20'], { env, stdio: 'pipe' })
    const begun = new Promise(resolve => child.stdout.once('data', resolve))
    const ended = new Promise(resolve => child.once('exit', resolve))
    return { child, begun, ended }
  }
  const killed = start()
  await killed.begun
  await until(() => here.left().processes.length > 0, { what: 'its daemon', timeout: 120_000 })
  killed.child.kill('SIGKILL')
  await killed.ended
  expect(here.left().folders).toHaveLength(1)
  const piped = start()
  // `baton init` is a process of its own, which would continue to write into the folder.
  let said = ''
  for await (const text of piped.child.stdout) {
    said += String(text)
    if (/hooks and daemon/.test(said)) break
  }
  expect(said).not.toContain('a claim')
  await piped.ended
  await until(() => here.left().processes.length === 0, { what: 'every daemon to end' })
  expect(here.left()).toEqual({ folders: [], processes: [] })
})

test('without tmux it says what to install', async () => {
  await using here = scratch()
  const env = { PATH: here.path, HOME: here.path }
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'tour'], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^baton: The tour needs tmux, but it is not on your PATH\nInstall it .*apt-get install tmux/,
  )
})

/** A home full of things that a careless tour would find: settings, repositories, a tmux, programs with the agents' names. */
function world(): Scratch & {
  home: string
  env: Record<string, string>
  left(): { folders: string[]; processes: string[] }
} {
  const here = scratch('bt-')
  const home = join(here.path, 'home')
  mkdirSync(join(here.path, 'tmp'), { mode: 0o700 })
  here.write('home/.baton.yaml', 'daemon:\n  port: 0\nnotify:\n  desktop: true\n', 0o600)
  here.write(
    'home/.claude/settings.json',
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"false"}]}]}}',
  )
  here.write(
    'home/.gitconfig',
    '[user]\n\tname = Someone\n[core]\n\thooksPath = /nonexistent/hooks\n[commit]\n\tgpgSign = true\n',
  )
  here.write('home/.tmux.conf', `run-shell "touch ${home}/tmux-was-here"\n`)
  here.write('home/.config/git/config', '[init]\n\tdefaultBranch = odd\n')
  here.write('home/work/.git/HEAD', 'ref: refs/heads/main\n')
  here.write('home/.local/state/baton/token', 'not yours', 0o600)
  for (const name of ['claude', 'notify-send', 'gh', 'xdg-open', 'open'])
    here.write(`bin/${name}`, `#!/bin/sh\ntouch ${home}/${name}-was-run\n`, 0o755)
  symlinkSync('/nonexistent', join(home, 'dangling'))
  chmodSync(join(home, '.local/state/baton'), 0o700)
  const TMPDIR = join(here.path, 'tmp')
  return {
    ...here,
    home,
    env: {
      TMPDIR,
      PATH: `${here.path}/bin:${process.env.PATH}`,
      TMUX: '/nonexistent/tmux,1,0',
      BATON_HOME: join(home, '.local/state/baton'),
      GITHUB_TOKEN: 'decoy',
      EDITOR: 'false',
    },
    left: () => ({
      folders: readdirSync(TMPDIR).filter(name => name.startsWith('baton-tour-')),
      processes: spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter(line => line.includes(TMPDIR)),
    }),
  }
}

/** Every file below a folder with its mode, size, time and bytes. */
function picture(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map(entry => {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile()) return [path, entry.isDirectory() ? 'folder' : 'other']
      const { mode, mtimeMs } = statSync(path)
      return [path, `${mode} ${mtimeMs} ${readFileSync(path, 'utf8')}`]
    }),
  )
}
