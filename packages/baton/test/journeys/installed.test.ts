import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claudePayload } from '../world/hook-payload.ts'
import { npmSettings, packBaton } from '../world/packed.ts'
import { type Scratch, scratch } from '../world/scratch.ts'

const run = promisify(execFile)
const PACKAGE = join(import.meta.dirname, '../..')
const MAX_PACKED_BYTES = 2_000_000

/** What a stranger has: an empty home, the usual folders, Node, npm, git and tmux, and one agent. */
interface Stranger extends Scratch {
  home: string
  repo: string
  files: readonly string[]
  bytes: number
  /** Runs a command in the repository and gives its output, whatever its exit code. */
  at(program: string, ...words: string[]): Promise<Ran>
  feed(command: string, input: string): Promise<Ran>
}
interface Ran {
  code: number
  stdout: string
  stderr: string
}

let here: Stranger
beforeAll(async () => {
  here = await stranger()
}, 180_000)
afterAll(() => here?.remove())

describe('the package', () => {
  test('holds what a user needs, and nothing of its making', () => {
    for (const wanted of [
      'LICENSE',
      'README.md',
      'docs/agents.md',
      'package.json',
      'dist/cli.js',
      'dist/daemon.js',
      'dist/find-weakened.js',
      'dist/launcher.c',
      'dist/launcher.pl',
      'dist/launcher.sh',
      'dist/dashboard/index.html',
      'dist/plugin/.claude-plugin/plugin.json',
      'dist/plugin/hooks/hooks.json',
    ])
      expect(here.files).toContain(wanted)
    expect(
      here.files.filter(name => /\.(ts|tsx|map|tsbuildinfo)$|test|\.env|node_modules/.test(name)),
    ).toEqual([])
    expect(here.bytes).toBeLessThan(MAX_PACKED_BYTES)
  })

  test('names no folder of the machine that made it', () => {
    const root = join(PACKAGE, '..', '..')
    const dist = join(here.repo, 'node_modules/batonpass')
    const naming = readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .filter(path => readFileSync(path).includes(`${root}/`))
    expect(naming).toEqual([])
  })
})

describe('a stranger who installed it', () => {
  test('is told by the doctor what to do first', async () => {
    const { code, stdout } = await here.at('npx', 'baton', 'doctor')
    expect(code).toBe(1)
    expect(stdout).toMatch(/FAIL {2}hook client +not installed\n +fix: baton init/)
    expect((await here.at('npx', 'baton', '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await here.at('npx', 'batonpass', '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    // Nothing is fetched to list a queue that cannot exist.
    expect(await here.at('npx', 'baton', 'queue')).toMatchObject({
      code: 0,
      stdout: 'The queue is empty. Add an issue: baton queue add 42\n',
      stderr: '',
    })
  })

  test('sets it up, is protected by the installed hook, and takes it out without a trace', {
    timeout: 240_000,
  }, async () => {
    const before = await picture(here)
    const init = await here.at('npx', 'baton', 'init', '--yes')
    expect(init).toMatchObject({ code: 0 })
    const doctor = await here.at('npx', 'baton', 'doctor')
    expect(doctor.stdout).toMatch(/ok +hook client/)
    expect(doctor.stdout).toMatch(/ok +Claude Code +2\.1\.0.*hooks in user settings/)
    expect(doctor.code).toBe(0)

    const settings = JSON.parse(readFileSync(join(here.home, '.claude/settings.json'), 'utf8'))
    const hook: string = settings.hooks.PreToolUse[0].hooks[0].command
    const payload = claudePayload('PreToolUse', here.repo, 'git push --force origin main')
    const answer = JSON.parse((await here.feed(hook, payload)).stdout)
    expect(answer.hookSpecificOutput.permissionDecision).toBe('deny')

    const second = await here.at('npx', 'baton', 'init', '--yes')
    expect(second.stdout).toMatch(/were already installed/)
    const gone = await here.at('npx', 'baton', 'uninstall', '--yes')
    expect(gone).toMatchObject({ code: 0 })
    expect(await picture(here)).toEqual(before)
    expect(await processes(here)).toEqual([])
  })

  test('sees the tour to its end by the name that npx takes', { timeout: 240_000 }, async () => {
    const before = await picture(here)
    const { code, stdout } = await here.at('npx', 'batonpass', 'tour', '--yes', '--pace', '20')
    expect(stdout).toMatch(/#43 {2}pull request opened, checked and merged; issue closed/)
    expect(stdout).toMatch(/^ {2}npx batonpass init --dry-run/m)
    expect(code).toBe(0)
    expect(await picture(here)).toEqual(before)
    expect(await processes(here)).toEqual([])
  })

  test('without a built store for their machine is told so in two lines', async () => {
    const broken = join(here.path, 'broken')
    const from = join(here.repo, 'node_modules/batonpass')
    mkdirSync(join(broken, 'node_modules/better-sqlite3'), { recursive: true })
    symlinkSync(join(from, 'package.json'), join(broken, 'package.json'))
    await run('cp', ['-R', join(from, 'dist'), broken])
    here.write('broken/node_modules/better-sqlite3/package.json', '{"main":"index.js"}')
    here.write(
      'broken/node_modules/better-sqlite3/index.js',
      'module.exports = class { constructor() { throw new Error("Could not locate the bindings file. Tried:\\n a\\n b") } }\n',
    )
    const { code, stderr } = await here.at(process.execPath, join(broken, 'dist/cli.js'), 'up')
    expect(stderr).toMatch(
      /^baton: The daemon did not start: .*better-sqlite3.*\n.*npm (install|rebuild).*\n$/,
    )
    expect(code).not.toBe(0)
  })
})

async function stranger(): Promise<Stranger> {
  const folder = scratch('bi-')
  const [home, repo, bin, packed] = ['home', 'repo', 'bin', 'packed'].map(name =>
    join(folder.path, name),
  ) as [string, string, string, string]
  for (const name of ['home', 'tmp', 'run', 'repo', 'bin'])
    mkdirSync(join(folder.path, name), { mode: 0o700 })
  folder.write('bin/claude', '#!/bin/sh\necho "2.1.0 (Claude Code)"\n', 0o755)
  folder.write('repo/package.json', '{"private":true}')
  folder.write('repo/.gitignore', 'node_modules/\n')
  // Any free port: many of these run at once.
  folder.write('home/.baton.yaml', 'daemon:\n  port: 0\n', 0o600)
  const npm = await npmSettings()
  const env = {
    HOME: home,
    TMPDIR: join(folder.path, 'tmp'),
    XDG_RUNTIME_DIR: join(folder.path, 'run'),
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    NODE_DISABLE_COMPILE_CACHE: '1',
    ...npm,
  }
  const pack = await packBaton(packed)
  const at = async (program: string, ...words: string[]): Promise<Ran> => outcome(program, words, '')
  const outcome = (program: string, words: readonly string[], input: string) =>
    new Promise<Ran>(resolve => {
      const child = execFile(program, words, { cwd: repo, env, maxBuffer: 1 << 26 }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, stdout: out, stderr: err }),
      )
      child.stdin?.end(input)
    })
  const install = ['install', '--no-audit', '--no-fund', '--no-package-lock', pack.file]
  await run('npm', install, { cwd: repo, env, timeout: 340_000 })
  await run('git', ['init', '-q', '-b', 'main'], { cwd: repo, env })
  return {
    ...folder,
    home,
    repo,
    files: pack.files,
    bytes: pack.bytes,
    at,
    feed: (command, input) => outcome('/bin/sh', ['-c', command], input),
  }
}

/** Every file outside the installation, with its mode and size; npm's own traces are not Baton's. */
async function picture({ path, home, repo }: Stranger): Promise<Record<string, string>> {
  const folders = [home, repo, join(path, 'tmp'), join(path, 'run')]
  return Object.fromEntries(
    folders.flatMap(folder =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .map(entry => join(entry.parentPath, entry.name))
        .filter(file => !/\/\.npm(\/|$)|node-compile-cache|\/node_modules\//.test(file) && existsSync(file))
        .map(file => {
          const { mode, size } = statSync(file)
          return [file, `${mode} ${statSync(file).isDirectory() ? '' : size}`]
        }),
    ),
  )
}

async function processes({ path }: Stranger): Promise<string[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'args='])
  return stdout.split('\n').filter(line => line.includes(path))
}
