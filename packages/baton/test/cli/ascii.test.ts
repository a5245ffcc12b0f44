import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ascii, withAscii } from '../../src/cli/ascii.ts'
import type { Io } from '../../src/cli/io.ts'
import { bar } from '../../src/cli/ps-table.ts'

const io = (env: Record<string, string>, isTTY = true) => {
  let out = ''
  const stdout = {
    columns: 77,
    write(text: string) {
      out += text
    },
  }
  const made = withAscii({ env, isTTY, stdout, stderr: stdout } as unknown as Io)
  made.stdout.write(`${bar(30)} a…b – ✓ ü`)
  return { out, columns: (made.stdout as typeof stdout).columns }
}

it.each([{ LC_ALL: 'C' }, { LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' }, { LANG: 'en_US.ISO-8859-1' }])(
  'on a terminal of the locale %j only ASCII is printed, as wide as before',
  env => {
    expect(io(env)).toEqual({ out: '###....... a.b - + ?', columns: 77 })
  },
)

it.each([
  [{ LC_ALL: 'C.UTF-8' }, true],
  [{ LANG: 'en_US.utf8' }, true],
  [{}, true],
  [{ LC_ALL: 'C' }, false],
])('with %j (terminal: %s) nothing changes', (env, isTTY) => {
  expect(io(env as Record<string, string>, isTTY).out).toBe('███░░░░░░░ a…b – ✓ ü')
})

it('any text becomes ASCII, and ASCII stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), (any, plain) => {
      expect(ascii(any)).toMatch(/^\p{ASCII}*$/u)
      expect(ascii(plain)).toBe(plain)
    }),
  )
})
