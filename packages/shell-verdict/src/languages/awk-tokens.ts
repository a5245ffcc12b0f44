import { NotUnderstood } from './not-understood.ts'

export interface AwkToken {
  readonly kind: 'number' | 'string' | 'regex' | 'name' | 'call' | 'keyword' | 'op' | 'newline' | 'end'
  readonly text: string
}

const KEYWORDS = new Set(
  'BEGIN END function func if else while for do break continue next nextfile exit return delete in getline print printf'.split(
    ' ',
  ),
)

const OPERATORS =
  /^(?:\*\*=|\*\*|\+\+|--|\+=|-=|\*=|\/=|%=|\^=|==|!=|<=|>=|&&|\|\||!~|>>|[-+*/%^!<>|?:=~$,;(){}[\]])/

/**
 * Splits an awk program into tokens. Awks disagree on whether a `/` divides or begins a regular expression after some tokens, and
 * on where a regular expression with brackets ends: such programs are not understood.
 */
export function readAwkTokens(program: string): AwkToken[] {
  const tokens: AwkToken[] = []
  let at = 0
  const add = (kind: AwkToken['kind'], length: number): void => {
    tokens.push({ kind, text: program.slice(at, at + length) })
    at += length
  }
  while (at < program.length) {
    const rest = program.slice(at, at + 300)
    const char = rest.charAt(0)
    const blank = /^(?:[ \t]+|\\\n|#[^\n]*)/.exec(program.slice(at))?.[0]
    if (blank) at += blank.length
    else if (char === '\n') add('newline', 1)
    else if (char === '"') add('string', stringLength(program, at))
    else if (char === '/' && opensRegex(tokens.at(-1))) add('regex', regexLength(program, at))
    else if (/[A-Za-z_]/.test(char)) {
      const name = /^\w+/.exec(rest)?.[0] ?? char
      if (name.length > 200) throw new NotUnderstood('has a name that is too long')
      const kind = KEYWORDS.has(name) ? 'keyword' : rest.charAt(name.length) === '(' ? 'call' : 'name'
      add(kind, name.length)
    } else if (/[\d.]/.test(char)) {
      const number = /^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/.exec(rest)?.[0]
      if (!number) throw new NotUnderstood('has a number that is not plain')
      add('number', number.length)
    } else {
      const operator = OPERATORS.exec(rest)?.[0]
      if (!operator) throw new NotUnderstood(`has ${JSON.stringify(char)}, which is not known to be harmless`)
      // After a closing bracket or an operand `/=` assigns; elsewhere some awks begin a pattern with it.
      if (operator.startsWith('/') && !isOperand(tokens.at(-1)))
        throw new NotUnderstood('has a slash that awks read differently')
      add('op', operator.length)
    }
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

const isOperand = (token: AwkToken | undefined): boolean =>
  token !== undefined &&
  (token.kind === 'number' ||
    (token.kind === 'name' && token.text !== 'length') ||
    token.kind === 'string' ||
    (token.kind === 'op' && /^[)\]]$/.test(token.text)))

/** A regular expression begins here in every awk. */
function opensRegex(before: AwkToken | undefined): boolean {
  if (!before || before.kind === 'newline') return true
  if (before.kind === 'keyword') return before.text === 'print' || before.text === 'return'
  return before.kind === 'op' && /^(?:[(,!{};]|&&|\|\||~|!~|\?|:|=|==|!=)$/.test(before.text)
}

function stringLength(program: string, from: number): number {
  for (let at = from + 1; at < program.length; at++) {
    const char = program.charAt(at)
    if (char === '"') return at + 1 - from
    if (char === '\\') at++
    if (program.charAt(at) === '\n') break
  }
  throw new NotUnderstood('has a text that is not closed on its line')
}

/** In some awks a slash inside brackets ends a regular expression, in others not. */
function regexLength(program: string, from: number): number {
  let inBrackets = false
  for (let at = from + 1; at < program.length; at++) {
    const char = program.charAt(at)
    if (char === '\n') break
    if (char === '/') {
      if (inBrackets) break
      return at + 1 - from
    }
    if (char === '\\') {
      // Whether a backslash escapes inside brackets differs.
      if (inBrackets && program.charAt(at + 1) === ']') break
      at++
      if (program.charAt(at) === '\n') break
    } else if (char === '[' && !inBrackets) {
      inBrackets = true
      if (program.charAt(at + 1) === '^') at++
      // `[]…]` holds a bracket in some awks and is empty in others.
      if (program.charAt(at + 1) === ']') break
    } else if (char === '[' && /[.:=]/.test(program.charAt(at + 1))) {
      const close = program.indexOf(`${program.charAt(at + 1)}]`, at + 2)
      if (close === -1 || /[/\n]/.test(program.slice(at, close))) break
      at = close + 1
    } else if (char === ']') inBrackets = false
  }
  throw new NotUnderstood('has a regular expression that awks read differently')
}
