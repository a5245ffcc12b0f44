import type { ContextFigure } from '@batonpass/contract/context'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import { forecast, grown } from './forecast.ts'
import { windowOf } from './windows.ts'
import { type Zones, zoneOf } from './zones.ts'

/**
 * What is known of a session's context after one more event. Pure. Only the agent's own figures count; a compaction
 * makes the old one worthless, and what was learnt about its turns is kept.
 */
export function contextAfter(
  known: ContextFigure | undefined,
  event: AgentEvent,
  zones: Zones,
): ContextFigure | undefined {
  if (event.subagent) return known
  switch (event.type) {
    case 'ContextMeasured':
      return measured(known, event, zones)
    case 'TurnEnded':
      return known && ended(known)
    case 'Compacted':
      return known && compacted(known)
    case 'SessionStarted':
      return event.model && known && !known.model ? { ...known, model: event.model } : known
    case 'PromptSubmitted':
    case 'ToolRequested':
    case 'ToolFinished':
      return known && advised(known, event, zones)
    default:
      return known
  }
}

/** Whether a figure tells something new; one that does not is neither recorded nor answered. */
export function isNews(known: ContextFigure | undefined, told: ContextFigure): boolean {
  if (!known || known.zone !== told.zone || known.overflows !== told.overflows) return true
  if (known.size !== told.size) return true
  return known.percent === undefined
    ? known.used !== told.used
    : Math.round(known.percent) !== Math.round(told.percent ?? 0)
}

function measured(
  known: ContextFigure | undefined,
  event: EventOf<'ContextMeasured'>,
  zones: Zones,
): ContextFigure {
  const { used } = event
  const model = event.model ?? known?.model
  const size = event.size ?? (known?.sizeFrom === 'agent' ? known.size : windowOf(model))
  const sizeFrom = event.size !== undefined || known?.sizeFrom === 'agent' ? 'agent' : 'table'
  const percent = size === undefined ? event.percent : Math.min(1000, Math.floor((used / size) * 1000) / 10)
  const late = known?.late === true
  const turns = late ? grown(known, used) : undefined
  const growth = turns?.growth ?? known?.growth ?? []
  // A first figure from a transcript was read at the end of a turn.
  const endedWith = turns?.endedWith ?? known?.endedWith ?? (event.source === 'transcript' ? used : undefined)
  const zone = zoneOf(percent, zones)
  // A little below the border is still the same stay in the zone: figures of two sources differ by a reply.
  const stays = known?.advised && percent !== undefined && percent > zones.warn - LEAVES_BELOW
  return {
    used,
    ...(size === undefined ? {} : { size, sizeFrom }),
    ...(percent === undefined ? {} : { percent }),
    zone,
    ...forecast({ used, size, growth }),
    ...(event.source ? { source: event.source } : {}),
    at: event.at,
    ...(model ? { model } : {}),
    growth,
    ...(endedWith === undefined ? {} : { endedWith }),
    late: false,
    ...(stays ? { advised: known.advised } : {}),
  }
}

const LEAVES_BELOW = 5

function ended(known: ContextFigure): ContextFigure {
  // The status line has told by now; a transcript is read after the end.
  if (known.source === 'transcript') return { ...known, late: true }
  const turns = grown(known, known.used)
  const { perTurn, turnsLeft, ...rest } = known
  return { ...rest, ...turns, ...forecast({ ...known, growth: turns.growth }) }
}

function compacted(known: ContextFigure): ContextFigure | undefined {
  const { percent, perTurn, turnsLeft, endedWith, advised: _, ...rest } = known
  return { ...rest, used: 0, zone: 'unknown', overflows: false, late: false }
}

function advised(
  known: ContextFigure,
  event: EventOf<'PromptSubmitted' | 'ToolRequested' | 'ToolFinished'>,
  zones: Zones,
): ContextFigure {
  const due = known.zone === 'warn' || known.zone === 'trigger'
  if (!due || !zones.advise || known.advised) return known
  return { ...known, advised: { zone: known.zone, event: event.id } }
}
