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
 * the text is not valid shell. What depends on values counts as deciding, because this is to compare two texts.
 */
export function decidingCommands(text: string, options: ShellOptions): DecidingCommands | undefined {
  const script = parse(text)
  if (script.errors?.length) return undefined
  const reading = new Reading(text, options)
  const { fail, exit } = reading.list(script.commands, true)
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

class Reading {
  readonly running: string[] = []
  /** A trap sets the exit status. */
  isTrapped = false
  readonly #text: string
  readonly #options: ShellOptions
  /** Commands whose status a variable holds. */
  readonly #kept = new Map<string, string[]>()
  readonly #functions = new Map<string, SyntaxNode>()
  #previous: string[] = []
  #depth = 0

  constructor(text: string, options: ShellOptions) {
    this.#text = text
    this.#options = { ...options }
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
      if (found.ends) break
    }
    return { ...status, exit }
  }

  #ignored(node: SyntaxNode): Status {
    this.#node(node, false)
    return NONE
  }

  #node(node: SyntaxNode, counts: boolean): Status {
    if (this.#depth >= MAX_DEPTH) return NONE
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
        const { fail, exit, always } = this.list(node.body.commands, counts)
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
        return this.#either(node.items.map(({ body }) => this.list(body.commands, counts)))
      case 'While':
        this.list(node.clause.commands, false)
        return this.#repeated(node.body, counts)
      case 'For':
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
    return this.#either([this.list(body.commands, counts)])
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
    const bodies = branches.map(({ clause, body }) => {
      conditions.push(this.#condition(clause))
      return this.list(body.commands, counts)
    })
    const last = otherwise && this.list(otherwise.commands, counts)
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
  #condition({ commands }: CompoundList): { yes: string[]; no: string[] } {
    const command = commands.at(-1)?.command
    this.list(commands.slice(0, -1), false)
    if (command?.type !== 'Pipeline' || !isNegated(command))
      return { yes: command ? this.#node(command, false).fail : [], no: [] }
    return { yes: [], no: this.#piped(command, false).fail }
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
      const next = this.#node(command, counts && isLast)
      status = operator === '&&' ? afterSuccess(status, next) : afterFailure(status, next)
    })
    return status
  }

  #pipeline(node: Pipeline, counts: boolean): Status {
    if (!isNegated(node)) return this.#piped(node, counts)
    this.#piped(node, false)
    return NONE
  }

  #piped({ commands }: Pipeline, counts: boolean): Status {
    const parts = commands.map(command => this.#node(command, counts))
    if (parts.length === 1) return parts[0] ?? NONE
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
    if (body) return this.#node(body, counts)
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
        this.#set(words.slice(1))
        return { ...NONE, always: 'passes' }
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

  /** A variable gets a value: the status of the command before, or something else. */
  #keep(name: string, value: string): void {
    if (/^"?\$(?:\?|\{\?\})"?$/.test(value)) this.#kept.set(name, this.#previous)
    // `failed=1` where a command failed.
    else if (/^\d+$/.test(value) && value !== '0')
      this.#kept.set(name, [...(this.#kept.get(name) ?? []), ...this.#previous])
    else if (value !== '0') this.#kept.delete(name)
  }

  #exit(status: string, isWhole: boolean): Status {
    const variable = /^\$\{?(\w+|\?)\}?$/.exec(status)?.[1]
    const by = variable === '?' ? this.#previous : variable ? (this.#kept.get(variable) ?? []) : []
    const always = /^\d+$/.test(status) ? (Number(status) === 0 ? 'passes' : 'fails') : undefined
    return { fail: by, last: by, exit: isWhole ? by : [], always, ends: true }
  }

  #set(words: readonly (string | undefined)[]): void {
    words.forEach((word = '', n) => {
      const [, sign, letters = ''] = /^([-+])([a-zA-Z]+)$/.exec(word) ?? []
      if (!sign) return
      const named = letters.endsWith('o') ? words[n + 1] : undefined
      if (letters.includes('e') || named === 'errexit') this.#options.errexit = sign === '-'
      if (named === 'pipefail') this.#options.pipefail = sign === '-'
    })
  }
}

const isNegated = ({ prefixes }: Pipeline): boolean =>
  prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1

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
  const fail = fails ? first.fail : [...new Set([...first.fail.filter(text => next.fail.includes(text))])]
  return {
    fail,
    last: fail,
    exit: [...first.exit, ...next.exit, ...(fails && next.ends ? first.fail : [])],
    always: next.always === 'passes' ? 'passes' : first.always === 'fails' ? next.always : undefined,
    ends: first.always === 'fails' && next.ends,
  }
}
