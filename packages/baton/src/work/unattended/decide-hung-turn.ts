import type { AgentEvent } from '@batonpass/contract/event'
import { SessionId } from '@batonpass/contract/ids'
import type { Entry } from '@batonpass/contract/journal'
import { isBrokered } from '@batonpass/contract/journal'
import { z } from 'zod'

/** What Baton did about a session's hung turn, stored before it acts so that a restarted daemon does not act twice. */
export const HungTurn = z.object({
  session: SessionId,
  /** The last thing done: the turn was interrupted and the agent told to continue, or the work moved to this fresh session. */
  step: z.enum(['nudged', 'fresh', 'given-up']),
  at: z.number(),
  /** How many fresh sessions in a row this work has had because of hung turns. */
  fresh: z.number().int().nonnegative().default(0),
})
export type HungTurn = z.infer<typeof HungTurn>

/** What the journal says about a session's turn. */
export interface TurnFacts {
  /** Tools that the agent started and that have not finished. */
  runningTools: number
  /** The agent waits for a background task or for a turn that it scheduled. */
  waitsOnPurpose: boolean
  /** The turn failed, e.g. on a usage limit. */
  hasFailed: boolean
  /** When a tool last finished or the agent last stopped, in milliseconds since the epoch. */
  progressAt: number
}

/** Reads a session's events and reactions, oldest first. */
export function readTurn(entries: readonly Entry[]): TurnFacts {
  const denied = new Set(
    entries.flatMap(({ body }) =>
      body.kind === 'reaction' && body.reaction.permission?.decision === 'deny' ? [body.event] : [],
    ),
  )
  const running = new Map<string, { subagent: string | undefined }>()
  const endTurnOf = (subagent: string | undefined) => {
    for (const [call, tool] of running) if (tool.subagent === subagent) running.delete(call)
  }
  let facts: Omit<TurnFacts, 'runningTools'> = { waitsOnPurpose: false, hasFailed: false, progressAt: 0 }
  for (const { body } of entries) {
    if (body.kind !== 'event') continue
    const { event } = body
    const subagent = event.subagent?.id
    const isMain = subagent === undefined
    if (isMain && STARTS_WORK.has(event.type)) facts = { ...facts, waitsOnPurpose: false, hasFailed: false }
    switch (event.type) {
      case 'ToolRequested':
        if (!denied.has(event.id) && !isBrokered(event)) running.set(callOf(event), { subagent })
        break
      case 'ToolFinished':
      case 'ToolDenied':
        running.delete(callOf(event))
        facts = { ...facts, progressAt: Date.parse(event.at) }
        break
      case 'SubagentEnded':
        endTurnOf(subagent)
        break
      case 'PromptSubmitted':
      case 'TurnFailed':
      case 'SessionStarted':
        // An interrupted tool never reports its end.
        endTurnOf(subagent)
        if (event.type === 'TurnFailed') facts = { ...facts, hasFailed: true }
        break
      case 'TurnEnded': {
        endTurnOf(subagent)
        const waits = (event.running ?? 0) > 0 || (event.scheduled ?? 0) > 0
        if (isMain) facts = { ...facts, waitsOnPurpose: waits, progressAt: Date.parse(event.at) }
      }
    }
  }
  return { ...facts, runningTools: running.size }
}

const STARTS_WORK: ReadonlySet<AgentEvent['type']> = new Set([
  'PromptSubmitted',
  'ToolRequested',
  'ToolFinished',
])

const callOf = (event: Extract<AgentEvent, { tool: string }>): string =>
  event.toolUseId ?? `${event.subagent?.id ?? ''} ${event.tool}`

export interface HungQuestion {
  now: number
  /** After how long a silent turn counts as hung; 0: never. */
  limitMs: number
  /** The screen shows that the agent works. */
  isWorking: boolean
  /** When the session last reported or its screen last showed something new. */
  activeAt: number
  turn: TurnFacts
  known: HungTurn | undefined
}

/** What to do about a turn, if anything. A fresh session that hangs as well is not replaced again. */
export function decideHungTurn(about: HungQuestion): 'nudge' | 'fresh' | 'give-up' | undefined {
  const { now, limitMs, isWorking, activeAt, turn, known } = about
  if (limitMs <= 0 || !isWorking || turn.runningTools > 0 || turn.waitsOnPurpose || turn.hasFailed)
    return undefined
  const counts = isCurrent(known, turn) ? known : undefined
  // What Baton did is given the same time to help.
  if (now - Math.max(activeAt, counts?.at ?? 0) < limitMs) return undefined
  if (!counts || counts.step === 'fresh') return 'nudge'
  if (counts.step === 'given-up') return undefined
  return counts.fresh < MAX_FRESH ? 'fresh' : 'give-up'
}

const MAX_FRESH = 1

/** Whether nothing was achieved since Baton acted. */
export const isCurrent = (known: HungTurn | undefined, { progressAt }: TurnFacts): known is HungTurn =>
  known !== undefined && progressAt <= known.at
