import { type CharTest, isWord } from './characters.ts'

export type Assertion = 'start' | 'end' | 'word' | 'notword'

/** One state: reads a character, branches, asserts a position, or matches. */
export type Node =
  | { type: 'char'; test: CharTest; next: number }
  | { type: 'split'; next: number; other: number }
  | { type: 'assert'; kind: Assertion; next: number }
  | { type: 'match' }

/** Whether the pattern matches anywhere in the text. Advances the set of active states one character at a time. */
export function matches(nodes: readonly Node[], start: number, text: string): boolean {
  let current = new Set<number>()
  for (let at = 0; at <= text.length; at++) {
    // A match may start at any position.
    if (follow(nodes, start, at, text, current)) return true
    if (at === text.length) return false
    const code = text.charCodeAt(at)
    const next = new Set<number>()
    for (const index of current) {
      const node = nodes[index]
      if (node?.type === 'char' && node.test(code) && follow(nodes, node.next, at + 1, text, next))
        return true
    }
    current = next
  }
  return false
}

/** Adds every state reachable without reading a character. Returns true if one of them is the match. */
function follow(nodes: readonly Node[], from: number, at: number, text: string, into: Set<number>): boolean {
  const open = [from]
  while (open.length > 0) {
    const index = open.pop() ?? -1
    const node = nodes[index]
    if (!node || into.has(index)) continue
    into.add(index)
    if (node.type === 'match') return true
    if (node.type === 'split') open.push(node.next, node.other)
    else if (node.type === 'assert' && holds(node.kind, at, text)) open.push(node.next)
  }
  return false
}

function holds(kind: Assertion, at: number, text: string): boolean {
  if (kind === 'start') return at === 0
  if (kind === 'end') return at === text.length || (at === text.length - 1 && text[at] === '\n')
  const before = at > 0 && isWord(text.charCodeAt(at - 1))
  const after = at < text.length && isWord(text.charCodeAt(at))
  return (before !== after) === (kind === 'word')
}
