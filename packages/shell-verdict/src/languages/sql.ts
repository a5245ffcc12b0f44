import { findHazard, NotUnderstood } from './not-understood.ts'
import { SqlReader } from './sql-grammar.ts'
import { SQLITE_BARE_PRAGMAS, SQLITE_PRAGMAS } from './sql-names.ts'
import type { SqlDialect } from './sql-tokens.ts'

/** Why this SQL does more than read, or undefined when every token of it was understood. */
export function findSqlHazard(sql: string, dialect: SqlDialect): string | undefined {
  const hazard = findHazard(() => {
    const reader = new SqlReader(sql, dialect)
    if (reader.atEnd) throw new NotUnderstood('is empty')
    readStatement(reader)
    reader.take(';')
    if (!reader.atEnd) throw new NotUnderstood(reader.describe())
  })
  return hazard && `the SQL ${hazard}`
}

function readStatement(reader: SqlReader) {
  if (reader.take('explain')) {
    if (reader.take('query')) reader.expect('plan')
    if (!reader.take('analyze')) reader.take('verbose')
    return reader.query()
  }
  if (reader.take('show')) return readShow(reader)
  if (reader.take('describe') || reader.take('desc')) {
    reader.path()
    return
  }
  if (reader.dialect === 'sqlite' && reader.take('pragma')) return readPragma(reader)
  if ((reader.dialect === 'postgres' || reader.dialect === 'duckdb') && reader.take('table')) {
    reader.table()
    return
  }
  reader.query()
}

/** `SHOW CREATE TABLE x`, `SHOW TABLES FROM db LIKE 'a%'`: names and texts only. */
function readShow(reader: SqlReader) {
  for (let words = 0; !reader.atEnd && !reader.is(';'); words++) {
    const { kind, text } = reader.skip()
    if (words > 8 || kind === 'number' || (kind === 'op' && text !== '.'))
      throw new NotUnderstood('shows something that is not known to be harmless')
  }
}

function readPragma(reader: SqlReader) {
  const { text } = reader.path()
  if (reader.take('(')) {
    if (!SQLITE_PRAGMAS.has(text)) throw new NotUnderstood(`sets ${text}`)
    const argument = reader.skip()
    if (argument.kind === 'op') throw new NotUnderstood(reader.describe())
    reader.expect(')')
  } else if (!SQLITE_PRAGMAS.has(text) && !SQLITE_BARE_PRAGMAS.has(text))
    throw new NotUnderstood(`uses the pragma ${text}`)
}
