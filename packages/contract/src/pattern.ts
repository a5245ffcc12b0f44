/**
 * Regular expressions from configuration, matched in time linear in the text: each set of states is advanced one
 * character at a time, so that no pattern, however it is written, can hold up a decision.
 */
export interface Pattern {
  readonly source: string
  test(text: string): boolean
}

const MAX_STATES = 4000

export function compilePattern(source: string, flags = ''): Pattern {
  const parser = new Parser(source, flags.includes('i'))
  const start = parser.parse()
  return { source, test: text => run(parser.nodes, start, text) }
}

export class PatternError extends Error {
  /** What is wrong, without the pattern itself: completes «the pattern …». */
  readonly problem: string

  constructor(source: string, problem: string) {
    super(
      `the pattern ${JSON.stringify(source)} ${problem}; write it without that, or as a rule with program and flags`,
    )
    this.name = 'PatternError'
    this.problem = problem
  }
}

type Node =
  | { type: 'char'; test: (code: number) => boolean; next: number }
  | { type: 'split'; next: number; other: number }
  | { type: 'assert'; kind: 'start' | 'end' | 'word' | 'notword'; next: number }
  | { type: 'match' }

type Piece = { start: number; ends: ((to: number) => void)[] }

class Parser {
  readonly nodes: Node[] = []
  readonly #source: string
  readonly #fold: boolean
  #at = 0

  constructor(source: string, fold: boolean) {
    this.#source = source
    this.#fold = fold
  }

  parse(): number {
    if (this.#source.startsWith('(?i)')) throw new PatternError(this.#source, 'uses an inline flag')
    const piece = this.#alternatives()
    if (this.#at < this.#source.length) throw new PatternError(this.#source, 'has a closing bracket too many')
    const match = this.#node({ type: 'match' })
    for (const end of piece.ends) end(match)
    return piece.start
  }

  #node(node: Node): number {
    if (this.nodes.length >= MAX_STATES) throw new PatternError(this.#source, 'is too large')
    this.nodes.push(node)
    return this.nodes.length - 1
  }

  #alternatives(): Piece {
    let left = this.#sequence()
    while (this.#source[this.#at] === '|') {
      this.#at++
      const right = this.#sequence()
      const split = this.#node({ type: 'split', next: left.start, other: right.start })
      left = { start: split, ends: [...left.ends, ...right.ends] }
    }
    return left
  }

  #sequence(): Piece {
    let whole: Piece | undefined
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source.charAt(this.#at))) {
      const piece = this.#repeated()
      whole = whole ? join(whole, piece) : piece
    }
    return whole ?? this.#empty()
  }

  #empty(): Piece {
    const node = { type: 'split' as const, next: -1, other: -1 }
    const at = this.#node(node)
    return {
      start: at,
      ends: [
        to => {
          node.next = to
          node.other = to
        },
      ],
    }
  }

  #repeated(): Piece {
    const from = this.#at
    let piece = this.#atom()
    const char = this.#source.charAt(this.#at)
    let min = 1
    let max: number | undefined = 1
    if (char === '*') [min, max] = [0, undefined]
    else if (char === '+') [min, max] = [1, undefined]
    else if (char === '?') [min, max] = [0, 1]
    else if (char === '{') {
      const bounds = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(this.#source.slice(this.#at))
      if (!bounds) return piece
      min = Number(bounds[1])
      max = bounds[2] === undefined ? min : bounds[3] ? Number(bounds[3]) : undefined
      this.#at += bounds[0].length - 1
    } else return piece
    this.#at++
    // A lazy repetition matches the same texts.
    if (this.#source[this.#at] === '?') this.#at++
    const resume = this.#at
    const again = (): Piece => {
      this.#at = from
      const copy = this.#atom()
      this.#at = resume
      return copy
    }
    if (min === 1 && max === 1) return piece
    const parts: Piece[] = []
    for (let count = 0; count < min; count++) parts.push(count === 0 ? piece : again())
    if (max === undefined) parts.push(this.#star(min === 0 ? piece : again()))
    else for (let count = min; count < max; count++) parts.push(this.#optional(count === 0 ? piece : again()))
    piece =
      parts.reduce<Piece | undefined>((left, right) => (left ? join(left, right) : right), undefined) ??
      this.#empty()
    return piece
  }

  #star(piece: Piece): Piece {
    const node = { type: 'split' as const, next: piece.start, other: -1 }
    const at = this.#node(node)
    for (const end of piece.ends) end(at)
    return {
      start: at,
      ends: [
        to => {
          node.other = to
        },
      ],
    }
  }

  #optional(piece: Piece): Piece {
    const node = { type: 'split' as const, next: piece.start, other: -1 }
    const at = this.#node(node)
    return {
      start: at,
      ends: [
        ...piece.ends,
        to => {
          node.other = to
        },
      ],
    }
  }

  #atom(): Piece {
    const char = this.#source.charAt(this.#at++)
    if (char === '(') {
      if (this.#source[this.#at] === '?') {
        if (this.#source[this.#at + 1] !== ':') throw new PatternError(this.#source, 'looks ahead or behind')
        this.#at += 2
      }
      const piece = this.#alternatives()
      if (this.#source[this.#at] !== ')') throw new PatternError(this.#source, 'has an open bracket')
      this.#at++
      return piece
    }
    if (char === '[') return this.#char(this.#class())
    if (char === '.') return this.#char(code => code !== 10)
    if (char === '^') return this.#assert('start')
    if (char === '$') return this.#assert('end')
    if (/[*+?]/.test(char)) throw new PatternError(this.#source, 'repeats nothing')
    if (char === '\\') return this.#escape()
    return this.#char(this.#same(char.charCodeAt(0)))
  }

  #same(code: number): (other: number) => boolean {
    if (!this.#fold) return other => other === code
    const lower = String.fromCharCode(code).toLowerCase()
    return other => String.fromCharCode(other).toLowerCase() === lower
  }

  #escape(): Piece {
    const char = this.#source.charAt(this.#at++)
    if (char === '') throw new PatternError(this.#source, 'ends in a backslash')
    if (char === 'b') return this.#assert('word')
    if (char === 'B') return this.#assert('notword')
    if (char === 'A') return this.#assert('start')
    if (char === 'Z') return this.#assert('end')
    if (/[1-9k]/.test(char)) throw new PatternError(this.#source, 'refers back')
    return this.#char(escapeClass(char) ?? this.#same((CONTROLS[char] ?? char).charCodeAt(0)))
  }

  #class(): (code: number) => boolean {
    const negated = this.#source[this.#at] === '^'
    if (negated) this.#at++
    const tests: ((code: number) => boolean)[] = []
    let first = true
    for (;;) {
      const char = this.#source.charAt(this.#at++)
      if (char === '') throw new PatternError(this.#source, 'has an open class')
      if (char === ']' && !first) break
      first = false
      let low = char
      if (char === '\\') {
        const escaped = this.#source.charAt(this.#at++)
        const known = escapeClass(escaped)
        if (known) {
          tests.push(known)
          continue
        }
        low = CONTROLS[escaped] ?? escaped
      }
      if (
        this.#source[this.#at] === '-' &&
        this.#source[this.#at + 1] !== ']' &&
        this.#source[this.#at + 1] !== undefined
      ) {
        let high = this.#source.charAt(this.#at + 1)
        this.#at += 2
        if (high === '\\') high = this.#source.charAt(this.#at++)
        const [from, to] = [low.charCodeAt(0), high.charCodeAt(0)]
        tests.push(code => code >= from && code <= to)
      } else tests.push(this.#same(low.charCodeAt(0)))
    }
    return code => tests.some(test => test(code)) !== negated
  }

  #char(test: (code: number) => boolean): Piece {
    const node = { type: 'char' as const, test, next: -1 }
    const at = this.#node(node)
    return {
      start: at,
      ends: [
        to => {
          node.next = to
        },
      ],
    }
  }

  #assert(kind: 'start' | 'end' | 'word' | 'notword'): Piece {
    const node = { type: 'assert' as const, kind, next: -1 }
    const at = this.#node(node)
    return {
      start: at,
      ends: [
        to => {
          node.next = to
        },
      ],
    }
  }
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' }

function escapeClass(char: string): ((code: number) => boolean) | undefined {
  switch (char) {
    case 'd':
      return code => code >= 48 && code <= 57
    case 'D':
      return code => code < 48 || code > 57
    case 'w':
      return isWord
    case 'W':
      return code => !isWord(code)
    case 's':
      return isSpace
    case 'S':
      return code => !isSpace(code)
    default:
      return undefined
  }
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  )
}

function isSpace(code: number): boolean {
  return (
    (code >= 9 && code <= 13) ||
    code === 32 ||
    code === 160 ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0xfeff
  )
}

function join(left: Piece, right: Piece): Piece {
  for (const end of left.ends) end(right.start)
  return { start: left.start, ends: right.ends }
}

function run(nodes: readonly Node[], start: number, text: string): boolean {
  let current = new Set<number>()
  for (let at = 0; at <= text.length; at++) {
    // A match may begin anywhere.
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

/** Adds the states reachable without reading; true when the match is among them. */
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

function holds(kind: 'start' | 'end' | 'word' | 'notword', at: number, text: string): boolean {
  if (kind === 'start') return at === 0
  if (kind === 'end') return at === text.length || (at === text.length - 1 && text[at] === '\n')
  const before = at > 0 && isWord(text.charCodeAt(at - 1))
  const after = at < text.length && isWord(text.charCodeAt(at))
  return (before !== after) === (kind === 'word')
}
