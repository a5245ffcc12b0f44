import type { PermissionDecision, PermissionJudgement } from '@batonpass/contract/permission'
import { type Analysis, analyse } from './analysis/analysis.ts'
import { programName } from './analysis/program.ts'
import type { SimpleCommand } from './analysis/simple-command.ts'
import type { UnknownCode } from './analysis/unknown.ts'
import type { Word } from './analysis/word.ts'
import { bringsUnseen } from './bringing.ts'
import type { JudgeContext } from './judge.ts'
import { guardedMention, judgePaths, type PathFindings } from './paths/judge-paths.ts'
import { pathsOf } from './paths/resolve.ts'
import { type Assessment, assess, blankAssessment } from './rules/assess.ts'
import { KIND_MEANING } from './rules/kinds.ts'
import type { CompiledRule, Subject } from './rules/match.ts'
import { killsByName, ownAddress, ownHazard } from './rules/own.ts'
import { Undoing } from './undoing.ts'
import { Verdict } from './verdict.ts'

/** What a person's own rule for a program may vouch for; nothing else that is unknown can be lifted. */
const VOUCHABLE: ReadonlySet<UnknownCode> = new Set(['inline-code', 'sourced-file', 'standard-input'])

export function judgeCommand(source: string, context: JudgeContext): PermissionJudgement {
  const { request, rules } = context
  const analysis = analyse(source, { cwd: request.cwd, home: request.home })
  const verdict = new Verdict()
  const undoing = new Undoing(request.worktree)
  const vouched = new Set<number>()
  for (const rule of rules.deny) {
    if (rule.pattern && rule.matches({ ...EMPTY, text: source })) verdict.add(step(rule, source))
  }
  analysis.commands.forEach((command, index) => {
    if (judgePart(command, analysis, context, verdict, undoing)) vouched.add(index)
  })
  for (const unknown of analysis.unknowns) {
    verdict.unknown.push(unknown.reason)
    if (unknown.part !== undefined && vouched.has(unknown.part) && VOUCHABLE.has(unknown.code)) continue
    const part = source.slice(unknown.range[0], Math.min(unknown.range[1], unknown.range[0] + 200))
    verdict.add({ rule: `analysis ${unknown.code}`, decision: 'undecided', part, reason: unknown.reason })
  }
  const programs = analysis.commands.map(command => programName(command.words[0]?.value ?? ''))
  if (killsByName(programs, source)) {
    verdict.add(
      { rule: 'self-protection', decision: 'deny', part: 'kill', reason: 'stops Baton’s daemon' },
      true,
    )
  }
  const mention = guardedMention(source, context)
  if (mention && (verdict.opaque || analysis.unknowns.length > 0)) {
    verdict.add(
      { rule: 'self-protection', decision: 'deny', part: mention, reason: `${mention} is closed to agents` },
      true,
    )
  }
  if (verdict.trail.length === 0) {
    verdict.add({ rule: 'analysis', decision: 'undecided', part: '', reason: 'there is no command in it' })
  }
  return verdict.judgement(undoing.possible && analysis.unknowns.length === 0, undoing.brings)
}

const EMPTY: Subject = { tool: 'Bash', text: '', words: [], paths: [], hosts: [], mcp: undefined }

/** True when a person's own allow speaks for this part. */
function judgePart(
  command: SimpleCommand,
  analysis: Analysis,
  context: JudgeContext,
  verdict: Verdict,
  undoing: Undoing,
): boolean {
  const { request, rules, guarded } = context
  const part = partText(command)
  judgeRedirections(command, context, verdict, undoing)
  if (command.words.length === 0) {
    if (command.redirections.length === 0)
      verdict.add({ rule: 'builtin', decision: 'allow', part, reason: 'sets variables only' })
    return false
  }
  const own = ownHazard(command, guarded)
  if (own) {
    verdict.add({ rule: 'self-protection', decision: 'deny', part, reason: own }, true)
    return false
  }
  if (command.calls) {
    verdict.add({
      rule: 'builtin',
      decision: 'allow',
      part,
      reason: 'calls a function whose commands are judged on their own',
    })
    return false
  }
  const assessment = assess(command, rules.programs)
  const found = command.elsewhere ? NOTHING : judgePaths(assessment, command, analysis, context)
  if (found.closed) {
    verdict.add(
      { rule: 'self-protection', decision: 'deny', part, reason: `${found.closed} is closed to agents` },
      true,
    )
    return false
  }
  for (const path of found.reads) verdict.reads.add(path)
  for (const path of found.writes) verdict.writes.add(path)
  const hosts = assessment.hosts.map(word => hostOf(word))
  for (const word of assessment.hosts) {
    const address = ownAddress(word.value ?? word.prefix, guarded)
    if (address) {
      verdict.add(
        { rule: 'self-protection', decision: 'deny', part, reason: `${address} is closed to agents` },
        true,
      )
      return false
    }
  }
  for (const host of hosts) if (host !== undefined) verdict.hosts.add(host)
  if (hosts.length > 0 || /^(fetch|remote|credential)$/.test(assessment.kind)) verdict.network = true
  if (/^(unlisted|build|exec|system|destroy|remote)$/.test(assessment.kind)) verdict.outside = true
  if (assessment.kind !== 'read' || found.unknownPath) verdict.opaque = true
  undoing.part(command, assessment, found)
  if (
    assessment.forcePush !== undefined &&
    (request.branch === undefined || assessment.forcePush !== request.branch)
  ) {
    const reason =
      assessment.forcePush === ''
        ? 'a forced push that does not name exactly one branch'
        : `a forced push to ${assessment.forcePush}, which is not this session’s own branch`
    verdict.add({ rule: 'builtin force-push', decision: 'deny', part, reason }, true)
    return false
  }
  const subject: Subject = {
    tool: 'Bash',
    text: part,
    words: command.words,
    paths: [...found.reads, ...found.writes, ...(found.unknownPath ? [undefined] : [])],
    hosts,
    mcp: undefined,
  }
  const spoken = personal(subject, context)
  const lifts = spoken?.decision === 'allow'
  if (spoken && !(lifts && found.secret && !spoken.namesPaths)) {
    verdict.add(step(spoken, part))
    if (!lifts) return false
  }
  if (assessment.kind === 'destroy' || found.root) {
    const reason = found.root ? `it would remove or overwrite ${found.root}` : reasonOf(assessment)
    verdict.add({ rule: 'builtin destroy', decision: 'deny', part, reason }, true)
    return false
  }
  if (lifts && !(found.secret && !spoken.namesPaths)) return true
  if (found.secret) {
    // Not even a workflow's own permission opens a secret: it speaks of programs, not of files.
    verdict.add({
      rule: `preset ${rules.presetName} secrets`,
      decision: rules.preset.secretRead,
      part,
      reason: `touches ${found.secret}`,
    })
    return false
  }
  verdict.add(builtin(assessment, found, part, context))
  const flagged = patternAsFlag(command, context)
  if (flagged) {
    verdict.add({
      rule: 'analysis pattern',
      decision: 'undecided',
      part,
      reason: `${flagged} matches a name that starts with a dash, which becomes a flag`,
    })
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

const NOTHING: PathFindings = {
  reads: [],
  writes: [],
  closed: undefined,
  secret: undefined,
  root: undefined,
  unknownPath: undefined,
  allInside: false,
}

function builtin(assessment: Assessment, found: PathFindings, part: string, context: JudgeContext) {
  const { preset, presetName } = context.rules
  const rule = `builtin ${[assessment.program, ...assessment.path].join(' ').slice(0, 80)}`
  let decision: PermissionDecision = preset.kinds[assessment.kind]
  let reason = reasonOf(assessment)
  if (assessment.kind === 'write' && found.allInside) decision = preset.worktreeWrite
  // What a branch or a patch brings has to be looked into first.
  if (decision === 'allow' && bringsUnseen(assessment)) decision = 'undecided'
  if (decision === 'allow' && found.unknownPath) {
    decision = 'undecided'
    reason = `${assessment.program} reads or writes a path only known when it runs: ${found.unknownPath}`
  }
  return { rule: `${rule} (${presetName})`, decision, part, reason }
}

function reasonOf(assessment: Assessment): string {
  const meaning = KIND_MEANING[assessment.kind]
  const detail = assessment.reason === '' ? '' : ` (${assessment.reason})`
  return `${assessment.program || 'this'} ${meaning}${detail}`
}

/** The person's own rules: deny, then the workflow's allow over their ask, then their allow. */
function personal(subject: Subject, context: JudgeContext): CompiledRule | undefined {
  const { rules } = context
  const first = (list: readonly CompiledRule[]) => list.find(rule => rule.matches(subject))
  const deny = first(rules.deny)
  if (deny) return deny
  return first(rules.workflow) ?? first(rules.ask) ?? first(rules.allow)
}

function judgeRedirections(
  command: SimpleCommand,
  context: JudgeContext,
  verdict: Verdict,
  undoing: Undoing,
): void {
  const { rules, request } = context
  for (const entry of command.redirections) {
    const target = entry.target
    if (!target || entry.operator === '<<<') continue
    const duplicates =
      entry.operator.endsWith('&') && (target.value === undefined || /^(\d+-?|-)$/.test(target.value))
    if (duplicates && target.value !== undefined) continue
    if (/^\/dev\/(null|stdin|stdout|stderr|tty|fd\/\d+|zero|random|urandom)$/.test(target.value ?? ''))
      continue
    const text = `${entry.operator} ${target.value ?? target.text}`
    const access = entry.operator === '<' || entry.operator === '<&' ? 'reads' : 'writes'
    if (/^\/dev\/(tcp|udp)\//.test(target.value ?? '')) {
      verdict.network = true
      verdict.outside = true
      undoing.stop()
      verdict.add({
        rule: 'builtin redirection',
        decision: 'undecided',
        part: text,
        reason: 'opens a network connection',
      })
      continue
    }
    const assessment = {
      ...BLANK,
      kind: access === 'reads' ? 'read' : 'write',
      [access]: [target],
    } as Assessment
    const found = judgePaths(assessment, command, undefined, context)
    for (const path of found.reads) verdict.reads.add(path)
    for (const path of found.writes) verdict.writes.add(path)
    if (found.closed) {
      verdict.add(
        {
          rule: 'self-protection',
          decision: 'deny',
          part: text,
          reason: `${found.closed} is closed to agents`,
        },
        true,
      )
      continue
    }
    undoing.part(command, assessment, found)
    const subject: Subject = {
      ...EMPTY,
      text,
      paths: [...found.reads, ...found.writes, ...(found.unknownPath ? [undefined] : [])],
    }
    const spoken = personal(subject, context)
    if (spoken && (spoken.decision !== 'allow' || spoken.namesPaths)) {
      verdict.add(step(spoken, text))
      continue
    }
    if (found.secret) {
      verdict.add({
        rule: `preset ${rules.presetName} secrets`,
        decision: rules.preset.secretRead,
        part: text,
        reason: `touches ${found.secret}`,
      })
    } else if (access === 'writes') {
      const inside = found.allInside && target.value !== undefined
      const decision = inside ? rules.preset.worktreeWrite : rules.preset.kinds.write
      verdict.add({
        rule: `builtin redirection (${rules.presetName})`,
        decision,
        part: text,
        reason: `writes to ${pathsOf(target, command.folders, request.home)?.[0] ?? target.text}`,
      })
    } else if (found.unknownPath) {
      verdict.add({
        rule: `builtin redirection (${rules.presetName})`,
        decision: 'undecided',
        part: text,
        reason: `reads a path only known when it runs: ${target.text}`,
      })
    } else if (command.words.length === 0) {
      verdict.add({ rule: 'builtin redirection', decision: 'allow', part: text, reason: 'reads a file' })
    }
  }
}

const BLANK = blankAssessment('read', 'redirection', '')

function step(rule: CompiledRule, part: string) {
  return {
    rule: rule.name,
    decision: rule.decision,
    part: part.slice(0, 500),
    reason: rule.reason ?? `the rule ${rule.name} says so`,
  }
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

function hostOf(word: Word): string | undefined {
  const text = word.value ?? undefined
  if (text === undefined) return undefined
  const match = /^(?:[a-z][\w+.-]*:\/\/)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/?#]+)/i.exec(text)
  return match?.[1]?.toLowerCase()
}
