import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ERROR_CODES } from '@batonpass/contract/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/table.ts'
import { type BatonHere, batonIn } from './world/baton.ts'
import { type Scratch, scratch } from './world/scratch.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(page => page && !page.includes('/fixtures/') && existsSync(join(root, page)))

describe('the pages', () => {
  it.each(pages)('%s: every link leads somewhere', page => {
    const broken = linksIn(read(page)).filter(link => !leadsSomewhere(page, link))
    expect(broken).toEqual([])
  })

  it('explain every error code, and none that does not exist', () => {
    const explained = [...read('docs/reference/errors.md').matchAll(/^\| `([a-z_]+)` \|/gm)].map(m => m[1])
    expect(explained.toSorted()).toEqual([...ERROR_CODES].toSorted())
  })

  it('use every word of the glossary, and give each one meaning', () => {
    const words = [...read('docs/glossary.md').matchAll(/^\| ([a-z][a-z -]+) \|/gm)].map(
      ([, word = '']) => word,
    )
    expect(new Set(words).size).toBe(words.length)
    const prose = pages
      .filter(page => page !== 'docs/glossary.md')
      .map(read)
      .join('\n')
      .toLowerCase()
    const unused = words.filter(word => !new RegExp(`\\b${word.replace(/y$/, '(y|ie)')}s?\\b`).test(prose))
    expect(unused).toEqual([])
  })

  it('name only files that are there in the story of an event', () => {
    const named = [...read('ARCHITECTURE.md').matchAll(/`([a-z][\w/.-]*(?:\.(?:ts|pl|sh)|\/))`/g)].map(
      ([, name = '']) => (name.startsWith('packages/') ? name : join('packages/baton/src', name)),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(name => !existsSync(join(root, name)))).toEqual([])
  })
})

/** They wait for a person, an agent or the network; their journeys run them. */
const WAITING = new Set(['attach', 'chat', 'mcp', 'run', 'tour', 'webhook'])

describe('the commands in the guides', () => {
  const guides = pages.filter(
    page => /^(docs|plugin|apps)\//.test(page) && !page.startsWith('docs/reference/'),
  )
  const commands = [...new Set(guides.flatMap(page => batonLines(read(page))))].toSorted()

  it.each(commands)('%s', line => {
    const [, name, ...words] = wordsOf(line)
    const command = COMMANDS.find(each => each.name === name)
    expect(command, `there is no command ${name}`).toBeDefined()
    if (command) parse(command, words)
  })

  it('run, and none of them fails for a reason of ours', async () => {
    await using home = scratch()
    home.write('bin/claude', '#!/bin/sh\necho 2.1.0\n', 0o755)
    await using baton = batonIn(join(home.path, 'home'), home.path)
    await baton.must('up')
    const env = { PATH: `${join(home.path, 'bin')}:${process.env.PATH}` }
    const odd: string[] = []
    for (const line of commands) {
      const words = wordsOf(line).slice(1)
      if (WAITING.has(words[0] ?? '') || words.includes('--follow') || words.includes('--foreground'))
        continue
      // As the guide says, the token is given on the command's input.
      const isJoin = words.join(' ') === 'fleet join'
      const { code, stderr } = await baton.run(words, { env, ...(isJoin ? { input: 'a token\n' } : {}) })
      // What the examples name is not here; that is an answer, too.
      if (code === null || code === 2 || /internal|\n\s+at /.test(stderr))
        odd.push(`${line}: ${code} ${stderr}`)
    }
    expect(odd).toEqual([])
    // More than a hundred commands, each a program of its own.
  }, 720_000)
})

describe('the commands in the README', () => {
  const commands = batonLines(read('README.md')).filter(line => !WAITING.has(wordsOf(line)[1] ?? ''))
  let home: Scratch
  let baton: BatonHere

  beforeAll(async () => {
    home = scratch()
    // An agent to be found: `init` installs hooks for those on the PATH.
    home.write('bin/claude', '#!/bin/sh\necho 2.1.0\n', 0o755)
    baton = batonIn(join(home.path, 'home'), home.path)
    await baton.must('up')
  })
  afterAll(async () => {
    await baton[Symbol.asyncDispose]()
    home.remove()
  })

  it('are there', () => expect(commands.length).toBeGreaterThan(5))

  it.each(commands)('%s', async command => {
    const words = wordsOf(command)
    const env = { PATH: `${join(home.path, 'bin')}:${process.env.PATH}` }
    const { code, stdout, stderr } = await baton.run(words.slice(1), { env })
    expect(stderr).toBe('')
    expect(stdout).not.toBe('')
    // The doctor may find something here; that is what it is for.
    if (words[1] !== 'doctor') expect(code).toBe(0)
  })

  it('of npm are scripts of the workspace', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const used = ['README.md', 'CONTRIBUTING.md'].flatMap(page =>
      shellLines(read(page)).flatMap(line => /^npm (?:run )?([\w:]+)/.exec(line)?.[1] ?? []),
    )
    expect([...new Set(used)].filter(name => !(name in scripts))).toEqual([])
  })
})

function shellLines(markdown: string): string[] {
  return [...markdown.matchAll(/^```(?:sh)?\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block.split('\n').filter(line => line && !line.startsWith('#')),
  )
}

const batonLines = (markdown: string): string[] =>
  shellLines(markdown)
    .map(line => line.replace(/\s+#.*$/, '').replace(/^(npm run baton --|npx batonpass) /, 'baton '))
    .filter(line => line.startsWith('baton '))

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, plain]) => one ?? two ?? plain ?? '')

function linksIn(markdown: string): string[] {
  const prose = markdown.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

function leadsSomewhere(page: string, link: string): boolean {
  if (/^(https:|mailto:)/.test(link)) return true
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : relative(root, join(root, dirname(page), path))
  if (target.startsWith('..') || !existsSync(join(root, target))) return false
  return anchor === undefined || anchorsIn(read(target)).includes(anchor)
}

function anchorsIn(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
