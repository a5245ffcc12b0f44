import { NotUnderstood } from './not-understood.ts'
import { FILE_TABLES, RESERVED, SECRET_TABLES, SQL_FUNCTIONS } from './sql-names.ts'
import { readSqlTokens, type SqlDialect, type SqlToken } from './sql-tokens.ts'

const BINARY = new Set(
  '+ - * / % = == <> != < > <= >= || -> ->> #> #>> @> <@ ~ ~* !~ !~* & | << >> ^ && ?| ?&'.split(' '),
)
const MAX_DEPTH = 100

/** Reads SELECT, VALUES and WITH by their grammar. Throws where a part is not on the list of harmless ones. */
export class SqlReader {
  readonly dialect: SqlDialect
  readonly #tokens: SqlToken[]
  #at = 0
  #depth = 0

  constructor(sql: string, dialect: SqlDialect) {
    this.dialect = dialect
    this.#tokens = readSqlTokens(sql, dialect)
  }

  get atEnd(): boolean {
    return this.peek().kind === 'end'
  }

  query(): void {
    this.#nested(() => {
      if (this.take('with')) {
        this.take('recursive')
        this.list(() => {
          this.name()
          if (this.is('(')) this.#parenthesized(() => this.list(() => this.name()))
          this.expect('as')
          if (this.take('not')) this.expect('materialized')
          else this.take('materialized')
          this.#parenthesized(() => this.query())
        })
      }
      this.#body()
      while (this.take('union') || this.take('intersect') || this.take('except')) {
        if (!this.take('all')) this.take('distinct')
        this.#body()
      }
      this.#tail()
    })
  }

  #body() {
    if (this.is('(')) return this.#parenthesized(() => this.query())
    if (this.take('values'))
      return this.list(() => this.#parenthesized(() => this.list(() => this.expression())))
    this.expect('select')
    if (this.take('distinct')) {
      if (this.take('on')) this.#parenthesized(() => this.list(() => this.expression()))
    } else this.take('all')
    if (this.dialect === 'mssql' && this.take('top')) this.#unary()
    this.list(() => this.#column())
    if (this.take('from')) this.list(() => this.#source())
    if (this.take('where')) this.expression()
    if (this.take('group')) {
      this.expect('by')
      this.list(() => this.expression())
    }
    if (this.take('having')) this.expression()
  }

  #tail(): void {
    if (this.take('order')) this.#orderBy()
    if (this.take('limit')) this.list(() => this.expression())
    if (this.take('offset')) {
      this.expression()
      if (!this.take('rows')) this.take('row')
    }
    if (this.take('fetch')) {
      if (!this.take('first')) this.expect('next')
      if (this.peek().kind === 'number') this.#at++
      if (!this.take('rows')) this.expect('row')
      this.expect('only')
    }
  }

  #orderBy(): void {
    this.expect('by')
    this.list(() => {
      this.expression()
      if (!this.take('asc')) this.take('desc')
      if (this.take('nulls') && !this.take('first')) this.expect('last')
    })
  }

  #column(): void {
    if (this.take('*')) return
    this.expression()
    this.#alias()
  }

  #alias(): void {
    if (this.take('as')) {
      if (this.peek().kind === 'string') this.#at++
      else this.name()
    } else {
      const { kind, text } = this.peek()
      if (kind === 'quoted' || (kind === 'word' && !RESERVED.has(text))) this.#at++
    }
  }

  #source(): void {
    this.table()
    for (;;) {
      this.take('natural')
      const side = this.take('left') || this.take('right') || this.take('full')
      if (side) this.take('outer')
      else if (!this.take('inner')) this.take('cross')
      if (!this.take('join')) {
        if (side) throw new NotUnderstood(this.describe())
        return
      }
      this.table()
      if (this.take('on')) this.expression()
      else if (this.take('using')) this.#parenthesized(() => this.list(() => this.name()))
    }
  }

  table() {
    this.take('lateral')
    if (this.is('(')) {
      const inner = this.#tokens[this.#at + 1]
      if (inner?.kind === 'word' && /^(select|with|values)$/.test(inner.text))
        this.#parenthesized(() => this.query())
      else this.#parenthesized(() => this.#source())
    } else if (this.dialect === 'duckdb' && this.peek().kind === 'string') this.#at++
    else {
      const at = this.#at
      const last = this.path()
      if (this.is('(')) this.#call(last, this.#schemaOf(at))
      else if (FILE_TABLES.has(bare(last))) throw new NotUnderstood(`reads files through ${last.text}`)
      else if (this.#isSecret(last, at)) throw new NotUnderstood(`reads the passwords in ${last.text}`)
    }
    this.#alias()
    if (this.is('(')) this.#parenthesized(() => this.list(() => this.name()))
  }

  expression(): void {
    this.#nested(() => {
      this.#unary()
      for (;;) {
        const token = this.peek()
        if (token.kind === 'op' && BINARY.has(token.text)) {
          this.#at++
          this.#unary()
        } else if (this.take('and') || this.take('or')) this.#unary()
        else if (this.take('is')) {
          this.take('not')
          if (this.take('distinct')) this.expect('from')
          this.#unary()
        } else if (this.take('::')) this.type()
        else if (this.take('collate')) this.name()
        else if (this.take('at')) {
          this.expect('time')
          this.expect('zone')
          this.#unary()
        } else if (!this.#comparison()) return
      }
    })
  }

  /** `[NOT] IN`, `LIKE`, `BETWEEN` and their kind. */
  #comparison(): boolean {
    const negated = this.is('not') ? 1 : 0
    const { text } = this.#tokens[this.#at + negated] ?? { text: '' }
    if (!/^(in|like|ilike|glob|regexp|rlike|match|between|similar)$/.test(text)) return false
    this.#at += negated + 1
    if (text === 'in') {
      this.#parenthesized(() => this.#queryOrList())
      return true
    }
    if (text === 'similar') this.expect('to')
    this.#unary()
    if (text === 'between') {
      this.expect('and')
      this.#unary()
    }
    if (this.take('escape')) this.#unary()
    return true
  }

  #unary(): void {
    this.#nested(() => {
      while (this.take('-') || this.take('+') || this.take('not') || this.take('~')) {
        // Signs are part of the operand.
      }
      this.#operand()
      while (this.take('::')) this.type()
    })
  }

  #operand() {
    const token = this.peek()
    if (token.kind === 'number' || token.kind === 'string') {
      this.#at++
      return
    }
    if (this.is('(')) return this.#parenthesized(() => this.#queryOrList())
    if (token.kind === 'word') {
      if (this.take('null')) return
      if (this.take('exists')) return this.#parenthesized(() => this.query())
      if (this.take('case')) return this.#case()
      if (this.take('interval')) return this.#interval()
    }
    const at = this.#at
    const last = this.path()
    if (this.is('(')) this.#call(last, this.#schemaOf(at))
    // `DATE '2024-01-01'`
    else if (this.peek().kind === 'string' && /^(date|time|timestamp|timestamptz)$/.test(last.text))
      this.#at++
  }

  #queryOrList() {
    if (this.is('select', 'with', 'values')) this.query()
    else this.list(() => this.expression())
  }

  #case(): void {
    if (!this.is('when')) this.expression()
    while (this.take('when')) {
      this.expression()
      this.expect('then')
      this.expression()
    }
    if (this.take('else')) this.expression()
    this.expect('end')
  }

  #interval(): void {
    if (this.peek().kind === 'string') this.#at++
    else this.#unary()
    const { kind, text } = this.peek()
    if (kind === 'word' && /^(second|minute|hour|day|week|month|quarter|year)s?$/.test(text)) this.#at++
  }

  /** The name before the last one of a path that begins here; '' when there is none. */
  #schemaOf(start: number): string {
    const token = this.#tokens[this.#at - 3]
    return token && this.#at - start >= 3 ? bare(token) : ''
  }

  #isSecret(table: SqlToken, start: number): boolean {
    const name = bare(table)
    return SECRET_TABLES.has(name) || SECRET_TABLES.has(`${this.#schemaOf(start)}.${name}`)
  }

  #call(name: SqlToken, schema: string) {
    // Another schema may hold a function of the same name that does something else.
    if (schema !== '' && schema !== 'pg_catalog')
      throw new NotUnderstood(`calls ${schema}.${name.text}, which is not known to be harmless`)
    // A name in quotes may stand for any function.
    if (name.kind !== 'word' || !SQL_FUNCTIONS.has(name.text))
      throw new NotUnderstood(`calls ${name.text}, which is not known to be harmless`)
    this.#parenthesized(() => {
      if (this.is(')') || this.take('*')) return
      if (!this.take('distinct')) this.take('all')
      if (name.text === 'extract') {
        this.name()
        this.expect('from')
      }
      if (name.text === 'trim' && (this.take('both') || this.take('leading') || this.take('trailing')))
        if (!this.is('from')) this.expression()
      this.take('from')
      this.list(() => this.expression())
      if (this.take('as')) this.type()
      else if (this.take('from') || this.take('for')) {
        this.expression()
        if (this.take('for')) this.expression()
      } else if (this.take('using')) this.name()
      if (this.take('order')) this.#orderBy()
      if (this.take('separator')) this.#operand()
    })
    if (this.take('filter')) {
      this.#parenthesized(() => {
        this.expect('where')
        this.expression()
      })
    }
    if (this.take('within')) {
      this.expect('group')
      this.#parenthesized(() => {
        this.expect('order')
        this.#orderBy()
      })
    }
    if (this.take('over')) this.#over()
  }

  #over() {
    if (!this.is('(')) {
      this.name()
      return
    }
    this.#parenthesized(() => {
      if (this.take('partition')) {
        this.expect('by')
        this.list(() => this.expression())
      }
      if (this.take('order')) this.#orderBy()
      if (this.take('rows') || this.take('range'))
        while (!this.is(')')) {
          const { kind, text } = this.peek()
          if (kind !== 'number' && !/^(between|and|unbounded|preceding|following|current|row)$/.test(text))
            throw new NotUnderstood(this.describe())
          this.#at++
        }
    })
  }

  type(): void {
    this.path()
    if (this.take('precision') || this.take('varying')) return
    if (this.is('(')) this.#parenthesized(() => this.list(() => this.expression()))
  }

  /** `schema.table.column` or `table.*`; gives its last name. */
  path(): SqlToken {
    let last = this.name()
    while (this.take('.')) {
      if (this.take('*')) return last
      last = this.name()
    }
    return last
  }

  name(): SqlToken {
    const token = this.peek()
    if (token.kind !== 'quoted' && (token.kind !== 'word' || NOT_NAMES.test(token.text)))
      throw new NotUnderstood(this.describe())
    this.#at++
    return token
  }

  list(one: () => void): void {
    one()
    while (this.take(',')) one()
  }

  #parenthesized(inner: () => void): void {
    this.expect('(')
    inner()
    this.expect(')')
  }

  #nested(run: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new NotUnderstood('is nested too deep')
    run()
    this.#depth--
  }

  peek(): SqlToken {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' }
  }

  is(...texts: string[]): boolean {
    const { kind, text } = this.peek()
    return (kind === 'word' || kind === 'op') && texts.includes(text)
  }

  take(text: string): boolean {
    if (!this.is(text)) return false
    this.#at++
    return true
  }

  /** Takes any token; for statements that only list. */
  skip(): SqlToken {
    const token = this.peek()
    this.#at++
    return token
  }

  expect(text: string): void {
    if (!this.take(text)) throw new NotUnderstood(this.describe())
  }

  describe(): string {
    const { kind, text } = this.peek()
    return kind === 'end'
      ? 'ends too early'
      : `has ${JSON.stringify(text.slice(0, 40))} where it is not expected`
  }
}

/** A name or a quoted name without its quotes, for comparing. */
const bare = ({ text }: SqlToken): string => text.replace(/^["`[]|["`\]]$/g, '').toLowerCase()

const NOT_NAMES =
  /^(select|from|where|group|having|order|limit|union|intersect|except|join|on|into|insert|update|delete|drop|create|alter|truncate|grant|revoke|call|exec|execute|attach|detach|copy|set|do|returning|for|fetch|procedure)$/
