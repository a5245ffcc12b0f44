import type { Word as SyntaxWord, WordPart } from 'unbash'
import { expandBraces } from './braces.ts'

/** One argument as bash would pass it, as far as that is known before it runs. */
export interface Word {
  /** What is in the source. */
  readonly text: string
  /** The exact string after quote removal, or undefined when it is only known at run time. */
  readonly value: string | undefined
  /** The longest leading part that is known. */
  readonly prefix: string
  /** The value is a pattern that bash replaces by matching file names. */
  readonly glob: boolean
  /** Starts with an unquoted tilde. */
  readonly tilde: boolean
  /** May become no word at all, or several. */
  readonly many: boolean
  /** Every string it may be, where a loop or an assignment lists them. */
  readonly choices: readonly string[] | undefined
}

/** What is known of a variable at this point: every value it may hold. */
export type Variables = (name: string) => readonly string[] | undefined

export function literalWord(value: string): Word {
  return {
    text: value,
    value,
    prefix: value,
    glob: false,
    tilde: value.startsWith('~'),
    many: false,
    choices: undefined,
  }
}

export function unknownWord(text: string, many = true): Word {
  return { text, value: undefined, prefix: '', glob: false, tilde: false, many, choices: undefined }
}

/** The words one syntax word becomes: several after brace expansion, one otherwise. */
export function evaluateWord(word: SyntaxWord, variables: Variables): Word[] {
  const parts = word.parts
  if (!parts) return [plainWord(word)]
  if (parts.some(part => part.type === 'BraceExpansion')) {
    const expanded = expandBraces(word.text)
    if (expanded) return expanded.map(text => bareWord(text))
    return [{ ...unknownWord(word.text), prefix: leadingLiteral(parts) }]
  }
  const state: Gathering = { values: [''], prefix: '', open: true, glob: false, many: false, known: true }
  for (const part of parts) gather(state, part, false, variables)
  const first = parts[0]
  const tilde = first?.type === 'Literal' && first.text.startsWith('~')
  const single = state.known && state.values.length === 1 ? state.values[0] : undefined
  return [
    {
      text: word.text,
      value: single,
      prefix: single ?? state.prefix,
      glob: state.glob,
      tilde,
      many: state.many || state.glob,
      choices: state.known && state.values.length > 1 ? state.values : undefined,
    },
  ]
}

interface Gathering {
  values: string[]
  prefix: string
  /** Still inside the known prefix. */
  open: boolean
  glob: boolean
  many: boolean
  known: boolean
}

function gather(state: Gathering, part: WordPart, quoted: boolean, variables: Variables): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      append(state, part.value)
      return
    case 'Glob':
      state.glob = true
      append(state, part.value)
      return
    case 'ExtendedGlob':
      state.glob = true
      append(state, part.text)
      return
    case 'DoubleQuoted':
    case 'LocaleString':
      for (const child of part.parts) gather(state, child, true, variables)
      return
    case 'SimpleExpansion':
      substitute(state, variables(part.text.slice(1)), quoted, /^\$[@*]$/.test(part.text))
      return
    case 'ParameterExpansion':
      substitute(
        state,
        part.prefix || part.operation || part.index ? undefined : variables(part.parameter),
        quoted,
        part.index !== undefined || part.parameter === '@' || part.prefix === '!',
      )
      return
    case 'ArithmeticExpansion':
      // A number: never a flag unless negative, never several words.
      state.known = false
      state.open = false
      return
    case 'ProcessSubstitution':
      // The name of a pipe: one word.
      append(state, '/dev/fd/')
      state.known = false
      state.open = false
      return
    default:
      substitute(state, undefined, quoted, false)
  }
}

function append(state: Gathering, text: string): void {
  if (state.open) state.prefix += text
  if (state.known) state.values = state.values.map(value => value + text)
}

function substitute(state: Gathering, values: readonly string[] | undefined, quoted: boolean, list: boolean) {
  // Unquoted, a value with blanks or pattern characters is split and matched again: give up on it.
  const usable =
    values && !list && (quoted || values.every(value => /^[^\s*?[\\]*$/.test(value) && value !== ''))
  if (usable && state.known && state.values.length * values.length <= 64) {
    state.values = state.values.flatMap(value => values.map(next => value + next))
    if (values.length === 1 && state.open) state.prefix += values[0]
    else state.open = false
    return
  }
  state.known = false
  state.open = false
  if (!quoted || list) state.many = true
}

function plainWord(word: SyntaxWord): Word {
  return {
    text: word.text,
    value: word.value,
    prefix: word.value,
    glob: false,
    tilde: word.text.startsWith('~'),
    many: false,
    choices: undefined,
  }
}

/** A word made by brace expansion of a text without quotes or expansions. */
function bareWord(text: string): Word {
  const glob = /[*?[]/.test(text)
  return {
    text,
    value: text,
    prefix: text,
    glob,
    tilde: text.startsWith('~'),
    many: glob,
    choices: undefined,
  }
}

function leadingLiteral(parts: readonly WordPart[]): string {
  const first = parts[0]
  return first?.type === 'Literal' || first?.type === 'SingleQuoted' ? first.value : ''
}
