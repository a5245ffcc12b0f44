import type { AskRules } from '@batonpass/contract/ask'
import type { PermissionJudgement, ReleasedBy } from '@batonpass/contract/permission'
import type { Contribution } from '../ports/contribution.ts'
import type { Outcome, ReactionContext } from '../ports/reactor.ts'
import { fingerprintFor, type ToolEvent } from './ask-for.ts'
import type { Call, Calls } from './calls.ts'
import { type ChainSettings, type NextLink, nextLink } from './chain.ts'
import { chainSettings } from './chain-settings.ts'
import { decideCommand, modeOf } from './decide-command.ts'
import { usesUp } from './grants/grants-in-force.ts'
import { FAILED, isPlanning, judgeEvent, placeOf } from './judge-event.ts'
import { askMs, dialogFollows, takeSnapshot, type Walk, walk } from './links.ts'
import type { PermissionPorts } from './ports.ts'
import { type Decided, record } from './record.ts'
import { rulesToRemember } from './remembered-rules.ts'
import { judgeCall } from './requests.ts'
import type { SandboxLink } from './sandbox-link.ts'

/** Decides about a tool call at its hook, or at the agent's own dialog. */
export async function decideCall(
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
  const decision = new CallDecision({ event, context, judgement, tried, call, calls, began }, ports)
  const { sandbox } = ports
  if (event.type === 'ToolRequested' && judgement.decision !== 'deny' && sandbox?.takes(event, context))
    return decision.withSandbox(event, settings, sandbox)
  return await decision.byText(judgement, settings)
}

/** How far the chain may go for a call. `call`: what its first hook was told, if this is the agent's dialog. */
export function settingsFor(
  event: ToolEvent,
  context: ReactionContext,
  call: Call | undefined,
  { model }: Pick<PermissionPorts, 'model'>,
): ChainSettings {
  const { permission, handsoff } = context.config
  const hasModel = handsoff.auto_permission && model !== undefined
  const settings = chainSettings(permission, event, modeOf(event, context), hasModel)
  // A dialog that opens although Baton said yes comes from another rule, such as the person's own settings.
  return call?.told === 'allow' ? { ...settings, personOnly: true } : settings
}

interface JudgedCall extends Pick<Walk, 'event' | 'context' | 'judgement' | 'tried'> {
  /** What its first hook was told, if this is the agent's dialog. */
  call: Call | undefined
  calls: Calls
  began: number
}

const SNAPSHOT_MS = 20_000
/** An ask's own time-out comes before that of the whole. */
const MARGIN_MS = 5_000

const RELEASED = {
  person: ['a person allowed it before the command ran', 'person'],
  rule: ['a rule of yours allows the command that it is part of', 'rules'],
} as const satisfies Record<ReleasedBy, [string, Decided['by']]>

/** One call on its way through the chain. */
class CallDecision {
  readonly #judged: JudgedCall
  readonly #ports: PermissionPorts

  constructor(judged: JudgedCall, ports: PermissionPorts) {
    this.#judged = judged
    this.#ports = ports
  }

  /** In the sandbox if the command can work there, else by its text. */
  withSandbox(
    event: Extract<ToolEvent, { type: 'ToolRequested' }>,
    settings: ChainSettings,
    sandbox: SandboxLink,
  ): Outcome {
    const { context, judgement, tried } = this.#judged
    return this.#later(async signal => {
      const result = await decideCommand(
        { event, context, judgement, settings, tried },
        {
          sandbox,
          snapshot: () => takeSnapshot(this.#judged, this.#ports),
          walkPart: async (part, settings, reason, afterYes) =>
            (await this.#isRemembered())
              ? REMEMBERED
              : await this.#walk(part, settings, { reason, afterYes }, signal),
          byText: (judgement, settings) => this.byText(judgement, settings),
          fault: this.#ports.fault,
        },
      )
      if ('inside' in result)
        return await this.#conclude(signal.aborted ? unheard(result.inside) : result.inside)
      return result.byText.now ?? (await result.byText.later?.run(signal)) ?? {}
    })
  }

  /** What the rules, a snapshot, a model or a person make of the text. */
  async byText(judgement: PermissionJudgement, settings: ChainSettings): Promise<Outcome> {
    const { event, context, tried, call } = this.#judged
    const conclude = async (decided: Decided): Promise<Outcome> => ({ now: await this.#conclude(decided) })
    const next = nextLink(judgement, settings, tried)
    if (event.type === 'PermissionAsked' && asksItself(event) && next.link === 'person')
      return await conclude({ decision: 'defer', reason: 'the agent asks the person itself', by: 'nobody' })
    if (next.link === 'decided')
      return await conclude({ decision: next.decision, reason: judgement.reason, by: 'rules' })
    if (await this.#isRemembered()) return await conclude(REMEMBERED)
    // Of what a person's other rule asks about, the first rule cannot have known.
    const releasedBy = await context.takeRelease?.(judgement.decision !== 'ask')
    if (releasedBy) {
      const [reason, by] = RELEASED[releasedBy]
      return await conclude({ decision: 'allow', reason, by, again: true })
    }
    if (next.link === 'person' && dialogFollows(event, context))
      return await conclude({ decision: 'ask', reason: judgement.reason, by: askedBy(judgement) })
    const reason = whyAsked(event, context, this.#judged.judgement, call)
    return this.#later(async signal => {
      const decided = await this.#walk(judgement, settings, { reason }, signal).catch((cause): Decided => {
        this.#ports.fault(`deciding on ${event.tool}`, cause)
        return { decision: 'ask', reason: `${judgement.reason}; ${FAILED}`, by: 'error' }
      })
      // The agent was told `otherwise` then: the journal must not say that something was allowed.
      return await this.#conclude(signal.aborted ? unheard(decided) : decided)
    })
  }

  #later(run: (signal: AbortSignal) => Promise<Contribution>): Outcome {
    const { event, context, judgement } = this.#judged
    const withinMs = askMs(event, context) + (this.#ports.model?.withinMs ?? 0) + SNAPSHOT_MS + MARGIN_MS
    const reason = `${judgement.reason}; no answer came in time`
    return { later: { run, otherwise: { permission: { decision: 'ask', reason } }, withinMs } }
  }

  #walk(
    judgement: PermissionJudgement,
    settings: ChainSettings,
    words: Pick<Walk, 'reason' | 'afterYes'>,
    signal: AbortSignal,
  ): Promise<Decided> {
    const { event, context, tried } = this.#judged
    const rules = () => rulesFor(event, context, this.#judged.judgement, this.#ports)
    return walk({ event, context, judgement, settings, tried, ...words, rules }, signal, this.#ports)
  }

  async #isRemembered(): Promise<boolean> {
    const { event, context, judgement } = this.#judged
    return (
      canRemember(event, context, judgement) && (await this.#ports.asks.remembered(fingerprintFor(event)))
    )
  }

  async #conclude(decided: Decided): Promise<Contribution> {
    const { event, context, judgement, call, calls, began } = this.#judged
    if (decided.decision === 'allow' && decided.by === 'rules' && usesUp(judgement))
      await this.#ports.grants?.use(event, context)
    const again = decided.again === true || call?.isCounted === true
    const contribution = await record(event, context, judgement, { ...decided, again }, began, this.#ports)
    if (call && decided.decision !== 'defer') call.isCounted = true
    if (event.type === 'ToolRequested')
      calls.requested(event, decided.decision, decided.reason, judgement.trail)
    if (call && decided.by === 'person') call.answered = true
    return contribution
  }
}

/** Calls whose dialog is the question: a yes would answer nothing, so the question reactor asks them. */
const asksItself = ({ tool, action }: ToolEvent): boolean =>
  action.kind === 'question' || action.kind === 'plan' || tool === 'AskUserQuestion'

const REMEMBERED: Decided = {
  decision: 'allow',
  reason: 'a person allowed exactly this for the session',
  by: 'session',
}

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

const unheard = ({ reason, ask }: Decided): Decided => ({
  decision: 'ask',
  reason: `no one waited for the answer any more (${reason})`,
  by: 'nobody',
  ...(ask ? { ask } : {}),
})
