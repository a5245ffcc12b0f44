import type { Grant } from '@batonpass/contract/grant'
import { isInside, pathsOf } from '@batonpass/shell-verdict/paths/resolve'
import type { Assessment } from '@batonpass/shell-verdict/programs/assessment'
import type { Analysis } from '@batonpass/shell-verdict/shell/analysis'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import type { Word } from '@batonpass/shell-verdict/shell/word'
import type { GitFacts } from '../../ports/grant-facts.ts'
import type { JudgeContext } from '../judge-context.ts'
import { coverGh } from './cover-gh.ts'
import { coverGit } from './cover-git.ts'
import type { Covered, GrantsInForce } from './grants-in-force.ts'

/** The grant that covers one part of a shell text, if one does. */
export function coverCommand(
  command: SimpleCommand,
  assessment: Assessment,
  analysis: Analysis,
  context: JudgeContext,
): Covered | undefined {
  const { grants: inForce } = context.request
  const program = command.words[0]?.value
  if (!inForce || (program !== 'git' && program !== 'gh')) return undefined
  if (inForce.isBrokered) return coverBrokered(command, assessment, inForce, facts => facts)
  if (!isPlain(command) || !analysis.commands.every(each => each === command || isFilter(each)))
    return undefined
  const [folder, ...others] = command.folders
  const facts = folder === undefined ? undefined : inForce.facts.get(context.paths.realpath(folder))
  if (!facts || others.length > 0) return undefined
  const words = command.words.slice(1)
  // Nothing before it: in a loop it would begin later.
  const isFirst = analysis.source.slice(0, command.range[0]).trim() === ''
  const isAlone = isFirst && analysis.commands.length === 1 && command.redirections.every(isStream)
  const gh = {
    words,
    isAlone,
    hasInput: command.redirections.some(({ operator }) => /^<<[<-]?$/.test(operator)),
    isRead: assessment.kind === 'read' && !assessment.unknownFlags,
    isBodyFile: (word: Word) => isBodyFile(word, command, context),
  }
  for (const grant of inForce.grants) {
    const cover = program === 'git' ? coverGit(words, grant, facts) : coverGh(gh, grant, facts)
    if (cover) return { job: grant.job, ...cover }
  }
  return undefined
}

/**
 * Whether a grant will cover what the broker does for a part of a text that runs inside, if the job's own branch is checked
 * out by then. The broker judges again, by the exact words.
 */
export function coverLater(
  command: SimpleCommand,
  assessment: Assessment,
  { request: { grants: inForce } }: JudgeContext,
): boolean {
  if (!inForce || command.assignments.length > 0 || command.elsewhere) return false
  const then = (facts: GitFacts, grant: Grant) => ({ ...facts, branch: grant.branch })
  return coverBrokered(command, assessment, inForce, then) !== undefined
}

/** The broker runs no hook outside, has read the text on standard input or in a file, and does one thing at a time. */
function coverBrokered(
  command: SimpleCommand,
  assessment: Assessment,
  { grants, facts: known }: GrantsInForce,
  change: (facts: GitFacts, grant: Grant) => GitFacts,
): Covered | undefined {
  const words = command.words.slice(1)
  const isRead = assessment.kind === 'read' && !assessment.unknownFlags
  const gh = { words, isAlone: true, hasInput: true, isRead, isBodyFile: () => true }
  for (const grant of grants) {
    const found = known.get(grant.worktree)
    if (!found) continue
    const facts = { ...change(found, grant), hooks: [] }
    const isGit = command.words[0]?.value === 'git'
    const cover = isGit ? coverGit(words, grant, facts) : coverGh(gh, grant, facts)
    if (cover) return { job: grant.job, ...cover }
  }
  return undefined
}

/** The grant that covers writing a file, if one does. `real` is the path with links followed, so a link elsewhere never fits. */
export function coverFile(real: string, { request }: Pick<JudgeContext, 'request'>): Covered | undefined {
  for (const grant of request.grants?.grants ?? []) {
    const name = grant.files.find(each => `${grant.filesIn}/${each}` === real)
    if (name !== undefined && request.grants?.fileKind(grant.filesIn, real) !== 'other')
      return { job: grant.job, kind: 'files', what: `write ${name}` }
  }
  return undefined
}

/** Baton's own tools that hand a work item over or write its prompt files, with the keys of their input. */
const WORK_TOOLS: Readonly<Record<string, readonly string[]>> = {
  paw_call_agent: ['target_agent', 'work_id', 'inline_instruction'],
  paw_generate_prompt: ['work_id', 'template_key', 'filename', 'additional_content'],
  paw_create_prompt_templates: ['work_id'],
  baton_handoff: ['work_id', 'focus'],
}

/** The grant that covers one of Baton's own tools: for the session's own work item only. */
export function coverOwnTool(tool: string, { request }: Pick<JudgeContext, 'request'>): Covered | undefined {
  const keys = Object.hasOwn(WORK_TOOLS, tool) ? WORK_TOOLS[tool] : undefined
  const { input } = request
  if (!keys || typeof input !== 'object' || input === null) return undefined
  const given = Object.entries(input)
  if (!given.every(([key, value]) => keys.includes(key) && typeof value === 'string')) return undefined
  const workId = given.find(([key]) => key === 'work_id')?.[1]
  const grant = request.grants?.grants.find(({ work }) => work !== undefined && work === workId)
  if (!grant) return undefined
  const what = tool === 'paw_call_agent' ? 'hand over to its next stage' : 'write its own documents'
  return { job: grant.job, kind: 'work', what }
}

/** Run by the shell itself, in the foreground, with no variables and no function of that name. */
const isPlain = ({ assignments, via, calls, elsewhere, wraps }: SimpleCommand): boolean =>
  assignments.length === 0 && !calls && !elsewhere && !wraps && via.every(reach => reach === 'pipe')

/** Programs that only pass text on; each is judged on its own as well. */
const FILTERS = new Set(['cat', 'head', 'tail', 'grep', 'wc', 'echo', 'printf', 'jq', 'cd', 'true'])

const isFilter = ({ words, assignments, calls, via }: SimpleCommand): boolean =>
  assignments.length === 0 &&
  !calls &&
  FILTERS.has(words[0]?.value ?? '') &&
  via.every(reach => reach === 'pipe' || reach === 'substitution')

/** `2>&1`, or a text on standard input. */
const isStream = ({ operator, target }: SimpleCommand['redirections'][number]): boolean =>
  /^<<[<-]?$/.test(operator) || (operator.endsWith('&') && /^\d$/.test(target?.value ?? ''))

function isBodyFile(word: Word, command: SimpleCommand, { request, paths, worktree }: JudgeContext): boolean {
  const [path, ...others] = pathsOf(word, command.folders, request.home) ?? []
  if (path === undefined || others.length > 0 || !request.grants) return false
  const real = paths.realpath(path)
  const plain = isInside(path, request.worktree) ? worktree + path.slice(request.worktree.length) : path
  return (
    real === plain &&
    isInside(real, worktree) &&
    !isInside(real, `${worktree}/.git`) &&
    request.grants.fileKind(worktree, real) === 'file'
  )
}
