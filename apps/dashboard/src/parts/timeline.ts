import type { AskEntry } from '@batonpass/contract/ask'
import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry } from '@batonpass/contract/journal'
import type { DecisionEntry } from '@batonpass/contract/permission'

type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>
type Call = EventOf<'ToolRequested' | 'PermissionAsked'>
type End = EventOf<'ToolFinished' | 'ToolDenied'>

/** One step of a session: a tool call from the request to its end, a turn that Baton continued, or a single entry. */
export interface Step {
  /** The entry that began the step. */
  entry: Entry
  call?: Call
  /** Oldest first: Baton may decide, and a person may answer later. */
  decisions: { entry: Entry; decision: DecisionEntry }[]
  /** The question to a person, as it is now. */
  ask?: AskEntry
  end?: { entry: Entry; event: End }
  /** Baton's prompt with which the turn continued. */
  continued?: Entry
  /**
   * The snapshot to compare with. If a call that began after the end of this one has the same snapshot, this call changed
   * nothing (`unchanged`): Baton takes a new snapshot only if a file differs.
   */
  undo?: { project: string; step: number; unchanged: boolean }
}

export const isFailed = (end: Step['end']): boolean =>
  end !== undefined && (end.event.type === 'ToolDenied' || end.event.failed)

/** Joins the entries of each step. Entries are newest first, and so are the steps. */
export function stepsOf(entries: readonly Entry[]): Step[] {
  const joiner = new StepJoiner()
  for (const entry of entries.toReversed()) joiner.add(entry)
  return joinSnapshots(joiner.steps.reverse())
}

class StepJoiner {
  readonly steps: Step[] = []
  /** The step of each event and each ask, by id. */
  readonly #owners = new Map<string, Step>()
  /** Calls that have not ended. */
  #open: { step: Step; call: Call; key: string }[] = []

  add(entry: Entry): void {
    const { body } = entry
    switch (body.kind) {
      case 'event':
        this.#addEvent(entry, body.event)
        return
      case 'decision': {
        const step = this.#owners.get(body.event) ?? this.#begin(entry)
        step.decisions.push({ entry, decision: body })
        return
      }
      case 'ask': {
        // The key begins with the event that asked.
        const step = this.#owners.get(body.ask) ?? this.#owners.get(body.key.split(' ')[0] ?? '')
        const owner = step ?? this.#begin(entry)
        owner.ask = body
        this.#owners.set(body.ask, owner)
        return
      }
      case 'reaction': {
        // The decision shows the other reactions already.
        if (body.reaction.goOn === undefined) return
        const step = this.#owners.get(body.event)
        if (step && !step.call) step.continued = entry
        else this.#begin(entry)
        return
      }
      default:
        this.#begin(entry)
    }
  }

  #addEvent(entry: Entry, event: AgentEvent): void {
    switch (event.type) {
      // Context figures have their own plot.
      case 'ContextMeasured':
        return
      case 'PermissionAsked':
      case 'ToolRequested': {
        const known = event.type === 'PermissionAsked' ? this.#find(event, 'last') : undefined
        const step = known?.step ?? this.#begin(entry)
        if (!known) {
          step.call = event
          this.#open.push({ step, call: event, key: keyOf(event) })
        }
        this.#owners.set(event.id, step)
        return
      }
      case 'ToolFinished':
      case 'ToolDenied': {
        const known = this.#find(event, 'first')
        const step = known?.step ?? this.#begin(entry)
        this.#open = this.#open.filter(each => each !== known)
        if (known) step.end = { entry, event }
        this.#owners.set(event.id, step)
        return
      }
      case 'Idle':
        // Says only that the open call waits for its answer.
        if (event.kind === 'permission' && this.#open.some(({ step }) => isAsked(step))) return
        this.#owners.set(event.id, this.#begin(entry))
        return
      default:
        this.#owners.set(event.id, this.#begin(entry))
    }
  }

  #begin(entry: Entry): Step {
    const step: Step = { entry, decisions: [] }
    this.steps.push(step)
    return step
  }

  /** The open call that an event is about: by the agent's id, else the same tool with the same input. */
  #find(event: Call | End, which: 'first' | 'last') {
    const key = keyOf(event)
    const isSame = ({ call, key: other }: { call: Call; key: string }) =>
      event.toolUseId !== undefined && call.toolUseId !== undefined
        ? event.toolUseId === call.toolUseId
        : key === other
    return which === 'first' ? this.#open.find(isSame) : this.#open.findLast(isSame)
  }
}

const keyOf = ({ tool, input }: Call | End): string => `${tool} ${JSON.stringify(input)}`

const isAsked = ({ decisions, ask }: Step): boolean =>
  ask !== undefined || decisions.at(-1)?.decision.decision === 'ask'

/** Steps are newest first. */
function joinSnapshots(steps: Step[]): Step[] {
  /** By snapshot: when the last call with it was requested. */
  const last = new Map<string, number>()
  for (const step of steps) {
    const taken = step.decisions.findLast(({ decision }) => decision.undo !== undefined)
    const { project } = taken?.entry ?? {}
    if (!taken || project === undefined || !step.call) continue
    const number = Number(taken.decision.undo)
    const key = `${number} ${project}`
    const requested = last.get(key)
    const unchanged = requested !== undefined && step.end !== undefined && step.end.entry.seq < requested
    step.undo = { project, step: number, unchanged }
    if (requested === undefined) last.set(key, step.entry.seq)
  }
  return steps
}
