import { type ParsedScript, parse } from 'unbash'
import { expandWrapper } from '../nested/nested.ts'
import { checkBuiltin } from './builtins.ts'
import { moved, same, UNKNOWN_FOLDER } from './folders.ts'
import { programName } from './program.ts'
import type { Shell } from './shell.ts'
import type { Reach, Redirection, VariableAssignment } from './simple-command.ts'
import type { Range } from './unknown.ts'
import { TextVariables } from './variables.ts'
import type { Word } from './word.ts'
import type { Words } from './words.ts'

/** What is written where a command is run: words, assignments before it, redirections after it. */
export interface Written {
  readonly words: readonly Word[]
  readonly assignments: readonly VariableAssignment[]
  readonly redirections: readonly Redirection[]
}

/** What is known of the standard input of a command with these redirections. */
export function inputOf(redirections: readonly Redirection[], inherited: string | undefined) {
  const last = redirections.findLast(
    ({ fd, operator }) => fd === 0 || (fd === undefined && operator.startsWith('<')),
  )
  return last ? last.body : inherited
}

/** How a program starts something. */
interface Start {
  readonly reach: Reach
  readonly range: Range
  readonly elsewhere: boolean
  readonly input: string | undefined
}

/** Adds commands to those that were found, with what each of them starts in its turn and does to the shell. */
export class Invocation {
  readonly #shell: Shell
  readonly #words: Words
  readonly #run: (script: ParsedScript) => void

  /** `run` walks a text that a program hands to a shell. */
  constructor(shell: Shell, words: Words, run: (script: ParsedScript) => void) {
    this.#shell = shell
    this.#words = words
    this.#run = run
  }

  /** `named`: its name is in the shell's own text, so it may call a function. */
  add(written: Written, at: Range, named: boolean): void {
    const shell = this.#shell
    if (shell.hasTooMany) return
    const { words, assignments, redirections } = written
    const range = shell.place.range ?? at
    const [first, ...rest] = words
    const index = shell.commands.length
    const input = inputOf(redirections, shell.place.input)
    const command = {
      words,
      assignments,
      redirections,
      range,
      via: shell.place.via,
      folders: shell.folders,
      upstream: shell.upstream,
      elsewhere: shell.place.elsewhere,
      wraps: false,
      calls: false,
    }
    if (!first) {
      if (assignments.length > 0 || redirections.length > 0) shell.commands.push(command)
      return
    }
    const name = first.value
    if (name === undefined || first.glob || first.tilde || first.many) {
      shell.unknown('dynamic-program', `the program is only known when it runs: ${first.text}`, range)
      shell.commands.push(command)
      return
    }
    if (named && shell.functions.has(name)) {
      shell.commands.push({ ...command, calls: true })
      if (shell.movingFunctions) shell.folders = UNKNOWN_FOLDER
      return
    }
    shell.commands.push(command)
    if (name === 'unset') shell.functions.clear()
    const program = programName(name)
    for (const { code, reason } of checkBuiltin(program, rest, word => this.#words.isPlainNumber(word)))
      shell.unknown(code, reason, range, index)
    if (input !== undefined && program === 'cat' && rest.every(({ value }) => value === '-'))
      shell.outputs.set(index, input)
    if (this.#starts(program, rest, input, range, index)) shell.commands[index] = { ...command, wraps: true }
    if (program === 'cd' || program === 'pushd' || program === 'popd')
      shell.folders = moved(program, rest, shell.folders, shell.home)
  }

  /** Reports what a program starts; true when it does nothing else. */
  #starts(
    program: string,
    args: readonly Word[],
    input: string | undefined,
    range: Range,
    index: number,
  ): boolean {
    const shell = this.#shell
    const { upstream } = shell
    const reach: Reach = `wrapper:${program}`
    const wraps = expandWrapper(program, args, {
      words: (words, assignments, elsewhere, inAnotherFolder) => {
        const { folders } = shell
        if (inAnotherFolder) shell.folders = UNKNOWN_FOLDER
        this.#runWords({ words, assignments, redirections: [] }, { reach, range, elsewhere, input })
        if (inAnotherFolder) shell.folders = folders
      },
      source: (text, elsewhere) => this.#runSource(text, { reach, range, elsewhere, input }),
      // All of it is read, so nothing is left for what it starts.
      sourceOfInput: () => {
        if (input !== undefined && !shell.hasTooMuchInput(input, range))
          this.#runSource(input, { reach, range, elsewhere: false, input: undefined })
      },
      unknown: (code, reason) => shell.unknown(code, reason, range, index),
    })
    shell.upstream = upstream
    return wraps
  }

  /** An argument list that another program runs as it is. */
  #runWords(written: Written, { reach, range, elsewhere, input }: Start): void {
    const shell = this.#shell
    if (shell.isTooDeep(range)) return
    shell.inside({ ...shell.through(reach), range, elsewhere, input }, () => {
      for (const assignment of written.assignments) this.#words.checkAssignment(assignment, range, true)
      this.add(written, range, false)
    })
  }

  /** A text that another program hands to a shell. */
  #runSource(source: string, { reach, range, elsewhere, input }: Start): void {
    const shell = this.#shell
    if (shell.isTooDeep(range)) return
    const { variables, folders, functions } = shell
    // Another shell does not know this one's functions.
    shell.functions = new Set()
    shell.variables = new TextVariables(source, shell.home)
    shell.inside({ ...shell.through(reach), range, elsewhere, input }, () => this.#run(parse(source)))
    shell.variables = variables
    shell.functions = functions
    shell.folders = reach === 'wrapper:eval' && !same(folders, shell.folders) ? UNKNOWN_FOLDER : folders
  }
}
