import type { Reactor } from '../../ports/reactor.ts'
import { isSlow } from './handle-prompt.ts'
import type { Stages } from './stages.ts'

/** Time to read the work item and git; slower work runs in the background. */
const STOP_MS = 10_000

/** Staged work as a reactor: reads commands, adds a stage's instructions, and continues at stops. */
export function stageReactor(stages: Stages): Reactor {
  return {
    name: 'stage',
    async react(event, context) {
      if (event.subagent) return undefined
      switch (event.type) {
        case 'SessionStarted':
          stages.sessionStarted(context.session)
          return undefined
        case 'PromptSubmitted': {
          if (event.automatic) return undefined
          const explain = async () => {
            const text = await stages.prompted(event, context)
            return text === undefined ? {} : { context: text }
          }
          if (isSlow(event.prompt)) return { later: { run: explain, otherwise: {}, withinMs: STOP_MS } }
          return { now: await explain() }
        }
        case 'ToolRequested':
        case 'ToolFinished':
          stages.callers.note(event, context.project, context.now)
          await stages.observed(event)
          return undefined
        case 'TurnEnded': {
          if (!(await stages.concerns(event.session))) return undefined
          return {
            later: { run: () => stages.turnEnded(event, context), otherwise: {}, withinMs: STOP_MS },
          }
        }
        case 'SessionEnded':
          await stages.sessionEnded(event, context)
          return undefined
        default:
          return undefined
      }
    },
  }
}
