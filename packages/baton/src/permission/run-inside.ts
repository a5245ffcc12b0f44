import type { Config } from '@batonpass/contract/config'
import type { EventOf, PermissionMode } from '@batonpass/contract/event'
import type { PermissionJudgement, PermissionStep } from '@batonpass/contract/permission'
import type { AgentOwnSandbox, AgentSandboxing } from '../ports/agent.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import type { Release } from '../ports/sandbox.ts'
import { whyNoBoundary } from '../sandbox/plan.ts'
import type { RewriteState } from '../sandbox/rewrite-proofs.ts'
import {
  type ContainmentPlace,
  type ContainmentPorts,
  hiddenInside,
  isOwnRule,
  overwrites,
  releasesOf,
  whyOutside,
} from './containment.ts'
import type { CallContext, Snapshotted } from './links.ts'
import type { Decided } from './record.ts'

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

/** `project`: only files of the project say so, and the author of a project does not turn the sandbox off. */
export type RulesOwner = 'user' | 'project'

/** The sandbox as the permission chain sees it. */
export interface SandboxLink<C extends CallContext = ReactionContext> {
  /** Whether this is a command of an agent and a permission mode that can run inside. */
  takes(event: ShellRequest, context: C): boolean
  /** Why this machine has no sandbox, and what to do; undefined if it has one. */
  whyUnavailable(): Promise<string | undefined>
  /** Whose settings of the agent may decide about the command, so that it must see the text. Undefined: no one's. */
  ownRules(event: ShellRequest, context: C): Promise<RulesOwner | undefined>
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

export interface InsideOptions {
  snapshot: (() => Promise<Snapshotted>) | undefined
  /** Without a sandbox it would run without a question: harmless enough to see whether the agent runs replacements. */
  isAllowedByText: boolean
  /** What the links after the rules make of a part that leaves the sandbox. */
  decideRelease(part: PermissionStep): Promise<Decided>
}

/**
 * Prepares a command for the sandbox. Undefined: its text decides, as without a sandbox. `leaves`: so it does, but there is
 * a sandbox, so code that no one has read needs a yes.
 */
export async function runInside<C extends CallContext>(
  event: ShellRequest,
  context: C,
  judgement: PermissionJudgement,
  { snapshot, isAllowedByText, decideRelease }: InsideOptions,
  link: SandboxLink<C>,
): Promise<Decided | 'leaves' | undefined> {
  const isStrict = context.config.sandbox.mode === 'strict'
  const refuse = (why: string): Decided | undefined =>
    isStrict
      ? {
          decision: 'deny',
          reason: `${why} With sandbox.mode: strict no command runs without it.`,
          by: 'sandbox',
        }
      : undefined
  const byOwnRules = (owner: RulesOwner) => (owner === 'project' || isStrict ? 'leaves' : undefined)
  const place = await link.place(event, context)
  // Found out first: to look for protected files in such a folder can take long.
  const unbounded = whyNoBoundary(place.worktree, place.home)
  if (unbounded !== undefined && !isStrict) return undefined
  const unavailable = await link.whyUnavailable()
  if (unavailable !== undefined) return refuse(unavailable)
  const cannotWork =
    unbounded === undefined ? await whyCannotWork(event, context, judgement, link) : undefined
  if (cannotWork !== undefined) return { decision: 'deny', reason: cannotWork, by: 'sandbox' }
  if ((await whyOutside(judgement, place, link.ports)) !== undefined) {
    if (unbounded !== undefined) return 'leaves'
    const rules = await link.ownRules(event, context)
    if (rules !== undefined) return byOwnRules(rules)
    return (await link.ownSandbox?.(event, context)) === undefined ? 'leaves' : undefined
  }
  if (unbounded !== undefined) return refuse(unbounded)
  const rules = await link.ownRules(event, context)
  if (rules !== undefined) return byOwnRules(rules)
  const own = await link.ownSandbox?.(event, context)
  if (own !== undefined) return await runInOwnSandbox(own, judgement, place, snapshot, link)
  const state = await link.rewriteState?.(event, context)
  if (state === 'dropped') return refuse('This agent does not run its commands in the sandbox.')
  if (state === 'unknown' && !isAllowedByText) return FIRST_TRY
  const { steps: leaving, actions } =
    place.broker === 'dialog' ? releasesOf(judgement) : { steps: [], actions: [] }
  const released = leaving[0] && (await decideRelease(leaving[0]))
  if (released?.decision === 'deny') return released
  const isAsked = released?.decision === 'ask'
  const isReleased = isAsked || released?.decision === 'allow'
  const release = isReleased ? { actions, isGranted: !isAsked } : undefined
  // At the same time: both wait for the disk.
  const [prepared, taken] = await Promise.all([
    link.prepare(event, context, release),
    mayChangeFiles(judgement) ? snapshot?.() : undefined,
  ])
  if (!prepared.ok) return refuse(prepared.reason) ?? 'leaves'
  if (taken && 'noUndo' in taken && overwrites(judgement, place.worktree, link.ports)) {
    await link.discard(event.session, prepared.id)
    return 'leaves'
  }
  if (state === 'unknown' && taken && 'noUndo' in taken) {
    await link.discard(event.session, prepared.id)
    return FIRST_TRY
  }
  const words = insideWords('the sandbox', taken)
  const [hidden] = hiddenInside(judgement, place, link.ports)
  const input = typeof event.input === 'object' ? { ...event.input } : {}
  return {
    decision: 'allow',
    reason: words,
    by: 'sandbox',
    ...(isAsked ? { decision: 'ask', reason: askedWords(released, leaving), by: released.by } : {}),
    ...taken,
    rewrite: { input: { ...input, command: prepared.text } },
    ...(hidden ? { context: hiddenHint(hidden) } : {}),
  }
}

/** For the dialog: a yes is for these parts, and the rest cannot leave. */
const askedWords = ({ reason }: Decided, leaving: readonly PermissionStep[]): string => {
  const parts = [...new Set(leaving.map(({ part }) => part))]
  return `${reason}. A yes lets this leave the sandbox, once: ${parts.join('; ')}. The rest runs inside`
}

const needsNetwork = ({ effects: { brokered = [], installs = [] } }: PermissionJudgement): boolean =>
  brokered.length + installs.length > 0

/** A command that would fail in the agent's own sandbox even if it is allowed: no one is asked, and the model learns what works. */
async function whyCannotWork<C extends CallContext>(
  event: ShellRequest,
  context: C,
  judgement: PermissionJudgement,
  link: SandboxLink<C>,
): Promise<string | undefined> {
  if (!needsNetwork(judgement) || (await link.ownRules(event, context)) !== undefined) return undefined
  return (await link.ownSandbox?.(event, context))?.withoutNetwork
}

/** The agent contains the command itself: it runs as it is. */
async function runInOwnSandbox(
  { name, hasNetwork }: AgentOwnSandbox,
  judgement: PermissionJudgement,
  { worktree }: ContainmentPlace,
  snapshot: InsideOptions['snapshot'],
  { ports }: Pick<SandboxLink, 'ports'>,
): Promise<Decided | undefined> {
  // Neither the broker nor a registry answers there: the text decides about what needs one.
  if (needsNetwork(judgement) && !hasNetwork) return undefined
  const taken = mayChangeFiles(judgement) ? await snapshot?.() : undefined
  if (taken && 'noUndo' in taken && overwrites(judgement, worktree, ports)) return undefined
  return { decision: 'allow', reason: insideWords(name, taken), by: 'sandbox', ...taken }
}

/** Baton's own rules allow only what it can read. A person's rule may allow anything. */
const mayChangeFiles = ({ decision, trail }: PermissionJudgement): boolean =>
  decision !== 'allow' || trail.some(isOwnRule)

const insideWords = (where: string, taken: Snapshotted | undefined): string =>
  taken && 'undo' in taken
    ? `runs in ${where}; \`baton undo ${taken.undo}\` takes back what it changes in the project`
    : `runs in ${where}`

/** For the model. Any command that is allowed by its text will do. */
const FIRST_TRY: Decided = {
  decision: 'deny',
  reason:
    'Baton has to see once that this version of the agent runs its commands in the sandbox. Run `true` with the same options, then this command again',
  by: 'sandbox',
}

const hiddenHint = (path: string): string =>
  `${path} is not visible to commands: they run in Baton's sandbox. Read it with your file tools, or ask the user: \`baton request path ${path}\`.`
