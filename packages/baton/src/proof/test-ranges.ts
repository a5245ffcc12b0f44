import { type BracketEnds, pairBrackets, type Range } from './brackets.ts'
import type { Language } from './strip-literals.ts'
import { repeatedParts } from './test-tables.ts'

interface TestRange extends Range {
  name: string
}

/** The tests of a file that have a name. `code` is the source without literals, of the same length. */
export function testRanges(path: string, language: Language, source: string, code: string): TestRange[] {
  if (language === 'python') return inPython(code)
  const closing = pairBrackets(code)
  if (language === 'javascript') return inJavaScript(source, code, closing)
  const start = /_test\.go$/.test(path)
    ? /^func (Test\w*)\s{0,50}\(/gm
    : path.endsWith('.rs')
      ? /#\[(?:\w+::)?test\b[^\n]{0,300}\n(?:\s{0,50}#\[[^\n]{0,300}\n){0,5}\s{0,50}(?:async\s{1,50})?fn\s{1,50}(\w{1,200})/g
      : /@(?:Test|ParameterizedTest|RepeatedTest)\b[^{;]{0,300}?\b(?:void|fun)\s{1,50}(\w{1,200})\s{0,50}\(/g
  let open = 0
  return [...code.matchAll(start)].flatMap(({ index, 0: head, 1: name = '' }) => {
    if (open >= 0 && open < index + head.length) open = code.indexOf('{', index + head.length)
    const end = open < 0 ? undefined : closing(open)
    return end === undefined ? [] : [{ name, start: index, end: end + 1 }]
  })
}

function inJavaScript(source: string, code: string, closing: BracketEnds): TestRange[] {
  return [...code.matchAll(/(?<![\w.$])(?:it|test)(?:\.\w{1,80}){0,9}\s{0,50}\(/g)].flatMap(
    ({ index, 0: head }) => {
      let open = index + head.length - 1
      // A table comes first: `it.each([…])('name', …)`.
      if (!/^\(\s{0,50}"/.test(code.slice(open, open + 100))) {
        const next = closing(open)
        if (next === undefined || code[next + 1] !== '(') return []
        open = next + 1
      }
      const end = closing(open)
      const name = /^\(\s{0,50}(['"`])(.{1,300}?)\1/.exec(source.slice(open, open + 400))?.[2]
      return end === undefined || name === undefined ? [] : [{ name, start: index, end: end + 1 }]
    },
  )
}

function inPython(code: string): TestRange[] {
  const tables = repeatedParts(code, 'python')
  return [...code.matchAll(/^([ \t]*)(?:async\s{1,50})?def (test\w*)\s{0,50}\([^\n]*/gm)].map(
    ({ index, 0: head, 1: indent = '', 2: name = '' }) => {
      const from = index + head.length
      const next = new RegExp(`^[ \\t]{0,${indent.length}}[^\\s)\\]]`, 'm').exec(code.slice(from))
      // Its tables are above it.
      const table = tables.find(({ start, end }) => start < index && index < end)
      const isOwn = table && !/^[ \t]*(?:def|class)\b/m.test(code.slice(table.start, index))
      return { name, start: isOwn ? table.start : index, end: next ? from + next.index : code.length }
    },
  )
}
