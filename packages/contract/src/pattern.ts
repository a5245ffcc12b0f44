import { Parser } from './pattern/parser.ts'
import { matches } from './pattern/states.ts'

/**
 * Regular expressions from configuration, matched in time linear in the text, so that no pattern, however it is written,
 * can hold up a decision.
 */
export interface Pattern {
  readonly source: string
  test(text: string): boolean
}

/** Throws PatternError for a pattern it cannot take. */
export function compilePattern(source: string, flags = ''): Pattern {
  const parser = new Parser(source, flags.includes('i'))
  const start = parser.parse()
  return { source, test: text => matches(parser.nodes, start, text) }
}
