import type { EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'

/** A tool call that Baton saw asked for belongs to the session that asked, for so long. */
const CALLER_MS = 10 * 60_000

/** Who calls a tool of ours: the tool itself is not told by which session it was called, but the hooks saw it. */
export class ToolCallers {
  readonly #canonical: (path: string) => string
  readonly #seen = new Map<string, { session: SessionId; at: number }>()

  constructor(canonical: (path: string) => string) {
    this.#canonical = canonical
  }

  note(event: EventOf<'ToolRequested' | 'ToolFinished'>, project: string, now: number): void {
    const { action, input } = event
    if (action.kind !== 'mcp' || !/^(?:paw_call_agent|paw_get_context|baton_handoff)$/.test(action.tool))
      return
    for (const [key, { at }] of this.#seen) if (now - at > CALLER_MS) this.#seen.delete(key)
    const work =
      typeof input === 'object' && input !== null && 'work_id' in input ? String(input.work_id) : ''
    this.#seen.set(this.#key(project, action.tool, work), { session: event.session, at: now })
  }

  of(project: string, tool: string, workId: string): SessionId | undefined {
    return this.#seen.get(this.#key(project, tool, workId))?.session
  }

  #key(project: string, tool: string, workId: string): string {
    return `${this.#canonical(project)}\0${tool}\0${workId}`
  }
}
