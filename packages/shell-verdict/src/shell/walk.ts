import type {
  AndOr,
  Command,
  CompoundList,
  For,
  ParsedScript,
  Pipeline,
  Select,
  Statement,
  Function as SyntaxFunction,
  SyntaxNode,
} from 'unbash'
import { either, same, UNKNOWN_FOLDER } from './folders.ts'
import { Invocation, inputOf } from './invocation.ts'
import { type Place, Shell } from './shell.ts'
import type { Word } from './word.ts'
import { rangeOf, Words } from './words.ts'

/** Walks one text in the order of its source and follows what may run, in which order and in which folder. */
export class Walk {
  readonly shell: Shell
  readonly #words: Words
  readonly #invocation: Invocation

  constructor(source: string, place: { cwd: string; home: string }) {
    this.shell = new Shell(source, place)
    const run = (script: ParsedScript) => this.script(script)
    this.#words = new Words(this.shell, run)
    this.#invocation = new Invocation(this.shell, this.#words, run)
  }

  script(script: ParsedScript): void {
    const first = script.errors?.[0]
    if (first)
      this.shell.unknown('syntax', `bash would not read this as it is: ${first.message}`, [
        first.pos,
        script.end,
      ])
    this.shell.variables.of(script)
    this.#statements(script.commands)
  }

  #statements(statements: readonly Statement[]): void {
    const { shell } = this
    for (const statement of statements) {
      const before = shell.folders
      if (statement.background)
        shell.inside({ ...shell.through('background'), straight: false }, () =>
          shell.keepFolder(() => this.#node(statement.command)),
        )
      else this.#node(statement.command)
      // What follows runs even where a `cd` failed.
      if (shell.folders !== before) shell.folders = either(before, shell.folders)
    }
  }

  #list(list: CompoundList): void {
    this.shell.inside({ straight: false }, () => this.#statements(list.commands))
  }

  #body(node: SyntaxNode): void {
    if (node.type === 'CompoundList') this.#list(node)
    else this.#node(node)
  }

  #node(node: SyntaxNode): void {
    const { shell } = this
    const at = rangeOf(node)
    if (shell.isFull(at)) return
    switch (node.type) {
      case 'Command':
        this.#command(node)
        return
      case 'AndOr':
        this.#andOr(node)
        return
      case 'Pipeline':
        this.#pipeline(node)
        return
      case 'Subshell':
        shell.keepFolder(() => shell.inside(shell.through('subshell'), () => this.#list(node.body)))
        return
      case 'Redirected': {
        // They are opened before the command runs.
        const redirections = this.#words.redirections(node.redirects)
        const input = inputOf(redirections, shell.place.input)
        shell.inside({ input }, () => this.#node(node.command))
        this.#invocation.add({ words: [], assignments: [], redirections }, at, false)
        return
      }
      case 'For':
      case 'Select':
        this.#choices(node)
        return
      case 'While':
        this.#loop(() => {
          this.#list(node.clause)
          this.#list(node.body)
        })
        return
      case 'ArithmeticFor':
        for (const part of [node.initialize, node.test, node.update]) {
          if (!part) continue
          this.#words.arithmetic(part, at)
          this.#words.expansions(part)
        }
        this.#loop(() => this.#list(node.body))
        return
      case 'ArithmeticCommand':
        this.#words.arithmetic(node.expression, at)
        if (node.expression) this.#words.expansions(node.expression)
        return
      case 'If':
        for (const branch of [node, ...node.elif]) {
          this.#list(branch.clause)
          this.#list(branch.then)
        }
        if (node.else) this.#list(node.else)
        return
      case 'BraceGroup':
        this.#list(node.body)
        return
      case 'Case':
        this.#words.of(node.word)
        for (const item of node.items) {
          for (const pattern of item.pattern) this.#words.expansions(pattern)
          this.#list(item.body)
        }
        return
      case 'Function':
        this.#define(node)
        return
      case 'Coproc':
        shell.inside({ ...shell.through('coproc'), straight: false }, () =>
          shell.keepFolder(() => this.#body(node.body)),
        )
        return
      case 'TestCommand':
        this.#words.test(node)
        return
      default:
        this.#words.expansions(node)
    }
  }

  #andOr({ commands, operators }: AndOr): void {
    const { shell } = this
    const before = shell.folders
    commands.forEach((command, index) => {
      if (index > 0 && operators[index - 1] === '||') shell.folders = either(before, shell.folders)
      shell.inside({ straight: shell.place.straight && index === 0 }, () => this.#node(command))
    })
    // A later command runs whether or not an earlier `cd` was reached.
    shell.folders = either(before, shell.folders)
  }

  #pipeline({ commands }: Pipeline): void {
    const { shell } = this
    const { upstream, folders } = shell
    const piped = commands.length > 1
    let before = upstream
    let printers: readonly number[] = []
    commands.forEach((command, index) => {
      const from = shell.commands.length
      shell.upstream = before
      const change: Partial<Place> = !piped
        ? {}
        : index === 0
          ? { straight: false }
          : { ...shell.through('pipe'), straight: false, input: this.#printed(printers) }
      shell.inside(change, () => this.#node(command))
      if (piped) shell.folders = folders
      printers = indexes(from, shell.commands.length)
      before = [...before, ...printers]
    })
    shell.upstream = upstream
  }

  /** What surely comes out of these commands: of one that starts another, only the other one prints. */
  #printed(indexes: readonly number[]): string | undefined {
    const { commands, outputs } = this.shell
    const [printer, ...others] = indexes.filter(
      index => !commands[index]?.wraps && commands[index]?.words.length !== 0,
    )
    return printer === undefined || others.length > 0 ? undefined : outputs.get(printer)
  }

  #choices(node: For | Select): void {
    const name = node.name.value
    const words = (node.wordlist ?? []).flatMap(word => this.#words.of(word))
    this.#words.checkAssignment({ name, value: undefined }, rangeOf(node))
    const choices = node.type === 'For' && node.wordlist ? words.map(word => word.value) : [undefined]
    const known = choices.filter(choice => choice !== undefined)
    this.#loop(() => {
      if (known.length === choices.length && known.length > 0)
        this.shell.variables.during(name, known, () => this.#list(node.body))
      else this.#list(node.body)
    })
  }

  /** A relative `cd` inside a loop may happen any number of times. */
  #loop(run: () => void): void {
    const before = this.shell.folders
    run()
    if (!same(before, this.shell.folders)) this.shell.folders = UNKNOWN_FOLDER
  }

  #define(node: SyntaxFunction): void {
    const { shell } = this
    const before = shell.folders
    shell.inside({ ...shell.through('function'), straight: false }, () => this.#body(node.body))
    if (!same(before, shell.folders)) shell.movingFunctions = true
    shell.folders = before
    // Only a definition that has surely happened hides the program of that name.
    if (shell.place.straight) shell.functions.add(node.name.value)
  }

  #command(node: Command): void {
    const { shell } = this
    const at = rangeOf(node)
    const assignments = node.prefix
      .filter(part => part.type === 'Assignment')
      .map(part => this.#words.assignment(part, at, node.name !== undefined))
    const redirections = this.#words.redirections(node.redirects)
    const words = node.name ? this.#words.of(node.name) : []
    for (const argument of node.args) words.push(...this.#words.argument(argument, at))
    if (!node.name && shell.place.straight) {
      for (const { name, value } of assignments)
        if (value?.value !== undefined && !value.glob)
          shell.variables.set(name, [assignedText(value, shell.home)])
    }
    this.#invocation.add({ words, assignments, redirections }, at, node.name !== undefined)
  }
}

/** Bash expands a tilde at the start of an assigned value. */
function assignedText({ value = '', tilde }: Word, home: string): string {
  return tilde && /^~(\/|$)/.test(value) ? home + value.slice(1) : value
}

function indexes(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}
