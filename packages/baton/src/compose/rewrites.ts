import { join } from 'node:path'
import type { AgentName, EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { agents } from '../adapters/agents/agent-list.ts'
import { sandboxingOf } from '../adapters/agents/registry.ts'
import type { AgentProcess } from '../adapters/system/agent-process.ts'
import { waitForLine } from '../adapters/system/last-line.ts'
import { readText } from '../adapters/system/read-text.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { isAmongModes } from '../permission/sandbox-link.ts'
import type { DecodedEvent } from '../ports/agent.ts'
import type { UntoldReports } from '../sandbox/reactor.ts'
import {
  type AgentProgram,
  PROOFS_FILE,
  Replacements,
  RewriteProofs,
  type RewriteState,
  TRIALS_FILE,
} from '../sandbox/rewrite-proofs.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { Ground } from './ground.ts'
import { newEntry } from './new-entry.ts'

export interface RewriteLinks {
  sandboxes: Pick<Sandboxes, 'find'>
  untold: Pick<UntoldReports, 'addNotice'>
  processOf(pid: number | undefined): Promise<AgentProcess | undefined>
}

/** Watches whether agents run what they are handed in place of their commands. */
export interface Rewrites {
  stateOf(event: EventOf<'ToolRequested'>, session: Session): Promise<RewriteState>
  /** The agent is handed this text in place of its command. */
  handOver(
    event: EventOf<'ToolRequested'>,
    session: Session,
    replacement: { id: string; command: string; text: string },
  ): Promise<void>
  /** Agents whose commands are judged by their text although there is a sandbox, each with the reason. */
  off(): Promise<string[]>
  /** An event about a wrapped command, with the agent's own command in it. */
  restore(session: SessionId, event: DecodedEvent, agent: AgentName): Promise<DecodedEvent>
}

export function composeRewrites(
  { stateDir, write }: Pick<Ground, 'stateDir' | 'write'>,
  { sandboxes, untold, processOf }: RewriteLinks,
): Rewrites {
  const replacements = new Replacements()
  const proofs = new RewriteProofs({
    load: async () => readText(join(stateDir, PROOFS_FILE)),
    save: async text => void (await systemSmallFiles.write(stateDir, PROOFS_FILE, text)),
  })
  const programOf = async (agent: string, { id, pid }: Session): Promise<AgentProgram> => ({
    agent,
    program: (await processOf(pid))?.program ?? `session ${id}`,
  })
  const stateInTrials = (of: AgentProgram): Promise<RewriteState> =>
    new RewriteProofs({
      load: async () => readText(join(stateDir, TRIALS_FILE)),
      save: async () => {},
    }).stateOf(of)
  /** The agent ran a command itself that it was handed a replacement for: the user learns it. */
  const recordDropped = async (session: SessionId, of: AgentProgram) => {
    if (!(await proofs.record(of, 'dropped'))) return
    const off = droppedWords(of)
    untold.addNotice(session, `Baton: ${off}`)
    await write([newEntry({ kind: 'sandbox', moved: [], off }, { session })])
  }

  return {
    off: async () => (await proofs.dropped()).map(droppedWords),
    async stateOf(event, session) {
      const of = await programOf(event.agent, session)
      const state = await proofs.stateOf(of)
      if (state !== 'unknown') return state
      const tried = await stateInTrials(of)
      if (tried !== 'unknown') {
        await proofs.record(of, tried)
        return tried
      }
      const { mustProve } = sandboxingOf(event.agent) ?? {}
      // Without the replacement, the agent would ask as usual.
      if (!mustProve || !isAmongModes(mustProve, event.mode ?? session.mode)) return 'proven'
      // An agent may report the end of a command late, or never.
      for (const { session, text } of replacements.of(of)) {
        if (!(await sandboxes.find(session, text))?.isTaken) continue
        await proofs.record(of, 'proven')
        return 'proven'
      }
      return state
    },
    async handOver(event, known, replacement) {
      const of = await programOf(event.agent, known)
      const { session, toolUseId } = event
      replacements.add({ session, toolUseId, of, ...replacement })
    },
    async restore(session, event, agent) {
      await callWritten(agent, event)
      if (event.type === 'SessionEnded') replacements.end(session)
      if (event.type !== 'PermissionAsked' && event.type !== 'ToolFinished' && event.type !== 'ToolRequested')
        return event
      const { action, input, toolUseId } = event
      if (action.kind !== 'shell' || typeof input !== 'object' || input === null) return event
      if (event.type === 'ToolRequested') {
        replacements.forget(session, event)
        // The model repeats what it saw.
        const command = replacements.commandOf(session, action.command)
        if (command === undefined) return event
        return { ...event, input: { ...input, command }, action: { ...action, command } }
      }
      const found = await sandboxes.find(session, action.command)
      if (event.type === 'ToolFinished') {
        const replaced = replacements.take(session, { id: found?.id, toolUseId, command: action.command })
        const ran = replaced && (found ?? (await sandboxes.find(session, replaced.text)))
        if (replaced && ran?.isTaken) await proofs.record(replaced.of, 'proven')
        // It reports its own command, and the one that was to run instead never did.
        else if (replaced && ran && !found) await recordDropped(session, replaced.of)
        if (replaced && ran?.isTaken && !found) return { ...event, sandbox: replaced.id }
      }
      // A request runs once: one that was taken is no reason to allow anything.
      if (!found || (event.type === 'PermissionAsked' && found.isTaken)) return event
      return {
        ...event,
        input: { ...input, command: found.text },
        action: { ...action, command: found.text },
        sandbox: found.id,
      }
    },
  }
}

const droppedWords = ({ agent, program }: AgentProgram): string => {
  const title = agents.find(({ adapter }) => adapter.name === agent)?.adapter.title ?? agent
  const [path] = program.split(' ')
  return `${title} ran a command itself that Baton had replaced to run it in the sandbox (${path}). Until ${title} is updated, Baton judges its commands by their text.`
}

/** A hook may come before the call is in the transcript. */
async function callWritten(name: AgentName, event: DecodedEvent): Promise<void> {
  if (event.type !== 'ToolRequested' || event.toolUseId === undefined || !event.transcript) return
  const mark = agents.find(({ adapter }) => adapter.name === name)?.callMark?.(event.toolUseId)
  if (mark !== undefined) await waitForLine(event.transcript, mark)
}
