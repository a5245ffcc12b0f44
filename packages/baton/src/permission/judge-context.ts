import type { PathPorts } from '@batonpass/shell-verdict/paths/resolve'
import type { GrantsInForce } from './grants/grants-in-force.ts'
import type { Guarded } from './paths/protected.ts'
import type { RuleSet } from './rules/compile.ts'

/** One use of a tool that an agent asks for. */
export interface PermissionRequest {
  readonly tool: string
  readonly input: unknown
  /** The agent's own documentation says that this tool changes nothing outside the conversation. */
  readonly isHarmless?: boolean
  readonly cwd: string
  /** Root of the worktree in which the session began. */
  readonly worktree: string
  readonly home: string
  /** The session's own branch: the only one it may push with force. */
  readonly branch?: string
  /** What belongs to Baton; `~/.baton` when left out. */
  readonly guarded?: Guarded
  /** Servers that a person opened to the session, in the syntax of `sandbox.hosts`. */
  readonly hosts?: readonly string[]
  /** What the session's job may do by itself. */
  readonly grants?: GrantsInForce
}

/** A request with all that it is judged by. */
export interface JudgeContext {
  readonly request: PermissionRequest
  readonly rules: RuleSet
  readonly paths: PathPorts
  readonly guarded: Guarded
  /** The worktree's root with links followed. */
  readonly worktree: string
}
