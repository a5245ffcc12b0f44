import { relative } from 'node:path'
import type { AskRules, RememberedRule } from '@batonpass/contract/ask'
import type { PermissionDecision, PermissionJudgement } from '@batonpass/contract/permission'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import { assess, type Programs } from '@batonpass/shell-verdict/programs/assess'
import type { Kind } from '@batonpass/shell-verdict/programs/kinds'
import { analyse } from '@batonpass/shell-verdict/shell/analysis'
import type { ToolEvent } from './ask-for.ts'
import { exactCommand } from './rules/exact-command.ts'
import { escapePattern } from './rules/rule-text.ts'

export interface RememberPlace {
  worktree: string
  home: string
  programs: Programs
  realpath(path: string): string
  /** The text with its secrets replaced. */
  redact(text: string): string
  /** What the rules in force, and this one, say to the call. */
  trial(rule: RememberedRule): Promise<PermissionDecision>
}

/**
 * The rules that "always allow" may add for a call: word for word what the person sees. None if such a rule would not spare
 * the question, or if it would open more than this call.
 */
export async function rulesToRemember(
  event: ToolEvent,
  judgement: PermissionJudgement,
  place: RememberPlace,
): Promise<AskRules | undefined> {
  const { decision, final, effects } = judgement
  if (decision === 'allow' || decision === 'deny' || final || effects.unknown.length > 0) return undefined
  const found = event.action.kind === 'shell' ? commandRules(event, judgement, place) : webRules(event)
  const rules: AskRules = {}
  for (const scope of ['project', 'everywhere'] as const) {
    const rule = found?.[scope]
    if (rule && (await place.trial(rule)) === 'allow') rules[scope] = rule
  }
  return rules.project || rules.everywhere ? rules : undefined
}

/** Code that was not read, credentials and destruction need a person each time. */
const NEVER: ReadonlySet<Kind> = new Set(['exec', 'credential', 'demolish', 'destroy'])
/** Programs that give what follows them to someone else, or that mean another process each time. */
const NEVER_PROGRAMS = /^(?:sudo|doas|su|ssh|nc|ncat|socat|telnet|kill|pkill|killall|[a-z]*sh)$/

function commandRules(
  event: ToolEvent,
  { trail, effects }: PermissionJudgement,
  { worktree, home, programs, redact, realpath }: RememberPlace,
): AskRules | undefined {
  const { action } = event
  if (action.kind !== 'shell') return undefined
  const asked = new Set(trail.filter(({ decision }) => decision !== 'allow').map(({ part }) => part))
  const { commands } = analyse(action.command, { cwd: action.cwd ?? event.cwd ?? worktree, home })
  const [command, ...others] = commands.filter(each => asked.has(exactCommand(each, realpath)?.text ?? ''))
  const exact = command && exactCommand(command, realpath)
  // With several open parts, each rule would also hold for its part alone, which the person did not see.
  if (!command || others.length > 0 || asked.size !== 1 || !exact || command.wraps || command.calls)
    return undefined
  const { kind, program } = assess(command, programs)
  if (NEVER.has(kind) || NEVER_PROGRAMS.test(program) || redact(exact.text) !== exact.text) return undefined
  const { text, folder } = exact
  return {
    ...(folder ? { project: { command: text, folder: shownFolder(folder, worktree) } } : {}),
    // What it writes may be another file in every folder.
    ...(effects.writes.length === 0 ? { everywhere: { command: text } } : {}),
  }
}

const shownFolder = (folder: string, worktree: string): string =>
  isInside(folder, worktree) ? relative(worktree, folder) || '.' : folder

const LONGEST_ADDRESS = 240

function webRules({ action, tool }: ToolEvent): AskRules | undefined {
  const url = action.kind === 'web' ? action.url : undefined
  if (tool !== 'WebFetch' || !url || url.length > LONGEST_ADDRESS || !/^https:\/\/[^\s\p{C}@?#]+$/u.test(url))
    return undefined
  const rule = { tool: 'WebFetch', pattern: `^${escapePattern(url)}$` } as const
  return { project: rule, everywhere: rule }
}
