import { Parser } from './pattern/parser.ts'
import { matches } from './pattern/states.ts'

/**
 * A regular expression from the configuration. Matching takes time linear in the text, so that no pattern can delay a
 * decision.
 */
export interface Pattern {
  readonly source: string
  test(text: string): boolean
}

/** Throws PatternError for an unsupported pattern. */
export function compilePattern(source: string, flags = ''): Pattern {
  const parser = new Parser(source, flags.includes('i'))
  const start = parser.parse()
  return { source, test: text => matches(parser.nodes, start, text) }
}
