/** Something that cannot be known before it runs. */
export interface Unknown {
  readonly code: UnknownCode
  readonly reason: string
  readonly range: Range
  /** The command it belongs to, as an index into the analysis. */
  readonly part?: number
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

/** Offsets in the text that was analysed. */
export type Range = readonly [number, number]
