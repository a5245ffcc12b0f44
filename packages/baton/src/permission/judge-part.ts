import type { PermissionDecision, PermissionStep, ReleasedAction } from '@batonpass/contract/permission'
import { isInside, pathsOf } from '@batonpass/shell-verdict/paths/resolve'
import { assess } from '@batonpass/shell-verdict/programs/assess'
import { type Assessment, UNKNOWN_PROGRAM } from '@batonpass/shell-verdict/programs/assessment'
import { KIND_MEANING } from '@batonpass/shell-verdict/programs/kinds'
import type { Analysis } from '@batonpass/shell-verdict/shell/analysis'
import { programName } from '@batonpass/shell-verdict/shell/program'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import type { Word } from '@batonpass/shell-verdict/shell/word'
import { coverCommand, coverLater } from './grants/cover.ts'
import { type Covered, grantStep } from './grants/grants-in-force.ts'
import type { JudgeContext } from './judge-context.ts'
import type { JudgementCollector } from './judgement-collector.ts'
import { followsProject, needsOutside, printsVariables } from './needs-outside.ts'
import { judgePaths, noFindings, type PathFindings, touched } from './paths/judge-paths.ts'
import { exactCommand } from './rules/exact-command.ts'
import type { Subject } from './rules/match.ts'
import { ownAddress, ownHazard } from './rules/own.ts'
import { ruleStep, secretStep, spokenBy } from './rules/steps.ts'
import type { UndoCheck } from './undo-check.ts'
import { hasUnnamedWrites } from './unnamed-writes.ts'

/** One simple command without its redirections. True when a person's own allow speaks for it. */
export function judgePart(
  command: SimpleCommand,
  analysis: Analysis,
  context: JudgeContext,
  collector: JudgementCollector,
  undoCheck: UndoCheck,
): boolean {
  const { request, rules, guarded } = context
  const part = partText(command)
  if (command.words.length === 0) {
    if (command.redirections.length === 0)
      collector.add({ rule: 'builtin', decision: 'allow', part, reason: 'sets variables only' })
    return false
  }
  const own = ownHazard(command, guarded)
  if (own) return collector.protect(part, own)
  if (command.calls) {
    const reason = 'calls a function whose commands are judged on their own'
    collector.add({ rule: 'builtin', decision: 'allow', part, reason })
    return false
  }
  const assessment = assess(command, rules.programs)
  const outside = needsOutside(command, assessment, {
    home: request.home,
    isInWorktree: folder => isInside(context.paths.realpath(folder), context.worktree),
  })
  if (outside && 'brokered' in outside) {
    const granted = coverLater(command, assessment, context) ? { granted: true as const } : {}
    collector.addBrokered({ part, ...releasedAction(command, context.paths.realpath), ...granted })
  }
  if (outside && 'installs' in outside) collector.installs.add(outside.installs)
  if (outside && 'contacts' in outside) for (const server of outside.contacts) collector.contacts.add(server)
  if (outside && 'why' in outside) collector.leaves.add(outside.why)
  if (outside && 'folder' in outside) collector.folders.add(context.paths.realpath(outside.folder))
  const found = command.elsewhere ? noFindings() : judgePaths(assessment, command, analysis, context)
  if (found.root) return collector.denyForGood('builtin destroy', part, rootReason(found.root, request.home))
  if (found.closed) return collector.close(part, found.closed)
  collector.touch(found)
  const address = assessment.hosts.map(word => ownAddress(word.value ?? word.prefix, guarded)).find(Boolean)
  if (address) return collector.close(part, address)
  const hosts = assessment.hosts.map(hostOf)
  noteEffects(assessment, found, hosts, collector)
  undoCheck.part(command, assessment, found)
  const bare = assessment.program === 'git' ? bareRepository(command, context) : undefined
  if (bare) {
    const reason = `git would use the settings of the bare repository ${bare}, which may name programs`
    collector.understood = false
    undoCheck.stop()
    collector.add({ rule: 'analysis git-config', decision: 'undecided', part, reason })
  }
  const forced = forcedElsewhere(assessment.forcePush, request.branch)
  if (forced) return collector.denyForGood('builtin force-push', part, forced)
  const subject = {
    tool: 'Bash',
    text: part,
    words: command.words,
    paths: touched(found),
    hosts,
    mcp: undefined,
    exact: exactCommand(command, context.paths.realpath),
  }
  const covered = found.secret ? undefined : coverCommand(command, assessment, analysis, context)
  return byRules(subject, command, assessment, found, context, collector, covered)
}

function noteEffects(
  { kind }: Assessment,
  { unknownPath }: PathFindings,
  hosts: readonly (string | undefined)[],
  collector: JudgementCollector,
): void {
  for (const host of hosts) if (host !== undefined) collector.hosts.add(host)
  if (hosts.length > 0 || /^(fetch|remote|demolish|credential)$/.test(kind)) collector.network = true
  if (/^(unlisted|build|exec|system|demolish|destroy|remote)$/.test(kind)) collector.outside = true
  if (/^(unlisted|build|exec)$/.test(kind) || unknownPath) collector.understood = false
  if (kind !== 'read' || unknownPath) collector.opaque = true
}

/** The bare repository in which a git command would run, in its folder or in the one that `-C` names. */
function bareRepository(command: SimpleCommand, { request, paths }: JudgeContext): string | undefined {
  const { findBareRepository } = paths
  if (!findBareRepository) return undefined
  const at = command.words.findIndex(word => word.value === '-C')
  const target = at === -1 ? undefined : command.words[at + 1]
  const folders = target ? (pathsOf(target, command.folders, request.home) ?? []) : command.folders
  return folders.map(folder => findBareRepository(paths.realpath(folder))).find(found => found !== undefined)
}

/** What the broker gets when this command runs inside. Patterns and `~` become other words by then. */
const releasedAction = (command: SimpleCommand, realpath: (path: string) => string): ReleasedAction => ({
  words: command.words.map(({ value, prefix, glob, tilde }) =>
    value === undefined || glob || tilde ? { start: glob || tilde ? '' : prefix } : value,
  ),
  folders: command.folders.map(realpath),
})

/** What is wrong with a forced push to anything but the session's own branch. */
function forcedElsewhere(target: string | undefined, branch: string | undefined): string | undefined {
  if (target === undefined || (branch !== undefined && target === branch)) return undefined
  return target === ''
    ? 'it is a forced push that does not name exactly one branch'
    : `it is a forced push to ${target}, which is not this session’s own branch`
}

/** The person's rules, then what no rule lifts, then the presets. True when a person's own allow decided. */
function byRules(
  subject: Subject,
  command: SimpleCommand,
  assessment: Assessment,
  found: PathFindings,
  context: JudgeContext,
  collector: JudgementCollector,
  covered: Covered | undefined,
): boolean {
  const { rules } = context
  const part = subject.text
  // Inside it would find an empty file, or none, or could not write it.
  if (found.secret)
    collector.leaves.add(`it touches ${found.secret}, which is hidden or read-only in the sandbox`)
  const spoken = spokenBy(rules, subject)
  // A grant lifts an ask, never a deny.
  if (covered && spoken?.decision !== 'deny' && assessment.kind !== 'destroy') {
    collector.add(grantStep(covered, part))
    return false
  }
  // Not even a workflow's own permission opens a secret: it speaks of programs, not of files.
  const speaks = spoken && !(spoken.decision === 'allow' && found.secret && !spoken.namesPaths)
  if (speaks) {
    collector.add(ruleStep(spoken, part.slice(0, 500)))
    if (spoken.decision !== 'allow') return false
  }
  if (assessment.kind === 'destroy')
    return collector.denyForGood('builtin destroy', part, reasonOf(assessment))
  if (speaks) return spoken.isExact !== true
  if (followsProject(assessment)) collector.ofProject.add(part)
  if (found.secret) {
    collector.add(secretStep(rules, part, found.secret))
    return false
  }
  const step = builtin(assessment, found, part, context)
  collector.add(step)
  const flagged = patternAsFlag(command, context)
  if (flagged) {
    collector.understood = false
    const reason = `${flagged} matches a name that starts with a dash, which becomes a flag`
    collector.add({ rule: 'analysis pattern', decision: 'undecided', part, reason })
  }
  return false
}

/** `sort *` in a folder that holds a file named `-ox`. */
function patternAsFlag(command: SimpleCommand, context: JudgeContext): string | undefined {
  const { hasDashNames } = context.paths
  if (!hasDashNames) return undefined
  const end = command.words.findIndex(word => word.value === '--')
  const bare = command.words
    .slice(1, end === -1 ? undefined : end)
    .find(word => word.glob && /^[*?[-]/.test(word.value ?? ''))
  return bare && (command.folders.length === 0 || command.folders.some(folder => hasDashNames(folder)))
    ? bare.text
    : undefined
}

function builtin(
  assessment: Assessment,
  found: PathFindings,
  part: string,
  { rules: { preset, presetName } }: JudgeContext,
): PermissionStep {
  const rule = `builtin ${[assessment.program, ...assessment.path].join(' ').slice(0, 80)} (${presetName})`
  const inside = assessment.kind === 'write' && found.allInside && !assessment.unknownFlags
  const decision: PermissionDecision = inside ? preset.worktreeWrite : preset.kinds[assessment.kind]
  // What a branch or a patch brings has to be looked into first.
  if (decision === 'allow' && hasUnnamedWrites(assessment))
    return { rule, decision: 'undecided', part, reason: reasonOf(assessment) }
  if (decision === 'allow' && found.unknownPath) {
    const reason = `\`${assessment.program}\` reads or writes a path only known when it runs: ${found.unknownPath}`
    return { rule, decision: 'undecided', part, reason }
  }
  const hidden = printsVariables(assessment) ? { hiddenInside: true as const } : {}
  return { rule, decision, part, reason: reasonOf(assessment), ...hidden }
}

/** Names the real danger: a whole home or system folder would be gone. */
function rootReason(path: string, home: string): string {
  const plain = path.replace(/\/\*$/, '') || '/'
  if (plain === home) return `it deletes the home folder ${home}`
  return plain === '/' ? 'it deletes every file on this machine' : `it deletes the system folder ${plain}`
}

/** "`npm test` runs the project's own code"; what is not simply its sub-command follows in brackets. */
function reasonOf({ kind, program, path, reason }: Assessment): string {
  const meaning = KIND_MEANING[kind]
  const subcommand = path.join(' ')
  const isTold = reason === '' || reason === `with ${subcommand}`
  const subject = program === '' ? 'this' : `\`${[program, ...path].join(' ')}\``
  if (reason === UNKNOWN_PROGRAM) return `${subject} ${reason}`
  return `${subject} ${meaning}${isTold ? '' : ` (${reason})`}`
}

/** One normal form of a part: the program without its system folder, single blanks, quotes removed. */
function partText(command: SimpleCommand): string {
  const words = command.words.map((word, index) => {
    const text = word.value ?? word.text
    return index === 0 ? programName(text) : text
  })
  if (words.length > 0) return words.join(' ').slice(0, 8192)
  return command.assignments.map(({ name, value }) => `${name}=${value?.value ?? '…'}`).join(' ')
}

function hostOf({ value }: Word): string | undefined {
  if (value === undefined) return undefined
  const match = /^(?:[a-z][\w+.-]*:\/\/)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/?#]+)/i.exec(value)
  return match?.[1]?.toLowerCase()
}
