import type { Reactor } from '../../ports/reactor.ts'
import { handoffCommand } from './command.ts'
import type { HandoffGeneration } from './generation.ts'

/** Reading git and the transcript: a large transcript takes seconds. */
const EVIDENCE_MS = 20_000
/** How long a session's start waits for a document that is being written. */
const START_MS = 8000

/** Handles `/handoff` inside an agent and delivers the document to the next session. */
export function handoffReactor(
  generation: HandoffGeneration,
  /** Where the next session will start, if a cycle asked for the document. */
  placeOf: (session: string) => string | undefined = () => undefined,
): Reactor {
  return {
    name: 'handoff',
    async react(event, context) {
      if (event.subagent) return undefined
      switch (event.type) {
        case 'PromptSubmitted': {
          const command = event.automatic ? undefined : handoffCommand(event.prompt)
          if (command) return { now: await generation.asked(event, command, context, placeOf(event.session)) }
          if (!event.automatic) await generation.prompted(event)
          const { project, session } = context
          const owed = await generation.owedTo(event.session, project, session.pane)
          if (!owed) return undefined
          const run = (signal: AbortSignal) => generation.deliverLate(event, project, owed, signal)
          return { later: { run, otherwise: {}, withinMs: START_MS } }
        }
        case 'TurnEnded': {
          const wanted = await generation.wanted(event.session)
          if (!wanted || wanted.by === event.id) return undefined
          return {
            later: {
              run: signal => generation.turnEnded(event, context.now, signal),
              otherwise: {},
              withinMs: EVIDENCE_MS,
            },
          }
        }
        case 'SessionEnded': {
          if (!(await generation.wanted(event.session))) return undefined
          const run = () => generation.sessionEnded(event, context.now)
          return { later: { run, otherwise: {}, withinMs: EVIDENCE_MS } }
        }
        case 'SessionStarted': {
          // A resumed or compacted session knows its work; only a new one needs the document.
          if (event.source !== 'clear' && event.source !== 'startup') return undefined
          const { project, session } = context
          if (!(await generation.awaits(event.session, project, session.pane))) return undefined
          const run = (signal: AbortSignal) => generation.sessionStarted(event, project, session.pane, signal)
          return { later: { run, otherwise: {}, withinMs: START_MS } }
        }
        default:
          return undefined
      }
    },
  }
}
