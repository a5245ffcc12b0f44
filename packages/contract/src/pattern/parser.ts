import { type CharTest, CONTROLS, escapeClass } from './characters.ts'
import { PatternError } from './error.ts'
import type { Assertion, Node } from './states.ts'

const MAX_STATES = 4000

/** Compiles a regular expression into states. Throws PatternError for what cannot be matched in linear time. */
export class Parser {
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
    if (this.#at < this.#source.length)
      throw new PatternError(this.#source, 'has an unmatched closing bracket')
    const match = this.#node({ type: 'match' })
    for (const end of piece.ends) end(match)
    return piece.start
  }

  #node(node: Node): number {
    if (this.nodes.length >= MAX_STATES) throw new PatternError(this.#source, 'is too large')
    this.nodes.push(node)
    return this.nodes.length - 1
  }

  /** A fragment of one state whose successor is not known yet. */
  #open(node: Node, end: (to: number) => void): Piece {
    return { start: this.#node(node), ends: [end] }
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
    return this.#open(node, to => {
      node.next = to
      node.other = to
    })
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
    // A lazy repetition matches the same texts as a greedy one.
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
    const star = this.#open(node, to => {
      node.other = to
    })
    for (const end of piece.ends) end(star.start)
    return star
  }

  #optional(piece: Piece): Piece {
    const node = { type: 'split' as const, next: piece.start, other: -1 }
    const skip = this.#open(node, to => {
      node.other = to
    })
    return { start: skip.start, ends: [...piece.ends, ...skip.ends] }
  }

  #atom(): Piece {
    const char = this.#source.charAt(this.#at++)
    if (char === '(') {
      if (this.#source[this.#at] === '?') {
        if (this.#source[this.#at + 1] !== ':')
          throw new PatternError(this.#source, 'uses lookahead or lookbehind')
        this.#at += 2
      }
      const piece = this.#alternatives()
      if (this.#source[this.#at] !== ')') throw new PatternError(this.#source, 'has an unclosed bracket')
      this.#at++
      return piece
    }
    if (char === '[') return this.#char(this.#class())
    if (char === '.') return this.#char(code => code !== 10)
    if (char === '^') return this.#assert('start')
    if (char === '$') return this.#assert('end')
    if (/[*+?]/.test(char)) throw new PatternError(this.#source, 'has a repetition with nothing to repeat')
    if (char === '\\') return this.#escape()
    return this.#char(this.#same(char.charCodeAt(0)))
  }

  #same(code: number): CharTest {
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
    if (/[1-9k]/.test(char)) throw new PatternError(this.#source, 'uses a backreference')
    return this.#char(escapeClass(char) ?? this.#same((CONTROLS[char] ?? char).charCodeAt(0)))
  }

  #class(): CharTest {
    const negated = this.#source[this.#at] === '^'
    if (negated) this.#at++
    const tests: CharTest[] = []
    let first = true
    for (;;) {
      const char = this.#source.charAt(this.#at++)
      if (char === '') throw new PatternError(this.#source, 'has an unclosed character class')
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

  #char(test: CharTest): Piece {
    const node = { type: 'char' as const, test, next: -1 }
    return this.#open(node, to => {
      node.next = to
    })
  }

  #assert(kind: Assertion): Piece {
    const node = { type: 'assert' as const, kind, next: -1 }
    return this.#open(node, to => {
      node.next = to
    })
  }
}

/** A fragment of the machine. Each end receives the index of the state that follows. */
type Piece = { start: number; ends: ((to: number) => void)[] }

function join(left: Piece, right: Piece): Piece {
  for (const end of left.ends) end(right.start)
  return { start: left.start, ends: right.ends }
}
