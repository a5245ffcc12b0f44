import type { PermissionJudgement } from '@batonpass/contract/permission'
import type { ReactionContext } from '../ports/reactor.ts'
import type { ToolEvent } from './ask-for.ts'
import { modeOf } from './decide-command.ts'
import type { PermissionPorts } from './ports.ts'
import { type CallPlace, judgeCall } from './requests.ts'

/** What the rules in force and the session's grants say about a call. A failure is a question for a person. */
export async function judgeEvent(
  event: ToolEvent,
  context: ReactionContext,
  ports: PermissionPorts,
): Promise<PermissionJudgement> {
  try {
    const place = await placeOf(event, context, ports)
    return judgeCall(event, await ports.rules(context), place, ports.paths)
  } catch (cause) {
    ports.fault(`judging ${event.tool}`, cause)
    return {
      decision: 'ask',
      reason: FAILED,
      trail: [{ rule: 'error', decision: 'ask', part: event.tool, reason: FAILED }],
      effects: { reads: [], writes: [], hosts: [], network: true, outside: true, unknown: [FAILED] },
      reversible: false,
      final: false,
      understood: false,
    }
  }
}

export const placeOf = async (
  event: ToolEvent,
  context: ReactionContext,
  ports: PermissionPorts,
): Promise<CallPlace> => ({
  worktree: context.project,
  home: ports.home,
  branch: await ports.ownBranch(context),
  guarded: ports.guarded,
  hosts: ports.sandbox?.openedHosts(event.session),
  // In plan mode nothing is to change yet.
  grants: isPlanning(event, context) ? undefined : await ports.grants?.inForce(event, context),
})

export const isPlanning = (event: ToolEvent, context: ReactionContext): boolean =>
  modeOf(event, context) === 'plan'

export const FAILED = 'Baton failed while judging this, so a person decides; see `baton logs --kind fault`'
