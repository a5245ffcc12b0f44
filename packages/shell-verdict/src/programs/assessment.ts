import type { Parsed } from '../shell/options.ts'
import type { Word } from '../shell/word.ts'
import type { Kind } from './kinds.ts'

/** What the tables say of one use of one program. */
export interface Assessment {
  kind: Kind
  /** The class of the same use before its flags and arguments change it, or of the mildest use where a table names that. */
  plainKind: Kind
  /** Completes «PROGRAM …». */
  reason: string
  program: string
  /** Sub-command words, for rules and explanations. */
  path: string[]
  reads: Word[]
  writes: Word[]
  hosts: Word[]
  /** Values whose meaning the table does not say: one that names a protected file counts as read. */
  unplaced: Word[]
  /** Contents of what it reads are shown. */
  shows: boolean
  deletes: boolean
  wrapper: boolean
  /** It has a flag that no table lists, or an argument that may turn out to be one. */
  unknownFlags: boolean
  /** All it changes lies in the worktree, whatever its arguments name. */
  inWorktree: boolean
  /** The one branch a forced push goes to, '' for several or none; undefined when nothing is forced. */
  forcePush: string | undefined
  /** A local file is sent to the host. */
  sends: boolean
  parsed: Parsed | undefined
}

/** Why nothing is known about a use of a program. */
export const UNKNOWN_PROGRAM = 'is not a known program'

/** Nothing known yet but what it is. */
export const blankAssessment = (kind: Assessment['kind'], program: string, reason: string): Assessment => ({
  kind,
  plainKind: kind,
  reason,
  program,
  path: [],
  reads: [],
  writes: [],
  hosts: [],
  unplaced: [],
  shows: true,
  deletes: false,
  wrapper: false,
  unknownFlags: false,
  inWorktree: false,
  forcePush: undefined,
  sends: false,
  parsed: undefined,
})
