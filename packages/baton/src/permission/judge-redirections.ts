import type { PermissionStep } from '@batonpass/contract/permission'
import { pathsOf } from '@batonpass/shell-verdict/paths/resolve'
import { type Assessment, blankAssessment } from '@batonpass/shell-verdict/programs/assessment'
import type { Redirection, SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import type { Word } from '@batonpass/shell-verdict/shell/word'
import { coverFile } from './grants/cover.ts'
import { grantStep } from './grants/grants-in-force.ts'
import type { JudgeContext } from './judge-context.ts'
import type { JudgementCollector } from './judgement-collector.ts'
import { judgePaths, type PathFindings, touched } from './paths/judge-paths.ts'
import { ruleStep, secretStep, spokenBy } from './rules/steps.ts'
import type { UndoCheck } from './undo-check.ts'

/** The files that the shell itself opens for a command. */
export function judgeRedirections(
  command: SimpleCommand,
  context: JudgeContext,
  collector: JudgementCollector,
  undoCheck: UndoCheck,
): void {
  for (const redirection of command.redirections) {
    const target = openedBy(redirection)
    if (!target) continue
    const part = `${redirection.operator} ${target.value ?? target.text}`
    if (/^\/dev\/(tcp|udp)\//.test(target.value ?? '')) {
      collector.network = true
      collector.outside = true
      collector.leaves.add('it opens a network connection')
      undoCheck.stop()
      const reason = 'opens a network connection'
      collector.add({ rule: 'builtin redirection', decision: 'undecided', part, reason })
      continue
    }
    const reads = redirection.operator === '<' || redirection.operator === '<&'
    const assessment: Assessment = {
      ...BLANK,
      ...(reads ? { kind: 'read', reads: [target] } : { kind: 'write', writes: [target] }),
    }
    const found = judgePaths(assessment, command, undefined, context)
    collector.touch(found)
    if (found.closed) {
      collector.close(part, found.closed)
      continue
    }
    undoCheck.part(command, assessment, found)
    const step = stepFor(command, { part, target, reads, found }, context)
    if (step) collector.add(step)
    if (found.secret)
      collector.leaves.add(`it touches ${found.secret}, which is hidden or read-only in the sandbox`)
  }
}

const BLANK = blankAssessment('read', 'redirection', '')

/** The file it opens, unless it only copies a descriptor or opens a device that holds nothing. */
function openedBy({ target, operator }: Redirection): Word | undefined {
  if (!target || operator === '<<<') return undefined
  const text = target.value ?? ''
  if (operator.endsWith('&') && /^(\d+-?|-)$/.test(text)) return undefined
  if (/^\/dev\/(null|stdin|stdout|stderr|tty|fd\/\d+|zero|random|urandom)$/.test(text)) return undefined
  return target
}

interface Opened {
  readonly part: string
  readonly target: Word
  readonly reads: boolean
  readonly found: PathFindings
}

function stepFor(
  command: SimpleCommand,
  { part, target, reads, found }: Opened,
  context: JudgeContext,
): PermissionStep | undefined {
  const { rules, request, paths } = context
  const subject = {
    tool: 'Bash',
    text: part,
    words: [],
    paths: touched(found),
    hosts: [],
    mcp: undefined,
  }
  const spoken = spokenBy(rules, subject)
  const [written, ...others] = reads ? [] : (pathsOf(target, command.folders, request.home) ?? [])
  const covered =
    written === undefined || others.length > 0 || found.secret
      ? undefined
      : coverFile(paths.realpath(written), context)
  if (covered && spoken?.decision !== 'deny') return grantStep(covered, part)
  if (spoken && (spoken.decision !== 'allow' || spoken.namesPaths))
    return ruleStep(spoken, part.slice(0, 500))
  if (found.secret) return secretStep(rules, part, found.secret)
  const rule = `builtin redirection (${rules.presetName})`
  if (!reads) {
    const inside = found.allInside && target.value !== undefined
    const decision = inside ? rules.preset.worktreeWrite : rules.preset.kinds.write
    const path = pathsOf(target, command.folders, request.home)?.[0] ?? target.text
    return { rule, decision, part, reason: `it writes to ${path}` }
  }
  if (found.unknownPath) {
    const reason = `reads a path only known when it runs: ${target.text}`
    return { rule, decision: 'undecided', part, reason }
  }
  if (command.words.length > 0) return undefined
  return { rule: 'builtin redirection', decision: 'allow', part, reason: 'reads a file' }
}
