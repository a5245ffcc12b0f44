import { createScanner, type Node } from 'jsonc-parser'

/**
 * Adds children to an object or list of a JSON text and takes them out again, so that taking out what was
 * added gives back the very bytes from before: comments, commas, blanks and line ends included.
 *
 * The rule behind it: a child goes in right after the last token of its container, with the blanks before it
 * as part of it. A trailing comma is answered with a trailing comma. A container that was empty before gets
 * a blank before the line break (` \n`), so that it is not taken for one that came with the child.
 */
export function insertChildren(text: string, container: Node, children: string[], layout: Layout): string {
  const closer = container.offset + container.length - 1
  const last = container.children?.at(-1)
  const from = last ? end(last) : container.offset + 1
  const tokens = tokensBetween(text, from, closer)
  const trailingComma = tokens.some(token => token.comma)
  const at = tokens.at(-1)?.end ?? from

  const lead = layout.eol + layout.indent
  const block = children.map(child => lead + child).join(',') + (trailingComma ? ',' : '')
  const mark = !last && tokens.length === 0 ? ' ' : ''
  const comma = last && !trailingComma ? ',' : ''
  return text.slice(0, from) + comma + text.slice(from, at) + mark + block + text.slice(at)
}

export interface Layout {
  eol: string
  /** The blanks before each child. */
  indent: string
}

/** The text without this child, and without the containers around it that hold nothing else and came with it. */
export function removeChild(text: string, child: Node): string | undefined {
  const container = child.parent
  // The whole file came with it.
  if (!container) return undefined
  if (cameAlong(text, child, container)) {
    return removeChild(text, container.parent?.type === 'property' ? container.parent : container)
  }
  const siblings = container.children ?? []
  const index = siblings.indexOf(child)
  const before = siblings[index - 1]
  const after = siblings[index + 1]

  const ahead = tokensBetween(text, before ? end(before) : container.offset + 1, child.offset)
  const behind = tokensBetween(text, end(child), after?.offset ?? container.offset + container.length - 1)
  const commaBehind = behind.find(token => token.comma)
  const commaAhead = ahead.find(token => token.comma)
  const start = ahead.at(-1)?.end ?? (before ? end(before) : container.offset + 1)

  const cuts: Span[] = [{ start, end: end(child) }]
  const comma = commaBehind ?? (after ? undefined : commaAhead)
  if (comma) cuts.push(comma)
  return cut(text, cuts)
}

/** Whether the container holds nothing but this child and was not there, empty, before it. */
export function cameAlong(text: string, child: Node, container: Node): boolean {
  if (container.children?.length !== 1) return false
  const closer = container.offset + container.length - 1
  const around = [
    ...tokensBetween(text, container.offset + 1, child.offset),
    ...tokensBetween(text, end(child), closer),
  ]
  if (around.some(token => !token.comma)) return false
  return !/^ \r?\n/.test(text.slice(container.offset + 1, child.offset))
}

interface Span {
  start: number
  end: number
}

interface Token extends Span {
  comma: boolean
}

/** Commas and comments: everything between two children but blanks and line breaks. */
function tokensBetween(text: string, from: number, to: number): Token[] {
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  const tokens: Token[] = []
  for (;;) {
    scanner.scan()
    const start = scanner.getTokenOffset()
    if (start >= to) return tokens
    const token = text.slice(start, start + scanner.getTokenLength())
    if (token.trim() !== '') tokens.push({ start, end: start + token.length, comma: token === ',' })
  }
}

function cut(text: string, spans: Span[]): string {
  let result = text
  for (const span of spans.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, span.start) + result.slice(Math.max(span.end, span.start))
  }
  return result
}

function end(node: Node): number {
  return node.offset + node.length
}
