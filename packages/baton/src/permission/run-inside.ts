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
  NOT_UNDOABLE,
  overwrites,
  questionInside,
  releasesOf,
  whyOutside,
} from './containment.ts'
import { type CallContext, dialogFollows, type Snapshotted } from './links.ts'
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

export interface InsideOptions {
  snapshot: (() => Promise<Snapshotted>) | undefined
  /** Without a sandbox it would run without a question: harmless enough to see whether the agent runs replacements. */
  isAllowedByText: boolean
  /** What the links after the rules make of a part that leaves the sandbox. */
  decideRelease(part: PermissionStep): Promise<Decided>
  /** What they make of a question about a command that runs inside after the yes. */
  decideQuestion(question: Pick<PermissionStep, 'decision' | 'reason'>): Promise<Decided>
}

/**
 * Prepares a command for the sandbox. Undefined: its text decides, as without a sandbox. `leaves`: so it does, but there is
 * a sandbox, so code that no one has read needs a yes.
 */
export async function runInside<C extends CallContext>(
  event: ShellRequest,
  context: C,
  judgement: PermissionJudgement,
  { snapshot, isAllowedByText, decideRelease, decideQuestion }: InsideOptions,
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
  const byOwnRules = async (owner: RulesOwner): Promise<'leaves' | undefined> => {
    if (isStrict || owner === 'project') return 'leaves'
    // Where the agent has a sandbox of its own, that one holds whatever its rules do not let out.
    const isOpen = owner === 'command' && (await link.ownSandbox?.(event, context)) === undefined
    return isOpen ? 'leaves' : undefined
  }
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
    if (rules !== undefined) return await byOwnRules(rules)
    return (await link.ownSandbox?.(event, context)) === undefined ? 'leaves' : undefined
  }
  if (unbounded !== undefined) return refuse(unbounded)
  const rules = await link.ownRules(event, context)
  if (rules !== undefined) return await byOwnRules(rules)
  const own = await link.ownSandbox?.(event, context)
  const questions = await questionsInside(event, context, judgement, link)
  if (own !== undefined)
    return questions.length > 0 ? undefined : await runInOwnSandbox(own, judgement, place, snapshot, link)
  const state = await link.rewriteState?.(event, context)
  if (state === 'dropped') return refuse('This agent does not run its commands in the sandbox.')
  if (state === 'unknown' && !isAllowedByText) return FIRST_TRY
  // A person who is asked about the whole command sees what of it leaves.
  const { steps: leaving, actions } = releasesOf(judgement)
  const showsDialog = dialogFollows(event, context)
  const released = leaving[0] && place.broker === 'dialog' ? await decideRelease(leaving[0]) : undefined
  if (released?.decision === 'deny') return released
  const prepare = (answer: Decided | undefined) => {
    const all = [released, answer].filter(each => each !== undefined)
    const isAsked = all.some(({ decision }) => decision === 'ask')
    const isReleased = released
      ? /^(ask|allow)$/.test(released.decision)
      : isPersons(answer) || (showsDialog && answer?.decision === 'ask')
    const release = { actions: isReleased ? actions : [], isGranted: !isAsked }
    return link.prepare(event, context, isAsked || release.actions.length > 0 ? release : undefined)
  }
  // At the same time: both wait for the disk.
  const [early, taken] = await Promise.all([
    questions.length === 0 ? prepare(undefined) : undefined,
    mayChangeFiles(judgement) ? snapshot?.() : undefined,
  ])
  if (early?.ok === false) return refuse(early.reason) ?? 'leaves'
  const isUnproven = state === 'unknown' && taken !== undefined && 'noUndo' in taken
  if (isLost(judgement, place, taken, link)) questions.push({ decision: 'undecided', reason: NOT_UNDOABLE })
  if (early && (isUnproven || questions.length > 0)) await link.discard(event.session, early.id)
  if (isUnproven) return FIRST_TRY
  const answer = questions.length > 0 ? await askFor(questions) : undefined
  if (answer === 'leaves') return answer
  if (answer && !answer.rewritten) return answer.decided
  const prepared = answer || !early ? await prepare(answer?.decided) : early
  if (!prepared.ok) return refuse(prepared.reason) ?? 'leaves'
  const [hidden] = hiddenInside(judgement, place, link.ports)
  const input = typeof event.input === 'object' ? { ...event.input } : {}
  return {
    ...insideAs(released, answer?.decided, leaving, taken),
    ...taken,
    rewrite: { input: { ...input, command: prepared.text } },
    ...(hidden ? { context: hiddenHint(hidden) } : {}),
  }

  /** Asks about a command that runs inside after the yes; `rewritten`: it is to be prepared. */
  async function askFor(
    asked: readonly Question[],
  ): Promise<{ decided: Decided; rewritten: boolean } | 'leaves'> {
    const decision = asked.some(question => question.decision === 'ask') ? 'ask' : 'undecided'
    // A dialog says it below, also of what else is asked there.
    const leaves = showsDialog || leaving.length === 0 ? [] : [leaveWords(leaving)]
    const words = [...asked.map(({ reason }) => reason), ...leaves]
    const decided = await decideQuestion({ decision, reason: words.join('. ') })
    const { decision: answer } = decided
    if (answer === 'allow' || answer === 'deny') return { decided, rewritten: answer === 'allow' }
    const mode = event.mode ?? context.session.mode
    // That mode runs everything, and inside is the safer place.
    if (answer === 'defer' && mode === 'bypass')
      return { decided: { ...decided, decision: 'allow' }, rewritten: true }
    if (answer === 'ask') return { decided, rewritten: showsDialog }
    const asksItself = mode === undefined || mode === 'default' || mode === 'accept-edits'
    return showsDialog && asksItself
      ? { decided: { ...decided, decision: 'ask' }, rewritten: true }
      : 'leaves'
  }
}

const isPersons = (answer: Decided | undefined): boolean =>
  answer?.decision === 'allow' && /^(person|session)$/.test(answer.by)

/** Why a person is asked about a command that then runs inside. */
interface Question {
  /** `undecided`: a model may answer it. */
  decision: 'ask' | 'undecided'
  reason: string
}

/** By the person's rules, in Baton's settings and in those of an agent whose dialog shows what replaces the command. */
async function questionsInside<C extends CallContext>(
  event: ShellRequest,
  context: C,
  judgement: PermissionJudgement,
  { askRule }: Pick<SandboxLink<C>, 'askRule'>,
): Promise<Question[]> {
  const reasons = [questionInside(judgement)?.reason, await askRule?.(event, context)]
  return reasons.flatMap(reason => (reason === undefined ? [] : [{ decision: 'ask' as const, reason }]))
}

/** Whether it deletes or overwrites files of which there is no snapshot. */
const isLost = (
  judgement: PermissionJudgement,
  { worktree }: ContainmentPlace,
  taken: Snapshotted | undefined,
  { ports }: Pick<SandboxLink, 'ports'>,
): boolean => !(taken && 'undo' in taken) && overwrites(judgement, worktree, ports)

/** What is decided about a command that was prepared. */
function insideAs(
  released: Decided | undefined,
  answer: Decided | undefined,
  leaving: readonly PermissionStep[],
  taken: Snapshotted | undefined,
): Decided {
  const inside = insideWords('the sandbox', taken)
  if (answer?.decision === 'ask' || released?.decision === 'ask') {
    const reasons = [answer, released].flatMap(each => (each?.decision === 'ask' ? [each.reason] : []))
    const words = released?.decision !== 'defer' && leaving.length > 0 ? leaveWords(leaving) : AFTER_YES
    return {
      decision: 'ask',
      reason: [...new Set([...reasons, words])].join('. '),
      by: (answer ?? released)?.by ?? 'nobody',
    }
  }
  if (!answer) return { decision: 'allow', reason: inside, by: 'sandbox' }
  return { ...answer, decision: 'allow', reason: `${answer.reason}; ${inside}` }
}

const AFTER_YES = 'After a yes it runs in the sandbox'

/** For a person: a yes is for these parts, and the rest cannot leave. */
const leaveWords = (leaving: readonly PermissionStep[]): string => {
  const parts = [...new Set(leaving.map(({ part }) => part))]
  return `A yes lets this leave the sandbox, once: ${parts.join('; ')}. The rest runs inside`
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
  place: ContainmentPlace,
  snapshot: InsideOptions['snapshot'],
  { ports }: Pick<SandboxLink, 'ports'>,
): Promise<Decided | undefined> {
  // Neither the broker nor a registry answers there: the text decides about what needs one.
  if (needsNetwork(judgement) && !hasNetwork) return undefined
  const taken = mayChangeFiles(judgement) ? await snapshot?.() : undefined
  if (isLost(judgement, place, taken, { ports })) return undefined
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
