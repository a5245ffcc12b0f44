import type { PermissionJudgement } from '@batonpass/contract/permission'
import type { AgentOwnSandbox } from '../ports/agent.ts'
import { whyNoBoundary } from '../sandbox/plan.ts'
import { questionInside, whyOutside } from './containment.ts'
import type { CallContext } from './links.ts'
import {
  FIRST_TRY,
  type InsideCommand,
  type InsideOptions,
  insideWords,
  losesFiles,
  prepareInside,
  type Question,
  snapshotFor,
} from './prepare-inside.ts'
import type { Decided } from './record.ts'
import type { RulesOwner, SandboxLink } from './sandbox-link.ts'

export interface RunOptions extends InsideOptions {
  /** Without a sandbox it would run without a question: harmless enough to see whether the agent runs replacements. */
  isAllowedByText: boolean
}

/**
 * Prepares a command for the sandbox. Undefined: its text decides, as without a sandbox. `leaves`: so it does, but there is
 * a sandbox, so code that no one has read needs a yes.
 */
export async function runInside<C extends CallContext>(
  call: Omit<InsideCommand<C>, 'place'>,
  { isAllowedByText, ...options }: RunOptions,
  link: SandboxLink<C>,
): Promise<Decided | 'leaves' | undefined> {
  const { event, context, judgement } = call
  const place = await link.place(event, context)
  const command = { ...call, place }
  // Found out first: to look for protected files in such a folder can take long.
  const unbounded = whyNoBoundary(place.worktree, place.home)
  if (unbounded !== undefined && !isStrict(context)) return undefined
  const unavailable = await link.whyUnavailable()
  if (unavailable !== undefined) return refuse(unavailable, context)
  const cannotWork = unbounded === undefined ? await whyCannotWork(command, link) : undefined
  if (cannotWork !== undefined) return { decision: 'deny', reason: cannotWork, by: 'sandbox' }
  const own = await link.ownSandbox?.(event, context)
  if ((await whyOutside(judgement, place, link.ports, own !== undefined)) !== undefined) {
    if (unbounded !== undefined) return 'leaves'
    const rules = await link.ownRules(event, context)
    if (rules !== undefined) return await byOwnRules(rules, command, link)
    return own === undefined ? 'leaves' : undefined
  }
  if (unbounded !== undefined) return refuse(unbounded, context)
  const rules = await link.ownRules(event, context)
  if (rules !== undefined) return await byOwnRules(rules, command, link)
  const questions = await questionsInside(command, own === undefined, link)
  if (own !== undefined)
    return questions.length > 0 ? undefined : await runInOwnSandbox(own, command, options, link)
  const state = await link.rewriteState?.(event, context)
  if (state === 'dropped') return refuse('This agent does not run its commands in the sandbox.', context)
  if (state === 'unknown' && !isAllowedByText) return FIRST_TRY
  const prepared = await prepareInside(command, questions, state !== 'unknown', options, link)
  return typeof prepared === 'object' && 'unprepared' in prepared
    ? (refuse(prepared.unprepared, context) ?? 'leaves')
    : prepared
}

const isStrict = ({ config }: Pick<CallContext, 'config'>): boolean => config.sandbox.mode === 'strict'

/** Where the sandbox is only preferred, the text decides instead. */
const refuse = (why: string, context: Pick<CallContext, 'config'>): Decided | undefined =>
  isStrict(context)
    ? {
        decision: 'deny',
        reason: `${why} With sandbox.mode: strict no command runs without it.`,
        by: 'sandbox',
      }
    : undefined

async function byOwnRules<C extends CallContext>(
  owner: RulesOwner,
  { event, context }: InsideCommand<C>,
  link: SandboxLink<C>,
): Promise<'leaves' | undefined> {
  if (isStrict(context) || owner === 'project') return 'leaves'
  // Where the agent has a sandbox of its own, that one holds whatever its rules do not let out.
  const isOpen = owner === 'command' && (await link.ownSandbox?.(event, context)) === undefined
  return isOpen ? 'leaves' : undefined
}

/** By the person's rules, in Baton's settings and in those of an agent whose dialog shows what replaces the command. */
async function questionsInside<C extends CallContext>(
  { event, context, judgement }: InsideCommand<C>,
  hidesVariables: boolean,
  { askRule }: Pick<SandboxLink<C>, 'askRule'>,
): Promise<Question[]> {
  const reasons = [questionInside(judgement, hidesVariables)?.reason, await askRule?.(event, context)]
  return reasons.flatMap(reason => (reason === undefined ? [] : [{ decision: 'ask' as const, reason }]))
}

const needsNetwork = ({ effects: { brokered = [], installs = [] } }: PermissionJudgement): boolean =>
  brokered.length + installs.length > 0

/** A command that would fail in the agent's own sandbox even if it is allowed: no one is asked, and the model learns what works. */
async function whyCannotWork<C extends CallContext>(
  { event, context, judgement }: InsideCommand<C>,
  link: SandboxLink<C>,
): Promise<string | undefined> {
  if (!needsNetwork(judgement) || (await link.ownRules(event, context)) !== undefined) return undefined
  return (await link.ownSandbox?.(event, context))?.withoutNetwork
}

/** The agent contains the command itself: it runs as it is. */
async function runInOwnSandbox<C extends CallContext>(
  { name, hasNetwork }: AgentOwnSandbox,
  command: InsideCommand<C>,
  { snapshot }: Pick<InsideOptions, 'snapshot'>,
  { ports }: Pick<SandboxLink<C>, 'ports'>,
): Promise<Decided | undefined> {
  // Neither the broker nor a registry answers there: the text decides about what needs one.
  if (needsNetwork(command.judgement) && !hasNetwork) return undefined
  const taken = await snapshotFor(command, snapshot)
  if (losesFiles(command, taken, ports)) return undefined
  return { decision: 'allow', reason: insideWords(name, taken), by: 'sandbox', ...taken }
}
