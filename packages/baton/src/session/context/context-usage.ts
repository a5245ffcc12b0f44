import type { Config } from '@batonpass/contract/config'
import type { ContextFigure, ContextZone } from '@batonpass/contract/context'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'

/**
 * Updates a session's context figure with an event. Pure. Only the agent's own figures count. A compaction invalidates
 * the old figure, but not what Baton learnt about the size of turns.
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

/** Whether a figure is new. If not, it is neither recorded nor answered. */
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
  // The first figure from a transcript was read at the end of a turn.
  const endedWith = turns?.endedWith ?? known?.endedWith ?? (event.source === 'transcript' ? used : undefined)
  const zone = zoneOf(percent, zones)
  // Slightly below the threshold still counts as the same stay in the zone, because two sources may differ by a reply.
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
  // A status line has reported by now; a transcript is read only after the turn ends.
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

/** Usual context windows by model, for figures without a size. The first match counts. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]/i, 1_000_000],
  [/^claude-(?:opus|sonnet)-(?:[5-9]|\d\d)/, 1_000_000],
  [/^claude-/, 200_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-(?:[5-9]|\d\d)/, 272_000],
  [/^(?:gpt-4|o1|o3|o4)/, 128_000],
  [/^gemini-/, 1_048_576],
]

/** The usual context window of a model; undefined for an unknown model. */
export function windowOf(model: string | undefined): number | undefined {
  // Some services prefix the name with the vendor or a region.
  const name = model
    ?.split('/')
    .at(-1)
    ?.replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
  return name === undefined ? undefined : WINDOWS.find(([pattern]) => pattern.test(name))?.[1]
}

/** The forecast uses this many turns; older turns were a different kind of work. */
const TURNS = 12

/** Adds the growth of the turn that just ended. A smaller context was compacted and says nothing about growth. */
function grown(
  { growth, endedWith }: Pick<ContextFigure, 'growth' | 'endedWith'>,
  used: number,
): Pick<ContextFigure, 'growth'> & { endedWith: number } {
  const added = endedWith === undefined ? undefined : used - endedWith
  return {
    growth: added === undefined || added < 0 ? [...growth] : [...growth, added].slice(-TURNS),
    endedWith: used,
  }
}

/** Forecasts how many median turns still fit, and whether a large turn would overflow the context. */
export function forecast({
  used,
  size,
  growth,
}: {
  used: number
  size?: number | undefined
  growth: readonly number[]
}): Pick<ContextFigure, 'perTurn' | 'turnsLeft' | 'overflows'> {
  const sorted = growth.filter(added => added > 0).sort((a, b) => a - b)
  const perTurn = at(sorted, 0.5)
  if (perTurn === undefined) return { overflows: size !== undefined && used >= size }
  if (size === undefined) return { perTurn, overflows: false }
  const left = Math.max(0, size - used)
  return {
    perTurn,
    turnsLeft: Math.floor(left / perTurn),
    overflows: (at(sorted, 0.8) ?? perTurn) > left,
  }
}

/** The quantile of a sorted list; `share` is from 0 to 1. */
const at = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

/** The thresholds of the zones, in percent. */
export type Zones = Config['context']

/** The zone for a percentage. If the thresholds are in the wrong order, the strongest zone that is reached counts. */
function zoneOf(percent: number | undefined, { note, warn, trigger }: Zones): ContextZone {
  if (percent === undefined) return 'unknown'
  if (percent >= trigger) return 'trigger'
  if (percent >= warn) return 'warn'
  return percent >= note ? 'note' : 'fine'
}
