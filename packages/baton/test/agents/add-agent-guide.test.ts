import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { type Scratch, scratch } from '../world/scratch.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const guide = readFileSync(join(root, 'docs/adding-an-agent.md'), 'utf8')
const FOLDER = 'packages/baton/src/adapters/agents/acme/'
/** The files of an agent outside its folder. */
const OTHER_FILES = [
  'packages/baton/test/fixtures/acme/',
  'packages/baton/test/adapters/agents/acme.test.ts',
  'docs/agents/acme.md',
]

/** In a copy of the repository, so that the real one stays as it is. */
test('docs/adding-an-agent.md leads to a working eighth agent', { timeout: 360_000 }, async () => {
  await using copy = copied()
  const files = filesIn(guide)
  expect(files.size).toBeGreaterThan(10)
  const elsewhere = [...files.keys()].filter(
    path => ![FOLDER, ...OTHER_FILES].some(place => path.startsWith(place)),
  )
  expect(elsewhere, 'written by hand outside the folder').toEqual([])
  const before = sources(copy)
  for (const [path, text] of files) copy.write(path, text)

  for (const [, script = ''] of guide.matchAll(/^node (scripts\/generate-[a-z]+\.ts)/gm))
    await node(copy, script)
  // One that is due now would be a step that the page does not name.
  const scripts = readdirSync(join(root, 'scripts')).filter(name => /^generate-\w+\.ts$/.test(name))
  await Promise.all(scripts.map(name => node(copy, `scripts/${name}`, '--check')))
  const changed = [...sources(copy)].filter(([path, text]) => before.has(path) && before.get(path) !== text)
  expect(changed.length).toBeGreaterThan(0)
  for (const [path, text] of changed) expect(text, path).toMatch(/^\/\/ Written by scripts\//)

  await node(copy, 'scripts/build.ts')
  const [contract] = await Promise.all([contractOf(copy), typesOf(copy), used(copy)])
  expect(contract).toMatch(/Tests .*\d{2} passed/)
})

/** The blocks of code that say in their first line which file they are. */
function filesIn(markdown: string): Map<string, string> {
  const blocks = markdown.matchAll(/^```\w+\n(?:\/\/|<!--) (\S+\.(?:ts|json|md))(?: -->)?\n([\s\S]*?)^```$/gm)
  return new Map([...blocks].map(([, path = '', text = '']) => [path, text]))
}

/** What git knows of the sources, as they are now; packages by links, but for those of this repository. */
function copied(): Scratch {
  const copy = scratch('b8-')
  const known = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  for (const path of known.split('\0').filter(path => path && existsSync(join(root, path)))) {
    mkdirSync(dirname(join(copy.path, path)), { recursive: true })
    cpSync(join(root, path), join(copy.path, path))
  }
  const packages = join(root, 'node_modules')
  for (const name of readdirSync(packages)) {
    if (name === '@batonpass' || name === '.vite') continue
    mkdirSync(join(copy.path, 'node_modules'), { recursive: true })
    symlinkSync(join(packages, name), join(copy.path, 'node_modules', name))
  }
  // The workspaces' own links are relative, so they point into the copy.
  const workspaces = 'node_modules/@batonpass'
  mkdirSync(join(copy.path, workspaces))
  for (const name of readdirSync(join(root, workspaces)))
    symlinkSync(readlinkSync(join(root, workspaces, name)), join(copy.path, workspaces, name))
  return copy
}

/** Every file of code there, by its path. */
function sources({ path }: Scratch): Map<string, string> {
  const code = [
    'packages/baton/src',
    'packages/contract/src',
    'apps/dashboard/src',
    'apps/vscode/src',
    'plugin',
  ]
  const paths = code.flatMap(folder =>
    readdirSync(join(path, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(path, join(entry.parentPath, entry.name))),
  )
  return new Map(paths.map(each => [each, readFileSync(join(path, each), 'utf8')]))
}

/** The sources, the dashboard's and the new test. */
async function typesOf(copy: Scratch): Promise<void> {
  const baton = ['src/cli.ts', 'src/daemon/main.ts', 'test/adapters/agents/acme.test.ts']
  const files = baton.map(file => `packages/baton/${file}`)
  copy.write('tsconfig.acme.json', JSON.stringify({ extends: './tsconfig.json', include: [], files }))
  await program(copy, 'tsc', '-p', 'tsconfig.acme.json')
  await program(copy, 'tsc', '-p', 'apps/dashboard')
  await program(copy, 'biome', 'check', FOLDER, ...OTHER_FILES.filter(path => !path.endsWith('.md')))
}

async function contractOf(copy: Scratch): Promise<string> {
  // Without the programs that the repository's own tests bring.
  copy.write('vitest.acme.ts', 'export default { test: { testTimeout: 60_000 } }\n')
  const path = 'packages/baton/test/adapters/agents/acme.test.ts'
  return await program(copy, 'vitest', 'run', '--config', 'vitest.acme.ts', path)
}

/** As a person with that agent: hooks in, calls through the command that stands in its settings, hooks out. */
async function used(copy: Scratch): Promise<void> {
  await using place = scratch('b8h-')
  const home = join(place.path, 'home')
  const project = join(place.path, 'project')
  mkdirSync(project)
  await using baton = batonIn(home, project, join(copy.path, 'packages/baton/dist/cli.js'))
  baton.configure(`permissions:
  deny:
    - pattern: '^touch denied'
      reason: the page says no
handsoff:
  enabled: true
`)
  await baton.must('init', '--agent', 'acme')
  const settings = join(home, '.acme/hooks.json')
  const { hooks }: { hooks: Record<string, { command: string }[]> } = JSON.parse(
    readFileSync(settings, 'utf8'),
  )
  const hook = async (event: string, more: Record<string, unknown>): Promise<unknown> => {
    const words = ['-c', hooks[event]?.[0]?.command ?? 'false']
    const called = run('/bin/sh', words, { cwd: project, env: { PATH: process.env.PATH, HOME: home } })
    called.child.stdin?.end(JSON.stringify({ session_id: 's-1', cwd: project, ...more }))
    return JSON.parse((await called).stdout)
  }
  expect(await hook('Start', {})).toEqual({})
  expect(await hook('Tool', { tool: 'shell', input: { command: 'touch denied' } })).toMatchObject({
    decision: 'deny',
    reason: expect.stringContaining('the page says no'),
  })
  expect(await hook('Tool', { tool: 'read', input: { path: join(project, 'a.txt') } })).toMatchObject({
    decision: 'allow',
  })
  await hook('Prompt', { prompt: '/issue-to-impl 42' })
  expect(await hook('Done', { continued: false })).toHaveProperty('next')
  expect(await baton.must('logs', '--json', '--kind', 'event')).toMatch(/"agent": ?"acme"/)
  expect((await baton.run(['doctor'])).stdout).toContain('Acme')
  await baton.must('uninstall', '--agent', 'acme')
  expect(existsSync(settings)).toBe(false)
}

async function program(copy: Scratch, name: string, ...words: string[]): Promise<string> {
  const ran = run(join(root, 'node_modules/.bin', name), words, { cwd: copy.path, maxBuffer: 1 << 26 })
  // Both streams: what went wrong stands in one of them.
  return await ran
    .then(({ stdout }) => stdout)
    .catch(({ stdout, stderr }) => Promise.reject(`${stdout}${stderr}`))
}

async function node({ path }: Scratch, ...words: string[]): Promise<string> {
  return (await run(process.execPath, words, { cwd: path })).stdout
}
