import { findSqlHazard } from '../../languages/sql.ts'
import type { SqlDialect } from '../../languages/sql-tokens.ts'
import { literalWord } from '../../shell/word.ts'
import { becomes, harmless, has } from './outcome.ts'
import type { Check, Use } from './use.ts'

function statements(use: Use, flags: readonly string[]): (string | undefined)[] {
  return use.parsed.flags
    .filter(used => used.flag?.names.some(name => flags.includes(name)) ?? false)
    .map(used => used.value?.value)
}

/** Harmless when there is a statement, each was understood, and nothing else is read as one. */
function judgeStatements(
  use: Use,
  given: readonly (string | undefined)[],
  dialect: SqlDialect,
  lists?: RegExp,
) {
  if (given.length === 0) return becomes(use, 'exec', 'runs statements from standard input')
  for (const sql of given) {
    if (sql === undefined) return becomes(use, 'remote', 'runs a statement only known when it runs')
    if (lists?.test(sql)) continue
    if (/^\s*[.\\]/.test(sql)) return becomes(use, 'exec', 'runs a command of the client')
    const hazard = findSqlHazard(sql, dialect)
    if (!hazard) continue
    // It changes a file, and its functions may change others.
    if (dialect === 'sqlite' || dialect === 'duckdb') return becomes(use, 'exec', hazard)
    if (DROPS_ALL.test(sql)) return becomes(use, 'demolish', 'drops a whole database')
    return becomes(use, 'remote', hazard)
  }
  harmless(use, 'runs queries that only read')
}

/** Of what a statement may destroy, that which takes everything along. */
const DROPS_ALL = /\bdrop\s+(database|schema)\b/i

const isClean = (use: Use): boolean => use.result.kind === 'remote' && use.result.writes.length === 0

const embedded =
  (dialect: SqlDialect, names: readonly string[]): Check =>
  use => {
    if (!isClean(use)) return
    if (use.args.length === 1 && has(use, '-version', '--version', '-help', '--help'))
      return harmless(use, 'prints its version')
    let words = use.parsed.positionals.map(word => word.value)
    if (has(use, '-lookaside', '-pagecache')) words = words.slice(1)
    if (/^file:.*\?(?!(?:(?:mode=ro|immutable=[01]|cache=\w+)&?)*$)/s.test(words[0] ?? ''))
      return becomes(use, 'unlisted', 'opens its database with settings that are not known to be harmless')
    const queries = words.slice(1)
    const given = [...statements(use, names), ...queries]
    // With only `-cmd` the rest still comes from standard input.
    if (queries.length === 0 && !has(use, '-c', '-s'))
      return becomes(use, 'exec', 'runs statements from standard input')
    // duckdb reads a file whose name is in the place of a table.
    if (dialect === 'duckdb')
      for (const sql of given)
        for (const match of (sql ?? '').matchAll(/'([^']*)'|"([^"]*)"/g))
          use.result.reads.push(literalWord(match[1] ?? match[2] ?? ''))
    judgeStatements(use, given, dialect, SQLITE_LISTS)
  }

/** psql's own commands that list; an argument in backquotes would be run. */
const PSQL_LISTS = /^\\(d[a-zA-Z]*\+?|l\+?|z|conninfo|encoding|sf|sv)( [\w.*]+)?$/

/** sqlite's own commands that print. */
const SQLITE_LISTS =
  /^\.(tables|schema|databases|indexes|indices|dump|show|fullschema|dbinfo|help|headers|mode)( [\w%]+)?$/

const REDIS_READS =
  /^(get|mget|strlen|getrange|exists|type|ttl|pttl|keys|scan|hget|hmget|hgetall|hkeys|hvals|hlen|hexists|hscan|llen|lrange|lindex|scard|smembers|sismember|sscan|srandmember|zcard|zrange|zrangebyscore|zrank|zscore|zcount|zscan|xlen|xrange|xinfo|info|ping|dbsize|time|echo|lastsave|bitcount|getbit|pfcount|geopos|geodist|randomkey)$/i

/** A database, or settings of which none names a file or another service. */
function isPlainConnection(text: string): boolean {
  const settings = /^postgres(?:ql)?:\/\//.test(text)
    ? (text.split('?')[1] ?? '').split('&').filter(Boolean)
    : text.includes('=')
      ? text.trim().split(/\s+/)
      : []
  return settings.every(setting =>
    /^(?:host|hostaddr|port|dbname|user|password|sslmode|connect_timeout|application_name|client_encoding|target_session_attrs|keepalives\w*)=[^'\\]*$/.test(
      setting,
    ),
  )
}

/** `LOAD DATA LOCAL`: a server may ask for any file that the client can read. */
function namesServer(use: Use): boolean {
  const hosts = use.parsed.flags.filter(({ flag }) => flag?.names.includes('-h'))
  return hosts.some(({ value }) => !/^(localhost|127(\.\d+){3}|::1)$/.test(value?.value ?? '?'))
}

export const SQL_CHECKS: Readonly<Record<string, Check>> = {
  psql: use => {
    if (!isClean(use)) return
    const given = statements(use, ['-c'])
    const strange = [
      ...use.parsed.positionals.slice(0, 1).map(word => word.value),
      ...statements(use, ['-d']),
    ].find(text => !isPlainConnection(text ?? '?'))
    if (strange !== undefined)
      return becomes(use, 'unlisted', 'has a connection setting that is not known to be harmless')
    if (given.length === 0 && has(use, '-l', '-V', '--help')) harmless(use, 'lists or prints help')
    else judgeStatements(use, given, 'postgres', PSQL_LISTS)
  },
  mysqladmin: use => {
    if (use.parsed.positionals[0]?.value === 'drop') becomes(use, 'demolish', 'drops a whole database')
  },
  mongo: use => {
    if (use.args.length === 1 && /^(--version|--help|-h)$/.test(use.args[0]?.value ?? ''))
      return becomes(use, 'read', 'prints its version or help')
    if (use.args.some(word => /dropDatabase\s*\(/.test(word.value ?? '')))
      becomes(use, 'demolish', 'drops a whole database')
  },
  mysql: use => {
    if (!isClean(use)) return
    const given = statements(use, ['-e'])
    if (given.length === 0 && has(use, '-V', '--help')) harmless(use, 'prints help')
    else if (namesServer(use))
      becomes(use, 'remote', 'asks a server that may ask back for files of this machine')
    else judgeStatements(use, given, 'mysql')
  },
  sqlite3: embedded('sqlite', ['-cmd']),
  duckdb: embedded('duckdb', ['-cmd', '-c', '-s']),
  sqlcmd: use => {
    if (!isClean(use)) return
    judgeStatements(
      use,
      [...statements(use, ['--query', '--text', '-Q']), ...use.parsed.positionals.map(word => word.value)],
      'mssql',
    )
  },
  redis: use => {
    if (!isClean(use)) return
    const first = use.parsed.positionals[0]?.value
    if (/^flush(all|db)$/i.test(first ?? '')) return becomes(use, 'demolish', 'deletes all keys')
    if (
      (first !== undefined && REDIS_READS.test(first)) ||
      (use.parsed.positionals.length === 0 &&
        has(use, '--version', '-v', '--scan', '--bigkeys', '--memkeys', '--hotkeys', '--stat', '--latency'))
    )
      harmless(use, 'only reads')
  },
}
