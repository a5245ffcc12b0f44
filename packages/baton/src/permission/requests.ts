import type { PermissionDecision, PermissionJudgement } from '@batonpass/contract/permission'
import type { PathPorts } from '@batonpass/shell-verdict/paths/resolve'
import type { ToolEvent } from './ask-for.ts'
import { judge } from './judge.ts'
import type { PermissionRequest } from './judge-context.ts'
import type { RuleSet } from './rules/compile.ts'

type Asked = Pick<PermissionRequest, 'tool' | 'input' | 'isHarmless'>

export interface CallPlace extends Pick<PermissionRequest, 'worktree' | 'home'> {
  /** The branch that the session may push with force. */
  branch?: string | undefined
  guarded?: PermissionRequest['guarded']
  hosts?: readonly string[] | undefined
  grants?: PermissionRequest['grants'] | undefined
}

/** Judges all that one tool call would do, by the rules alone. */
export function judgeCall(
  event: ToolEvent,
  rules: RuleSet,
  { worktree, home, branch, guarded, hosts, grants }: CallPlace,
  paths: PathPorts,
): PermissionJudgement {
  const place = {
    cwd: (event.action.kind === 'shell' ? event.action.cwd : undefined) ?? event.cwd ?? worktree,
    worktree,
    home,
    ...(branch ? { branch } : {}),
    ...(guarded ? { guarded } : {}),
    ...(hosts ? { hosts } : {}),
    ...(grants ? { grants } : {}),
  }
  return strictest(requestsOf(event).map(request => judge({ ...request, ...place }, rules, paths)))
}

/**
 * The event as the rules know tools: Claude Code's names are used for every agent's tools, because rules are written with them.
 * A call that touches several files is several requests.
 */
export function requestsOf(event: ToolEvent): Asked[] {
  const { action, agent, tool, input } = event
  if (action.kind === 'shell') return [{ tool: 'Bash', input: { command: action.command } }]
  if (agent === 'claude-code') return [{ tool, input }]
  if (action.kind === 'read') return files('Read', action.paths)
  if (action.kind === 'write') return files('Write', action.paths)
  if (action.kind === 'search') return files('Grep', action.paths)
  if (action.kind === 'mcp') return [{ tool: `mcp__${action.server}__${action.tool}`, input }]
  if (action.kind === 'question' || QUESTION_TOOLS[agent]?.includes(tool))
    return [{ tool: 'AskUserQuestion', input }]
  if (action.kind === 'web') {
    return [
      action.url
        ? { tool: 'WebFetch', input: { url: action.url } }
        : { tool: 'WebSearch', input: { query: action.query } },
    ]
  }
  return [{ tool, input, isHarmless: HARMLESS_TOOLS[agent]?.includes(tool) === true }]
}

/**
 * Tools of todo lists, plans and subagents, whose own calls are judged one by one. Only those that the agents' documentation
 * names: any other name may be that of a plugin's or an extension's tool.
 */
const HARMLESS_TOOLS: Partial<Record<ToolEvent['agent'], readonly string[]>> = {
  codex: ['update_plan', 'spawn_agent'],
  copilot: ['report_intent', 'update_todo', 'task', 'read_agent', 'list_agents'],
  cursor: ['TodoWrite', 'Task'],
  gemini: ['write_todos', 'enter_plan_mode', 'invoke_agent'],
  opencode: ['todowrite', 'todoread', 'task', 'skill'],
}

/** Tools that only ask the person, on the agent's own screen. A refusal would leave the agent without an answer. */
const QUESTION_TOOLS: Partial<Record<ToolEvent['agent'], readonly string[]>> = {
  codex: ['request_user_input'],
  copilot: ['ask_user', 'exit_plan_mode'],
  gemini: ['ask_user', 'exit_plan_mode'],
}

function files(tool: string, paths: readonly string[]): Asked[] {
  if (paths.length > 0) return paths.map(path => ({ tool, input: { file_path: path } }))
  const somewhere = { tool, input: {} }
  // A search without a path is one of the folder; a read without one reads what we cannot see, which no rule allows.
  return tool === 'Read' ? [somewhere, { tool: 'Read of an unknown file', input: {} }] : [somewhere]
}

const STRICTNESS: readonly PermissionDecision[] = ['deny', 'ask', 'undecided', 'allow']

/** Several judgements as one: the strictest decides, and what cannot be undone in one cannot be in all. */
export function strictest(judgements: readonly PermissionJudgement[]): PermissionJudgement {
  const [first, ...rest] = [...judgements].sort(
    (a, b) => STRICTNESS.indexOf(a.decision) - STRICTNESS.indexOf(b.decision),
  )
  if (!first) throw new TypeError('nothing to judge')
  if (rest.length === 0) return first
  const join = <T>(pick: (judgement: PermissionJudgement) => readonly T[]) => judgements.flatMap(pick)
  return {
    ...first,
    trail: join(judgement => judgement.trail),
    effects: {
      reads: join(j => j.effects.reads),
      writes: join(j => j.effects.writes),
      hosts: join(j => j.effects.hosts),
      network: judgements.some(j => j.effects.network),
      outside: judgements.some(j => j.effects.outside),
      unknown: join(j => j.effects.unknown),
      leaves: join(j => j.effects.leaves ?? []),
      ofProject: join(j => j.effects.ofProject ?? []),
      folders: join(j => j.effects.folders ?? []),
      contacts: join(j => j.effects.contacts ?? []),
      installs: join(j => j.effects.installs ?? []),
      brokered: join(j => j.effects.brokered ?? []),
      brings: join(j => j.effects.brings ?? []),
    },
    reversible: judgements.every(j => j.reversible || j.decision === 'allow'),
    final: judgements.some(j => j.final),
    understood: judgements.every(j => j.understood),
  }
}
