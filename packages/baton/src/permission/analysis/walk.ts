import { posix } from 'node:path'
import {
  type Assignment,
  type Command,
  type CommandArgument,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  parse,
  type Statement,
  type SyntaxNode,
  type Redirection as SyntaxRedirection,
  type Word as SyntaxWord,
} from 'unbash'
import type {
  Reach,
  Redirection,
  SimpleCommand,
  Unknown,
  UnknownCode,
  VariableAssignment,
} from './analysis.ts'
import { arithmeticHazard, textHazard } from './arithmetic.ts'
import { checkBuiltin } from './builtins.ts'
import { changesWhatRuns } from './environment.ts'
import { expandWrapper } from './nested.ts'
import { programName } from './program.ts'
import { TextVariables } from './variables.ts'
import { evaluateWord, literalWord, type Word } from './word.ts'

export interface WalkLimits {
  readonly cwd: string
  readonly home: string
  readonly maxDepth: number
  readonly maxCommands: number
}

type Range = readonly [number, number]

interface Place {
  readonly via: readonly Reach[]
  readonly elsewhere: boolean
  /** How many programs stand between the shell and this command. */
  readonly depth: number
  /** How deep the syntax is nested. */
  readonly level: number
  /** Set inside a text that stands in an argument: its offsets are those of that argument. */
  readonly range: Range | undefined
  /** Commands here run in order, once, whatever happened before. */
  readonly straight: boolean
}

/** Walks one text in the order of its source and collects every simple command. */
export class Walk {
  readonly commands: SimpleCommand[] = []
  readonly unknowns: Unknown[] = []
  readonly #limits: WalkLimits
  #functions = new Set<string>()
  #variables: TextVariables
  /** Folders the shell may be in; empty when unknown. */
  #folders: string[]
  #upstream: number[] = []
  /** Some function changes the folder. */
  #movingFunctions = false
  #place: Place = { via: [], elsewhere: false, depth: 0, level: 0, range: undefined, straight: true }

  constructor(source: string, limits: WalkLimits) {
    this.#limits = limits
    this.#folders = [limits.cwd]
    this.#variables = new TextVariables(source, limits.home)
  }

  unknown(code: UnknownCode, reason: string, range: Range, part?: number): void {
    if (this.unknowns.length >= 64) return
    this.unknowns.push({
      code,
      reason,
      range: this.#place.range ?? range,
      ...(part === undefined ? {} : { part }),
    })
  }

  script(script: ParsedScript): void {
    const errors = script.errors
    if (errors?.length) {
      const first = errors[0]
      this.unknown('syntax', `bash would not read this as it stands: ${first?.message ?? 'syntax error'}`, [
        first?.pos ?? script.pos,
        script.end,
      ])
    }
    this.#variables.of(script)
    this.#statements(script.commands)
  }

  /** A text that another program hands to a shell. */
  nestedSource(source: string, reach: Reach, range: Range, elsewhere: boolean): void {
    if (this.#tooDeep(range)) return
    const variables = this.#variables
    const folders = this.#folders
    const functions = this.#functions
    // Another shell does not know this one's functions.
    this.#functions = new Set()
    this.#variables = new TextVariables(source, this.#limits.home)
    this.#inside({ via: [...this.#place.via, reach], range, elsewhere }, () => this.script(parse(source)))
    this.#variables = variables
    this.#functions = functions
    this.#folders = reach === 'wrapper:eval' && !same(folders, this.#folders) ? [] : folders
  }

  /** An argument list that another program runs as it stands. */
  nestedWords(
    words: readonly Word[],
    reach: Reach,
    range: Range,
    assignments: VariableAssignment[],
    elsewhere: boolean,
  ): void {
    if (this.#tooDeep(range)) return
    this.#inside({ via: [...this.#place.via, reach], range, elsewhere }, () => {
      for (const assignment of assignments) this.#checkAssignment(assignment, range)
      this.#add(words, assignments, [], range, false)
    })
  }

  #tooDeep(range: Range): boolean {
    if (this.#place.depth < this.#limits.maxDepth) return false
    this.unknown('depth', `nested more than ${this.#limits.maxDepth} levels deep`, range)
    return true
  }

  #inside(change: Partial<Place>, run: () => void): void {
    const before = this.#place
    this.#place = {
      ...before,
      ...change,
      range: before.range ?? change.range,
      elsewhere: before.elsewhere || change.elsewhere === true,
      depth: before.depth + (change.range ? 1 : 0),
      level: before.level + 1,
    }
    run()
    this.#place = before
  }

  #statements(statements: readonly Statement[]): void {
    for (const statement of statements) {
      const before = this.#folders
      if (statement.background)
        this.#inside({ via: [...this.#place.via, 'background'], straight: false }, () =>
          this.#keepFolder(() => this.#node(statement.command)),
        )
      else this.#node(statement.command)
      // What follows runs even where a `cd` failed.
      if (this.#folders !== before) this.#folders = union(before, this.#folders)
    }
  }

  #keepFolder(run: () => void): void {
    const folders = this.#folders
    run()
    this.#folders = folders
  }

  #list(list: CompoundList): void {
    this.#inside({ straight: false }, () => this.#statements(list.commands))
  }

  #node(node: SyntaxNode): void {
    if (this.#place.level > 1000 || this.commands.length > this.#limits.maxCommands) {
      if (!this.unknowns.some(unknown => unknown.code === 'count')) {
        this.unknown('count', `more than ${this.#limits.maxCommands} commands`, [node.pos, node.end])
      }
      return
    }
    switch (node.type) {
      case 'Command':
        this.#command(node)
        return
      case 'AndOr': {
        const before = this.#folders
        node.commands.forEach((command, index) => {
          const straight =
            this.#place.straight && (index === 0 || node.operators.slice(0, index).every(o => o === '&&'))
          if (index > 0 && node.operators[index - 1] === '||') this.#folders = union(before, this.#folders)
          this.#inside({ straight: straight && index === 0 }, () => this.#node(command))
        })
        // A later command runs whether or not an earlier `cd` was reached.
        this.#folders = union(before, this.#folders)
        return
      }
      case 'Pipeline': {
        const upstream = this.#upstream
        const folders = this.#folders
        const piped = node.commands.length > 1
        let before: number[] = upstream
        node.commands.forEach((command, index) => {
          const from = this.commands.length
          this.#upstream = before
          const change: Partial<Place> = piped
            ? { via: index > 0 ? [...this.#place.via, 'pipe'] : this.#place.via, straight: false }
            : {}
          this.#inside(change, () => this.#node(command))
          if (piped) this.#folders = folders
          before = [...before, ...range(from, this.commands.length)]
        })
        this.#upstream = upstream
        return
      }
      case 'Subshell':
        this.#keepFolder(() =>
          this.#inside({ via: [...this.#place.via, 'subshell'] }, () => this.#list(node.body)),
        )
        return
      case 'Redirected': {
        this.#node(node.command)
        this.#add([], [], this.#redirections(node.redirects), [node.pos, node.end], false)
        return
      }
      case 'For':
      case 'Select': {
        const words = (node.wordlist ?? []).flatMap(word => this.#word(word))
        this.#checkAssignment({ name: node.name.value, value: undefined }, [node.pos, node.end])
        const choices = node.type === 'For' && node.wordlist ? words.map(word => word.value) : [undefined]
        const known = choices.filter(choice => choice !== undefined)
        this.#loop(() => {
          if (known.length === choices.length && known.length > 0) {
            this.#variables.during(node.name.value, known, () => this.#list(node.body))
          } else this.#list(node.body)
        })
        return
      }
      case 'While':
        this.#loop(() => {
          this.#list(node.clause)
          this.#list(node.body)
        })
        return
      case 'ArithmeticFor':
        for (const part of [node.initialize, node.test, node.update]) {
          if (!part) continue
          this.#arithmetic(part, [node.pos, node.end])
          this.#expansions(part)
        }
        this.#loop(() => this.#list(node.body))
        return
      case 'ArithmeticCommand':
        this.#arithmetic(node.expression, [node.pos, node.end])
        if (node.expression) this.#expansions(node.expression)
        return
      case 'If':
        this.#list(node.clause)
        this.#list(node.then)
        for (const branch of node.elif) {
          this.#list(branch.clause)
          this.#list(branch.then)
        }
        if (node.else) this.#list(node.else)
        return
      case 'BraceGroup':
        this.#list(node.body)
        return
      case 'Case':
        this.#word(node.word)
        for (const item of node.items) {
          for (const pattern of item.pattern) this.#expansions(pattern)
          this.#list(item.body)
        }
        return
      case 'Function': {
        const before = this.#folders
        this.#inside({ via: [...this.#place.via, 'function'], straight: false }, () => this.#body(node.body))
        if (!same(before, this.#folders)) this.#movingFunctions = true
        this.#folders = before
        // Only a definition that has surely happened hides the program of that name.
        if (this.#place.straight) this.#functions.add(node.name.value)
        return
      }
      case 'Coproc':
        this.#inside({ via: [...this.#place.via, 'coproc'], straight: false }, () =>
          this.#keepFolder(() => this.#body(node.body)),
        )
        return
      case 'TestCommand':
        this.#test(node)
        return
      default:
        this.#expansions(node)
    }
  }

  #body(node: SyntaxNode): void {
    if (node.type === 'CompoundList') this.#list(node)
    else this.#node(node)
  }

  /** A relative `cd` inside a loop or function may happen any number of times. */
  #loop(run: () => void): void {
    const before = this.#folders
    run()
    if (!same(before, this.#folders)) this.#folders = []
  }

  #test(node: SyntaxNode): void {
    if (node.type === 'TestBinary' && /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) {
      for (const side of [node.left, node.right]) this.#numeric(side)
    }
    if (node.type === 'TestUnary' && /^-[vR]$/.test(node.operator) && /[[$`]/.test(node.operand.text)) {
      this.unknown('arithmetic', 'a subscript is evaluated by a test', [node.pos, node.end])
    }
    if (node.type === 'Word') {
      this.#word(node)
      return
    }
    forEachChild(node, child => this.#test(child))
  }

  #numeric(word: SyntaxWord): void {
    const hazard = textHazard(word.value, word.parts, name => this.#variables.tainted(name))
    if (hazard) this.unknown('arithmetic', hazard, [word.pos, word.end])
  }

  #arithmetic(expression: Parameters<typeof arithmeticHazard>[0], at: Range): void {
    const hazard = arithmeticHazard(expression, name => this.#variables.tainted(name))
    if (hazard) this.unknown('arithmetic', hazard, at)
  }

  #word(word: SyntaxWord): Word[] {
    if (word.parts) this.#expansions(word)
    return evaluateWord(word, name => (name === 'PWD' ? this.#knownFolder() : this.#variables.values(name)))
  }

  #knownFolder(): readonly string[] | undefined {
    return this.#folders.length > 0 && this.#variables.untouched('PWD') ? this.#folders : undefined
  }

  /** Finds the commands inside a word's expansions, at any depth. */
  #expansions(node: SyntaxNode): void {
    switch (node.type) {
      case 'CommandExpansion':
      case 'ArithmeticCommandExpansion':
      case 'ProcessSubstitution': {
        const script = node.script
        if (!script) {
          this.unknown('syntax', 'a substitution could not be read', [node.pos, node.end])
          return
        }
        const reach = node.type === 'ProcessSubstitution' ? 'process-substitution' : 'substitution'
        const upstream = this.#upstream
        this.#upstream = []
        const change: Partial<Place> = { via: [...this.#place.via, reach], straight: false }
        // An escaped backtick text is decoded first: its offsets are its own.
        const at: Partial<Place> = script.source === undefined ? {} : { range: [node.pos, node.end] }
        this.#keepFolder(() => this.#inside({ ...change, ...at }, () => this.script(script)))
        this.#upstream = upstream
        return
      }
      case 'ArithmeticExpansion':
        if (!node.expression && node.text.length > 4) {
          this.unknown('arithmetic', 'an arithmetic expression could not be read', [node.pos, node.end])
        }
        this.#arithmetic(node.expression, [node.pos, node.end])
        break
      case 'ParameterExpansion': {
        const at: Range = [node.pos, node.end]
        const operation = node.operation
        if (node.index && !/^[@*]$/.test(node.index.value)) this.#numeric(node.index)
        if (operation?.type === 'Slice') {
          this.#numeric(operation.offset)
          if (operation.length) this.#numeric(operation.length)
        }
        if (
          operation?.type === 'Transform' &&
          operation.operand.value !== 'Q' &&
          operation.operand.value !== 'L' &&
          operation.operand.value !== 'U'
        ) {
          this.unknown('expansion', 'the value of a variable is expanded again', at)
        }
        if (operation?.type === 'Unknown') this.unknown('expansion', 'an unknown parameter expansion', at)
        if (node.prefix === '!' && operation?.type !== 'Names' && !/^[@*]$/.test(node.index?.value ?? '')) {
          this.unknown('expansion', 'a variable names another variable', at)
        }
        if (operation?.type === 'Default' && operation.operator.endsWith('=')) {
          this.#checkAssignment({ name: node.parameter, value: undefined }, at)
        }
        break
      }
      default:
        break
    }
    forEachChild(node, child => this.#expansions(child))
  }

  #redirections(redirects: readonly SyntaxRedirection[]): Redirection[] {
    return redirects.map(redirect => {
      const fd = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : undefined
      if (redirect.type === 'HereDoc') {
        for (const part of redirect.body.parts ?? []) this.#expansions(part)
        const plain = !redirect.body.parts
        return {
          operator: redirect.operator,
          fd,
          target: undefined,
          body: plain ? redirect.body.text : undefined,
        }
      }
      if (redirect.descriptor?.type === 'FileDescriptorVariable') {
        this.#checkAssignment({ name: redirect.descriptor.name, value: undefined }, [
          redirect.pos,
          redirect.end,
        ])
      }
      const words = redirect.target ? this.#word(redirect.target) : []
      const target = words.length === 1 ? words[0] : undefined
      const body = redirect.type === 'HereString' ? target?.value : undefined
      return { operator: redirect.operator, fd, target: target ?? literalWord(''), body }
    })
  }

  #assignment(assignment: Assignment): VariableAssignment {
    if (assignment.index) {
      this.#expansions(assignment.index)
      this.#numeric(assignment.index)
    }
    if (assignment.value.type === 'ArrayValue') {
      for (const element of assignment.value.elements) {
        this.#word(element)
        // `a=([$(cmd)]=x)` is a subscript too.
        if (element.text.startsWith('[')) this.#numeric(element)
      }
      return { name: assignment.name, value: undefined }
    }
    const words = this.#word(assignment.value)
    return { name: assignment.name, value: words.length === 1 ? words[0] : undefined }
  }

  #checkAssignment(assignment: VariableAssignment, at: Range): void {
    if (changesWhatRuns(assignment.name, assignment.value?.value)) {
      this.unknown('environment', `${assignment.name} changes what programs run or do`, at)
    }
  }

  #command(node: Command): void {
    const at: Range = [node.pos, node.end]
    const assignments: VariableAssignment[] = []
    for (const part of node.prefix) {
      if (part.type !== 'Assignment') continue
      const assignment = this.#assignment(part)
      this.#checkAssignment(assignment, at)
      assignments.push(assignment)
    }
    const redirections = this.#redirections(node.redirects)
    const words: Word[] = node.name ? this.#word(node.name) : []
    for (const argument of node.args) words.push(...this.#argument(argument, at))
    if (!node.name && this.#place.straight) {
      for (const { name, value } of assignments)
        if (value?.value !== undefined && !value.glob) this.#variables.set(name, [this.#assignedValue(value)])
    }
    this.#add(words, assignments, redirections, at, node.name !== undefined)
  }

  /** An unquoted variable that no assignment here could have filled with more than a number. */
  #plainNumber(word: Word): boolean {
    const name = /^\$\{?([A-Za-z_]\w*|[#?$!])\}?$/.exec(word.text)?.[1]
    return name !== undefined && !this.#variables.tainted(name)
  }

  /** Bash expands a tilde at the start of an assigned value. */
  #assignedValue(word: Word): string {
    const text = word.value ?? ''
    return word.tilde && /^~(\/|$)/.test(text) ? this.#limits.home + text.slice(1) : text
  }

  #argument(argument: CommandArgument, at: Range): Word[] {
    if (argument.type === 'Word') return this.#word(argument)
    const assignment = this.#assignment(argument)
    this.#checkAssignment(assignment, at)
    if (assignment.value?.value !== undefined)
      return [{ ...literalWord(`${assignment.name}=${assignment.value.value}`), tilde: false }]
    return [
      {
        text: argument.text,
        value: undefined,
        prefix: `${assignment.name}=`,
        glob: false,
        tilde: false,
        many: false,
        choices: undefined,
      },
    ]
  }

  #add(
    words: readonly Word[],
    assignments: readonly VariableAssignment[],
    redirections: readonly Redirection[],
    at: Range,
    written: boolean,
  ): void {
    if (this.commands.length > this.#limits.maxCommands) return
    const range = this.#place.range ?? at
    const first = words[0]
    const index = this.commands.length
    const base = {
      words,
      assignments,
      redirections,
      range,
      via: this.#place.via,
      folders: this.#folders,
      upstream: this.#upstream,
      elsewhere: this.#place.elsewhere,
    }
    if (!first) {
      if (assignments.length > 0 || redirections.length > 0)
        this.commands.push({ ...base, wraps: false, calls: false })
      return
    }
    const name = first.value
    if (name === undefined || first.glob || first.tilde || first.many) {
      this.unknown('dynamic-program', `the program is only known when it runs: ${first.text}`, range)
      this.commands.push({ ...base, wraps: false, calls: false })
      return
    }
    const calls = written && this.#functions.has(name)
    this.commands.push({ ...base, wraps: false, calls })
    if (calls) {
      if (this.#movingFunctions) this.#folders = []
      return
    }
    if (name === 'unset') this.#functions.clear()
    const program = programName(name)
    for (const reason of checkBuiltin(program, words.slice(1), word => this.#plainNumber(word)))
      this.unknown(reason.code, reason.reason, range, index)
    const upstreamBefore = this.#upstream
    const wraps = expandWrapper(program, words.slice(1), {
      words: (nested, set, elsewhere, moved) => {
        const folders = this.#folders
        if (moved) this.#folders = []
        this.nestedWords(nested, `wrapper:${program}`, range, set, elsewhere)
        if (moved) this.#folders = folders
      },
      source: (text, elsewhere) => this.nestedSource(text, `wrapper:${program}`, range, elsewhere),
      unknown: (code, reason) => this.unknown(code, reason, range, index),
      redirections,
      piped: this.#place.via.at(-1) === 'pipe',
    })
    this.#upstream = upstreamBefore
    if (wraps) this.commands[index] = { ...base, wraps: true, calls: false }
    if (program === 'cd' || program === 'pushd' || program === 'popd')
      this.#changeFolder(program, words.slice(1))
  }

  #changeFolder(program: string, words: readonly Word[]): void {
    const target = words.filter(word => !/^-[LPe@]+$|^--$/.test(word.value ?? ''))
    const word = target[0]
    if (
      program === 'popd' ||
      target.length > 1 ||
      word?.value?.startsWith('-') ||
      word?.value?.startsWith('+')
    ) {
      this.#folders = []
      return
    }
    const text = word === undefined ? '~' : word.value
    if (text === undefined || word?.glob || (program === 'pushd' && word === undefined)) {
      this.#folders = []
      return
    }
    const to = (from: string): string => {
      if (word === undefined || (word.tilde && (text === '~' || text.startsWith('~/')))) {
        return posix.join(this.#limits.home, text.slice(1))
      }
      return posix.resolve(from, text)
    }
    if (word?.tilde && !/^~(\/|$)/.test(text)) {
      this.#folders = []
      return
    }
    this.#folders = text.startsWith('/') ? [to('/')] : this.#folders.map(to)
  }
}

function union(left: readonly string[], right: readonly string[]): string[] {
  if (left.length === 0 || right.length === 0) return []
  const all = [...new Set([...left, ...right])]
  return all.length > 8 ? [] : all
}

function same(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index])
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}
