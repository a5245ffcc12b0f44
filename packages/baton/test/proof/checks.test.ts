import { CheckDeclaration, type CheckResult } from '@batonpass/contract/proof'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChangedFile } from '../../src/ports/checkouts.ts'
import { checksFrom } from '../../src/proof/declared-checks.ts'
import { whyNotMet } from '../../src/proof/diff-checks.ts'
import { judgeProof } from '../../src/proof/judge-proof.ts'
import { matchesPath } from '../../src/proof/path-pattern.ts'
import { shortenOutput } from '../../src/proof/shorten-output.ts'

describe('a done_when list', () => {
  it.each<[unknown, boolean]>([
    ['npm test', true],
    [{ run: 'npm test', exit: 1, output: '^ok', minutes: 2 }, true],
    [{ files: { exist: ['docs/*.md'] } }, true],
    [{ diff: { max_lines: 10 }, name: 'small' }, true],
    [{ forge: { checks: 'green' }, minutes: 90 }, true],
    [{ person: 'Does it look right?' }, true],
    [{ forge: { review: 'approved' } }, true],
    [{ review: 'Is it minimal?\nIs it safe?', agent: 'codex', model: 'gpt-5', minutes: 5 }, true],
    [{ review: ' ' }, false],
    [{ review: 'x', agent: '--dangerous' }, false],
    [{ review: 'x', model: '--flag' }, false],
    [{ forge: {} }, false],
    [{ person: '' }, false],
    ['', false],
    ['a\nb', false],
    [{}, false],
    [{ run: 'a', files: { exist: ['b'] } }, false],
    [{ run: 'a', output: '(' }, false],
    [{ files: {} }, false],
    [{ files: { exist: ['../secret'] } }, false],
    [{ files: { exist: ['/etc/passwd'] } }, false],
    [{ diff: {} }, false],
  ])('takes %j: %s', (declared, isValid) => {
    expect(CheckDeclaration.safeParse(declared).success).toBe(isValid)
  })

  it('gives every check a name of its own', () => {
    const names = checksFrom(['a', 'a', 'a'], 'settings', 'x', 15).map(({ name }) => name)
    expect(names).toEqual(['a', 'a (2)', 'a (3)'])
  })
})

describe('a check of files or of the diff', () => {
  const changes: ChangedFile[] = [
    { path: 'src/a.ts', status: 'changed', addedLines: 3, removedLines: 1 },
    { path: 'logo.png', status: 'added', addedLines: undefined, removedLines: undefined },
  ]
  const paths = ['src/a.ts', 'docs/guide.md', 'logo.png']
  it.each<[CheckDeclaration, string | undefined]>([
    [{ files: { exist: ['docs/*.md', 'src'] } }, undefined],
    [{ files: { exist: ['docs/other.md'] } }, 'docs/other.md does not exist'],
    [{ files: { changed: ['src/**'] } }, undefined],
    [{ files: { changed: ['docs/**'] } }, 'docs/** did not change'],
    [{ files: { unchanged: ['docs'] } }, undefined],
    [{ files: { unchanged: ['src/'] } }, 'src/a.ts changed'],
    [{ diff: { max_lines: 4 } }, undefined],
    [{ diff: { max_lines: 3 } }, '4 lines changed'],
    [{ diff: { only: ['src/**', '*.png'] } }, undefined],
    [{ diff: { only: ['src/**'] } }, 'logo.png changed'],
  ])('%j: %s', (declared, why) => {
    const [check] = checksFrom([declared], 'settings', 'x', 15)
    if (check?.kind !== 'files' && check?.kind !== 'diff') throw new Error('not a check of files')
    expect(whyNotMet(check, paths, changes)).toBe(why)
  })

  it.each([
    ['*', 'a', true],
    ['*', 'a/b', true],
    ['*.ts', 'a/b.ts', false],
    ['**/*.ts', 'b.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['a/**/c', 'a/c', true],
    ['a*b*c', 'axbxc', true],
    ['a*a', 'a', false],
    ['src', 'src2/a', false],
    ['**', 'a/b', true],
  ])('the pattern %s and the path %s match: %s', (pattern, path, does) => {
    expect(matchesPath(pattern, path)).toBe(does)
  })
})

describe('the verdict', () => {
  const checks = checksFrom(['a', 'b'], 'settings', 'x', 15)
  const result = (name: string, status: CheckResult['status'], why?: string): CheckResult => ({
    name,
    status,
    seconds: 1,
    ...(why ? { why } : {}),
  })
  it.each<[string, CheckResult[], string]>([
    ['all passed', [result('a', 'passed'), result('b', 'passed')], 'proven'],
    ['one is missing', [result('a', 'passed')], 'b did not run'],
    [
      'one failed',
      [result('a', 'passed'), result('b', 'failed', 'failed with exit code 1')],
      'b failed with exit code 1',
    ],
    ['a failure outweighs what is flaky', [result('a', 'flaky'), result('b', 'failed')], 'b failed'],
    [
      'flaky is not passed',
      [result('a', 'flaky', 'failed once and then passed'), result('b', 'passed')],
      'a failed once and then passed',
    ],
    [
      'no sandbox',
      [result('a', 'not-run', 'no sandbox'), result('b', 'not-run', 'no sandbox')],
      'no sandbox',
    ],
  ])('%s', (_, results, said) => {
    const judged = judgeProof(checks, results, undefined)
    expect(judged.verdict === 'proven' ? 'proven' : judged.why).toBe(said)
  })

  it('is proven only if every check passed', () => {
    const status = fc.constantFrom<CheckResult['status']>(
      'passed',
      'failed',
      'flaky',
      'changed',
      'timed-out',
      'not-run',
    )
    fc.assert(
      fc.property(fc.tuple(status, status), ([a, b]) => {
        const { verdict } = judgeProof(checks, [result('a', a), result('b', b)], undefined)
        expect(verdict === 'proven').toBe(a === 'passed' && b === 'passed')
      }),
    )
  })

  it('is unproven without checks, and if the setup failed', () => {
    expect(judgeProof([], [], undefined)).toEqual({ verdict: 'unproven', why: 'no checks' })
    const passed = [result('a', 'passed'), result('b', 'passed')]
    expect(judgeProof(checks, passed, result('npm ci', 'failed', 'failed with exit code 1'))).toEqual({
      verdict: 'unproven',
      why: 'the setup failed with exit code 1',
    })
  })
})

describe('shortened output', () => {
  const noise = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`)
  it('keeps the first error, places in files and the last lines', () => {
    const text = [
      ...noise(200),
      'Error: first',
      ...noise(50),
      '  at src/a.ts:12:3',
      ...noise(100),
      'the end',
    ].join('\n')
    const short = shortenOutput(text)
    expect(short).toContain('Error: first')
    expect(short).toContain('src/a.ts:12:3')
    expect(short.endsWith('the end')).toBe(true)
    expect(short.split('\n').length).toBeLessThan(50)
  })

  it('removes colors and overwritten lines', () => {
    expect(shortenOutput('10%\r50%\r\x1b[32mdone\x1b[0m\n')).toBe('done')
  })

  it('is never long, and contains no control characters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40_000, unit: 'binary' }), text => {
        const short = shortenOutput(text)
        expect(short.length).toBeLessThanOrEqual(6010)
        expect(short).not.toMatch(/[^\n\P{Cc}]/u)
      }),
    )
  })
})
