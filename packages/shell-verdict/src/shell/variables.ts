import { type Assignment, forEachChild, type ParsedScript, type SyntaxNode, type Word } from 'unbash'
import { givesNumber } from './arithmetic.ts'

/** Builtins that can write a variable whose name is in no assignment. */
const WRITES_BY_NAME =
  /(^|[^\w-])(eval|declare|typeset|local|mapfile|readarray|getopts|let|unset|nameref|coproc)([^\w-]|$)|printf\s+-v|\bsource\b|(^|[\s;&|])\.\s/

/**
 * What a text says about its own variables. A value counts as known only when the name is written exactly once,
 * in the open; everything else is unknown, never guessed.
 */
export class TextVariables {
  readonly #source: string
  readonly #known = new Map<string, readonly string[]>()
  readonly #tainted = new Set<string>()
  readonly #counts = new Map<string, number>()
  readonly #home: string
  readonly #traceable: boolean
  #script: ParsedScript | undefined
  #scanned = false

  constructor(source: string, home: string) {
    this.#source = source
    this.#home = home
    this.#traceable = !WRITES_BY_NAME.test(source)
  }

  values(name: string): readonly string[] | undefined {
    const known = this.#known.get(name)
    if (known) return known
    return name === 'HOME' && this.untouched('HOME') ? [this.#home] : undefined
  }

  set(name: string, values: readonly string[]): void {
    if (this.#traceable && this.#mentions(name) === 1) this.#known.set(name, values)
  }

  /** A loop's variable, known inside its body. */
  during(name: string, values: readonly string[], run: () => void): void {
    this.set(name, values)
    run()
    this.#known.delete(name)
  }

  /** The name is nowhere written, so it holds what the environment gave. */
  untouched(name: string): boolean {
    return this.#mentions(name) === 0
  }

  /** It may hold a text that bash would run when it expects a number. */
  tainted(name: string): boolean {
    // Only asked where bash expects a number, so most texts never pay for the walk.
    if (this.#script) {
      const script = this.#script
      this.#script = undefined
      this.#scanned = true
      this.#visit(script)
    }
    return this.#tainted.has(name) || (!this.#traceable && this.#mentions(name) > 0)
  }

  /** The whole text, for when a value is needed as a number. */
  of(script: ParsedScript): void {
    if (!this.#scanned) this.#script ??= script
  }

  #visit(node: SyntaxNode): void {
    if (node.type === 'Assignment') {
      if (!numericAssignment(node)) this.#tainted.add(node.name)
    } else if (node.type === 'For' || node.type === 'Select') {
      if (!node.wordlist?.every(numericWord)) this.#tainted.add(node.name.value)
    } else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
      this.#tainted.add(node.parameter)
    } else if (
      node.type === 'Command' &&
      /^(read|mapfile|readarray|printf|getopts|export|readonly|declare|typeset|local)$/.test(
        node.name?.value ?? '',
      )
    ) {
      for (const word of node.args) if (word.type === 'Word') this.#tainted.add(word.value)
    }
    forEachChild(node, child => this.#visit(child))
  }

  /** How often the name is in the text without a `$` before it. */
  #mentions(name: string): number {
    const counted = this.#counts.get(name)
    if (counted !== undefined) return counted
    let count = 0
    if (/^\w+$/.test(name)) {
      for (const match of this.#source.matchAll(
        new RegExp(`(\\$\\{?[#!]?)?(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])(:?=)?`, 'g'),
      )) {
        if (!match[1] || match[2] || match[1].includes('!')) count++
      }
    } else count = 2
    this.#counts.set(name, count)
    return count
  }
}

function numericAssignment(node: Assignment): boolean {
  if (node.value.type === 'ArrayValue') return node.value.elements.every(numericWord)
  return numericWord(node.value)
}

function numericWord(word: Word): boolean {
  if (!word.parts) return /^[\d\s+\-*/%().]*$/.test(word.value)
  return word.parts.every(
    part =>
      part.type === 'ArithmeticExpansion' ||
      (part.type === 'CommandExpansion' && givesNumber(part.script)) ||
      (part.type === 'BraceExpansion' && /^\{\d+\.\.\d+\}$/.test(part.text)) ||
      (part.type === 'Literal' && /^[\d\s+-]*$/.test(part.value)),
  )
}
