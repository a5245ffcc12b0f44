import type { Ask } from '@batonpass/contract/ask'
import type { EventOf } from '@batonpass/contract/event'
import { EntryId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import type { DecidedBy, DecisionEntry, PermissionJudgement } from '@batonpass/contract/permission'
import { shortId } from '@batonpass/contract/short-id'
import type { Clock } from '../ports/clock.ts'
import type { Contribution } from '../ports/contribution.ts'
import type { Ids } from '../ports/ids.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import { subjectOf, type ToolEvent } from './ask-for.ts'

/** The end of the chain for one event. */
export interface Decided {
  decision: DecisionEntry['decision']
  reason: string
  by: DecidedBy
  undo?: string
  /** Why no snapshot undoes the call, if one was wanted. */
  noUndo?: string
  /** How long the command waited for its snapshot. */
  snapshotMs?: number | undefined
  ask?: Ask
  /** A person said yes in the agent's own dialog. */
  inDialog?: boolean
  /** The journal already has an entry for the question. */
  again?: boolean
  /** What the agent runs instead. An allow is not passed on with it, so without the replacement the agent asks as usual. */
  rewrite?: Contribution['rewrite']
  /** What the agent should know about it. */
  context?: string
}

export interface RecordPorts {
  write(entries: readonly NewEntry[]): Promise<unknown>
  /** The seed's unified log, when `handsoff.debug` is on. */
  debug(context: ReactionContext, line: string): Promise<void>
  fault(during: string, cause: unknown): void
  clock: Clock
  ids: Ids
}

/**
 * Puts a decision into the journal and gives the agent's answer to it. What could not be recorded is not allowed:
 * then this throws. A deny applies, recorded or not.
 */
export async function record(
  event: ToolEvent | EventOf<'ToolFinished'>,
  context: ReactionContext,
  { trail }: Pick<PermissionJudgement, 'trail'>,
  { decision, reason, by, undo, noUndo, snapshotMs, ask, inDialog, again, rewrite, context: hint }: Decided,
  began: number,
  ports: RecordPorts,
): Promise<Contribution> {
  const { clock, ids } = ports
  const suffix = ids.id(20)
  const subject = subjectOf(event)
  const body: DecisionEntry = {
    kind: 'decision',
    event: event.id,
    tool: event.tool,
    subject,
    decision,
    reason,
    by,
    trail,
    ...(undo ? { undo } : {}),
    ...(noUndo ? { noUndo } : {}),
    ...(snapshotMs === undefined ? {} : { snapshotMs }),
    ...(ask ? { ask: ask.id } : {}),
    ...(inDialog ? { inDialog } : {}),
    ...(again ? { again } : {}),
    tookMs: Math.max(0, Math.round((clock.elapsed() - began) * 1000) / 1000),
  }
  const entry: NewEntry = {
    id: EntryId.parse(`ent_${suffix}`),
    at: new Date(clock.now()).toISOString(),
    agent: event.agent,
    session: event.session,
    nativeSession: event.nativeSession,
    ...(event.toolUseId ? { toolUseId: event.toolUseId } : {}),
    project: context.project,
    body,
  }
  try {
    await ports.write([entry])
  } catch (cause) {
    if (decision !== 'deny') throw cause
    ports.fault('recording a deny', cause)
  }
  if (context.config.handsoff.debug) {
    await ports
      .debug(context, `${event.tool} ${decision} by ${by}: ${subject} (${reason})`)
      .catch(cause => ports.fault('writing permission.txt', cause))
  }
  const why = decision === 'allow' ? reason : `Baton: ${reason} (baton why ${shortId(`dec_${suffix}`)})`
  if (rewrite)
    return {
      rewrite,
      ...(hint ? { context: hint } : {}),
      ...(decision === 'ask' ? { permission: { decision, reason: why } } : {}),
    }
  if (decision === 'defer') return {}
  return { permission: { decision, reason: why } }
}
