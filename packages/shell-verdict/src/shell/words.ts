import {
  type Assignment,
  type CommandArgument,
  forEachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  type SyntaxNode,
  type Redirection as SyntaxRedirection,
  type Word as SyntaxWord,
} from 'unbash'
import { arithmeticHazard, textHazard } from './arithmetic.ts'
import { changesWhatRuns, mayChangeProgram } from './environment.ts'
import type { Place, Shell } from './shell.ts'
import type { Redirection, VariableAssignment } from './simple-command.ts'
import type { Range } from './unknown.ts'
import { evaluateWord, literalWord, unknownWord, type Word } from './word.ts'

/** Reads words as bash would expand them here, and finds the commands and the hazards inside them. */
export class Words {
  readonly #shell: Shell
  readonly #run: (script: ParsedScript) => void

  /** `run` walks a text that a substitution holds. */
  constructor(shell: Shell, run: (script: ParsedScript) => void) {
    this.#shell = shell
    this.#run = run
  }

  of(word: SyntaxWord): Word[] {
    if (word.parts) this.expansions(word)
    return evaluateWord(word, name =>
      name === 'PWD' ? this.#knownFolder() : this.#shell.variables.values(name),
    )
  }

  /** Finds the commands inside a word's expansions, at any depth. */
  expansions(node: SyntaxNode): void {
    switch (node.type) {
      case 'CommandExpansion':
      case 'ArithmeticCommandExpansion':
        this.#substitution(node, 'substitution')
        return
      case 'ProcessSubstitution':
        this.#substitution(node, 'process-substitution')
        return
      case 'ArithmeticExpansion':
        if (!node.expression && node.text.length > 4)
          this.#shell.unknown('arithmetic', 'an arithmetic expression could not be read', rangeOf(node))
        this.arithmetic(node.expression, rangeOf(node))
        break
      case 'ParameterExpansion':
        this.#parameter(node)
        break
      default:
        break
    }
    forEachChild(node, child => this.expansions(child))
  }

  arithmetic(expression: Parameters<typeof arithmeticHazard>[0], at: Range): void {
    const hazard = arithmeticHazard(expression, name => this.#shell.variables.tainted(name))
    if (hazard) this.#shell.unknown('arithmetic', hazard, at)
  }

  /** What is between `[[` and `]]`. */
  test(node: SyntaxNode): void {
    if (node.type === 'TestBinary' && /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) {
      for (const side of [node.left, node.right]) this.#numeric(side)
    }
    if (node.type === 'TestUnary' && /^-[vR]$/.test(node.operator) && /[[$`]/.test(node.operand.text)) {
      this.#shell.unknown('arithmetic', 'a subscript is evaluated by a test', rangeOf(node))
    }
    if (node.type === 'Word') this.of(node)
    else forEachChild(node, child => this.test(child))
  }

  redirections(redirects: readonly SyntaxRedirection[]): Redirection[] {
    return redirects.map(redirect => {
      const fd = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : undefined
      if (redirect.type === 'HereDoc') {
        const { parts, text } = redirect.body
        for (const part of parts ?? []) this.expansions(part)
        return { operator: redirect.operator, fd, target: undefined, body: parts ? undefined : text }
      }
      if (redirect.descriptor?.type === 'FileDescriptorVariable')
        this.checkAssignment({ name: redirect.descriptor.name, value: undefined }, rangeOf(redirect))
      const words = redirect.target ? this.of(redirect.target) : []
      const target = words.length === 1 ? words[0] : undefined
      const body = redirect.type === 'HereString' ? target?.value : undefined
      return { operator: redirect.operator, fd, target: target ?? literalWord(''), body }
    })
  }

  assignment(assignment: Assignment, at: Range, given = false): VariableAssignment {
    const read = { name: assignment.name, value: this.#assigned(assignment) }
    this.checkAssignment(read, at, given)
    return read
  }

  /** `given`: it is handed to the program that follows. */
  checkAssignment({ name, value }: VariableAssignment, at: Range, given = false): void {
    if ((given ? mayChangeProgram : changesWhatRuns)(name, value?.value))
      this.#shell.unknown('environment', `${name} changes what programs run or do`, at)
  }

  argument(argument: CommandArgument, at: Range): Word[] {
    if (argument.type === 'Word') return this.of(argument)
    const { name, value } = this.assignment(argument, at)
    return [
      value?.value === undefined
        ? { ...unknownWord(argument.text, false), prefix: `${name}=` }
        : { ...literalWord(`${name}=${value.value}`), tilde: false },
    ]
  }

  /** An unquoted variable that no assignment here could have filled with more than a number. */
  isPlainNumber(word: Word): boolean {
    const name = /^\$\{?([A-Za-z_]\w*|[#?$!])\}?$/.exec(word.text)?.[1]
    return name !== undefined && !this.#shell.variables.tainted(name)
  }

  #knownFolder(): readonly string[] | undefined {
    const { folders, variables } = this.#shell
    return folders.length > 0 && variables.untouched('PWD') ? folders : undefined
  }

  #substitution(
    node: { pos: number; end: number; script: ParsedScript | undefined },
    reach: 'substitution' | 'process-substitution',
  ): void {
    const { script } = node
    const shell = this.#shell
    if (!script) {
      shell.unknown('syntax', 'a substitution could not be read', rangeOf(node))
      return
    }
    const { upstream } = shell
    shell.upstream = []
    // An escaped backtick text is decoded first: its offsets are its own.
    const at: Partial<Place> = script.source === undefined ? {} : { range: rangeOf(node) }
    shell.keepFolder(() =>
      shell.inside({ ...shell.through(reach), straight: false, ...at }, () => this.#run(script)),
    )
    shell.upstream = upstream
  }

  #parameter(node: ParameterExpansionPart): void {
    const { operation, index } = node
    const at = rangeOf(node)
    const whole = /^[@*]$/.test(index?.value ?? '')
    if (index && !whole) this.#numeric(index)
    switch (operation?.type) {
      case 'Slice':
        this.#numeric(operation.offset)
        if (operation.length) this.#numeric(operation.length)
        break
      case 'Transform':
        if (!/^[QLU]$/.test(operation.operand.value))
          this.#shell.unknown('expansion', 'the value of a variable is expanded again', at)
        break
      case 'Unknown':
        this.#shell.unknown('expansion', 'an unknown parameter expansion', at)
        break
      default:
        break
    }
    if (node.prefix === '!' && operation?.type !== 'Names' && !whole)
      this.#shell.unknown('expansion', 'a variable names another variable', at)
    if (operation?.type === 'Default' && operation.operator.endsWith('='))
      this.checkAssignment({ name: node.parameter, value: undefined }, at)
  }

  #assigned({ index, value }: Assignment): Word | undefined {
    if (index) {
      this.expansions(index)
      this.#numeric(index)
    }
    if (value.type === 'ArrayValue') {
      for (const element of value.elements) {
        this.of(element)
        // `a=([$(cmd)]=x)` is a subscript too.
        if (element.text.startsWith('[')) this.#numeric(element)
      }
      return undefined
    }
    const words = this.of(value)
    return words.length === 1 ? words[0] : undefined
  }

  /** Bash evaluates what is here as a number. */
  #numeric(word: SyntaxWord): void {
    const hazard = textHazard(word.value, word.parts, name => this.#shell.variables.tainted(name))
    if (hazard) this.#shell.unknown('arithmetic', hazard, rangeOf(word))
  }
}

export const rangeOf = ({ pos, end }: { pos: number; end: number }): Range => [pos, end]
