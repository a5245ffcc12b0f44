import type { Ask } from '@batonpass/contract/ask'
import type { Config } from '@batonpass/contract/config'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import { EntryId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import type { DecidedBy, DecisionEntry, PermissionJudgement } from '@batonpass/contract/permission'
import type { Asks } from '../ask/asks.ts'
import { decisionOf } from '../ask/outcome.ts'
import type { Chance } from '../ports/chance.ts'
import type { Clock } from '../ports/clock.ts'
import type { Contribution } from '../ports/contribution.ts'
import type { ReactionContext, Reactor } from '../ports/reactor.ts'
import { fingerprintFor, questionFor, subjectOf, type ToolEvent } from './ask-for.ts'
import { nextLink } from './chain.ts'
import { judge, type PermissionRequest } from './judge.ts'
import type { PathPorts } from './paths/resolve.ts'
import { requestsOf, strictest } from './requests.ts'
import type { RuleSet } from './rules/compile.ts'

export interface PermissionPorts {
  asks: Pick<Asks, 'ask' | 'withdraw' | 'remembered'>
  /** The rules in force for a session right now: the configuration's and its workflow's. */
  rules(context: ReactionContext): Promise<RuleSet>
  /** The branch that the session may push with force. */
  ownBranch(context: ReactionContext): Promise<string | undefined>
  guarded: PermissionRequest['guarded']
  home: string
  paths: PathPorts
  /** Takes a snapshot that covers these paths; gives its name, or nothing when it cannot. */
  snapshot(event: ToolEvent, project: string, judgement: PermissionJudgement): Promise<string | undefined>
  model: ModelJudge | undefined
  write(entries: readonly NewEntry[]): Promise<unknown>
  /** The seed's unified log, when `handsoff.debug` is on. */
  debug(context: ReactionContext, line: string): Promise<void>
  clock: Clock
  chance: Chance
}

/** A model's opinion on what no rule decides. It can only turn undecided into allow or deny. */
export interface ModelJudge {
  withinMs: number
  judge(
    event: ToolEvent,
    context: ReactionContext,
    judgement: PermissionJudgement,
    signal: AbortSignal,
  ): Promise<{ decision: 'allow' | 'deny' | 'ask'; reason: string }>
}

/** Decides what the agent may run, says why, and asks a person only when nothing else decides. */
export function permissionReactor(ports: PermissionPorts): Reactor {
  return {
    name: 'permission',
    async react(event, context) {
      if (event.type === 'ToolRequested' || event.type === 'PermissionAsked')
        return await decide(event, context, ports)
      await withdrawStale(event, ports)
      return undefined
    },
  }
}

/** How long a person may take where no channel says otherwise: the dialog is on the screen all the while. */
const DIALOG_MS = 7200 * 1000
const SNAPSHOT_MS = 20_000

async function decide(event: ToolEvent, context: ReactionContext, ports: PermissionPorts) {
  const began = ports.clock.elapsed()
  const judgement = await judgeEvent(event, context, ports)
  const conclude = (decided: Decided): Promise<Contribution> =>
    record(event, context, judgement, decided, began, ports)
  // In plan mode the agent's own dialog is a person's yes to the plan: a rule does not answer it.
  const plan = event.type === 'PermissionAsked' && context.session.mode === 'plan'
  const settings = settingsOf(context.config, ports)
  const first = nextLink(judgement, settings)
  if (first.link !== 'decided' && (await ports.asks.remembered(fingerprintFor(event)))) {
    const reason = 'a person allowed exactly this for the session'
    return { now: await conclude({ decision: 'allow', reason, by: 'session' }) }
  }
  if (first.link === 'decided' && !(plan && first.decision === 'allow')) {
    return { now: await conclude({ decision: first.decision, reason: judgement.reason, by: 'rules' }) }
  }
  if (first.link === 'person' && event.type === 'ToolRequested' && showsDialog(event, context)) {
    return { now: await conclude({ decision: 'ask', reason: judgement.reason, by: 'rules' }) }
  }
  return {
    later: {
      run: async (signal: AbortSignal) =>
        await conclude(await walk(event, context, judgement, plan, signal, ports)),
      otherwise: {
        permission: { decision: 'ask' as const, reason: `${judgement.reason}; nobody answered in time` },
      },
      withinMs: askMs(event, context.config) + (ports.model?.withinMs ?? 0) + SNAPSHOT_MS,
    },
  }
}

interface Decided {
  decision: DecisionEntry['decision']
  reason: string
  by: DecidedBy
  undo?: string
  ask?: Ask
}

/** Goes through the links that take time. */
async function walk(
  event: ToolEvent,
  context: ReactionContext,
  judgement: PermissionJudgement,
  plan: boolean,
  signal: AbortSignal,
  ports: PermissionPorts,
): Promise<Decided> {
  const settings = settingsOf(context.config, ports)
  let { reason } = judgement
  const tried = new Set<'undo' | 'model'>()
  for (;;) {
    const next = plan ? { link: 'person' as const } : nextLink(judgement, settings, tried)
    switch (next.link) {
      case 'decided':
        return { decision: next.decision, reason, by: 'rules' }
      case 'defer':
        return { decision: 'defer', reason, by: 'nobody' }
      case 'undo': {
        tried.add('undo')
        const undo = await ports.snapshot(event, context.project, judgement)
        if (undo)
          return {
            decision: 'allow',
            reason: `stays inside the worktree; \`baton undo ${undo}\` takes it back`,
            by: 'undo',
            undo,
          }
        break
      }
      case 'model': {
        tried.add('model')
        const opinion = await ports.model?.judge(event, context, judgement, signal)
        if (opinion && opinion.decision !== 'ask')
          return { decision: opinion.decision, reason: opinion.reason, by: 'model' }
        if (opinion) reason = opinion.reason
        break
      }
      case 'person':
        return await askPerson(event, context, reason, signal, ports)
    }
  }
}

async function askPerson(
  event: ToolEvent,
  context: ReactionContext,
  reason: string,
  signal: AbortSignal,
  ports: PermissionPorts,
): Promise<Decided> {
  // The dialog appears at once, and the agent's next hook waits for the other channels beside it.
  if (event.type === 'ToolRequested' && showsDialog(event, context))
    return { decision: 'ask', reason, by: 'nobody' }
  const outcome = await ports.asks.ask(questionFor(event, context.project, reason), {
    signal,
    withinMs: askMs(event, context.config),
    unreached: event.type === 'PermissionAsked' ? 'wait' : 'give-up',
  })
  const { decision, reason: why } = decisionOf(outcome, context.config.telegram.on_timeout)
  const answered = outcome.result === 'answered'
  return {
    decision,
    reason: answered ? why : `${reason}; ${why.toLowerCase()}`,
    by: answered ? 'person' : 'nobody',
    ask: outcome.ask,
  }
}

/** Claude Code in a terminal shows its dialog and calls its next hook beside it; elsewhere this hook is all there is. */
const showsDialog = (event: ToolEvent, { attended }: ReactionContext): boolean =>
  event.agent === 'claude-code' && attended === true

function askMs(event: ToolEvent, config: Config): number {
  if (config.telegram.enabled) return config.telegram.timeout_sec * 1000
  return event.type === 'PermissionAsked' ? DIALOG_MS : 60_000
}

const settingsOf = ({ permission, handsoff }: Config, { model }: PermissionPorts) => ({
  undo: permission.undo,
  undecided: permission.undecided,
  model: handsoff.auto_permission && model !== undefined,
})

async function judgeEvent(
  event: ToolEvent,
  context: ReactionContext,
  ports: PermissionPorts,
): Promise<PermissionJudgement> {
  const rules = await ports.rules(context)
  const branch = await ports.ownBranch(context)
  const place = {
    cwd: (event.action.kind === 'shell' ? event.action.cwd : undefined) ?? event.cwd ?? context.project,
    worktree: context.project,
    home: ports.home,
    ...(branch ? { branch } : {}),
    ...(ports.guarded ? { guarded: ports.guarded } : {}),
  }
  return strictest(requestsOf(event).map(request => judge({ ...request, ...place }, rules, ports.paths)))
}

async function record(
  event: ToolEvent,
  context: ReactionContext,
  judgement: PermissionJudgement,
  { decision, reason, by, undo, ask }: Decided,
  began: number,
  ports: PermissionPorts,
): Promise<Contribution> {
  const { clock, chance } = ports
  const suffix = chance.id(20)
  const subject = subjectOf(event)
  const body: DecisionEntry = {
    kind: 'decision',
    event: event.id,
    tool: event.tool,
    subject,
    decision,
    reason,
    by,
    trail: judgement.trail,
    ...(undo ? { undo } : {}),
    ...(ask ? { ask: ask.id } : {}),
    tookMs: Math.round((clock.elapsed() - began) * 1000) / 1000,
  }
  await ports.write([
    {
      id: EntryId.parse(`ent_${suffix}`),
      at: new Date(clock.now()).toISOString(),
      agent: event.agent,
      session: event.session,
      nativeSession: event.nativeSession,
      ...(event.toolUseId ? { toolUseId: event.toolUseId } : {}),
      project: context.project,
      body,
    },
  ])
  if (context.config.handsoff.debug)
    await ports.debug(context, `${event.tool} ${decision} by ${by}: ${subject} (${reason})`)
  if (decision === 'defer') return {}
  const why = decision === 'allow' ? reason : `Baton: ${reason} (baton why dec_${suffix})`
  return { permission: { decision, reason: why } }
}

/** A person answered in the terminal, or nobody waits any more: what was asked elsewhere is taken back. */
async function withdrawStale(event: AgentEvent, { asks }: PermissionPorts): Promise<void> {
  switch (event.type) {
    case 'ToolFinished': {
      const done = fingerprintFor(event)
      return await asks.withdraw(ask => ask.fingerprint === done, 'settled-elsewhere')
    }
    case 'PromptSubmitted':
      return event.automatic ? undefined : await asks.withdraw(isOf(event), 'settled-elsewhere')
    case 'SessionEnded':
      return await asks.withdraw(isOf(event), 'session-ended')
  }
}

const isOf =
  (event: EventOf<'PromptSubmitted'> | EventOf<'SessionEnded'>) =>
  (ask: Ask): boolean =>
    ask.kind === 'permission' && ask.facts.session === event.session
