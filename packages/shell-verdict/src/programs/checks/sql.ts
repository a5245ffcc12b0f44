import { literalWord } from '../../shell/word.ts'
import { becomes, harmless, has } from './outcome.ts'
import type { Check, Use } from './use.ts'

const STARTS = /^(select|show|describe|desc|explain|values|table|with)\b/i
const CHANGES =
  /\b(insert|update|delete|drop|create|alter|truncate|grant|revoke|merge|replace|call|exec|execute|copy|into|outfile|dumpfile|attach|detach|vacuum|reindex|cluster|lock|set|unload|load|import|export|install|pragma|do|begin|commit|rollback|analyze|analyse|refresh|notify|listen|prepare|deallocate|handler|optimize|repair|flush|kill|shutdown|rename|for\s+update|for\s+share)\b/i
const CALLS =
  /\b(pg_read_file|pg_read_binary_file|pg_ls_dir|pg_stat_file|lo_\w+|dblink\w*|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|pg_rotate_logfile|pg_sleep\w*|setval|nextval|set_config|query_to_xml|database_to_xml|load_file|load_extension|readfile|writefile|edit|fts3_tokenizer|sleep|benchmark|get_lock|xp_\w+|sp_\w+|openrowset|opendatasource|read_csv\w*|read_text|read_blob|read_json\w*|read_parquet|sys_exec|sys_eval|http_\w+|getenv)\s*\(/i

/** One statement that only reads. Anything else, or anything unclear, is not. */
export function readsOnly(sql: string): boolean {
  const text = withoutStrings(sql)
  if (text === undefined) return false
  const body = text.trim().replace(/;\s*$/, '')
  if (body === '' || body.includes(';') || body.includes('\\')) return false
  return STARTS.test(body) && !CHANGES.test(body) && !CALLS.test(body)
}

/** Blanks out literals and comments, so that only keywords remain; undefined when one is not closed. */
function withoutStrings(sql: string): string | undefined {
  let out = ''
  for (let index = 0; index < sql.length; index++) {
    const char = sql.charAt(index)
    if (char === "'" || char === '"' || char === '`') {
      const end = sql.indexOf(char, index + 1)
      if (end === -1) return undefined
      out += ' x '
      index = end
    } else if ((char === '-' && sql[index + 1] === '-') || char === '#') {
      // A comment's end differs between databases.
      return undefined
    } else if (char === '/' && sql[index + 1] === '*') {
      // MySQL runs what stands in `/*! … */`.
      return undefined
    } else if (char === '$' && /^\$\w*\$/.test(sql.slice(index))) return undefined
    else out += char
  }
  return out
}

function statements(use: Use, flags: readonly string[]): (string | undefined)[] {
  return use.parsed.flags
    .filter(used => used.flag?.names.some(name => flags.includes(name)) ?? false)
    .map(used => used.value?.value)
}

function allRead(list: readonly (string | undefined)[]): boolean {
  return list.length > 0 && list.every(sql => sql !== undefined && readsOnly(sql))
}

function clean(use: Use): boolean {
  return (
    use.result.kind === 'remote' &&
    use.parsed.strange.length === 0 &&
    use.parsed.uncertain.length === 0 &&
    use.result.writes.length === 0 &&
    !use.command.redirections.some(entry => entry.operator.startsWith('<'))
  )
}

const embedded =
  (texts: string): Check =>
  use => {
    const names = texts.split(' ')
    if (!clean(use)) return
    if (has(use, '-version', '--version', '-help', '--help')) return harmless(use, 'prints its version')
    let words = use.parsed.positionals.map(word => word.value)
    if (has(use, '-lookaside', '-pagecache')) words = words.slice(1)
    const given = [...statements(use, names), ...words.slice(1)]
    if (given.some(sql => sql === undefined || (/^\s*\./.test(sql) && !PRINTS.test(sql))))
      return becomes(use, 'exec', 'runs a command of the client')
    // duckdb reads a file whose name stands where a table would.
    if (use.result.program === 'duckdb') {
      for (const sql of given)
        for (const match of (sql ?? '').matchAll(/'([^']*)'|"([^"]*)"/g))
          use.result.reads.push(literalWord(match[1] ?? match[2] ?? ''))
    }
    // Read-only by flag: whatever the statement says fails on the database, but not on other files.
    const guarded = has(use, '-readonly', '--readonly', '-safe', '--safe')
    if (
      guarded &&
      given.every(
        sql =>
          !CALLS.test(sql ?? '') &&
          !/\b(attach|load_extension|readfile|writefile|copy|install|load|export)\b/i.test(sql ?? ''),
      )
    )
      return harmless(use, 'opens the database read-only')
    if (given.length > 0 && given.every(sql => sql !== undefined && (readsOnly(sql) || PRINTS.test(sql))))
      harmless(use, 'runs a query that only reads')
  }

/** psql's own commands that list; an argument in backquotes would be run. */
const LISTS = /^\\(d[a-zA-Z]*\+?|l\+?|z|conninfo|encoding|sf|sv)( [\w.*]+)?$/

/** sqlite's own commands that print. */
const PRINTS = /^\.(tables|schema|databases|indexes|indices|dump|show|fullschema|dbinfo|help)( [\w%]+)?$/

const REDIS_READS =
  /^(get|mget|strlen|getrange|exists|type|ttl|pttl|keys|scan|hget|hmget|hgetall|hkeys|hvals|hlen|hexists|hscan|llen|lrange|lindex|scard|smembers|sismember|sscan|srandmember|zcard|zrange|zrangebyscore|zrank|zscore|zcount|zscan|xlen|xrange|xinfo|info|ping|dbsize|time|echo|lastsave|bitcount|getbit|pfcount|geopos|geodist|randomkey)$/i

export const SQL_CHECKS: Readonly<Record<string, Check>> = {
  psql: use => {
    if (!clean(use)) return
    const given = statements(use, ['-c'])
    if (given.length === 0 && has(use, '-l', '-V', '--help')) harmless(use, 'lists or prints help')
    else if (given.length > 0 && given.every(sql => sql !== undefined && (readsOnly(sql) || LISTS.test(sql))))
      harmless(use, 'runs a query that only reads')
  },
  mysql: use => {
    if (!clean(use)) return
    const given = statements(use, ['-e'])
    if (given.length === 0 && has(use, '-V', '--help')) harmless(use, 'prints help')
    else if (allRead(given)) harmless(use, 'runs a query that only reads')
  },
  sqlite3: embedded('-cmd'),
  duckdb: embedded('-cmd -c -s'),
  sqlcmd: use => {
    if (!clean(use)) return
    const given = [
      ...statements(use, ['--query', '--text', '-Q']),
      ...use.parsed.positionals.map(word => word.value),
    ]
    if (allRead(given.map(sql => sql?.replaceAll('@@', '')))) harmless(use, 'runs a query that only reads')
  },
  redis: use => {
    if (!clean(use)) return
    const first = use.parsed.positionals[0]?.value
    if (
      (first !== undefined && REDIS_READS.test(first)) ||
      (first === undefined &&
        has(use, '--version', '-v', '--scan', '--bigkeys', '--memkeys', '--hotkeys', '--stat', '--latency'))
    )
      harmless(use, 'only reads')
  },
}
