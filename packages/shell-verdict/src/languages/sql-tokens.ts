import { NotUnderstood } from './not-understood.ts'

/** The databases whose SQL is read. `generic` accepts only what means the same in all of them. */
export type SqlDialect = 'sqlite' | 'postgres' | 'mysql' | 'duckdb' | 'mssql' | 'generic'

export interface SqlToken {
  /** `quoted`: a name in quotes, or what another database takes for a text. */
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'op' | 'end'
  /** Words in lower case; quoted tokens with their quotes. */
  readonly text: string
}

const OPERATORS =
  /^(?:->>|#>>|->|#>|@>|<@|<=|>=|<>|!=|\|\||::|!~\*|!~|~\*|<<|>>|==|&&|\?\||\?&|[-+*/%=<>~&|^(),.;])/

/** Commands of mysql's own client, which it takes at the start of a line. */
const MYSQL_CLIENT =
  /\n\s*(?:clear|connect|delimiter|edit|ego|exit|go|help|nopager|notee|nowarning|pager|print|prompt|quit|rehash|source|status|system|tee|use|charset|warnings|resetconnection|query_attributes|\?)/i

/**
 * Splits SQL into tokens. Comments, backslashes, dollar quotes, prefixed strings and client variables mean different things to
 * different databases or settings: a text with one of them is not understood.
 */
export function readSqlTokens(sql: string, dialect: SqlDialect): SqlToken[] {
  if (sql.length > 20_000) throw new NotUnderstood('is too long')
  if (sql.includes('\\')) throw new NotUnderstood('has a backslash')
  if (dialect === 'mysql' && MYSQL_CLIENT.test(sql)) throw new NotUnderstood('has a command of the client')
  const tokens: SqlToken[] = []
  let at = 0
  while (at < sql.length) {
    const rest = sql.slice(at, at + 300)
    const char = rest.charAt(0)
    const blank = /^[ \t\r\n]+/.exec(rest)?.[0]
    if (blank) {
      at += blank.length
      continue
    }
    if (/^(?:--|\/\*|#(?![>-]))/.test(rest)) throw new NotUnderstood('has a comment')
    let length: number
    let kind: SqlToken['kind']
    if (char === "'" || char === '"' || char === '`') {
      length = quotedLength(sql, at, char)
      kind = char === "'" ? 'string' : 'quoted'
    } else if (char === '[' && (dialect === 'sqlite' || dialect === 'mssql')) {
      const end = sql.indexOf(']', at)
      if (end === -1) throw new NotUnderstood('has a name that is not closed')
      length = end + 1 - at
      kind = 'quoted'
    } else if (/[A-Za-z_]/.test(char) || (dialect === 'mssql' && /^@@[A-Za-z]/.test(rest))) {
      length = /^(?:@@)?\w+/.exec(rest)?.[0].length ?? 1
      kind = 'word'
    } else if (/^\.?\d/.test(rest)) {
      length = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/.exec(rest)?.[0].length ?? 1
      kind = 'number'
    } else {
      length = OPERATORS.exec(rest)?.[0].length ?? 0
      if (length === 0)
        throw new NotUnderstood(`has ${JSON.stringify(char)}, which is not known to be harmless`)
      kind = 'op'
    }
    // `E'…'`, `x'…'` and `1abc` are read differently.
    if (kind === 'word' || kind === 'number')
      if (/[\w'"`$#&\u0080-\uffff]/.test(sql.charAt(at + length)))
        throw new NotUnderstood('has a word that databases read differently')
    const text = sql.slice(at, at + length)
    tokens.push({ kind, text: kind === 'word' ? text.toLowerCase() : text })
    at += length
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

/** A quote inside is written twice. */
function quotedLength(sql: string, from: number, quote: string): number {
  for (let at = from + 1; at < sql.length; at++) {
    if (sql.charAt(at) !== quote) continue
    if (sql.charAt(at + 1) !== quote) return at + 1 - from
    at++
  }
  throw new NotUnderstood('has a text that is not closed')
}
