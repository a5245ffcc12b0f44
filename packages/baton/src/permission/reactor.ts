import type { Reactor } from '../ports/reactor.ts'
import { Calls } from './calls.ts'
import { nextLink } from './chain.ts'
import { decideCall, settingsFor } from './decide-call.ts'
import { judgeEvent } from './judge-event.ts'
import type { PermissionPorts } from './ports.ts'
import { withdrawStaleAsks } from './withdraw-asks.ts'

/** Decides what the agent may run, says why, and asks a person only when nothing else decides. */
export function permissionReactor(ports: PermissionPorts): Reactor {
  const calls = new Calls()
  return {
    name: 'permission',
    async react(event, context) {
      if (event.type === 'ToolRequested' || event.type === 'PermissionAsked')
        return await decideCall(event, context, calls, ports)
      await withdrawStaleAsks(event, context, calls, ports)
      return undefined
    },
    async denies(event, context) {
      if (event.type !== 'ToolRequested' && event.type !== 'PermissionAsked') return undefined
      const judgement = await judgeEvent(event, context, ports)
      const next = nextLink(judgement, settingsFor(event, context, undefined, ports), new Set())
      if (next.link !== 'decided' || next.decision !== 'deny') return undefined
      return { decision: 'deny', reason: `Baton: ${judgement.reason}` }
    },
  }
}
