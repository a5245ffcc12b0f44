import { type ParsedScript, parse } from 'unbash'
import { Walk } from './walk.ts'
import type { Word } from './word.ts'

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

/** One simple command that bash could run. Without words it is only assignments and redirections. */
export interface SimpleCommand {
  readonly words: readonly Word[]
  readonly assignments: readonly VariableAssignment[]
  readonly redirections: readonly Redirection[]
  /** Offsets in the text that was analysed; a nested text has the range of the word that holds it. */
  readonly range: readonly [number, number]
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

export type UnknownCode =
  | 'syntax'
  | 'size'
  | 'depth'
  | 'count'
  | 'control-character'
  | 'dynamic-program'
  | 'dynamic-source'
  | 'sourced-file'
  | 'standard-input'
  | 'environment'
  | 'alias'
  | 'builtin'
  | 'arithmetic'
  | 'expansion'
  | 'inline-code'
  | 'git-config'

/** Something that cannot be known before it runs. */
export interface Unknown {
  readonly code: UnknownCode
  readonly reason: string
  readonly range: readonly [number, number]
  /** The command it belongs to, as an index into the analysis. */
  readonly part?: number
}

export interface Analysis {
  readonly source: string
  readonly commands: readonly SimpleCommand[]
  readonly unknowns: readonly Unknown[]
}

export interface AnalyseOptions {
  readonly cwd: string
  readonly home: string
  /** Longer texts are refused as unknown. */
  readonly maxLength?: number
  readonly maxDepth?: number
  readonly maxCommands?: number
}

const MAX_LENGTH = 64 * 1024
const MAX_NESTING = 100
const MAX_DEPTH = 12
const MAX_COMMANDS = 1000

/** Finds every simple command bash could run for this text, and names what cannot be known. */
export function analyse(source: string, options: AnalyseOptions): Analysis {
  const refused = refuse(source, options.maxLength ?? MAX_LENGTH)
  if (refused) return { source: source.slice(0, 4096), commands: [], unknowns: [refused] }
  const walk = new Walk(source, {
    cwd: options.cwd,
    home: options.home,
    maxDepth: options.maxDepth ?? MAX_DEPTH,
    maxCommands: options.maxCommands ?? MAX_COMMANDS,
  })
  let script: ParsedScript
  try {
    script = parse(source)
    walk.script(script)
  } catch (error) {
    // A parser that fails knows nothing; the text may still run.
    walk.unknown('syntax', `the shell syntax could not be read (${String(error)})`, [0, source.length])
  }
  return { source, commands: walk.commands, unknowns: walk.unknowns }
}

function refuse(source: string, maxLength: number): Unknown | undefined {
  const range = [0, source.length] as const
  if (source.length > maxLength) {
    return { code: 'size', reason: `longer than ${maxLength} characters`, range }
  }
  // NUL cuts a string in some layers and not in others; escapes repaint what a person reads.
  const control = /[\0\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/.exec(source)
  if (control) {
    return {
      code: 'control-character',
      reason: `contains the control character U+${control[0].charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
      range: [control.index, control.index + 1],
    }
  }
  if (nesting(source) > MAX_NESTING) {
    return { code: 'depth', reason: `nested more than ${MAX_NESTING} levels deep`, range }
  }
  return undefined
}

/** A rough upper bound, cheap enough to come before the parser. */
function nesting(source: string): number {
  let depth = 0
  let deepest = 0
  for (let index = 0; index < source.length; index++) {
    const code = source.charCodeAt(index)
    if (code === 40 || code === 123) {
      depth++
      if (depth > deepest) deepest = depth
    } else if ((code === 41 || code === 125) && depth > 0) depth--
  }
  return deepest
}
