import type { Ask, AskRules, WithdrawnWhy } from '@batonpass/contract/ask'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { PermissionJudgement, PermissionRule } from '@batonpass/contract/permission'
import type { PathPorts } from '@batonpass/shell-verdict/paths/resolve'
import type { Asks } from '../ask/asks.ts'
import type { Contribution } from '../ports/contribution.ts'
import type { Outcome, ReactionContext, Reactor } from '../ports/reactor.ts'
import { eventOf, fingerprintFor, isAbout, isOfSubagent, type ToolEvent } from './ask-for.ts'
import { type Call, Calls } from './calls.ts'
import { type ChainSettings, type NextLink, nextLink } from './chain.ts'
import { chainSettings } from './chain-settings.ts'
import { decideCommand, modeOf } from './decide-command.ts'
import { type GrantsInForce, usesUp } from './grants/grants-in-force.ts'
import type { PermissionRequest } from './judge-context.ts'
import { askMs, dialogFollows, type LinkPorts, takeSnapshot, walk } from './links.ts'
import { type Decided, type RecordPorts, record } from './record.ts'
import { rulesToRemember } from './remembered-rules.ts'
import { type CallPlace, judgeCall } from './requests.ts'
import type { RuleSet } from './rules/compile.ts'
import type { SandboxLink } from './sandbox-link.ts'

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

export interface GrantPorts {
  /** Undefined for a session without a running job. */
  inForce(event: ToolEvent, context: ReactionContext): Promise<GrantsInForce | undefined>
  /** Records that a call uses up what a grant covers once. */
  use(event: ToolEvent, context: ReactionContext): Promise<void>
}

/** Decides what the agent may run, says why, and asks a person only when nothing else decides. */
export function permissionReactor(ports: PermissionPorts): Reactor {
  const calls = new Calls()
  return {
    name: 'permission',
    async react(event, context) {
      if (event.type === 'ToolRequested' || event.type === 'PermissionAsked')
        return await decide(event, context, calls, ports)
      await withdrawStale(event, context, calls, ports)
      return undefined
    },
    async denies(event, context) {
      if (event.type !== 'ToolRequested' && event.type !== 'PermissionAsked') return undefined
      const judgement = await judgeEvent(event, context, ports)
      const next = nextLink(judgement, settingsFor(event, context, undefined, ports), new Set())
      if (next.link !== 'decided' || next.decision !== 'deny') return undefined
      return { decision: 'deny', reason: `Baton: ${judgement.reason}` }
    },
  }
}

/** Calls whose dialog is the question: a yes would answer nothing, so the question reactor asks them. */
const asksItself = ({ tool, action }: ToolEvent): boolean =>
  action.kind === 'question' || action.kind === 'plan' || tool === 'AskUserQuestion'
const SNAPSHOT_MS = 20_000
/** An ask's own time-out comes before that of the whole. */
const MARGIN_MS = 5_000

async function decide(
  event: ToolEvent,
  context: ReactionContext,
  calls: Calls,
  ports: PermissionPorts,
): Promise<Outcome> {
  const began = ports.clock.elapsed()
  // Exactly what Baton itself prepared and has not run yet: it was judged at the call's first hook.
  const call = event.type === 'PermissionAsked' ? calls.asked(event) : undefined
  let waitsForYes = false
  if (event.type === 'PermissionAsked' && event.sandbox) {
    waitsForYes = (await ports.sandbox?.dialogOpened(event.session, event.sandbox)) === true
    if (!waitsForYes) return { now: { permission: { decision: 'allow', reason: 'runs in the sandbox' } } }
  }
  const judgement = await judgeEvent(event, context, ports)
  const usual = settingsFor(event, context, call, ports)
  // What opened the dialog is not in the command's text, such as a rule in the agent's settings.
  const settings = waitsForYes && judgement.decision === 'allow' ? { ...usual, personOnly: true } : usual
  // The links that take time had their say at the call's first hook: the dialog is open because they did not decide.
  const tried: ReadonlySet<NextLink['link']> = new Set(call || waitsForYes ? ['undo', 'model'] : [])
  const reason = whyAsked(event, context, judgement, call)

  const rules = () => rulesFor(event, context, judgement, ports)
  const conclude = async (decided: Decided) => {
    if (decided.decision === 'allow' && decided.by === 'rules' && usesUp(judgement))
      await ports.grants?.use(event, context)
    const again = decided.again === true || call?.isCounted === true
    const contribution = await record(event, context, judgement, { ...decided, again }, began, ports)
    if (call && decided.decision !== 'defer') call.isCounted = true
    if (event.type === 'ToolRequested')
      calls.requested(event, decided.decision, decided.reason, judgement.trail)
    if (call && decided.by === 'person') call.answered = true
    return contribution
  }
  const withinMs = askMs(event, context) + (ports.model?.withinMs ?? 0) + SNAPSHOT_MS + MARGIN_MS
  const otherwise: Contribution = {
    permission: { decision: 'ask', reason: `${judgement.reason}; no answer came in time` },
  }
  const { sandbox } = ports
  if (event.type === 'ToolRequested' && judgement.decision !== 'deny' && sandbox?.takes(event, context)) {
    const run = async (signal: AbortSignal): Promise<Contribution> => {
      const result = await decideCommand(
        { event, context, judgement, settings, tried },
        {
          sandbox,
          snapshot: () => takeSnapshot({ event, context, judgement }, ports),
          walkPart: async (part, settings, reason) =>
            (await isRemembered())
              ? REMEMBERED
              : await walk(
                  { event, context, judgement: part, settings, tried, reason, rules },
                  signal,
                  ports,
                ),
          byText,
          fault: ports.fault,
        },
      )
      if ('inside' in result) return await conclude(signal.aborted ? unheard(result.inside) : result.inside)
      return result.byText.now ?? (await result.byText.later?.run(signal)) ?? {}
    }
    return { later: { run, otherwise, withinMs } }
  }
  return await byText(judgement, settings)

  async function isRemembered(): Promise<boolean> {
    return canRemember(event, context, judgement) && (await ports.asks.remembered(fingerprintFor(event)))
  }

  /** What the rules, a snapshot, a model or a person make of the text. */
  async function byText(judgement: PermissionJudgement, settings: ChainSettings): Promise<Outcome> {
    const next = nextLink(judgement, settings, tried)
    if (event.type === 'PermissionAsked' && asksItself(event) && next.link === 'person')
      return {
        now: await conclude({ decision: 'defer', reason: 'the agent asks the person itself', by: 'nobody' }),
      }
    if (next.link === 'decided')
      return { now: await conclude({ decision: next.decision, reason: judgement.reason, by: 'rules' }) }
    if (await isRemembered()) return { now: await conclude(REMEMBERED) }
    if (await context.takeRelease?.()) {
      const words = "a person allowed it in the agent's own dialog, before the command ran"
      return { now: await conclude({ decision: 'allow', reason: words, by: 'person', again: true }) }
    }
    if (next.link === 'person' && dialogFollows(event, context))
      return { now: await conclude({ decision: 'ask', reason: judgement.reason, by: askedBy(judgement) }) }
    return {
      later: {
        run: async signal => {
          const walking = { event, context, judgement, settings, tried, reason, rules }
          const decided = await walk(walking, signal, ports).catch((cause): Decided => {
            ports.fault(`deciding on ${event.tool}`, cause)
            return { decision: 'ask', reason: `${judgement.reason}; ${FAILED}`, by: 'error' }
          })
          // The agent was told `otherwise` then: the journal must not say that something was allowed.
          return await conclude(signal.aborted ? unheard(decided) : decided)
        },
        otherwise,
        withinMs,
      },
    }
  }
}

const REMEMBERED: Decided = {
  decision: 'allow',
  reason: 'a person allowed exactly this for the session',
  by: 'session',
}

function settingsFor(
  event: ToolEvent,
  context: ReactionContext,
  call: Call | undefined,
  { model }: PermissionPorts,
): ChainSettings {
  const { permission, handsoff } = context.config
  const hasModel = handsoff.auto_permission && model !== undefined
  const settings = chainSettings(permission, event, modeOf(event, context), hasModel)
  // A dialog that opens although Baton said yes comes from another rule, such as the person's own settings.
  return call?.told === 'allow' ? { ...settings, personOnly: true } : settings
}

const isPlanning = (event: ToolEvent, context: ReactionContext): boolean => modeOf(event, context) === 'plan'

/** What a person reads next to the question, where it is not simply what the rules say. */
function whyAsked(
  event: ToolEvent,
  context: ReactionContext,
  { reason }: PermissionJudgement,
  call: Call | undefined,
): string | undefined {
  if (event.type === 'PermissionAsked' && isPlanning(event, context))
    return `in plan mode a person decides: ${reason}`
  if (call?.told === 'allow') return `Baton allows it (${reason}), but the agent's own settings ask`
  return call?.told === 'ask' ? call.reason : undefined
}

/** Neither for another mode than the person had in mind, nor where a deny may have been missed. */
const canRemember = (event: ToolEvent, context: ReactionContext, judgement: PermissionJudgement): boolean =>
  !isPlanning(event, context) && askedBy(judgement) !== 'error'

/** What "always allow" may add. In plan mode nothing runs yet, so there is nothing to remember. */
async function rulesFor(
  event: ToolEvent,
  context: ReactionContext,
  judgement: PermissionJudgement,
  ports: PermissionPorts,
): Promise<AskRules | undefined> {
  if (!canRemember(event, context, judgement)) return undefined
  const place = await placeOf(event, context, ports)
  const { programs } = await ports.rules(context)
  return await rulesToRemember(event, judgement, {
    worktree: context.project,
    home: ports.home,
    programs,
    redact: ports.redact,
    realpath: ports.paths.realpath,
    trial: async rule => judgeCall(event, await ports.rules(context, [rule]), place, ports.paths).decision,
  })
}

const askedBy = ({ decision, trail }: PermissionJudgement) =>
  trail.some(({ rule }) => rule === 'error') ? 'error' : decision === 'ask' ? 'rules' : 'nobody'

const FAILED = 'Baton failed while judging this, so a person decides; see `baton logs --kind fault`'

const unheard = ({ reason, ask }: Decided): Decided => ({
  decision: 'ask',
  reason: `no one waited for the answer any more (${reason})`,
  by: 'nobody',
  ...(ask ? { ask } : {}),
})

const placeOf = async (
  event: ToolEvent,
  context: ReactionContext,
  ports: PermissionPorts,
): Promise<CallPlace> => ({
  worktree: context.project,
  home: ports.home,
  branch: await ports.ownBranch(context),
  guarded: ports.guarded,
  hosts: ports.sandbox?.openedHosts(event.session),
  // In plan mode nothing is to change yet.
  grants: isPlanning(event, context) ? undefined : await ports.grants?.inForce(event, context),
})

async function judgeEvent(
  event: ToolEvent,
  context: ReactionContext,
  ports: PermissionPorts,
): Promise<PermissionJudgement> {
  try {
    const place = await placeOf(event, context, ports)
    return judgeCall(event, await ports.rules(context), place, ports.paths)
  } catch (cause) {
    ports.fault(`judging ${event.tool}`, cause)
    return {
      decision: 'ask',
      reason: FAILED,
      trail: [{ rule: 'error', decision: 'ask', part: event.tool, reason: FAILED }],
      effects: { reads: [], writes: [], hosts: [], network: true, outside: true, unknown: [FAILED] },
      reversible: false,
      final: false,
      understood: false,
    }
  }
}

/** A person answered in the terminal, or no one waits any more: Baton withdraws what it asked elsewhere. */
async function withdrawStale(
  event: AgentEvent,
  context: ReactionContext,
  calls: Calls,
  ports: PermissionPorts,
): Promise<void> {
  const { asks } = ports
  const withdraw = async (fits: (ask: Ask) => boolean, why: WithdrawnWhy = 'settled-elsewhere') => {
    const isHere = (ask: Ask) => ask.kind === 'permission' && ask.facts.session === event.session
    await asks.withdraw(ask => isHere(ask) && fits(ask), why)
  }
  switch (event.type) {
    case 'ToolFinished': {
      const call = calls.finished(event)
      if (call && isAllowedInDialog(call, event, context)) await recordDialogYes(event, context, call, ports)
      // Of two equal calls only the one that ran is settled.
      if (call?.asked) await withdraw(ask => eventOf(ask) === call.asked)
      else await withdraw(ask => isAbout(ask, event))
      return undefined
    }
    case 'PromptSubmitted':
    case 'TurnEnded':
    case 'TurnFailed':
      if (event.subagent || ('automatic' in event && event.automatic)) return undefined
      calls.ended(event.session, 'turn')
      return await withdraw(ask => !isOfSubagent(ask))
    case 'SessionEnded':
      calls.ended(event.session, 'session')
      return await withdraw(() => true, 'session-ended')
    default:
      return undefined
  }
}

/** The agent's own dialog opened, and the tool ran although no one answered through Baton: a person said yes there. */
const isAllowedInDialog = (call: Call, event: EventOf<'ToolFinished'>, context: ReactionContext): boolean =>
  (call.told === 'ask' || call.told === 'defer') &&
  call.asked !== undefined &&
  !call.answered &&
  context.attended === true &&
  /^(default|accept-edits)$/.test(event.mode ?? context.session.mode ?? 'default')

/**
 * `baton learn` counts it as it counts an answer on any other channel. Nothing is remembered, even after "don't ask again": only
 * the agent's settings show that choice, and the call that ran could have written them itself.
 */
async function recordDialogYes(
  event: EventOf<'ToolFinished'>,
  context: ReactionContext,
  call: Call,
  ports: PermissionPorts,
): Promise<void> {
  const decided: Decided = {
    decision: 'allow',
    reason: "allowed in the agent's own dialog",
    by: 'person',
    inDialog: true,
    again: call.isCounted === true,
  }
  call.isCounted = true
  await record(event, context, { trail: [...call.trail] }, decided, ports.clock.elapsed(), ports).catch(
    cause => ports.fault('recording an answer in a dialog', cause),
  )
}
