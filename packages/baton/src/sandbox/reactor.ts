import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { Outcome, Reactor } from '../ports/reactor.ts'
import type { Sandboxes } from './sandboxes.ts'
import type { Report } from './session-sandbox.ts'

/** What was moved aside and the agent does not know yet, by session. */
export class UntoldReports {
  readonly #reports = new Map<string, Report[]>()

  add(session: string, reports: readonly Report[]): void {
    this.#reports.set(session, [...(this.#reports.get(session) ?? []), ...reports])
  }

  take(session: string): Report[] {
    const reports = this.#reports.get(session) ?? []
    this.#reports.delete(session)
    return reports
  }
}

/** Follows commands in the sandbox to their end, tells the agent what they may not leave behind, and ends with the session. */
export function sandboxReactor(
  sandboxes: Pick<Sandboxes, 'finished' | 'end'>,
  untold: UntoldReports,
  fault: (during: string, cause: unknown) => void,
): Reactor {
  return {
    name: 'sandbox',
    async react(event: AgentEvent): Promise<Outcome | undefined> {
      if (event.type === 'SessionEnded') {
        untold.take(event.session)
        // Not awaited: an agent that ends does not wait for its hook.
        void sandboxes.end(event.session).catch(cause => fault('ending a sandbox', cause))
        return undefined
      }
      if (event.type !== 'ToolFinished' && event.type !== 'PromptSubmitted') return undefined
      if (event.type === 'ToolFinished' && event.sandbox)
        await sandboxes.finished(event.session, event.sandbox, isInBackground(event))
      const reports = untold.take(event.session)
      return reports.length > 0 ? { now: { context: describeReports(reports) } } : undefined
    },
  }
}

/** Claude Code says so in the input, or in the response when a command took too long. */
function isInBackground({ input, response }: EventOf<'ToolFinished'>): boolean {
  const has = (value: unknown, key: string): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, key) &&
    Boolean(Reflect.get(value, key))
  return has(input, 'run_in_background') || has(response, 'backgroundTaskId')
}

/** One line for the agent. */
function describeReports(reports: readonly Report[]): string {
  const shown = reports.slice(0, MOST_SHOWN).map(({ path, why }) => `${path} (${why})`)
  const more = reports.length > MOST_SHOWN ? ` and ${reports.length - MOST_SHOWN} more` : ''
  return `Baton moved files away that a command in the sandbox may not create: ${shown.join(', ')}${more}. If the project needs them, use your file tools, or ask the user.`
}

const MOST_SHOWN = 10
