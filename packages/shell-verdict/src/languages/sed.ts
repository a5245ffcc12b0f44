import { flagTable, parseOptions } from '../shell/options.ts'
import type { Word } from '../shell/word.ts'

const FLAGS = flagTable(
  '-e|--expression= -f|--file= -n|--quiet|--silent -E|-r|--regexp-extended -i|--in-place? -I? -s|--separate -u|--unbuffered -z|--null-data -l|--line-length= --posix --debug --sandbox --follow-symlinks -b|--binary -a --help --version',
)

/** What a sed script does besides editing the stream, or undefined when every command of it was understood. */
export function findSedHazard(args: readonly Word[]): string | undefined {
  const parsed = parseOptions(args, FLAGS, { dash: 'gnu', permute: true })
  if (parsed.flags.some(used => used.flag?.names.includes('--file')))
    return 'sed runs a script kept in a file'
  const given = parsed.flags.filter(used => used.flag?.names.includes('-e')).map(used => used.value)
  if (parsed.uncertain.length > 0 && given.length === 0) return 'the sed script is only known when it runs'
  const words = given.length > 0 ? given : parsed.positionals.slice(0, 1)
  // On macOS `-i` takes its own argument, so after `-i ''` the script is the next word.
  const inPlace = parsed.flags.some(used => used.flag?.names.some(name => name === '-i' || name === '-I'))
  if (inPlace && given.length === 0 && words[0]?.value === '') words.push(parsed.positionals[1])
  const texts = words.map(word => word?.value)
  if (texts.some(text => text === undefined)) return 'the sed script is only known when it runs'
  // Whether a backslash at the end continues in the next `-e` differs between seds.
  if (texts.slice(0, -1).some(text => text?.endsWith('\\'))) return NOT_UNDERSTOOD
  return findScriptHazard(texts.join('\n'))
}

const NOT_UNDERSTOOD = 'the sed script has a part that is not known to be harmless'
/** No sed accepts this, so none runs any of it. */
const REFUSED = 'no sed accepts this script'

/**
 * How a delimiter inside `[…]` is read differs between seds, and so does a backslash there. Each reading has to be harmless, or
 * one that every sed refuses.
 */
const READINGS = ['plain', 'brackets', 'brackets with escapes'] as const
type Reading = (typeof READINGS)[number]

/** Why this script is not harmless, or undefined. */
export function findScriptHazard(script: string): string | undefined {
  const readings = script.includes('[') ? READINGS : (['plain'] as const)
  let harmless = false
  for (const reading of readings) {
    const found = new SedReader(script, reading).read()
    if (found === undefined) harmless = true
    else if (found !== REFUSED) return found
  }
  return harmless ? undefined : NOT_UNDERSTOOD
}

class SedReader {
  readonly #script: string
  readonly #reading: Reading
  #at = 0
  #open = 0

  constructor(script: string, reading: Reading) {
    this.#script = script
    this.#reading = reading
  }

  read(): string | undefined {
    for (;;) {
      this.#skip(/[\s;]/)
      if (this.#at >= this.#script.length) return this.#open === 0 ? undefined : NOT_UNDERSTOOD
      const hazard = this.#command()
      if (hazard) return hazard
    }
  }

  #command(): string | undefined {
    const addressed = this.#addresses()
    if (typeof addressed === 'string') return addressed
    const command = this.#next()
    switch (command) {
      case '{':
        this.#open++
        return undefined
      case '}':
        if (--this.#open < 0 || addressed) return NOT_UNDERSTOOD
        return this.#end()
      case '#':
        if (addressed) return NOT_UNDERSTOOD
        this.#line()
        return undefined
      case ':':
        return addressed ? NOT_UNDERSTOOD : this.#label(true)
      case 'b':
      case 't':
      case 'T':
        return this.#label(false)
      case 's':
        return this.#substitution()
      case 'y':
        return this.#pair(false) ?? this.#end()
      case 'a':
      case 'i':
      case 'c':
        return this.#text()
      case 'l':
      case 'q':
      case 'Q':
        this.#skip(/[ \t]/)
        this.#skip(/\d/)
        return this.#end()
      case 'w':
      case 'W':
        return 'sed writes to a file'
      case 'e':
        return 'sed runs a command'
      case 'r':
      case 'R':
        return 'sed reads a further file'
      default:
        return /^[dDgGhHnNpPxzF=]$/.test(command) ? this.#end() : NOT_UNDERSTOOD
    }
  }

  /** Whether there is an address; a text when it was not understood. */
  #addresses(): boolean | string {
    const first = this.#address(false)
    if (first !== undefined && first !== true) return first
    this.#skip(/[ \t]/)
    if (first && this.#peek() === ',') {
      this.#at++
      this.#skip(/[ \t]/)
      const second = this.#address(true)
      if (second !== true) return second ?? NOT_UNDERSTOOD
      this.#skip(/[ \t]/)
    }
    if (this.#peek() === '!') {
      this.#at++
      this.#skip(/[ \t]/)
      return true
    }
    return first === true
  }

  #address(second: boolean): true | string | undefined {
    const plain = (second ? /^(?:[+~]?\d+|\$)/ : /^(?:\d+(?:~\d+)?|\$)/).exec(this.#rest(20))?.[0]
    if (plain) {
      this.#at += plain.length
      return true
    }
    if (this.#peek() === '\\') this.#at++
    else if (this.#peek() !== '/') return undefined
    const delimiter = this.#next()
    if (!isDelimiter(delimiter)) return NOT_UNDERSTOOD
    const ended = this.#until(delimiter, true)
    if (ended) return ended
    this.#skip(/[IM]/)
    return true
  }

  #substitution(): string | undefined {
    const bad = this.#pair(true)
    if (bad) return bad
    while (/[gpiImM\d]/.test(this.#peek())) this.#at++
    const after = this.#peek()
    if (after === 'w') return 'sed writes to a file'
    if (after === 'e') return 'sed runs a command'
    // sed reads all of a script before it runs any: an option that none knows stops everything.
    if (after !== '' && !/[\s;}#]/.test(after)) return REFUSED
    return this.#end()
  }

  /** The two halves of `s` and `y`. */
  #pair(pattern: boolean): string | undefined {
    const delimiter = this.#next()
    if (!isDelimiter(delimiter)) return NOT_UNDERSTOOD
    return this.#until(delimiter, pattern) ?? this.#until(delimiter, false)
  }

  /** Moves behind the next delimiter that counts. */
  #until(delimiter: string, pattern: boolean): string | undefined {
    while (this.#at < this.#script.length) {
      const char = this.#next()
      if (char === delimiter) return undefined
      if (char === '\\') {
        if (this.#next() === '') return NOT_UNDERSTOOD
      } else if (char === '\n') return NOT_UNDERSTOOD
      else if (char === '[' && pattern && this.#reading !== 'plain' && !this.#bracket()) return REFUSED
    }
    return REFUSED
  }

  /** Moves behind a bracket expression; false when it is not closed. */
  #bracket(): boolean {
    if (this.#peek() === '^') this.#at++
    if (this.#peek() === ']') this.#at++
    while (this.#at < this.#script.length) {
      const char = this.#next()
      if (char === ']') return true
      if (char === '\\' && this.#reading === 'brackets with escapes') this.#at++
      if (char === '[' && /[.:=]/.test(this.#peek())) {
        const kind = this.#next()
        const close = this.#script.indexOf(`${kind}]`, this.#at)
        if (close === -1) return false
        this.#at = close + 2
      }
    }
    return false
  }

  /** Some seds end a label at a blank or a semicolon, some at the line's end: only a plain word is the same to all. */
  #label(needed: boolean): string | undefined {
    this.#skip(/[ \t]/)
    const name = /^\w*/.exec(this.#rest(100))?.[0] ?? ''
    this.#at += name.length
    return needed && name === '' ? NOT_UNDERSTOOD : this.#end()
  }

  /** `a`, `i` and `c`: the text runs to the end of the line. An escaped line end is read differently by different seds. */
  #text(): string | undefined {
    this.#skip(/[ \t]/)
    if (/^\\[ \t]*\n/.test(this.#rest(200))) this.#at = this.#script.indexOf('\n', this.#at) + 1
    const line = this.#line()
    return /\\(?:\\|$)/.test(line) || line === '' ? NOT_UNDERSTOOD : undefined
  }

  /** A command ends here; anything else would be read by some sed as more of it. */
  #end(): string | undefined {
    this.#skip(/[ \t]/)
    const char = this.#peek()
    if (char === '' || char === '}' || char === '#') return undefined
    this.#at++
    return char === ';' || char === '\n' ? undefined : NOT_UNDERSTOOD
  }

  #line(): string {
    const end = this.#script.indexOf('\n', this.#at)
    const line = this.#script.slice(this.#at, end === -1 ? undefined : end)
    this.#at += line.length
    return line
  }

  #rest(length: number): string {
    return this.#script.slice(this.#at, this.#at + length)
  }

  #peek(): string {
    return this.#script.charAt(this.#at)
  }

  #next(): string {
    return this.#script.charAt(this.#at++)
  }

  #skip(pattern: RegExp): void {
    while (this.#at < this.#script.length && pattern.test(this.#peek())) this.#at++
  }
}

const isDelimiter = (char: string): boolean => /^[!-/:-@^_`{|}~]$/.test(char)
