import type { Word } from './word.ts'

/** What a flag's value or a positional argument means. */
export type Role = 'text' | 'read' | 'write' | 'host' | 'url' | 'command' | 'source' | 'directory'

export interface Flag {
  readonly names: readonly string[]
  readonly arity: 'none' | 'value' | 'two' | 'optional'
  readonly role: Role
  /** The class of effect the flag brings with it, such as `write`; undefined when it adds none. */
  readonly kind: string | undefined
}

export interface FlagTable {
  readonly exact: ReadonlyMap<string, Flag>
  /** Names ending in `*`. */
  readonly open: readonly (readonly [string, Flag])[]
  readonly long: readonly string[]
}

/**
 * Reads the compact form: names joined by `|`, then `=` (takes a value), `==` (takes two) or `?` (value only when
 * attached), then `:role` of the value, then `!kind` that the flag brings. `-NUM` is any number, a trailing `*`
 * for any ending.
 */
export function flagTable(text: string): FlagTable {
  const exact = new Map<string, Flag>()
  const open: [string, Flag][] = []
  for (const token of text.split(/\s+/)) {
    if (token === '') continue
    const match = /^([^=?:!]+)(==|=|\?)?(?::([a-z]+))?(?:!([a-z]+))?$/.exec(token)
    if (!match?.[1]) throw new Error(`flag table: cannot read ${token}`)
    const names = match[1].split('|')
    const arity = ARITIES[match[2] ?? ''] ?? 'none'
    const flag: Flag = { names, arity, role: (match[3] as Role | undefined) ?? 'text', kind: match[4] }
    for (const name of names) {
      if (name.endsWith('*')) open.push([name.slice(0, -1), flag])
      else exact.set(name, flag)
    }
  }
  return { exact, open, long: [...exact.keys()].filter(name => name.startsWith('--')) }
}

const ARITIES: Readonly<Record<string, Flag['arity']>> = { '=': 'value', '==': 'two', '?': 'optional' }

export interface Style {
  /** `gnu` bundles short flags; `single` reads `-name` as one flag, as find and terraform do. */
  readonly dash: 'gnu' | 'single'
  /** Flags after the first positional argument still count. */
  readonly permute: boolean
}

export interface UsedFlag {
  readonly name: string
  readonly flag: Flag | undefined
  readonly value: Word | undefined
}

export interface Parsed {
  readonly flags: UsedFlag[]
  readonly positionals: Word[]
  /** Index in the given words of each positional. */
  readonly indexes: number[]
  /** Flags the table does not know. */
  readonly strange: string[]
  /** Words whose value is unknown and which may turn out to be flags. */
  readonly uncertain: Word[]
}

export function parseOptions(words: readonly Word[], table: FlagTable, style: Style): Parsed {
  const parsed: Parsed = { flags: [], positionals: [], indexes: [], strange: [], uncertain: [] }
  let ended = false
  for (let index = 0; index < words.length; index++) {
    const word = words[index]
    if (!word) break
    const text = word.value ?? word.prefix
    const unsure = word.value === undefined
    if (!ended && word.value === '--') {
      ended = true
      continue
    }
    if (ended || !couldBeFlag(word)) {
      parsed.positionals.push(word)
      parsed.indexes.push(index)
      if (!style.permute) ended = true
      continue
    }
    if (unsure && text === '') {
      parsed.uncertain.push(word)
      parsed.positionals.push(word)
      parsed.indexes.push(index)
      if (!style.permute) ended = true
      continue
    }
    const takesNext = readFlag(parsed, word, text, unsure, table, style)
    if (takesNext) {
      for (let left = takesNext.flag.arity === 'two' ? 2 : 1; left > 0; left--) {
        const next = words[++index]
        parsed.flags.push({ ...takesNext, value: next })
        if (next?.many && next.value === undefined) parsed.uncertain.push(next)
      }
    }
  }
  return parsed
}

/** The words before the first flag the table does not know, with the table's flags left out. */
export function leadingWords(
  words: readonly Word[],
  table: FlagTable,
): { words: string[]; strange: string | undefined; dynamic: boolean } {
  const found: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index]
    const text = word?.value
    if (!word || text === undefined || word.glob) return { words: found, strange: undefined, dynamic: true }
    if (!text.startsWith('-') || text === '-') {
      found.push(text)
      if (found.length > 12) break
      continue
    }
    const equals = text.indexOf('=')
    const flag = lookup(table, equals === -1 ? text : text.slice(0, equals))
    if (!flag) return { words: found, strange: text, dynamic: false }
    if (flag.arity === 'value' && equals === -1) index++
  }
  return { words: found, strange: undefined, dynamic: false }
}

/** `-` alone is standard input; a word known to start otherwise is not a flag. */
function couldBeFlag(word: Word): boolean {
  if (word.value !== undefined) return word.value.length > 1 && /^[-+]/.test(word.value)
  if (word.choices) return word.choices.some(choice => choice.startsWith('-'))
  return word.prefix === '' || /^[-+]/.test(word.prefix)
}

interface Pending {
  name: string
  flag: Flag
}

function readFlag(
  parsed: Parsed,
  word: Word,
  text: string,
  unsure: boolean,
  table: FlagTable,
  style: Style,
): Pending | undefined {
  const plus = text.startsWith('+')
  if (plus && !lookup(table, text.slice(0, 2)) && !lookup(table, text)) {
    // `+x` is a flag only where a table says so.
    parsed.positionals.push(word)
    parsed.indexes.push(-1)
    return undefined
  }
  if (text.startsWith('--') || style.dash === 'single') {
    const equals = text.indexOf('=')
    const name = equals === -1 ? text : text.slice(0, equals)
    if (unsure && equals === -1) {
      parsed.uncertain.push(word)
      return undefined
    }
    const listed =
      lookup(table, name) ??
      (style.dash === 'single' && name.startsWith('--') ? lookup(table, name.slice(1)) : undefined)
    const found = listed ?? abbreviated(table, name)
    // A shortened flag may also stand for one that the table does not list: it is never known to be harmless.
    if (found && !listed) parsed.strange.push(name)
    const attached = equals === -1 ? undefined : tail(word, equals + 1)
    if (!found) {
      parsed.strange.push(name)
      parsed.flags.push({ name, flag: undefined, value: attached })
      return undefined
    }
    if ((found.arity === 'value' && equals === -1) || found.arity === 'two') return { name, flag: found }
    if (found.arity === 'none' && equals !== -1 && style.dash === 'gnu') parsed.strange.push(text)
    parsed.flags.push({ name, flag: found, value: attached })
    return undefined
  }
  const whole = lookup(table, text)
  if (!unsure && whole && (text.length > 2 || whole.names.some(name => name === text))) {
    if (whole.arity === 'value' || whole.arity === 'two') return { name: text, flag: whole }
    parsed.flags.push({ name: text, flag: whole, value: undefined })
    return undefined
  }
  return readBundle(parsed, word, text, unsure, table)
}

function readBundle(
  parsed: Parsed,
  word: Word,
  text: string,
  unsure: boolean,
  table: FlagTable,
): Pending | undefined {
  const sign = text.slice(0, 1)
  for (let at = 1; at < text.length; at++) {
    const name = sign + text.slice(at, at + 1)
    const flag = lookup(table, name)
    if (!flag) {
      if (/^-\d$/.test(name) && table.exact.has('-NUM')) continue
      parsed.strange.push(name)
      parsed.flags.push({ name, flag: undefined, value: undefined })
      continue
    }
    const rest = at + 1 < text.length || unsure
    if (flag.arity === 'none') {
      parsed.flags.push({ name, flag, value: undefined })
      continue
    }
    if (rest) {
      parsed.flags.push({ name, flag, value: tail(word, at + 1) })
      return undefined
    }
    if (flag.arity === 'value') return { name, flag }
    parsed.flags.push({ name, flag, value: undefined })
  }
  // The unknown end of a bundle may hold any further flag.
  if (unsure) parsed.uncertain.push(word)
  return undefined
}

function lookup(table: FlagTable, name: string): Flag | undefined {
  const exact = table.exact.get(name)
  if (exact) return exact
  if (/^-\d+$/.test(name)) {
    const number = table.exact.get('-NUM')
    if (number) return number
  }
  for (const [start, flag] of table.open) if (name.startsWith(start)) return flag
  return undefined
}

/** GNU programs accept any unambiguous beginning of a long option: `--outp` is `--output`. */
function abbreviated(table: FlagTable, name: string): Flag | undefined {
  if (!name.startsWith('--') || name.length < 3) return undefined
  const found = new Set<Flag>()
  for (const long of table.long) {
    if (!long.startsWith(name)) continue
    const flag = table.exact.get(long)
    if (flag) found.add(flag)
  }
  if (found.size === 0) return undefined
  // Where it could mean several, the dangerous one counts.
  const list = [...found]
  return list.find(flag => flag.kind !== undefined) ?? list.find(flag => flag.role === 'write') ?? list[0]
}

function tail(word: Word, from: number): Word {
  return {
    text: word.text,
    value: word.value?.slice(from),
    prefix: word.prefix.slice(from),
    glob: word.glob,
    tilde: false,
    many: word.many,
    choices: word.choices?.map(choice => choice.slice(from)),
  }
}
