import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { main } from '../../../src/cli/main.ts'
import { COMMANDS } from '../../../src/cli/table.ts'
import { parseHandoff } from '../../../src/handoff/document/parse.ts'
import { gitRepo, type Repository, scratch } from '../../world/scratch.ts'
import { claudeRows, piRows, type Step, WORK } from '../sessions.ts'

interface Here extends AsyncDisposable {
  repo: Repository
  home: string
  /** Writes a transcript to where Claude Code keeps it and returns its path. */
  session: (steps: readonly Step[]) => string
  baton: (...words: string[]) => Promise<{ code: number; out: string; err: string }>
  documents: () => string[]
}

async function here(): Promise<Here> {
  const repo = await gitRepo()
  const home = scratch()
  return {
    repo,
    home: home.path,
    session: steps =>
      home.write(
        `.claude/projects/${repo.path.replaceAll(/[^a-zA-Z0-9]/g, '-')}/5d0c3ab2-1f7e-4c55-9a53-6d1f4d8f7a10.jsonl`,
        `${claudeRows(steps, { cwd: repo.path }).join('\n')}\n`,
      ),
    baton: async (...words) => {
      let out = ''
      let err = ''
      const code = await main(words, COMMANDS, {
        stdin: Readable.from([]),
        stdout: { write: (text: string) => (out += text) },
        stderr: { write: (text: string) => (err += text) },
        env: { HOME: home.path, PATH: process.env.PATH },
        cwd: repo.path,
        home: home.path,
        isTTY: false,
        signal: new AbortController().signal,
      })
      return { code, out, err }
    },
    documents: () => {
      const folder = join(repo.path, '.bmad/handoffs')
      return existsSync(folder) ? readdirSync(folder).sort() : []
    },
    async [Symbol.asyncDispose]() {
      repo.remove()
      home.remove()
    },
  }
}

const work = (root: string): Step[] =>
  WORK.map(step => (step.write ? { ...step, write: join(root, 'db/005.sql') } : step))

describe('baton handoff', () => {
  it('writes the document of a dead session without a daemon, and keeps it out of git', async () => {
    await using at = await here()
    at.session(work(at.repo.path))
    at.repo.write('db/005.sql', 'create table refresh_tokens ();\n')
    const { code, out, err } = await at.baton('handoff', '--focus', 'the endpoint')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [name = ''] = at.documents()
    expect(name).toMatch(/^handoff-\d{4}(-\d\d){4}\.md$/)
    expect(out).toContain(name)
    const path = join(at.repo.path, '.bmad/handoffs', name)
    expect(statSync(path).mode & 0o777).toBe(0o644)
    const { document, findings } = parseHandoff(readFileSync(path, 'utf8'))
    expect(findings).toEqual([])
    expect(document.facts).toMatchObject({
      written_by: 'baton',
      agent: 'claude-code',
      session: '5d0c3ab2-1f7e-4c55-9a53-6d1f4d8f7a10',
      branch: 'main',
      head: await at.repo.git('rev-parse', 'HEAD'),
      dirty: ['db/005.sql'],
      touched: ['db/005.sql'],
      tests: { command: 'cd api && npm test', result: 'failed', failing: 1, at: '2026-01-22T15:30:00.000Z' },
      todos: ['Add the endpoint'],
      instructions: ['Add refresh tokens. Never touch the public API.', 'Also rotate them'],
      focus: 'the endpoint',
    })
    expect(await at.repo.git('status', '--porcelain')).toBe('?? db/')
    expect((await at.baton('handoff', '--verify', path)).out).toContain('holds what the evidence shows')
  })

  it('keeps what the user removed and changed in the next document of the same session, and holds its own words true', async () => {
    await using at = await here()
    at.session([
      ...work(at.repo.path),
      { run: { command: "mysql -u root -phunter2xyz shop -e 'select 1'", output: '1' } },
    ])
    await at.baton('handoff')
    const facts = async () => {
      const listed = JSON.parse((await at.baton('handoff', 'facts', '--json')).out)
      return listed.facts as { id: string; text: string }[]
    }
    const idOf = async (words: string) => (await facts()).find(({ text }) => text.includes(words))?.id ?? ''
    await at.baton('handoff', 'facts', 'remove', await idOf('Also rotate them'))
    await at.baton('handoff', 'facts', 'edit', await idOf('Add refresh tokens'), 'Add tokens that rotate')
    const path: string = JSON.parse((await at.baton('handoff', '--json')).out).document
    const texts = (await facts()).map(({ text }) => text)
    expect(texts).toContain('Add tokens that rotate')
    expect(texts.join()).not.toMatch(/Also rotate them|Add refresh tokens/)
    expect(readFileSync(path, 'utf8')).toContain('-p[redacted: password] shop')
    expect(await at.baton('handoff', '--verify', path)).toMatchObject({ code: 0 })
  })

  it('gives a second document in the same minute its own name, and list and diff show both', async () => {
    await using at = await here()
    at.session(work(at.repo.path))
    // Both in the same minute or not: one never overwrites the other.
    await at.baton('handoff')
    await at.baton('handoff', '--focus', 'something else')
    expect(at.documents()).toHaveLength(2)
    const { handoffs } = JSON.parse((await at.baton('handoff', 'list', '--json')).out)
    expect(handoffs).toMatchObject([
      { writtenBy: 'baton', task: 'Add the endpoint' },
      { agent: 'claude-code' },
    ])
    expect((await at.baton('handoff', 'diff')).out).toContain('+focus: something else')
    // The old name of 0.1.
    expect((await at.baton('handoffs', 'diff')).out).toContain('+focus: something else')
    expect((await at.baton('handoff', 'show')).out).toContain('Focus: something else')
    expect((await at.baton('handoff', 'show', '--context')).out).toMatch(
      /^<handoff-context>\n[\s\S]*\n<\/handoff-context>\n/,
    )
  })

  it('prints the context of a pi session, and stores nothing', async () => {
    await using at = await here()
    const file = at.repo.write('s.jsonl', `${piRows(WORK, 3, at.repo.path).join('\n')}\n`)
    const { out } = await at.baton('handoff', '--transcript', file, '--print')
    expect(out).toMatch(/^<handoff-context>\n/)
    expect(out).toContain(
      '\n</handoff-context>\n\nThe above is a handoff document from a previous session. Use this context to continue the work seamlessly.',
    )
    expect(out.match(/^## .*$/gm)?.slice(0, 6)).toEqual([
      '## Goal',
      '## Constraints & Preferences',
      '## Progress',
      '## Key Decisions',
      '## Critical Context',
      '## Next Steps',
    ])
    expect(at.documents()).toEqual([])
  })

  it('reports which statements of a document are wrong, and fails', async () => {
    await using at = await here()
    at.session(work(at.repo.path))
    const file = at.repo.write(
      'claim.md',
      '---\nbranch: main\ntests:\n  command: npm test\n  result: passed\n---\n# Handoff Document\n\n**Project**: work\n\n## Current Work\n\n**Current Task**: tokens\n\n## Completed Since Last Handoff\n\n- [x] Wrote `src/gone.ts`\n\n## Next Steps\n\n1. Go on\n\n## Critical State\n\n- None\n\n## Blockers / Issues\n\n- None\n\n## Notes\n\n- None\n',
    )
    const { code, out } = await at.baton('handoff', '--verify', file, '--json')
    expect(code).toBe(1)
    expect(
      JSON.parse(out).findings.map(({ code, where }: { code: string; where: string }) => `${code} ${where}`),
    ).toEqual(['odd-value Created', 'wrong-test tests', 'file-absent completed', 'unverified Completed'])
  })

  it('redacts secrets before anything is stored or printed', async () => {
    await using at = await here()
    const secret = `ghp_${'a1B2'.repeat(10)}`
    at.session([
      { prompt: `Use ${secret} to push` },
      { say: `export TOKEN=${secret}` },
      { run: { command: `curl -H "authorization: bearer ${secret}" x` } },
    ])
    await at.baton('handoff')
    const [name = ''] = at.documents()
    const text = readFileSync(join(at.repo.path, '.bmad/handoffs', name), 'utf8')
    expect(text).toContain('[redacted]')
    expect(text + (await at.baton('handoff', '--print')).out).not.toContain(secret)
  })

  it('refuses a session of fewer than two messages, a file that is not a transcript and an unknown session', async () => {
    await using at = await here()
    expect((await at.baton('handoff')).err).toContain('Baton knows no session of this project')
    at.session([{ prompt: 'hello' }])
    const few = await at.baton('handoff')
    expect(few.code).toBe(1)
    expect(few.err).toContain('Nothing to hand off (no messages yet)')
    const odd = await at.baton('handoff', '--transcript', at.repo.write('x.json', '{"a":1}'))
    expect(odd.err).toContain('is not a transcript that Baton can read')
    expect((await at.baton('handoff', '--session', 'ffffffff')).err).toContain(
      'No transcript of session ffffffff',
    )
    expect(at.documents()).toEqual([])
  })

  it('does not follow a link out of the project', async () => {
    await using at = await here()
    at.session(work(at.repo.path))
    const elsewhere = join(at.home, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(at.repo.path, '.bmad'))
    const { code, err } = await at.baton('handoff')
    expect(code).toBe(1)
    expect(err).toContain('.bmad is a link')
    expect(readdirSync(elsewhere)).toEqual([])
  })
})
