import type { Ask, WithdrawnWhy } from '@batonpass/contract/ask'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { ReactionContext } from '../ports/reactor.ts'
import { eventOf, isAbout, isOfSubagent } from './ask-for.ts'
import type { Call, Calls } from './calls.ts'
import type { PermissionPorts } from './ports.ts'
import { type Decided, record } from './record.ts'

/** A person answered in the terminal, or no one waits any more: Baton withdraws what it asked elsewhere. */
export async function withdrawStaleAsks(
  event: AgentEvent,
  context: ReactionContext,
  calls: Calls,
  ports: PermissionPorts,
): Promise<void> {
  const { asks } = ports
  const withdraw = async (fits: (ask: Ask) => boolean, why: WithdrawnWhy = 'settled-elsewhere') => {
    const isHere = (ask: Ask) => ask.kind === 'permission' && ask.facts.session === event.session
    await asks.withdraw(ask => isHere(ask) && fits(ask), why)
  }
  switch (event.type) {
    case 'ToolFinished': {
      const call = calls.finished(event)
      if (call && isAllowedInDialog(call, event, context)) await recordDialogYes(event, context, call, ports)
      // Of two equal calls only the one that ran is settled.
      if (call?.asked) await withdraw(ask => eventOf(ask) === call.asked)
      else await withdraw(ask => isAbout(ask, event))
      return undefined
    }
    case 'PromptSubmitted':
    case 'TurnEnded':
    case 'TurnFailed':
      if (event.subagent || ('automatic' in event && event.automatic)) return undefined
      calls.ended(event.session, 'turn')
      return await withdraw(ask => !isOfSubagent(ask))
    case 'SessionEnded':
      calls.ended(event.session, 'session')
      return await withdraw(() => true, 'session-ended')
    default:
      return undefined
  }
}

/** The agent's own dialog opened, and the tool ran although no one answered through Baton: a person said yes there. */
const isAllowedInDialog = (call: Call, event: EventOf<'ToolFinished'>, context: ReactionContext): boolean =>
  (call.told === 'ask' || call.told === 'defer') &&
  call.asked !== undefined &&
  !call.answered &&
  context.attended === true &&
  /^(default|accept-edits)$/.test(event.mode ?? context.session.mode ?? 'default')

/**
 * `baton learn` counts it as it counts an answer on any other channel. Nothing is remembered, even after "don't ask again": only
 * the agent's settings show that choice, and the call that ran could have written them itself.
 */
async function recordDialogYes(
  event: EventOf<'ToolFinished'>,
  context: ReactionContext,
  call: Call,
  ports: PermissionPorts,
): Promise<void> {
  const decided: Decided = {
    decision: 'allow',
    reason: "allowed in the agent's own dialog",
    by: 'person',
    inDialog: true,
    again: call.isCounted === true,
  }
  call.isCounted = true
  await record(event, context, { trail: [...call.trail] }, decided, ports.clock.elapsed(), ports).catch(
    cause => ports.fault('recording an answer in a dialog', cause),
  )
}
