import { pathsOf } from './paths/resolve.ts'
import { assess, type Programs } from './programs/assess.ts'
import { builtinPrograms } from './programs/builtin.ts'
import type { Kind } from './programs/kinds.ts'
import { analyse, type ShellPlace } from './shell/analysis.ts'
import { programName } from './shell/program.ts'
import type { SimpleCommand } from './shell/simple-command.ts'
import type { Unknown } from './shell/unknown.ts'
import type { Word } from './shell/word.ts'

/** What one command text would do, as far as that can be known without running it. */
export interface Verdict {
  /** Every program the text could start, also through wrappers, substitutions and nested shells. */
  readonly programs: readonly ProgramUse[]
  /** What cannot be known before it runs. Empty when the whole text was understood. */
  readonly notUnderstood: readonly Unknown[]
  /** The whole text was understood, and every program only reads. */
  readonly onlyReads: boolean
}

export interface ProgramUse {
  readonly program: string
  /** Its arguments; undefined where an argument is only known when it runs. */
  readonly arguments: readonly (string | undefined)[]
  readonly effect: Kind
  /** Why it has this effect; completes the sentence that begins with the program's name. */
  readonly reason: string
  /** Absolute paths, patterns not resolved. */
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly hosts: readonly string[]
  /** Paths and hosts that are only known when it runs, as they are written. */
  readonly unknownNames: readonly string[]
}

/** Reads a shell command without running it. Pure: it looks at no file and starts nothing. */
export function readCommand(
  text: string,
  place: ShellPlace,
  programs: Programs = builtinPrograms(),
): Verdict {
  const analysis = analyse(text, place)
  const uses = analysis.commands.map(command => describeUse(command, programs, place))
  const onlyReads =
    uses.length > 0 &&
    analysis.unknowns.length === 0 &&
    uses.every(use => use.effect === 'read' && use.writes.length === 0 && use.unknownNames.length === 0)
  return { programs: uses, notUnderstood: analysis.unknowns, onlyReads }
}

function describeUse(command: SimpleCommand, programs: Programs, { home }: ShellPlace): ProgramUse {
  const first = command.words[0]
  const assessment = assess(command, programs)
  const unknownNames: string[] = []
  const resolve = (words: readonly Word[]) =>
    words.flatMap(word => {
      const known = pathsOf(word, command.folders, home)
      if (!known) unknownNames.push(word.text)
      return known ?? []
    })
  const opened = command.redirections.flatMap(({ target, operator }) =>
    target && operator !== '<<<' && !(operator.endsWith('&') && /^(\d+-?|-)$/.test(target.value ?? ''))
      ? [{ target, reads: operator === '<' || operator === '<&' }]
      : [],
  )
  // Without a program there are only assignments and redirections.
  const bare = first === undefined
  return {
    program: programName(first?.value ?? ''),
    arguments: command.words.slice(1).map(word => word.value),
    effect: bare ? 'read' : assessment.kind,
    reason: bare ? 'sets variables or opens files' : assessment.reason,
    reads: resolve([...assessment.reads, ...opened.filter(({ reads }) => reads).map(({ target }) => target)]),
    writes: resolve([
      ...assessment.writes,
      ...opened.filter(({ reads }) => !reads).map(({ target }) => target),
    ]).filter(path => !/^\/dev\/(null|stdout|stderr|tty)$/.test(path)),
    hosts: assessment.hosts.flatMap(word => {
      if (word.value === undefined) unknownNames.push(word.text)
      return word.value ?? []
    }),
    unknownNames,
  }
}
