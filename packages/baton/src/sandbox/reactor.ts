import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { ForwardedPort } from '../ports/network.ts'
import type { Outcome, Reactor } from '../ports/reactor.ts'
import type { Sandboxes } from './sandboxes.ts'
import type { Report } from './session-sandbox.ts'

/** What the sandbox prevented and the agent does not know yet, by session. */
export class UntoldReports {
  readonly #reports = new Map<string, Untold>()

  add(session: string, reports: readonly Report[]): void {
    this.#of(session).moved.push(...reports)
  }

  addBlocked(session: string, message: string): void {
    const { blocked } = this.#of(session)
    if (blocked.length < MOST_SHOWN && !blocked.includes(message)) blocked.push(message)
  }

  addServers(session: string, ports: readonly ForwardedPort[]): void {
    const { servers } = this.#of(session)
    for (const { inside, port } of ports.slice(0, MOST_SHOWN))
      servers.push(`The user reaches the server on port ${inside} of the sandbox at http://127.0.0.1:${port}`)
  }

  /** For the user, in the agent's terminal. */
  addNotice(session: string, notice: string): void {
    this.#of(session).notices.push(notice)
  }

  /** Lines for the agent, and for the user. */
  take(session: string): { lines: string[]; notices: string[] } {
    const { moved, blocked, servers, notices } = this.#of(session)
    this.#reports.delete(session)
    const lines = [...(moved.length > 0 ? [describeReports(moved)] : []), ...blocked, ...servers]
    return { lines, notices }
  }

  #of(session: string): Untold {
    const known = this.#reports.get(session) ?? { moved: [], blocked: [], servers: [], notices: [] }
    this.#reports.set(session, known)
    return known
  }
}

interface Untold {
  moved: Report[]
  blocked: string[]
  servers: string[]
  notices: string[]
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
      const { lines, notices } = untold.take(event.session)
      if (lines.length + notices.length === 0) return undefined
      return {
        now: {
          ...(lines.length > 0 ? { context: lines.join('\n') } : {}),
          ...(notices.length > 0 ? { notice: notices.join('\n') } : {}),
        },
      }
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
