import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockersNamed } from '../../../src/adapters/github/blockers.ts'
import { cacheResponses, scrubber } from '../../../src/adapters/github/connection.ts'
import { asForgeError } from '../../../src/adapters/github/github-errors.ts'
import { mergeOptions } from '../../../src/adapters/github/setup.ts'

describe('blockers in the text', () => {
  test.each([
    ['Blocked by #7', [7]],
    ['- [ ] blocked by: #7, #8 and #9', [7, 8, 9]],
    ['> Depends on #3 #4', [3, 4]],
    ['* Depends on #3, and #4.', [3, 4]],
    ['This is not blocked by #7', []],
    ['Blocked by #7 was a mistake, see #8', [7]],
    ['Blocked by acme/lib#7', []],
    ['```\nBlocked by #7\n```\nBlocked by #8', [8]],
    ['', []],
  ])('%j', (body, numbers) => {
    expect(blockersNamed(body)).toEqual(numbers)
  })

  test('any text is read in a moment and names at most twenty', () => {
    const hostile = `${'Blocked by #1 '.repeat(5000)}\n${'```\n'.repeat(20_000)}${' '.repeat(50_000)}`
    const before = performance.now()
    expect(blockersNamed(hostile).length).toBeLessThanOrEqual(20)
    expect(performance.now() - before).toBeLessThan(1000)
  })
})

describe('a failure', () => {
  test('never holds the token, whatever was thrown', () => {
    const token = 'tok_0123456789abcdef'
    const scrub = scrubber(token)
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.anything(), (before, after, rest) => {
        const said = `${before}${token}${after}`
        for (const thrown of [
          new Error(said),
          Object.assign(new Error(said), { response: rest, errors: rest }),
          said,
        ]) {
          const error = asForgeError(thrown, { scrub, now: 0 })
          const shown = [
            error.message,
            error.stack,
            String(error.cause),
            JSON.stringify(error.toBody()),
          ].join(' ')
          expect(shown).not.toContain(token)
        }
      }),
    )
  })

  test('says when a limit ends, and not absurdly late', () => {
    const scrub = (text: string) => text
    const limited = (message: string, status: number, headers: Record<string, string>) =>
      asForgeError(Object.assign(new Error(message), { status, response: { status, headers } }), {
        scrub,
        now: 1000,
      })
    expect(limited('secondary rate limit', 403, { 'retry-after': '30' })).toMatchObject({
      trouble: 'rate-limited',
      retryAt: 31_000,
    })
    expect(
      limited('API rate limit exceeded', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }),
    ).toMatchObject({
      retryAt: 61_000,
    })
    const far = limited('API rate limit exceeded', 429, {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '99999999999',
    })
    expect(far.retryAt).toBe(7_201_000)
    expect(limited('secondary rate limit', 403, { 'retry-after': '-5' }).retryAt).toBe(61_000)
    expect(limited('must have admin rights', 403, {}).trouble).toBe('forbidden')
  })

  test('looks of tokens are taken out too', () => {
    const scrub = scrubber('x')
    expect(scrub('ghp_abcdefghijklmnopqrstuvwxyz0123456789 and Bearer abcdefghijklmnopqrst')).toBe(
      '[token] and Bearer [token]',
    )
  })
})

describe('Status options', () => {
  const options = (names: string[]) => names.map(name => ({ name, color: 'BLUE', description: `${name}!` }))
  const name = fc.constantFrom<string>('Todo', 'In Progress', 'In Review', 'Done', 'Custom', 'Later', 'todo')

  test('keep what is there in its order and gain each missing one once', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { selector: n => n.toLowerCase() }),
        fc.uniqueArray(name),
        (there, wanted) => {
          const after = mergeOptions(options(there), wanted)
          const kept = after.filter(option => there.includes(option.name) && option.description)
          expect(kept.map(option => option.name)).toEqual(there)
          const names = after.map(option => option.name.toLowerCase())
          expect(new Set(names).size).toBe(names.length)
          for (const each of wanted) expect(names).toContain(each.toLowerCase())
        },
      ),
    )
  })

  test('stand where the plan has them', () => {
    const after = mergeOptions(options(['Todo', 'Done']), ['Todo', 'In Progress', 'In Review', 'Done'])
    expect(after.map(option => option.name)).toEqual(['Todo', 'In Progress', 'In Review', 'Done'])
  })
})

describe('remembered answers', () => {
  test('a changed answer replaces the old one, and only JSON of a GET is remembered', async () => {
    const asked: (string | null)[] = []
    let version = 1
    const send = cacheResponses(async (_, init) => {
      const known = new Headers(init?.headers).get('if-none-match')
      asked.push(known)
      if (known === `"${version}"`) return new Response(null, { status: 304 })
      const headers = { etag: `"${version}"`, 'content-type': 'application/json' }
      return new Response(JSON.stringify({ version }), { headers })
    })
    const read = async () => ((await (await send('http://x/a')).json()) as { version: number }).version
    expect([await read(), await read()]).toEqual([1, 1])
    version = 2
    expect([await read(), await read()]).toEqual([2, 2])
    await send('http://x/a', { method: 'POST' })
    expect(asked).toEqual([null, '"1"', '"1"', '"2"', null])
  })
})
