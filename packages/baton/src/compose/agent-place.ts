import { readdirSync } from 'node:fs'
import { normalize } from 'node:path'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import { type AgentProcess, readAgentProcess } from '../adapters/system/agent-process.ts'
import { lastLineWith } from '../adapters/system/last-line.ts'
import type { ToolCallEvent } from '../permission/ask-for.ts'
import type { RulesOwner } from '../permission/run-inside.ts'
import type { RulePlace } from '../ports/agent.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import type { Ground } from './ground.ts'
import { readText } from './read-text.ts'

type ProcessOf = (pid: number | undefined) => Promise<AgentProcess | undefined>

/** Where the user's own rules for the agent of a call are, and how that agent was started. */
export async function rulePlace(
  event: ToolCallEvent,
  context: ReactionContext,
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
    names,
    lastInTranscript: text => (transcript === undefined ? undefined : lastLineWith(transcript, text)),
  }
}

/** Whose files decide that an agent's own rules may apply: what is so without the project's files is the user's. */
export function ownerOfRules(
  mayApply: (place: RulePlace) => boolean,
  place: RulePlace,
): RulesOwner | undefined {
  if (!mayApply(place)) return undefined
  const isProjects = (path: string) =>
    [place.project, place.cwd].some(folder => isInside(normalize(path), folder))
  const withoutProject: RulePlace = {
    ...place,
    // Empty, not absent: a file that the command line names and that is absent counts as the user's.
    read: path => (isProjects(path) && place.read(path) !== undefined ? '{}' : place.read(path)),
    names: folder => (isProjects(folder) ? [] : place.names(folder)),
  }
  return mayApply(withoutProject) ? 'user' : 'project'
}

/** Where a command works: agents may name another folder for one command. */
export const cwdOf = ({ action, cwd }: ToolCallEvent, { project }: ReactionContext): string =>
  (action.kind === 'shell' ? action.cwd : undefined) ?? cwd ?? project

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
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
