import { type FlagTable, flagTable, type Role } from '../shell/options.ts'
import { KINDS, type Kind } from './kinds.ts'

/** What a table says of a program or of one of its sub-commands. All of it is data. */
export interface CommandSpec {
  /** The class of a use with known flags only. Absent: this level does nothing without a sub-command. */
  readonly kind?: Kind
  /** The class of its mildest use, `--version` and `--help` among them: files of the project may put a program of theirs in its place. */
  readonly mildest?: Kind
  /** Flags it knows, in the compact form of `flagTable`. `!kind` marks a flag that changes the class. */
  readonly flags?: string
  /**
   * Flags the table does not name are parameters of a request to a service: they run and write nothing on this machine. Only for
   * command lines that are made from a description of the service. Everywhere else an unknown flag is never harmless.
   */
  readonly parameters?: boolean
  /** All of its flags are listed and none of them does harm: an argument only known when it runs may be one. */
  readonly complete?: boolean
  /** It has no flags: every word is an argument. */
  readonly flagless?: boolean
  /** With `--help` every sub-command prints its help and does nothing else, also those that run something. */
  readonly help?: boolean
  /** `-name` is one flag, not a bundle. */
  readonly single?: boolean
  /** Flags end at the first positional argument. */
  readonly posix?: boolean
  /** What the positional arguments are; the last entry repeats. `copy`: all but the last are read. */
  readonly args?: 'copy' | Role | readonly Role[]
  /** With one of these flags the first positional is already a path. */
  readonly firstIsPathWith?: string
  readonly min?: number
  readonly max?: number
  /** Flags every sub-command takes as well. */
  readonly globals?: string
  readonly sub?: Readonly<Record<string, CommandSpec | Kind>>
  /** Command paths decided by the first word that is a known verb; entries may use `*`. */
  readonly verbs?: Partial<Record<Kind, string>>
  /** Verbs that are also names of things: they count only as the last word. */
  readonly nouns?: string
  /** Index of the word that is the verb, where that is fixed. */
  readonly verbAt?: number
  /** Whole command paths that differ from what their verb says; entries may use `*`. */
  readonly paths?: Partial<Record<Kind, readonly string[]>>
  /** The class without any argument. */
  readonly bare?: Kind
  /** Every word must be known: an unknown one could carry data out. */
  readonly known?: boolean
  /** One of these flags must be present, or the class is the one given. */
  readonly needs?: { readonly one: string; readonly otherwise: Kind }
  /** Parts of the arguments that belong to a nested command. */
  readonly strip?: 'find' | 'fd'
  /** An argument `@FILE` is replaced by what is in the file: more flags, or more names. */
  readonly optionFiles?: boolean
  /** Named extra check, see checks/. */
  readonly check?: string
  /** Only starts other commands, which are judged on their own. */
  readonly wrapper?: boolean
  /** Reads what its arguments name only to print names or sizes, not contents. */
  readonly namesOnly?: boolean
  /** Removes what its arguments name. */
  readonly deletes?: boolean
}

export type ProgramTable = Readonly<Record<string, CommandSpec | Kind>>

export interface CompiledSpec {
  readonly spec: CommandSpec
  readonly flags: FlagTable
  readonly globals: FlagTable
  readonly sub: ReadonlyMap<string, CompiledSpec> | undefined
  readonly verbs: readonly Verb[]
  readonly paths: readonly Verb[]
  readonly needs: ReadonlySet<string> | undefined
  readonly firstIsPathWith: ReadonlySet<string>
  readonly nouns: ReadonlySet<string>
}

export interface Verb {
  readonly pattern: string
  readonly open: 'none' | 'end' | 'start'
  readonly kind: Kind
}

/**
 * Reads a program's entry when it is first asked about. A session uses a few of the many hundred programs, and all of them
 * compiled would take 9 MB.
 */
export function compileProgram(entry: CommandSpec | Kind, inherited = ''): CompiledSpec {
  return new LazySpec(typeof entry === 'string' ? { kind: entry } : entry, inherited)
}

/** Compiles all of a program's entry at once, so that a mistake in it shows. */
export function checkProgram(compiled: CompiledSpec): void {
  for (const part of PARTS) void compiled[part]
  for (const sub of compiled.sub?.values() ?? []) checkProgram(sub)
}

const PARTS = ['flags', 'globals', 'verbs', 'paths', 'needs', 'firstIsPathWith', 'nouns'] as const

type Part = 'sub' | (typeof PARTS)[number]

class LazySpec implements CompiledSpec {
  readonly spec: CommandSpec
  readonly #inherited: string
  #parts: Partial<Pick<CompiledSpec, Part>> = {}

  constructor(spec: CommandSpec, inherited: string) {
    this.spec = spec
    this.#inherited = inherited
  }

  get nouns() {
    return this.#once('nouns', ({ nouns }) => new Set((nouns ?? '').split(' ')))
  }

  get flags() {
    return this.#once('flags', ({ flags }) => flagTable(`${this.#allGlobals} ${flags ?? ''}`))
  }

  get globals() {
    return this.#once('globals', () => flagTable(this.#allGlobals))
  }

  get sub() {
    return this.#once('sub', ({ sub }) => {
      const compiled = sub && new Map<string, CompiledSpec>()
      for (const [names, child] of Object.entries(sub ?? {})) {
        const program = compileProgram(child, this.#allGlobals)
        for (const name of names.split(' ')) compiled?.set(name, program)
      }
      return compiled
    })
  }

  get verbs() {
    return this.#once('verbs', ({ verbs }) =>
      verbList(
        Object.entries(verbs ?? {}).flatMap(([kind, text]) =>
          text.split(/\s+/).map(word => [word, kind] as const),
        ),
      ),
    )
  }

  /** The longest path that fits says most about a use. */
  get paths() {
    return this.#once('paths', ({ paths }) =>
      verbList(
        Object.entries(paths ?? {}).flatMap(([kind, list]) => list.map(path => [path, kind] as const)),
      ).sort((left, right) => right.pattern.length - left.pattern.length),
    )
  }

  get needs() {
    return this.#once('needs', ({ needs }) => needs && new Set(needs.one.split(/\s+/)))
  }

  get firstIsPathWith() {
    return this.#once(
      'firstIsPathWith',
      ({ firstIsPathWith }) => new Set((firstIsPathWith ?? '').split(/\s+/).filter(Boolean)),
    )
  }

  get #allGlobals(): string {
    return `${this.#inherited} ${this.spec.globals ?? ''}`
  }

  #once<P extends Part>(part: P, compile: (spec: CommandSpec) => CompiledSpec[P]): CompiledSpec[P] {
    const parts: Partial<Pick<CompiledSpec, P>> = this.#parts
    if (!(part in parts)) parts[part] = compile(this.spec)
    return parts[part] as CompiledSpec[P]
  }
}

function verbList(entries: readonly (readonly [string, string])[]): Verb[] {
  // A stray blank would turn one command path into all that begin like it.
  const stray = entries.find(([text]) => text !== text.trim())
  if (stray) throw new Error(`a command path ends in a blank: ${stray[0]}`)
  return entries
    .filter(([text]) => text !== '')
    .map(([text, kind]) => {
      const known = KINDS.find(name => name === kind)
      if (!known) throw new Error(`no such class of effect: ${kind}`)
      const open = text.endsWith('*') ? 'end' : text.startsWith('*') ? 'start' : 'none'
      return { pattern: text.replace('*', ''), open, kind: known }
    })
}

export function matchesVerb(verb: Verb, word: string): boolean {
  if (verb.open === 'end') return word.startsWith(verb.pattern)
  if (verb.open === 'start') return word.endsWith(verb.pattern)
  return word === verb.pattern
}
