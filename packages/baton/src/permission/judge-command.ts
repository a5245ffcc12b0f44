import type { PermissionJudgement } from '@batonpass/contract/permission'
import { analyse } from '@batonpass/shell-verdict/shell/analysis'
import { programName } from '@batonpass/shell-verdict/shell/program'
import type { UnknownCode } from '@batonpass/shell-verdict/shell/unknown'
import type { JudgeContext } from './judge-context.ts'
import { judgePart } from './judge-part.ts'
import { judgeRedirections } from './judge-redirections.ts'
import { JudgementCollector } from './judgement-collector.ts'
import { guardedMention } from './paths/judge-paths.ts'
import { killsByName } from './rules/own.ts'
import { ruleStep } from './rules/steps.ts'
import { UndoCheck } from './undo-check.ts'

/** What a person's own rule for a program may vouch for; nothing else that is unknown can be lifted. */
const VOUCHABLE: ReadonlySet<UnknownCode> = new Set(['inline-code', 'sourced-file', 'standard-input'])

/** A shell's text: every command it may run, by rules and paths; the strictest of them decides. */
export function judgeCommand(source: string, context: JudgeContext): PermissionJudgement {
  const { request, rules } = context
  const analysis = analyse(source, { cwd: request.cwd, home: request.home })
  const collector = new JudgementCollector()
  const undoCheck = new UndoCheck(request.worktree)
  const vouched = new Set<number>()
  const whole = { tool: 'Bash', text: source, words: [], paths: [], hosts: [], mcp: undefined }
  for (const rule of rules.deny) {
    if (rule.pattern && rule.matches(whole)) collector.add(ruleStep(rule, source.slice(0, 500)))
  }
  analysis.commands.forEach((command, index) => {
    judgeRedirections(command, context, collector, undoCheck)
    const judge = () => judgePart(command, analysis, context, collector, undoCheck)
    if (collector.judgePart(index, judge)) vouched.add(index)
  })
  for (const unknown of analysis.unknowns) {
    collector.unknown.push(unknown.reason)
    if (unknown.part !== undefined && vouched.has(unknown.part) && VOUCHABLE.has(unknown.code)) continue
    const part = source.slice(unknown.range[0], Math.min(unknown.range[1], unknown.range[0] + 200))
    collector.add({ rule: `analysis ${unknown.code}`, decision: 'undecided', part, reason: unknown.reason })
  }
  const programs = analysis.commands.map(command => programName(command.words[0]?.value ?? ''))
  if (killsByName(programs, source)) collector.protect('kill', 'stops Baton’s daemon')
  const mention = guardedMention(source, context)
  if (mention && (collector.opaque || analysis.unknowns.length > 0)) collector.close(mention, mention)
  if (collector.trail.length === 0) {
    collector.add({ rule: 'analysis', decision: 'undecided', part: '', reason: 'there is no command in it' })
  }
  return collector.judgement(undoCheck.possible && analysis.unknowns.length === 0, undoCheck.brings)
}
