import type { Session } from '@batonpass/contract/session'
import { type AgentProcess, readAgentProcess } from '../adapters/system/agent-process.ts'
import { lastLineWith } from '../adapters/system/last-line.ts'
import { namesIn, readText } from '../adapters/system/read-text.ts'
import { cwdOf, type ToolCallEvent } from '../permission/ask-for.ts'
import type { RulePlace } from '../ports/agent.ts'
import type { Ground } from './ground.ts'

type ProcessOf = (pid: number | undefined) => Promise<AgentProcess | undefined>

/** Where the user's own rules for the agent of a call are, and how that agent was started. */
export async function rulePlace(
  event: ToolCallEvent,
  context: { project: string; session: Pick<Session, 'pid' | 'transcript'> },
  { home, env }: Pick<Ground, 'home' | 'env'>,
  processOf: ProcessOf,
): Promise<RulePlace> {
  const running = await processOf(context.session.pid)
  const transcript = event.transcript ?? context.session.transcript
  return {
    home,
    env: running?.env ?? env,
    args: running?.args ?? [],
    project: context.project,
    cwd: cwdOf(event, context),
    toolUseId: event.toolUseId,
    read: readText,
    names: namesIn,
    lastInTranscript: text => (transcript === undefined ? undefined : lastLineWith(transcript, text)),
  }
}

const MOST_PROCESSES = 200

/** Remembers what was read: a process keeps its command line. */
export function processReader(): ProcessOf {
  const known = new Map<number, Promise<AgentProcess | undefined>>()
  return async pid => {
    if (pid === undefined) return undefined
    if (known.size > MOST_PROCESSES) known.clear()
    const reading = known.get(pid) ?? readAgentProcess(pid)
    known.set(pid, reading)
    const found = await reading
    if (!found) known.delete(pid)
    return found
  }
}
