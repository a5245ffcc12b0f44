import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry } from '@batonpass/contract/journal'
import type { DecisionEntry } from '@batonpass/contract/permission'

type Call = EventOf<'ToolRequested' | 'PermissionAsked'>
type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>

/** One step of a session: a tool call with its decision and its end, or a single entry. */
export interface Step {
  entry: Entry
  call?: Call
  decision?: DecisionEntry
  /** The entry that contains the decision. */
  decided?: Entry
  end?: EventOf<'ToolFinished'>
}

/** Joins the entries of each tool call. Entries are newest first, and so are the steps. */
export function stepsOf(entries: readonly Entry[]): Step[] {
  const decisions = new Map<string, { decision: DecisionEntry; decided: Entry }>()
  const ends: EventOf<'ToolFinished'>[] = []
  const steps: Step[] = []
  for (const entry of entries) {
    const { body } = entry
    if (body.kind === 'decision') decisions.set(body.event, { decision: body, decided: entry })
    else if (body.kind === 'event' && body.event.type === 'ToolFinished') ends.push(body.event)
    else if (body.kind === 'event' && isCall(body.event, decisions)) {
      const call = body.event
      const judged = decisions.get(call.id)
      decisions.delete(call.id)
      const index = ends.findLastIndex(end => isEndOf(end, call))
      const [end] = index < 0 ? [] : ends.splice(index, 1)
      steps.push({ entry, call, ...judged, ...(end ? { end } : {}) })
    } else if (isShown(entry)) steps.push({ entry })
  }
  return steps
}

/** A hosted agent reports a call only when it asks. A question in the agent's own dialog, without a decision, is a step of its own. */
const isCall = (event: AgentEvent, decisions: ReadonlyMap<string, unknown>): event is Call =>
  event.type === 'ToolRequested' || (event.type === 'PermissionAsked' && decisions.has(event.id))

function isEndOf(end: EventOf<'ToolFinished'>, call: Call): boolean {
  if (end.toolUseId !== undefined && call.toolUseId !== undefined) return end.toolUseId === call.toolUseId
  return end.tool === call.tool && JSON.stringify(end.input) === JSON.stringify(call.input)
}

/** Leaves out reactions that the decision already shows, and context figures, which have their own plot. */
function isShown({ body }: Entry): boolean {
  if (body.kind === 'reaction') return body.reaction.goOn !== undefined
  return !(body.kind === 'event' && body.event.type === 'ContextMeasured')
}
