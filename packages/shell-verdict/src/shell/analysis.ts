import { parse } from 'unbash'
import type { SimpleCommand } from './simple-command.ts'
import type { Unknown } from './unknown.ts'
import { Walk } from './walk.ts'

export interface Analysis {
  readonly source: string
  readonly commands: readonly SimpleCommand[]
  readonly unknowns: readonly Unknown[]
}

/** Where the shell begins. */
export interface ShellPlace {
  readonly cwd: string
  readonly home: string
}

const MAX_LENGTH = 64 * 1024
const MAX_NESTING = 100

/** Finds every simple command bash could run for this text, and names what cannot be known. */
export function analyse(source: string, place: ShellPlace): Analysis {
  const refused = refuse(source)
  if (refused) return { source: source.slice(0, 4096), commands: [], unknowns: [refused] }
  const walk = new Walk(source, place)
  try {
    walk.script(parse(source))
  } catch (error) {
    // A parser that fails knows nothing; the text may still run.
    walk.shell.unknown('syntax', `the shell syntax could not be read (${String(error)})`, [0, source.length])
  }
  return { source, commands: walk.shell.commands, unknowns: walk.shell.unknowns }
}

/** Why a text is not read at all. */
export function refuse(source: string): Unknown | undefined {
  const range = [0, source.length] as const
  if (source.length > MAX_LENGTH) {
    return { code: 'size', reason: `longer than ${MAX_LENGTH} characters`, range }
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
