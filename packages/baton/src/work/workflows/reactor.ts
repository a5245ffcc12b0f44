import type { Contribution } from '../../ports/contribution.ts'
import type { ReactionContext, Reactor } from '../../ports/reactor.ts'
import { HandsOff } from './hands-off.ts'
import type { WorkflowPorts } from './ports.ts'
import type { RunContext, StopAnswer } from './run-context.ts'
import { SUPERVISOR_MS } from './supervisor.ts'

/** Time for git, the forge and the files; a supervisor's time is added. */
const STOP_MS = 20_000

/** Hands-off mode as a reactor. */
export function workflowReactor(ports: WorkflowPorts, handsOff = new HandsOff(ports)): Reactor {
  return {
    name: 'workflow',
    async react(event, context) {
      const at = runContext(context)
      switch (event.type) {
        case 'PromptSubmitted': {
          return { now: await handsOff.promptSubmitted(event, at) }
        }
        case 'ToolRequested':
          await handsOff.toolRequested(event)
          return undefined
        case 'ToolFinished':
          await handsOff.toolFinished(event)
          return undefined
        case 'SubagentStarted':
        case 'SubagentEnded':
          await handsOff.helper(event, at)
          return undefined
        case 'TurnEnded': {
          // A subagent's stop is not a stop of the session.
          if (event.subagent || !(await handsOff.concerns(event.session, event.nativeSession, at.project)))
            return undefined
          if (await ports.busyElsewhere(event.session)) return undefined
          const supervised = context.config.handsoff.supervisor.provider !== 'none'
          return {
            later: {
              run: async signal => contributionOf(await handsOff.turnEnded(event, at, signal)),
              otherwise: {},
              withinMs: STOP_MS + (supervised ? SUPERVISOR_MS : 0),
            },
          }
        }
        case 'TurnFailed':
          await handsOff.turnFailed(event, at)
          return undefined
        case 'Idle':
          await handsOff.idle(event, at)
          return undefined
        case 'SessionEnded':
          await handsOff.sessionEnded(event, at)
          return undefined
        default:
          return undefined
      }
    },
  }
}

export const runContext = ({
  session,
  project,
  config,
  now,
}: Pick<ReactionContext, 'session' | 'project' | 'config' | 'now'>): RunContext => ({
  session: { id: session.id, pane: session.pane, transcript: session.transcript },
  project,
  config,
  now,
})

function contributionOf({ prompt, note, stop, notice }: StopAnswer): Contribution {
  return {
    ...(prompt ? { continuation: { rank: 'workflow' as const, prompt, ...(note ? { note } : {}) } } : {}),
    ...(stop ? { continuation: { rank: stop.by, stop: stop.reason } } : {}),
    ...(notice ? { notice } : {}),
  }
}
