import type { PermissionRule } from '@batonpass/contract/permission'
import type { PathPorts } from '@batonpass/shell-verdict/paths/resolve'
import type { Asks } from '../ask/asks.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import type { ToolEvent } from './ask-for.ts'
import type { GrantsInForce } from './grants/grants-in-force.ts'
import type { PermissionRequest } from './judge-context.ts'
import type { LinkPorts } from './links.ts'
import type { RecordPorts } from './record.ts'
import type { RuleSet } from './rules/compile.ts'
import type { SandboxLink } from './sandbox-link.ts'

/** Everything that the permission chain needs from outside. */
export interface PermissionPorts extends LinkPorts, RecordPorts {
  asks: Pick<Asks, 'ask' | 'withdraw' | 'remembered'>
  /** The rules in force for a session right now: the configuration's, its workflow's, and the given allow rules. */
  rules(context: ReactionContext, besides?: readonly PermissionRule[]): Promise<RuleSet>
  /** Removes secrets from a text. */
  redact(text: string): string
  /** The branch that the session may push with force. */
  ownBranch(context: ReactionContext): Promise<string | undefined>
  guarded: PermissionRequest['guarded']
  /** What the session's job may do by itself. */
  grants?: GrantPorts | undefined
  /** Absent in a process that handles a single call. */
  sandbox?: SandboxLink | undefined
  home: string
  paths: PathPorts
}

interface GrantPorts {
  /** Undefined for a session without a running job. */
  inForce(event: ToolEvent, context: ReactionContext): Promise<GrantsInForce | undefined>
  /** Records that a call uses up what a grant covers once. */
  use(event: ToolEvent, context: ReactionContext): Promise<void>
}
