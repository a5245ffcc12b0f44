import type { Range } from './unknown.ts'
import type { Word } from './word.ts'

/** One simple command that bash could run. Without words it is only assignments and redirections. */
export interface SimpleCommand {
  readonly words: readonly Word[]
  readonly assignments: readonly VariableAssignment[]
  readonly redirections: readonly Redirection[]
  /** Offsets in the text that was analysed; a nested text has the range of the word that holds it. */
  readonly range: Range
  readonly via: readonly Reach[]
  /** Folders it may run in; empty when that is unknown. */
  readonly folders: readonly string[]
  /** Commands before it in the same pipe, as indexes into the analysis. */
  readonly upstream: readonly number[]
  /** It only starts the commands found in its arguments. */
  readonly wraps: boolean
  /** Calls a function defined in the same text, whose commands are listed on their own. */
  readonly calls: boolean
  /** It runs in a place whose paths are not ours: a container, a pod, another host. */
  readonly elsewhere: boolean
}

/** How a command is reached: by the shell itself or through another program. */
export type Reach =
  | 'pipe'
  | 'subshell'
  | 'substitution'
  | 'process-substitution'
  | 'function'
  | 'background'
  | 'coproc'
  | `wrapper:${string}`

export interface Redirection {
  readonly operator: string
  readonly fd: number | undefined
  /** Undefined for a here-document. */
  readonly target: Word | undefined
  /** The body of a here-document or here-string when it is known. */
  readonly body: string | undefined
}

export interface VariableAssignment {
  readonly name: string
  readonly value: Word | undefined
}
