import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutTo, fitTable } from '../../src/cli/fit-table.ts'
import { fitLines, widthOf, wrapWords } from '../../src/cli/wrap-words.ts'

const words = (text: string) => text.split(/\s+/).filter(Boolean)
const word = fc.constantFrom(
  'a',
  'baton',
  '#42',
  '注文履歴',
  'feature/discount-codes',
  '\x1b[33myellow\x1b[0m',
)
const gap = fc.constantFrom(' ', '  ', '   ')
const line = fc
  .tuple(fc.nat(8), fc.array(fc.tuple(word, gap), { maxLength: 30 }))
  .map(([indent, parts]) => ' '.repeat(indent) + parts.flat().join(''))

describe('lines for a terminal', () => {
  it('lose no word, keep their order, and are never wider than the terminal', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), fc.integer({ min: 40, max: 130 }), (lines, columns) => {
        const fitted = fitLines(lines.join('\n'), columns)
        expect(words(fitted)).toEqual(words(lines.join('\n')))
        // Blanks at the end of a line that fits stay.
        for (const each of fitted.split('\n')) expect(widthOf(each.trimEnd())).toBeLessThanOrEqual(columns)
      }),
    )
  })

  it('that fit stay as they are, as does everything for a pipe', () => {
    const text = `  two  parts\n${'x '.repeat(200)}`
    expect(fitLines('  two  parts\n', 12)).toBe('  two  parts\n')
    expect(fitLines(text, undefined)).toBe(text)
  })

  it('keep a word that is wider than the terminal whole, so that it can be copied', () => {
    const url = `https://example.com/${'a'.repeat(80)}`
    expect(fitLines(`see ${url} now`, 60)).toBe(`see\n  ${url}\n  now`)
  })

  it('keep two commands apart', () => {
    expect(fitLines('  baton allow ask_0123456789   baton deny ask_0123456789', 50)).toBe(
      '  baton allow ask_0123456789\n    baton deny ask_0123456789',
    )
  })

  it('wraps around what is on the first line already', () => {
    expect(wrapWords('one two three', 20, 14)).toEqual(['one', 'two three'])
    expect(wrapWords('longer words', 20, 18)).toEqual(['', 'longer words'])
  })
})

describe('columns for a terminal', () => {
  const colour = (_: string, text: string) => text
  const columns = [
    { dropped: 0, cell: ([id]: string[]) => ({ text: id ?? '' }) },
    { dropped: 1, least: 8, cell: ([, place]: string[]) => ({ text: place ?? '' }) },
    { dropped: 0, least: 20, wraps: true, cell: ([, , text]: string[]) => ({ text: text ?? '' }) },
  ]
  const table = (rows: string[][], room: number) => fitTable(rows, columns, { columns: room, colour }).rows

  it('continue the last one below, and leave out what has no room', () => {
    const rows = [['a1', '/home/dev/work/shop', 'failed because the second check did not pass']]
    expect(table(rows, 50)).toEqual([
      ['a1  /home/dev/work/…  failed because the second', '                      check did not pass'],
    ])
    expect(table(rows, 30)).toEqual([['a1  failed because the second', '    check did not pass']])
  })

  it('are never wider than the terminal, whatever is in them', () => {
    const cell = fc.array(word, { maxLength: 8 }).map(parts => parts.join(' ').replaceAll(/\x1b\[\d+m/g, ''))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constant('a1'), cell, cell), { maxLength: 5 }),
        fc.integer({ min: 40, max: 130 }),
        (rows, room) => {
          for (const each of table(rows, room).flat()) expect(widthOf(each)).toBeLessThanOrEqual(room)
        },
      ),
    )
  })

  it('cut letters that take two columns where they end', () => {
    expect(cutTo('注文履歴', 8)).toBe('注文履歴')
    expect(cutTo('注文履歴', 7)).toBe('注文履…')
    expect(cutTo('注文履歴', 6)).toBe('注文…')
    expect(cutTo('abc', 0)).toBe('')
  })
})
