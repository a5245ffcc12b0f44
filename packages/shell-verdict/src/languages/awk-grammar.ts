import { type AwkToken, readAwkTokens } from './awk-tokens.ts'
import { NotUnderstood } from './not-understood.ts'

/** Functions that only compute. */
const FUNCTIONS = new Set(
  `length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper
  strftime mktime systime and or xor lshift rshift compl strtonum patsplit asort asorti isarray typeof close fflush`.split(
    /\s+/,
  ),
)

/** Names by which a program would read other files or change how awk itself works. */
const FORBIDDEN = new Set([
  'ARGV',
  'ARGC',
  'ARGIND',
  'PROCINFO',
  'ENVIRON',
  'SYMTAB',
  'FUNCTAB',
  'system',
  'getline',
  'extension',
  'bindtextdomain',
  'dcgettext',
  'dcngettext',
])

const BINARY = new Set([
  '+',
  '-',
  '*',
  '/',
  '%',
  '^',
  '**',
  '<',
  '<=',
  '==',
  '!=',
  '>=',
  '~',
  '!~',
  '&&',
  '||',
])
const ASSIGN = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=', '**='])
const MAX_DEPTH = 200

/** Reads a whole awk program by its grammar. Throws where a part is not on the list of harmless ones. */
export class AwkReader {
  readonly #tokens: AwkToken[]
  readonly #defined: ReadonlySet<string>
  #at = 0
  #depth = 0
  /** Inside `print` without parentheses a `>` writes to a file. */
  #printing = false

  constructor(program: string) {
    this.#tokens = readAwkTokens(program)
    this.#defined = new Set(
      this.#tokens.flatMap((token, index) => {
        const before = this.#tokens[index - 1]
        return before?.kind === 'keyword' && /^func/.test(before.text) ? [token.text] : []
      }),
    )
  }

  read(): void {
    this.#skipEnds()
    while (this.#peek().kind !== 'end') {
      this.#item()
      this.#skipEnds()
    }
  }

  #item() {
    if (this.#isKeyword('function', 'func')) {
      this.#at++
      this.#next('name', 'call')
      this.#parenthesized(() => this.#list(() => this.#next('name')))
      this.#skipNewlines()
      this.#block()
      return
    }
    if (this.#isKeyword('BEGIN', 'END')) {
      this.#at++
      this.#block()
      return
    }
    if (!this.#is('{')) {
      this.#expression()
      if (this.#is(',')) {
        this.#at++
        this.#skipNewlines()
        this.#expression()
      }
    }
    if (this.#is('{')) this.#block()
  }

  #block(): void {
    this.#expect('{')
    this.#skipEnds()
    while (!this.#is('}')) {
      this.#statement()
      this.#skipEnds()
    }
    this.#at++
  }

  #statement() {
    this.#nested(() => {
      const token = this.#peek()
      if (this.#is('{')) return this.#block()
      if (token.kind !== 'keyword') {
        this.#expression()
        return this.#endStatement()
      }
      this.#at++
      switch (token.text) {
        case 'if':
          this.#parenthesized(() => this.#expression())
          this.#body()
          this.#else()
          return
        case 'while':
          this.#parenthesized(() => this.#expression())
          if (this.#is(';')) this.#at++
          else this.#body()
          return
        case 'do':
          this.#body()
          this.#skipEnds()
          this.#expectKeyword('while')
          this.#parenthesized(() => this.#expression())
          return this.#endStatement()
        case 'for':
          return this.#for()
        case 'print':
        case 'printf':
          this.#print()
          return this.#endStatement()
        case 'delete':
          this.#next('name')
          if (this.#is('[')) this.#subscript()
          return this.#endStatement()
        case 'exit':
        case 'return':
          if (!this.#atEnd()) this.#expression()
          return this.#endStatement()
        case 'break':
        case 'continue':
        case 'next':
        case 'nextfile':
          return this.#endStatement()
        default:
          throw new NotUnderstood(`uses ${token.text}`)
      }
    })
  }

  /** What follows a condition: on its own line or after it. A pattern there is read differently by different awks. */
  #body() {
    this.#skipNewlines()
    if (this.#peek().kind === 'regex') throw new NotUnderstood('has a slash that awks read differently')
    if (this.#is(';')) this.#at++
    else this.#statement()
  }

  #else(): void {
    const before = this.#at
    this.#skipEnds()
    if (!this.#isKeyword('else')) {
      this.#at = before
      return
    }
    this.#at++
    this.#body()
  }

  #for(): void {
    this.#expect('(')
    if (!this.#is(';')) this.#expression()
    if (this.#is(';')) {
      this.#at++
      this.#skipNewlines()
      if (!this.#is(';')) this.#expression()
      this.#expect(';')
      this.#skipNewlines()
      if (!this.#is(')')) this.#expression()
    }
    this.#expect(')')
    this.#body()
  }

  #print(): void {
    if (!this.#atEnd() && !this.#is('>', '>>', '|')) {
      const outer = this.#printing
      this.#printing = true
      this.#list(() => this.#expression())
      this.#printing = outer
    }
    if (this.#is('>', '>>')) throw new NotUnderstood('writes to a file')
    if (this.#is('|')) throw new NotUnderstood('pipes to a command')
  }

  #list(one: () => void): void {
    if (this.#is(')')) return
    one()
    while (this.#is(',')) {
      this.#at++
      this.#skipNewlines()
      one()
    }
  }

  #expression(): void {
    this.#nested(() => {
      this.#unary()
      for (;;) {
        const token = this.#peek()
        if (token.kind === 'op' && (BINARY.has(token.text) || ASSIGN.has(token.text))) {
          this.#at++
          if (/^(?:&&|\|\|)$/.test(token.text)) this.#skipNewlines()
          this.#unary()
        } else if (this.#is('>') && !this.#printing) {
          this.#at++
          this.#unary()
        } else if (this.#is('?')) {
          this.#at++
          this.#skipNewlines()
          this.#expression()
          this.#skipNewlines()
          this.#expect(':')
          this.#skipNewlines()
          this.#expression()
        } else if (this.#isKeyword('in')) {
          this.#at++
          this.#next('name')
        } else if (this.#startsOperand()) this.#unary()
        else if (this.#is('|')) throw new NotUnderstood('pipes to or from a command')
        else return
      }
    })
  }

  #unary(): void {
    while (this.#is('!', '-', '+', '++', '--', '$')) this.#at++
    const token = this.#peek()
    switch (token.kind) {
      case 'number':
      case 'string':
      case 'regex':
        this.#at++
        break
      case 'call':
        this.#call()
        break
      case 'name':
        this.#at++
        if (FORBIDDEN.has(token.text)) throw new NotUnderstood(`uses ${token.text}`)
        if (this.#is('[')) this.#subscript()
        break
      default:
        if (!this.#is('(')) throw new NotUnderstood(this.#describe())
        // Inside parentheses a `>` compares again.
        this.#group(() => this.#list(() => this.#expression()))
    }
    while (this.#is('++', '--')) this.#at++
  }

  #call() {
    const { text } = this.#next('call')
    if (text === 'system') throw new NotUnderstood('runs a command through system()')
    if (!FUNCTIONS.has(text) && !this.#defined.has(text))
      throw new NotUnderstood(`calls ${text}, which is not known to be harmless`)
    this.#group(() => this.#list(() => this.#expression()))
  }

  #subscript(): void {
    const outer = this.#printing
    this.#printing = false
    this.#expect('[')
    this.#list(() => this.#expression())
    this.#expect(']')
    this.#printing = outer
  }

  #group(inner: () => void): void {
    const outer = this.#printing
    this.#printing = false
    this.#parenthesized(inner)
    this.#printing = outer
  }

  #parenthesized(inner: () => void): void {
    this.#expect('(')
    this.#skipNewlines()
    inner()
    this.#skipNewlines()
    this.#expect(')')
  }

  #nested(run: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new NotUnderstood('is nested too deep')
    run()
    this.#depth--
  }

  /** Two operands next to each other are joined. */
  #startsOperand(): boolean {
    const { kind } = this.#peek()
    if (kind === 'number' || kind === 'string' || kind === 'regex' || kind === 'name' || kind === 'call')
      return true
    return this.#is('(', '$', '!', '++', '--')
  }

  #atEnd(): boolean {
    const { kind } = this.#peek()
    return kind === 'newline' || kind === 'end' || this.#is(';', '}')
  }

  #endStatement(): void {
    if (!this.#atEnd()) throw new NotUnderstood(this.#describe())
  }

  #skipNewlines(): void {
    while (this.#peek().kind === 'newline') this.#at++
  }

  #skipEnds(): void {
    while (this.#peek().kind === 'newline' || this.#is(';')) this.#at++
  }

  #peek(): AwkToken {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' }
  }

  #is(...texts: string[]): boolean {
    const token = this.#peek()
    return token.kind === 'op' && texts.includes(token.text)
  }

  #isKeyword(...texts: string[]): boolean {
    const token = this.#peek()
    return token.kind === 'keyword' && texts.includes(token.text)
  }

  #next(...kinds: AwkToken['kind'][]): AwkToken {
    const token = this.#peek()
    if (!kinds.includes(token.kind) || FORBIDDEN.has(token.text)) {
      if (token.text === 'system') throw new NotUnderstood('runs a command through system()')
      throw new NotUnderstood(this.#describe())
    }
    this.#at++
    return token
  }

  #expect(text: string): void {
    if (!this.#is(text)) throw new NotUnderstood(this.#describe())
    this.#at++
  }

  #expectKeyword(text: string): void {
    if (!this.#isKeyword(text)) throw new NotUnderstood(this.#describe())
    this.#at++
  }

  #describe(): string {
    const { kind, text } = this.#peek()
    if (text === 'getline') return 'reads from a file or a command with getline'
    if (text === '|' || text === '>' || text === '>>') return 'writes to a file or a command'
    return kind === 'end'
      ? 'ends too early'
      : `has ${JSON.stringify(text.slice(0, 40))} where it is not expected`
  }
}
