import type { Reactor } from '../../ports/reactor.ts'
import { handoffCommand } from './command.ts'
import type { HandoffGeneration } from './generation.ts'

/** Git and the transcript together; a large transcript takes seconds. */
const EVIDENCE_MS = 20_000
/** A session's start is not held up for longer by a document that is just being written. */
const START_MS = 8000

/** `/handoff` inside an agent. */
export function handoffReactor(generation: HandoffGeneration): Reactor {
  return {
    name: 'handoff',
    async react(event, context) {
      if (event.subagent) return undefined
      switch (event.type) {
        case 'PromptSubmitted': {
          const command = event.automatic ? undefined : handoffCommand(event.prompt)
          if (command) return { now: await generation.asked(event, command, context) }
          if (!event.automatic) await generation.prompted(event)
          return undefined
        }
        case 'TurnEnded': {
          if (!(await generation.wanted(event.session))) return undefined
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
          // A session that was resumed or compacted knows its work; only a fresh one needs to be told.
          if (event.source !== 'clear' && event.source !== 'startup') return undefined
          if (!(await generation.awaits(event.session, context.project))) return undefined
          const run = () => generation.sessionStarted(event, context.project)
          return { later: { run, otherwise: {}, withinMs: START_MS } }
        }
        default:
          return undefined
      }
    },
  }
}
