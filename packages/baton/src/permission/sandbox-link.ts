import type { Config } from '@batonpass/contract/config'
import type { EventOf, PermissionMode } from '@batonpass/contract/event'
import type { AgentOwnSandbox, AgentSandboxing } from '../ports/agent.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import type { Release } from '../ports/sandbox.ts'
import type { RewriteState } from '../sandbox/rewrite-proofs.ts'
import type { ContainmentPlace, ContainmentPorts } from './containment.ts'
import type { CallContext } from './links.ts'

type ShellRequest = EventOf<'ToolRequested'>

/** Whether the settings, the agent and its permission mode let this command run inside. */
export const canRunInside = (
  { tool, action }: Pick<ShellRequest, 'tool' | 'action'>,
  agent: Pick<AgentSandboxing, 'tool' | 'modes'> | undefined,
  mode: PermissionMode | undefined,
  project: string,
  { sandbox }: Pick<Config, 'sandbox'>,
): boolean =>
  sandbox.mode !== 'off' &&
  agent !== undefined &&
  tool === agent.tool &&
  action.kind === 'shell' &&
  isAmongModes(agent.modes, mode) &&
  project !== '/'

export const isAmongModes = (modes: AgentSandboxing['modes'], mode: PermissionMode | undefined): boolean =>
  modes === 'any' || (mode !== undefined && modes.includes(mode))

/**
 * `user`: the user's settings say so for every command. `command`: they do by what the command says, which the agent may have
 * put there. `project`: only files of the project say so. Neither the agent nor the author of a project turns the sandbox off.
 */
export type RulesOwner = 'user' | 'command' | 'project'

/** The sandbox as the permission chain sees it. */
export interface SandboxLink<C extends CallContext = ReactionContext> {
  /** Whether this is a command of an agent and a permission mode that can run inside. */
  takes(event: ShellRequest, context: C): boolean
  /** Why this machine has no sandbox, and what to do; undefined if it has one. */
  whyUnavailable(): Promise<string | undefined>
  /** Whose settings of the agent may decide about the command, so that it must see the text. Undefined: no one's. */
  ownRules(event: ShellRequest, context: C): Promise<RulesOwner | undefined>
  /** Why the agent's own settings ask about the command, if Baton asks in its place. */
  askRule?(event: ShellRequest, context: C): Promise<string | undefined>
  /** The agent's own sandbox, if it is on: it counts as the sandbox. */
  ownSandbox?(event: ShellRequest, context: C): Promise<AgentOwnSandbox | undefined>
  /** Whether this agent's program runs what it is handed in place of a command. Absent: it does. */
  rewriteState?(event: ShellRequest, context: C): Promise<RewriteState>
  place(event: ShellRequest, context: C): Promise<ContainmentPlace>
  ports: ContainmentPorts
  /** Servers that a person opened to the session. */
  openedHosts(session: string): readonly string[]
  /** `release`: what of it may leave, and whether that is decided or a person sees it in the agent's dialog first. */
  prepare(
    event: ShellRequest,
    context: C,
    release?: Pick<Release, 'actions' | 'isGranted'>,
  ): Promise<{ ok: true; id: string; text: string } | { ok: false; reason: string }>
  discard(session: string, id: string): Promise<void>
  /** The agent's dialog shows a prepared command. False if nothing in it waits for a person's yes. */
  dialogOpened(session: string, id: string): Promise<boolean>
}
