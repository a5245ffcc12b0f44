import {
  type AndOr,
  type Command,
  type CompoundList,
  type Pipeline,
  parse,
  type Statement,
  type SyntaxNode,
} from 'unbash'

/** How a shell treats commands that fail. */
export interface ShellOptions {
  /** `set -e` */
  errexit: boolean
  /** `set -o pipefail` */
  pipefail: boolean
}

/** The commands of a shell text, each as it is written. */
export interface DecidingCommands {
  /** Those whose failure makes the whole text fail. */
  deciding: string[]
  /** Those that can run at all. */
  running: string[]
}

/**
 * Finds out which commands decide about the exit status of a shell text: `a || true; b` fails only if `b` fails. Undefined if
 * the text is not valid shell, or takes too much work. What depends on values counts as deciding, because this is to compare two
 * texts.
 */
export function decidingCommands(text: string, options: ShellOptions): DecidingCommands | undefined {
  const script = parse(text)
  if (script.errors?.length) return undefined
  const reading = new Reading(text, options)
  const { fail, exit } = reading.list(script.commands, true)
  if (reading.isTooMuch) return undefined
  return { deciding: reading.isTrapped ? [] : [...new Set([...exit, ...fail])], running: reading.running }
}

/** What is known of a part of the text. */
interface Status {
  /** Commands whose failure makes this part fail. */
  fail: string[]
  /** Of these, the ones that `set -e` ends the text for. */
  last: string[]
  /** Commands whose failure ends the whole text as failed, whatever follows. */
  exit: string[]
  always?: 'passes' | 'fails' | undefined
  /** Nothing after it runs. */
  ends?: boolean | undefined
}

const NONE: Status = { fail: [], last: [], exit: [] }
const MAX_DEPTH = 30
/** A text of a few lines can call its functions any number of times. */
const MAX_WORK = 10_000

class Reading {
  readonly running: string[] = []
  /** A trap sets the exit status. */
  isTrapped = false
  readonly #text: string
  readonly #options: ShellOptions
  /** Commands whose status a variable holds. */
  readonly #kept = new Map<string, string[]>()
  readonly #functions = new Map<string, SyntaxNode>()
  /** Functions that call the one that is read now: their recursion says nothing new. */
  readonly #calls = new Set<string>()
  #previous: string[] = []
  #depth = 0
  #work = 0

  constructor(text: string, options: ShellOptions) {
    this.#text = text
    this.#options = { ...options }
  }

  get isTooMuch(): boolean {
    return this.#work > MAX_WORK
  }

  /** `counts`: a failure can end the text here (`set -e`), as it cannot in a condition. */
  list(statements: readonly Statement[], counts: boolean): Status {
    const exit: string[] = []
    let status = NONE
    for (const { command, background } of statements) {
      const found = background ? this.#ignored(command) : this.#node(command, counts)
      exit.push(...found.exit, ...(counts && this.#options.errexit ? found.last : []))
      status = found
      this.#previous = found.fail
      if (found.ends || this.isTooMuch) break
    }
    return { ...status, exit }
  }

  #ignored(node: SyntaxNode): Status {
    this.#apart(() => this.#node(node, false))
    return NONE
  }

  /** In a shell of its own, whose options end with it. */
  #apart<T>(read: () => T): T {
    const { errexit, pipefail } = this.#options
    const found = read()
    Object.assign(this.#options, { errexit, pipefail })
    return found
  }

  /** What may not run at all: an option counts afterwards only if it was set before, too. */
  #perhaps<T>(read: () => T): T {
    const { errexit, pipefail } = this.#options
    const found = read()
    this.#options.errexit &&= errexit
    this.#options.pipefail &&= pipefail
    return found
  }

  #node(node: SyntaxNode, counts: boolean): Status {
    this.#work += 1
    if (this.#depth >= MAX_DEPTH || this.isTooMuch) return NONE
    this.#depth += 1
    try {
      return this.#read(node, counts)
    } finally {
      this.#depth -= 1
    }
  }

  #read(node: SyntaxNode, counts: boolean): Status {
    switch (node.type) {
      case 'Command':
        return this.#command(node, counts)
      case 'AndOr':
        return this.#andOr(node, counts)
      case 'Pipeline':
        return this.#pipeline(node, counts)
      case 'Redirected':
        return this.#node(node.command, counts)
      case 'CompoundList':
        return this.list(node.commands, counts)
      case 'BraceGroup':
        return this.list(node.body.commands, counts)
      case 'Subshell': {
        // It ends only itself.
        const { fail, exit, always } = this.#apart(() => this.list(node.body.commands, counts))
        const all = [...exit, ...fail]
        return { fail: all, last: all, exit: [], always }
      }
      case 'If':
        return this.#choice(
          [node, ...node.elif].map(({ clause, then: body }) => ({ clause, body })),
          node.else,
          counts,
        )
      case 'Case':
        return this.#either(
          node.items.map(({ body }) => this.#perhaps(() => this.list(body.commands, counts))),
        )
      case 'While': {
        const { always } = this.#condition(node.clause)
        if (always === (node.kind === 'while' ? 'fails' : 'passes')) return { ...NONE, always: 'passes' }
        return this.#repeated(node.body, counts)
      }
      case 'For':
        // `for name in; do`
        if (node.wordlist?.length === 0) return { ...NONE, always: 'passes' }
        return this.#repeated(node.body, counts)
      case 'Select':
      case 'ArithmeticFor':
        return this.#repeated(node.body, counts)
      case 'Function':
        this.#functions.set(node.name.value, node.body)
        return NONE
      default:
        return NONE
    }
  }

  #repeated(body: CompoundList, counts: boolean): Status {
    return this.#either([this.#perhaps(() => this.list(body.commands, counts))])
  }

  /** One of these parts, or none of them. */
  #either(parts: readonly Status[]): Status {
    return {
      fail: parts.flatMap(({ fail }) => fail),
      last: parts.flatMap(({ last }) => last),
      exit: parts.flatMap(({ exit }) => exit),
    }
  }

  #choice(
    branches: readonly { clause: CompoundList; body: CompoundList }[],
    otherwise: CompoundList | undefined,
    counts: boolean,
  ): Status {
    const conditions: { yes: string[]; no: string[] }[] = []
    const bodies: Status[] = []
    for (const { clause, body } of branches) {
      const condition = this.#condition(clause)
      if (condition.always === 'fails') continue
      if (condition.always === 'passes') {
        otherwise = body
        break
      }
      conditions.push(condition)
      bodies.push(this.#perhaps(() => this.list(body.commands, counts)))
    }
    if (bodies.length === 0)
      return otherwise ? this.list(otherwise.commands, counts) : { ...NONE, always: 'passes' }
    const last = otherwise && this.#perhaps(() => this.list(otherwise.commands, counts))
    const all = this.#either(last ? [...bodies, last] : bodies)
    // `if ! test; then exit 1; fi`, and `if test; then …; else exit 1; fi`
    const decided = [
      ...bodies.flatMap((body, n) =>
        body.always === 'fails' ? [{ body, by: conditions[n]?.no ?? [] }] : [],
      ),
      ...(last?.always === 'fails' ? [{ body: last, by: conditions.flatMap(({ yes }) => yes) }] : []),
    ]
    for (const { body, by } of decided) {
      all.fail.push(...by)
      all.last.push(...by)
      if (body.ends) all.exit.push(...by)
    }
    return all
  }

  /** The commands whose failure makes a condition untrue, and those whose failure makes it true. */
  #condition({ commands }: CompoundList): { yes: string[]; no: string[]; always?: Status['always'] } {
    const command = commands.at(-1)?.command
    this.list(commands.slice(0, -1), false)
    if (!command) return { yes: [], no: [] }
    if (command.type !== 'Pipeline' || !isNegated(command)) {
      const { fail, always } = this.#node(command, false)
      return { yes: fail, no: [], always }
    }
    const { fail, always } = this.#piped(command, false)
    return { yes: [], no: fail, always: opposite(always) }
  }

  #andOr({ commands, operators }: AndOr, counts: boolean): Status {
    let status = NONE
    commands.forEach((command, n) => {
      const isLast = n === commands.length - 1
      if (n === 0) {
        status = this.#node(command, counts && isLast)
        return
      }
      const operator = operators[n - 1]
      if (status.ends || status.always === (operator === '&&' ? 'fails' : 'passes')) return
      this.#previous = status.fail
      const read = () => this.#node(command, counts && isLast)
      const isCertain = status.always !== undefined
      const next = isCertain ? read() : this.#perhaps(read)
      status = operator === '&&' ? afterSuccess(status, next) : afterFailure(status, next)
    })
    return status
  }

  #pipeline(node: Pipeline, counts: boolean): Status {
    if (!isNegated(node)) return this.#piped(node, counts)
    return { ...NONE, always: opposite(this.#piped(node, false).always) }
  }

  #piped({ commands }: Pipeline, counts: boolean): Status {
    const [only] = commands
    if (commands.length === 1 && only) return this.#node(only, counts)
    const parts = commands.map(command => this.#apart(() => this.#node(command, counts)))
    const deciding = this.#options.pipefail ? parts : parts.slice(-1)
    // Each runs in a shell of its own.
    const fail = deciding.flatMap(({ exit, fail }) => [...exit, ...fail])
    return { fail, last: fail, exit: [], always: parts.at(-1)?.always }
  }

  #command(node: Command, counts: boolean): Status {
    const words = [node.name?.value, ...node.args.map(arg => (arg.type === 'Word' ? arg.value : arg.text))]
    const [name, first = ''] = words
    if (name === undefined) {
      for (const part of node.prefix)
        if (part.type === 'Assignment') this.#keep(part.name, 'text' in part.value ? part.value.text : '')
      return { ...NONE, always: 'passes' }
    }
    const body = this.#functions.get(name)
    if (body) return this.#call(name, body, counts)
    switch (name) {
      case 'exit':
      case 'return':
        return this.#exit(words.length === 1 ? '$?' : first, name === 'exit')
      case 'false':
        return { ...NONE, always: 'fails' }
      case 'true':
      case ':':
        return { ...NONE, always: 'passes' }
      case 'set':
        return { ...NONE, always: 'passes', ends: this.#set(words.slice(1)) }
      case 'trap':
        this.isTrapped ||=
          /\bexit\s+0\b/.test(first) && words.slice(2).some(word => /^(?:EXIT|ERR|0)$/.test(word ?? ''))
        return NONE
      case 'local':
      case 'export':
      case 'declare':
      case 'readonly':
        for (const word of words.slice(1)) {
          const [, variable, value] = /^(\w+)=(.*)$/s.exec(word ?? '') ?? []
          if (variable) this.#keep(variable, value ?? '')
        }
        return NONE
    }
    const text = this.#text.slice(node.name?.pos ?? node.pos, node.end)
    this.running.push(text)
    const decides = [text]
    // Nothing after it runs.
    return { fail: decides, last: decides, exit: [], ends: name === 'exec' && words.length > 1 }
  }

  #call(name: string, body: SyntaxNode, counts: boolean): Status {
    if (this.#calls.has(name)) return NONE
    this.#calls.add(name)
    try {
      return this.#node(body, counts)
    } finally {
      this.#calls.delete(name)
    }
  }

  /** A variable gets a value: the status of the command before, or something else. */
  #keep(name: string, value: string): void {
    if (/^"?\$(?:\?|\{\?\})"?$/.test(value)) this.#kept.set(name, this.#previous)
    // `failed=1` where a command failed.
    else if (/^\d+$/.test(value) && value !== '0')
      this.#kept.set(name, this.#counted([...(this.#kept.get(name) ?? []), ...this.#previous]))
    else if (value !== '0') this.#kept.delete(name)
  }

  /** Copies are work, too. */
  #counted(commands: string[]): string[] {
    this.#work += commands.length
    return commands
  }

  #exit(status: string, isWhole: boolean): Status {
    const variable = /^\$\{?(\w+|\?)\}?$/.exec(status)?.[1]
    const by =
      variable === '?' ? this.#previous : variable ? this.#counted(this.#kept.get(variable) ?? []) : []
    const always = /^\d+$/.test(status) ? (Number(status) === 0 ? 'passes' : 'fails') : undefined
    return { fail: by, last: by, exit: isWhole ? by : [], always, ends: true }
  }

  /** Whether nothing runs any more: `set -n`. */
  #set(words: readonly (string | undefined)[]): boolean {
    let ends = false
    for (let n = 0; n < words.length; n++) {
      // What follows are the arguments of the text.
      const [, sign, letters = ''] = /^([-+])([a-zA-Z]+)$/.exec(words[n] ?? '') ?? []
      if (!sign) break
      const named = letters.endsWith('o') ? words[++n] : undefined
      if (letters.includes('e') || named === 'errexit') this.#options.errexit = sign === '-'
      if (named === 'pipefail') this.#options.pipefail = sign === '-'
      ends ||= sign === '-' && (letters.includes('n') || named === 'noexec')
    }
    return ends
  }
}

const isNegated = ({ prefixes }: Pipeline): boolean =>
  prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1

const opposite = (always: Status['always']): Status['always'] =>
  always && (always === 'passes' ? 'fails' : 'passes')

/** `a && b` */
function afterSuccess(first: Status, next: Status): Status {
  return {
    fail: [...first.fail, ...next.fail],
    last: next.last,
    exit: [...first.exit, ...next.exit],
    always: next.always === 'fails' ? 'fails' : first.always === 'passes' ? next.always : undefined,
    ends: first.always === 'passes' && next.ends,
  }
}

/** `a || b`: both must fail, so a command decides only if it is in both, or if the other always fails. */
function afterFailure(first: Status, next: Status): Status {
  const fails = next.always === 'fails'
  const both = new Set(next.fail)
  const fail = fails ? first.fail : [...new Set(first.fail.filter(text => both.has(text)))]
  return {
    fail,
    last: fail,
    exit: [...first.exit, ...next.exit, ...(fails && next.ends ? first.fail : [])],
    always: next.always === 'passes' ? 'passes' : first.always === 'fails' ? next.always : undefined,
    ends: first.always === 'fails' && next.ends,
  }
}
