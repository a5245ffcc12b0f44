import type { PermissionMode } from '@batonpass/contract/event'
import type { PermissionJudgement, PermissionStep } from '@batonpass/contract/permission'
import type { ToolEvent } from './ask-for.ts'
import { type ChainSettings, type NextLink, nextLink } from './chain.ts'
import { mayLeaveByMode } from './containment.ts'
import type { CallContext, Snapshotted } from './links.ts'
import type { Decided } from './record.ts'
import { runInside } from './run-inside.ts'
import type { SandboxLink } from './sandbox-link.ts'

export interface CommandToDecide<C extends CallContext> {
  event: Extract<ToolEvent, { type: 'ToolRequested' }>
  context: C
  judgement: PermissionJudgement
  settings: ChainSettings
  tried: ReadonlySet<NextLink['link']>
}

export interface CommandPorts<C extends CallContext, T> {
  sandbox: SandboxLink<C>
  snapshot(): Promise<Snapshotted>
  /**
   * What the links after the rules make of a part that leaves the sandbox while the rest runs inside. `afterYes`: what a person
   * who is asked has to know besides.
   */
  walkPart(
    part: PermissionJudgement,
    settings: ChainSettings,
    reason: string,
    afterYes?: string,
  ): Promise<Decided>
  /** What the rules, a snapshot, a model or a person make of the text. */
  byText(judgement: PermissionJudgement, settings: ChainSettings): Promise<T>
  fault(during: string, cause: unknown): void
}

/**
 * Decides about a command where there is a sandbox: in the sandbox if it can work there, else by its text. The daemon and the
 * commands that foretell its decisions (`baton check`) both use it, so they cannot disagree.
 */
export async function decideCommand<C extends CallContext, T>(
  { event, context, judgement, settings, tried }: CommandToDecide<C>,
  { sandbox, snapshot, walkPart, byText, fault }: CommandPorts<C, T>,
): Promise<{ inside: Decided } | { byText: T }> {
  const mode = modeOf(event, context)
  const { link } = nextLink(judgement, settings, tried)
  // Of what is left to the agent, only `bypass` surely runs everything.
  const isLetRun = link === 'defer' && mode === 'bypass'
  const isAllowedByText = link === 'decided' || link === 'undo' || isLetRun
  const options = {
    snapshot: settings.undo ? snapshot : undefined,
    isAllowedByText,
    decideRelease,
    decideQuestion,
  }
  const decided = await runInside({ event, context, judgement }, options, sandbox).catch(cause => {
    fault('preparing the sandbox', cause)
    return 'leaves' as const
  })
  if (decided && decided !== 'leaves') return { inside: decided }
  if (decided !== 'leaves') return { byText: await byText(judgement, settings) }
  const judged = outsideJudgement(judgement)
  const mustAsk = !mayLeaveByMode(judged, context.config)
  return { byText: await byText(judged, mustAsk ? { ...settings, undecided: 'ask' } : settings) }

  async function decidePart(
    { decision, reason }: Asked,
    more: Partial<ChainSettings> = {},
    afterYes?: string,
  ): Promise<Decided> {
    const part = { ...judgement, decision, effects: { ...judgement.effects, brings: [] } }
    return await walkPart(part, { ...settings, undo: false, ...more }, reason, afterYes)
  }

  /** About a command that runs inside after the yes. Code that no one has read does not lose files by a mode's leave. */
  function decideQuestion(question: Asked, afterYes: string): Promise<Decided> {
    const settings = mayLeaveByMode(judgement, context.config) ? {} : { undecided: 'ask' as const }
    return decidePart(question, settings, afterYes)
  }

  async function decideRelease(step: PermissionStep): Promise<Decided> {
    const released = await decidePart(step)
    // Only a mode that never asks lets the broker do it; in others the agent's own dialog opens.
    const asksItself = released.decision === 'defer' && mode !== 'bypass' && mode !== 'never-ask'
    return asksItself ? { ...released, decision: 'ask' } : released
  }
}

/** Baton's own rules let nothing out whose work the project's files decide: a command inside could have written them. */
function outsideJudgement(judgement: PermissionJudgement): PermissionJudgement {
  const [part] = judgement.effects.ofProject ?? []
  if (part === undefined || judgement.decision === 'deny' || judgement.decision === 'ask') return judgement
  const reason =
    judgement.decision === 'allow'
      ? `${part} runs what the project’s files say, and this command cannot run in the sandbox`
      : judgement.reason
  return { ...judgement, decision: 'undecided', reason, reversible: false, understood: false }
}

type Asked = Pick<PermissionStep, 'decision' | 'reason'>

export const modeOf = (
  event: Pick<ToolEvent, 'mode'>,
  { session }: Pick<CallContext, 'session'>,
): PermissionMode | undefined => event.mode ?? session.mode
