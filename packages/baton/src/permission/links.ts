import type { AskRules } from '@batonpass/contract/ask'
import type { Config } from '@batonpass/contract/config'
import type { PermissionJudgement } from '@batonpass/contract/permission'
import { decisionOf } from '../ask/ask-outcome.ts'
import type { Asks } from '../ask/asks.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import { questionFor, type ToolEvent } from './ask-for.ts'
import { type ChainSettings, type NextLink, nextLink } from './chain.ts'
import type { Decided } from './record.ts'

export interface LinkPorts {
  asks: Pick<Asks, 'ask'>
  /** Takes a snapshot that covers what the call may write, or says why there is none. */
  snapshot(event: ToolEvent, project: string, judgement: PermissionJudgement): Promise<Snapshotted>
  model: ModelJudge | undefined
  /** Whether what these commands bring may change a file that decides what agents may do. */
  bringsGuarded(project: string, commands: readonly (readonly string[])[]): Promise<boolean>
  fault(during: string, cause: unknown): void
}

/**
 * The step that `baton undo` takes, or why the call cannot be undone. `isKept`: a snapshot contains all that the call names and
 * that is there now; only what it makes may stay.
 */
export type Snapshotted = ({ undo: string } | { noUndo: string; isKept?: boolean }) &
  Pick<Decided, 'snapshotMs'>

/** A model's opinion on what no rule decides. It can only turn undecided into allow or deny. */
export interface ModelJudge {
  withinMs: number
  judge(
    event: ToolEvent,
    context: ReactionContext,
    judgement: PermissionJudgement,
    signal: AbortSignal,
  ): Promise<Opinion>
}

interface Opinion {
  decision: 'allow' | 'deny' | 'ask'
  reason: string
}

export interface Walk {
  event: ToolEvent
  context: ReactionContext
  judgement: PermissionJudgement
  settings: ChainSettings
  /** Links that had their say already, or may have none. */
  tried: ReadonlySet<NextLink['link']>
  /** Why it comes to a person, where that is known already. */
  reason?: string | undefined
  /** What a yes means, for a person who is asked elsewhere than in the agent's dialog. If no one answers, it means nothing. */
  afterYes?: string | undefined
  /** What "always allow" would add. */
  rules?: (() => Promise<AskRules | undefined>) | undefined
}

/** What a decision needs to know about the session of a call. */
export type CallContext = Pick<ReactionContext, 'project' | 'config' | 'attended'> & {
  session: Pick<ReactionContext['session'], 'mode'>
}

/** Goes through the links that take time, up to a person. */
export const walk = (
  { rules, afterYes, context, ...given }: Walk,
  signal: AbortSignal,
  ports: LinkPorts,
): Promise<Decided> =>
  walkTo(
    { ...given, context },
    {
      ...ports,
      askModel: async () => ports.model?.judge(given.event, context, given.judgement, signal),
      askPerson: reason => askPerson({ event: given.event, context, reason, afterYes, rules }, signal, ports),
    },
  )

/** The links of the chain whose end differs between a call and a forecast of one. */
export interface WalkPorts extends Pick<LinkPorts, 'snapshot' | 'bringsGuarded' | 'fault'> {
  askModel(): Promise<Opinion | undefined>
  askPerson(reason: string): Promise<Decided>
}

/** A link that fails has not decided: the next one does. */
export async function walkTo(
  {
    event,
    context,
    judgement,
    tried,
    ...given
  }: Omit<Walk, 'context' | 'rules' | 'afterYes'> & { context: CallContext },
  ports: WalkPorts,
): Promise<Decided> {
  let reason = given.reason ?? judgement.reason
  let { settings } = given
  const { brings = [] } = judgement.effects
  if (brings.length > 0 && judgement.decision === 'undecided') {
    const guarded = await ports.bringsGuarded(context.project, brings).catch(cause => {
      ports.fault('looking into what a command brings', cause)
      return true
    })
    if (guarded) {
      // A found danger to Baton's own rules is no mere doubt, so `respect` asks about it in every mode.
      const undecided = context.config.permission.undecided === 'respect' ? 'ask' : settings.undecided
      settings = { ...settings, undo: false, model: false, undecided }
      reason = `${reason}; it may bring other files that decide what agents may do`
    }
  }
  const spent = new Set(tried)
  let noUndo: Pick<Decided, 'noUndo' | 'snapshotMs'> = {}
  for (;;) {
    const next = nextLink(judgement, settings, spent)
    spent.add(next.link)
    switch (next.link) {
      case 'decided':
        return { decision: next.decision, reason, by: 'rules', ...noUndo }
      case 'defer':
        return { decision: 'defer', reason, by: 'nobody', ...noUndo }
      case 'undo': {
        const taken = await takeSnapshot({ event, context, judgement }, ports)
        if ('noUndo' in taken) {
          noUndo = taken
          break
        }
        const words = `stays inside the worktree; \`baton undo ${taken.undo}\` takes it back`
        return { decision: 'allow', reason: words, by: 'undo', ...taken }
      }
      case 'model': {
        const opinion = await ports.askModel().catch(cause => ports.fault('asking a model', cause))
        if (!opinion) break
        if (opinion.decision !== 'ask')
          return { decision: opinion.decision, reason: opinion.reason, by: 'model', ...noUndo }
        // The cause comes first: a model's doubt, or its failure, only explains why a person is asked.
        reason = `${reason}. ${opinion.reason}`
        break
      }
      case 'person':
        return { ...(await ports.askPerson(reason)), ...noUndo }
    }
  }
}

export const takeSnapshot = (
  {
    event,
    context,
    judgement,
  }: Pick<Walk, 'event' | 'judgement'> & { context: Pick<CallContext, 'project'> },
  ports: Pick<LinkPorts, 'snapshot' | 'fault'>,
): Promise<Snapshotted> =>
  ports.snapshot(event, context.project, judgement).catch(cause => {
    ports.fault('taking a snapshot', cause)
    return { noUndo: 'the snapshot failed; see `baton logs --kind fault`' }
  })

async function askPerson(
  {
    event,
    context,
    reason,
    afterYes,
    rules,
  }: Pick<Walk, 'event' | 'context' | 'afterYes' | 'rules'> & { reason: string },
  signal: AbortSignal,
  { asks, fault }: LinkPorts,
): Promise<Decided> {
  // The dialog appears at once, and the agent's next hook waits for the other channels meanwhile.
  if (dialogFollows(event, context)) return { decision: 'ask', reason, by: 'nobody' }
  const always = await rules?.().catch(cause => fault('finding a rule to offer', cause))
  const words = afterYes === undefined ? reason : `${reason}. ${afterYes}`
  const outcome = await asks.ask(questionFor(event, context.project, words, always ?? undefined), {
    signal,
    withinMs: askMs(event, context),
    unreached: dialogIsOpen(event, context) ? 'wait' : 'give-up',
  })
  const { decision, reason: why } = decisionOf(outcome, context.config.telegram.on_timeout)
  if (outcome.result === 'answered') return { decision, reason: why, by: 'person', ask: outcome.ask }
  const unanswered = { by: 'nobody' as const, ask: outcome.ask }
  // Without a terminal no dialog follows: an `ask` would be an error that tells the model nothing it could do.
  if (decision === 'ask' && isWithoutTerminal(event, context))
    return { decision: 'deny', reason: `${reason}. ${UNANSWERED}`, ...unanswered }
  return { decision, reason: `${reason}; ${why.toLowerCase()}`, ...unanswered }
}

const UNANSWERED =
  'This needs a person, and no one answered. Do not repeat it: continue without it, or say what you need and why.'

/** `claude -p`. The other agents' answers say this where their hooks are encoded. */
const isWithoutTerminal = (event: ToolEvent, { attended }: ReactionContext): boolean =>
  event.agent === 'claude-code' && attended === false

/** Claude Code in a terminal shows its dialog for an `ask` and calls its next hook meanwhile; elsewhere this hook is all there is. */
export const dialogFollows = (event: ToolEvent, { attended }: Pick<CallContext, 'attended'>): boolean =>
  event.type === 'ToolRequested' && event.agent === 'claude-code' && attended === true

/**
 * The dialog is on the screen all the while, unless no one is there; Codex opens its own only after its hook. A program that hosts
 * an agent says whether a person is there.
 */
const dialogIsOpen = (event: ToolEvent, { attended }: ReactionContext): boolean =>
  event.type === 'PermissionAsked' && (attended ?? event.agent !== 'codex')

const DIALOG_MS = 7200 * 1000
const UNATTENDED_MS = 60_000

/** How long a person may take. */
export function askMs(event: ToolEvent, context: ReactionContext): number {
  const { telegram }: Config = context.config
  if (telegram.enabled) return telegram.timeout_sec * 1000
  return dialogIsOpen(event, context) ? DIALOG_MS : UNATTENDED_MS
}
