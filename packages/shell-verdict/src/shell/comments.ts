import { forEachChild, parse, type SyntaxNode } from 'unbash'
import { refuse } from './analysis.ts'
import type { Range } from './unknown.ts'
import { rangeOf } from './words.ts'

/** Between the children of these are only keywords, operators, blanks and comments. */
const STRUCTURE: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'CompoundList',
  'Statement',
  'AndOr',
  'Pipeline',
  'Command',
  'Redirected',
  'Redirect',
  'HereString',
  'HereDoc',
  'Subshell',
  'BraceGroup',
  'If',
  'Elif',
  'For',
  'Select',
  'While',
  'Case',
  'CaseItem',
  'Function',
  'Coproc',
])

/** The text without what bash surely skips; comments inside a word stay. A text that cannot be read stays as it is. */
export function withoutComments(source: string): string {
  if (!source.includes('#') || refuse(source)) return source
  const opaque: Range[] = []
  try {
    const script = parse(source)
    if ((script.errors ?? []).length > 0) return source
    collect(script, opaque)
  } catch {
    return source
  }
  let kept = ''
  let from = 0
  for (const [start, end] of [...opaque.sort(([a], [b]) => a - b), [source.length, source.length] as const]) {
    if (start > from) kept += source.slice(from, start).replace(/#[^\n]*/g, '')
    kept += source.slice(Math.max(start, from), Math.max(end, from))
    from = Math.max(from, end)
  }
  return kept
}

function collect(node: SyntaxNode, opaque: Range[]): void {
  if (STRUCTURE.has(node.type)) forEachChild(node, child => collect(child, opaque))
  else opaque.push(rangeOf(node))
}
