import { HandoffDocument } from '@batonpass/contract/handoff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHandoff } from '../../src/handoff/document/parse.ts'
import { renderHandoff } from '../../src/handoff/document/render.ts'
import type { Evidence } from '../../src/handoff/evidence.ts'
import { completeDocument, handoffFromEvidence } from '../../src/handoff/from-evidence.ts'
import { updateLedger } from '../../src/handoff/ledger.ts'
import { findRun, statusPath } from '../../src/handoff/same.ts'
import { verifyHandoff } from '../../src/handoff/verify.ts'
import type { CommandRun, TranscriptFacts } from '../../src/session/transcript/collect-facts.ts'
import { readTest } from '../../src/session/transcript/test-runs.ts'

const ledgerOf = (about: Evidence) => updateLedger(undefined, about, undefined)
const isTest = (command: string) => readTest(command, false, '') !== undefined
const AT = new Date(2026, 0, 22, 14, 2).getTime()
const ran = (command: string, failed = false): [string, CommandRun] => [command, { command, failed, at: AT }]

const transcript: TranscriptFacts = {
  session: 'abc',
  cwd: '/work/shop',
  startedAt: AT - 3_600_000,
  lastAt: AT,
  messages: 8,
  instructions: ['Add refresh tokens', 'Also rotate them'],
  commands: [],
  outcomes: new Map([ran('npm test', true), ran('npm run build'), ran('git add -A && git commit -m x')]),
  written: ['/work/shop/src/token.ts'],
  todos: [
    { text: 'Write the migration', done: true },
    { text: 'Add the endpoint', done: false },
  ],
  test: { command: 'npm test', passed: false, failing: 2, at: AT },
  pullRequest: undefined,
  lastReply: 'Two tests fail.',
}
const evidence: Evidence = {
  root: '/work/shop',
  names: ['shop'],
  agent: 'claude-code',
  session: 'abc',
  git: {
    root: '/work/shop',
    head: 'a1b2c3d4e5',
    branch: 'issue-42',
    ahead: 2,
    behind: 0,
    dirty: ['src/token.ts'],
  },
  commits: [{ id: 'a1b2c3d4e5', subject: 'Add the migration', files: ['db/005.sql'] }],
  transcript,
  contextTokens: 120_000,
  issue: 42,
  pr: undefined,
  stage: undefined,
  present: new Map([
    ['src/token.ts', true],
    ['src/gone.ts', false],
    ['db/005.sql', false],
  ]),
}

const found = (draft: object, about: Evidence = evidence): string[] =>
  verifyHandoff(HandoffDocument.parse(draft), about, isTest).map(
    ({ code, where, message }) => `${code} ${where}: ${message}`,
  )
const ticked = (text: string) => ({ completed: [{ text, done: true }] })

describe('a document that states', () => {
  it.each([
    [
      'another branch',
      { facts: { branch: 'main' } },
      'wrong-fact branch: Says branch `main`; it is `issue-42`',
    ],
    [
      'another commit',
      { facts: { head: 'ffff0000' } },
      'wrong-fact head: Says HEAD is ffff0000; it is a1b2c3d4e5',
    ],
    ['to be in step', { facts: { ahead: 0 } }, 'wrong-fact ahead: Says 0 commits ahead; it is 2'],
    [
      'a clean tree',
      { facts: { dirty: [] } },
      'wrong-fact dirty: Says nothing is uncommitted; `src/token.ts` is',
    ],
    [
      'passing tests',
      { facts: { tests: { command: 'npm test', result: 'passed' } } },
      'wrong-test tests: Says tests pass; the last run of `npm test` failed at 14:02',
    ],
    [
      'fewer failures',
      { facts: { tests: { command: 'npm test', result: 'failed', failing: 1 } } },
      'wrong-test tests: Says 1 tests fail; 2 did in the last run at 14:02',
    ],
    [
      'a command that was not run',
      { facts: { commands: ['npm run deploy'] } },
      'never-ran commands: Says it ran `npm run deploy`; that was not run in this session',
    ],
    [
      'a shorter list',
      { facts: { todos: [] } },
      'todo-unnamed todos: Leaves out what is still to do: `Add the endpoint`',
    ],
    [
      'an old todo',
      { facts: { todos: ['add the endpoint.', 'Write the migration'] } },
      'wrong-fact todos: Says `Write the migration` is still to do; it is done',
    ],
    ['another issue', { facts: { issue: 7 } }, 'wrong-fact issue: Says issue 7; it is 42'],
    [
      'a change that was not made',
      { facts: { touched: ['src/other.ts'] } },
      'wrong-fact touched: Says it changed `src/other.ts`; nothing shows that',
    ],
    [
      'another session',
      { facts: { session: 'xyz' } },
      'other-session session: It is about session xyz, not abc',
    ],
    [
      'another folder',
      { facts: { root: '/work/blog' } },
      'other-project root: It is about /work/blog; this project is /work/shop',
    ],
    [
      'another project',
      { project: 'Blog' },
      'other-project Project: It names the project `Blog`; this one is `shop`',
    ],
    [
      'a file that is not there',
      ticked('Wrote `src/gone.ts`'),
      'file-absent completed: Ticked: "Wrote `src/gone.ts`"; there is no file `src/gone.ts`',
    ],
    [
      'success of what failed',
      ticked('`npm test` is green'),
      'command-failed completed: Ticked: "`npm test` is green"; the last run of `npm test` failed at 14:02',
    ],
    [
      'a test that was not run',
      ticked('Ran `pytest -q`'),
      'never-ran completed: Ticked: "Ran `pytest -q`"; `pytest -q` was not run in this session',
    ],
  ])('%s is rejected', (_, draft, finding) => {
    expect(found(draft)).toEqual([finding])
  })

  it.each([
    [
      'the truth',
      { facts: { branch: 'issue-42', head: 'a1b2c3d', ahead: 2, behind: 0, dirty: ['./src/token.ts'] } },
    ],
    ['a failing test', { facts: { tests: { command: 'npm test', result: 'failed' } } }],
    ['a command that was one of several', { facts: { commands: ['git commit -m x', 'npm  run build'] } }],
    ['a file it deleted', ticked('Removed `db/005.sql`')],
    [
      'names that are neither file nor command',
      ticked('Uses `refresh_tokens`, `Node.js`, `application/json` and `console.log`'),
    ],
    ['nothing done yet', { completed: [{ text: 'Wrote `src/gone.ts`', done: false }] }],
    ['the project by its own name', { project: 'SHOP' }],
  ])('%s is accepted', (_, draft) => {
    expect(found(draft)).toEqual([])
  })

  it('anything is accepted without evidence', () => {
    const none: Evidence = {
      ...evidence,
      git: undefined,
      transcript: undefined,
      session: undefined,
      issue: undefined,
    }
    const facts = {
      branch: 'x',
      head: 'ffff',
      dirty: [],
      tests: { command: 'npm test', result: 'passed' },
      issue: 9,
      todos: [],
    }
    expect(found({ facts, ...ticked('`npm test`') }, none)).toEqual([])
  })
})

describe("Baton's own document", () => {
  const words = fc.string({ unit: 'grapheme', maxLength: 40 })
  const anyEvidence = fc
    .record({
      instructions: fc.array(words, { maxLength: 5 }),
      dirty: fc.array(words, { maxLength: 4 }),
      todos: fc.array(fc.record({ text: words, done: fc.boolean() }), { maxLength: 4 }),
      commands: fc.array(
        words.map(text => text.trim() || 'true'),
        { maxLength: 4 },
      ),
      passed: fc.boolean(),
      tested: fc.boolean(),
      reply: words,
    })
    .map(
      (some): Evidence => ({
        ...evidence,
        git: {
          root: '/work/shop',
          head: 'a1b2c3d4e5',
          branch: 'x',
          ahead: undefined,
          behind: undefined,
          dirty: some.dirty,
        },
        transcript: {
          ...transcript,
          ...some,
          lastReply: some.reply,
          commands: some.commands.map(command => ran(command)[1]),
          outcomes: new Map(some.commands.map(command => ran(command))),
          test: some.tested ? { command: 'npm test', passed: some.passed, at: AT } : undefined,
        },
      }),
    )

  it('says who wrote it and has every section', () => {
    const document = handoffFromEvidence(evidence, { now: AT, focus: 'the endpoint' }, ledgerOf(evidence))
    expect(document.facts).toMatchObject({
      written_by: 'baton',
      branch: 'issue-42',
      issue: 42,
      todos: ['Add the endpoint'],
    })
    expect(document.notes[0]).toContain('Written by Baton from git and the transcript alone')
    expect(document.work.task).toBe('Add the endpoint')
    expect(document.nextSteps).toEqual(['Focus: the endpoint', 'Add the endpoint', 'Make `npm test` pass'])
    expect(parseHandoff(renderHandoff(document, 'file')).findings).toEqual([])
  })

  it('states nothing that the same evidence contradicts, as written and as read back', () => {
    fc.assert(
      fc.property(anyEvidence, about => {
        const document = handoffFromEvidence(about, { now: AT }, ledgerOf(about))
        const { document: read } = parseHandoff(renderHandoff(document, 'file'))
        expect(verifyHandoff(read, about, isTest).filter(({ where }) => where === 'completed')).toEqual([])
        expect(
          verifyHandoff(read, about, isTest).filter(({ where }) =>
            ['branch', 'head', 'tests', 'root', 'Project', 'issue'].includes(where),
          ),
        ).toEqual([])
      }),
    )
  })
})

it("an agent's document gets the facts of the evidence, and what was wrong is written into it", () => {
  const document = HandoffDocument.parse({ facts: { branch: 'main' }, nextSteps: ['Rotate'] })
  const findings = verifyHandoff(document, evidence, isTest)
  const { facts, nextSteps } = completeDocument(document, evidence, { now: AT }, findings, ledgerOf(evidence))
  expect(facts).toMatchObject({
    branch: 'issue-42',
    written_by: 'agent',
    findings: ['Says branch `main`; it is `issue-42`'],
  })
  expect(facts.verified_at).toBeDefined()
  expect(nextSteps).toEqual(['Rotate'])
})

describe('A command without its secrets', () => {
  const outcomes = new Map([
    ran('mysql -u root -phunter2 shop && echo ok'),
    ran('curl -u me:s3cret+x https://a.example'),
  ])
  it.each([
    ['mysql -u root -p[redacted: password] shop', true],
    ['curl -u [redacted] https://a.example', true],
    ['mysql -u root -p[redacted: password] prod', false],
    ['[redacted: password]', false],
    ['curl -u [redacted] https://b.example', false],
  ])('%s was run: %s', (command, wasRun) => {
    expect(findRun(command, outcomes) !== undefined).toBe(wasRun)
  })
})

it.each([
  [' M src/a.ts', 'src/a.ts'],
  [' m vendored', 'vendored'],
  ['m vendored', 'vendored'],
  ['?? new folder/', 'new folder/'],
  ['R  old.ts -> new.ts', 'new.ts'],
  ['modified:   src/a.ts', 'src/a.ts'],
  ['makefile', 'makefile'],
])('%s is about %s', (line, path) => {
  expect(statusPath(line)).toBe(path)
})
