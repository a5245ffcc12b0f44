import { posix } from 'node:path'
import type { PermissionDecision, PermissionJudgement } from '@batonpass/contract/permission'
import { isInside, pathsOf } from '@batonpass/shell-verdict/paths/resolve'
import { secretPath } from '@batonpass/shell-verdict/paths/secrets'
import { expandBraces } from '@batonpass/shell-verdict/shell/braces'
import { literalWord } from '@batonpass/shell-verdict/shell/word'
import { answersHost } from '../sandbox/network/host-settings.ts'
import { coverFile, coverOwnTool } from './grants/cover.ts'
import { grantStep } from './grants/grants-in-force.ts'
import type { JudgeContext, PermissionRequest } from './judge-context.ts'
import { JudgementCollector } from './judgement-collector.ts'
import { holdsProtected } from './paths/listed-names.ts'
import { guardedPath, runsLater } from './paths/protected.ts'
import type { Subject } from './rules/match.ts'
import { ownAddress } from './rules/own.ts'
import { ruleStep, secretStep, spokenBy } from './rules/steps.ts'

/** Tools that neither read files nor leave the conversation. */
const HARMLESS = new Set([
  'TodoWrite',
  'TodoRead',
  'Task',
  'Agent',
  'TaskOutput',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
  'BashOutput',
  'ToolSearch',
  'Skill',
  'AskUserQuestion',
  'EnterPlanMode',
  'ListMcpResourcesTool',
])

const FILE_TOOLS: Readonly<Record<string, 'read' | 'names' | 'write'>> = {
  Read: 'read',
  NotebookRead: 'read',
  Glob: 'names',
  LS: 'names',
  Grep: 'read',
  Write: 'write',
  Edit: 'write',
  MultiEdit: 'write',
  NotebookEdit: 'write',
  Delete: 'write',
}

/** How `baton mcp` and the plugin name the server of Baton's own tools. */
const OWN_SERVERS: ReadonlySet<string> = new Set(['baton', 'plugin_baton_baton'])
/** Those of its tools that change nothing. */
const OWN_READS: ReadonlySet<string> = new Set(['paw_get_context', 'baton_status', 'baton_recall'])

/** Everything that is not a shell command: file tools by path, MCP tools by name, the web by host. */
export function judgeTool(context: JudgeContext): PermissionJudgement {
  const { request, rules } = context
  const { tool } = request
  const access = Object.hasOwn(FILE_TOOLS, tool) ? FILE_TOOLS[tool] : undefined
  if (access) return judgeFile(context, access)
  if (tool.startsWith('mcp__')) {
    const [, server = '', ...names] = tool.split('__')
    const name = names.join('__')
    const about = { ...subject(tool), mcp: `${server}/${name}` }
    const covered = OWN_SERVERS.has(server) ? coverOwnTool(name, context) : undefined
    if (covered && spokenBy(rules, about)?.decision !== 'deny') {
      const collector = new JudgementCollector()
      collector.outside = true
      collector.add(grantStep(covered, tool))
      return collector.judgement(false)
    }
    const reads = OWN_SERVERS.has(server) && OWN_READS.has(name)
    return byRules(
      context,
      about,
      reads ? 'allow' : 'undecided',
      reads ? `${name} only reads the state of the work` : `no rule speaks of ${about.mcp}`,
    )
  }
  if (tool === 'WebFetch') return judgeWeb(context)
  if (tool === 'WebSearch')
    return byRules(
      context,
      { ...subject(tool), text: text(request.input, 'query') ?? '' },
      rules.preset.webSearch,
      'searches the web',
    )
  const harmless = request.isHarmless ?? HARMLESS.has(tool)
  return byRules(
    context,
    subject(tool),
    harmless ? 'allow' : 'undecided',
    harmless ? `${tool} changes nothing outside the conversation` : `no rule speaks of the tool ${tool}`,
  )
}

function judgeFile(context: JudgeContext, access: 'read' | 'names' | 'write'): PermissionJudgement {
  const { request, rules, paths, guarded } = context
  const collector = new JudgementCollector()
  const given =
    text(request.input, 'file_path') ??
    text(request.input, 'notebook_path') ??
    text(request.input, 'path') ??
    (access === 'write' ? undefined : request.cwd)
  const part = `${request.tool} ${given ?? '(no path)'}`
  if (given === undefined || given.includes('\0')) {
    collector.understood = false
    collector.add({ rule: 'builtin file', decision: 'undecided', part, reason: 'the tool names no path' })
    return collector.judgement(false)
  }
  const path = pathsOf(literalWord(given), [request.cwd], request.home)?.[0] ?? given
  const real = paths.realpath(path)
  collector[access === 'write' ? 'writes' : 'reads'].add(real)
  const mode = access === 'write' ? 'write' : 'read'
  const searched = searchedBy(request, path)
  const closed = [path, real, ...searched.fixed]
    .map(each => guardedPath(each, mode, guarded))
    .find(reason => reason !== undefined)
  if (closed) {
    collector.close(part, closed)
    return collector.judgement(false)
  }
  const { worktree } = context
  const inside = isInside(real, worktree) && !isInside(real, `${worktree}/.git`)
  const about: Subject = { ...subject(request.tool), text: given, paths: [...new Set([path, real])] }
  const secret =
    (access === 'names'
      ? undefined
      : (secretPath(path, request.home) ??
        secretPath(real, request.home) ??
        searched.names.map(name => secretPath(`/${name}`, request.home, true)).find(Boolean) ??
        (access === 'write' ? (runsLater(path, worktree) ?? runsLater(real, worktree)) : undefined))) ??
    // A search goes down into what it is given, dot folders included.
    (searched.deep
      ? [path, real].map(each => holdsProtected(each, request.home, guarded, true)).find(Boolean)
      : undefined)
  const spoken = spokenBy(context.rules, about)
  const covered = access === 'write' && !secret ? coverFile(real, context) : undefined
  if (covered && spoken?.decision !== 'deny') {
    collector.add(grantStep(covered, part))
    return collector.judgement(inside)
  }
  if (spoken && !(secret && spoken.decision === 'allow' && !spoken.namesPaths)) {
    collector.add(ruleStep(spoken, part))
    return collector.judgement(access === 'write' && inside)
  }
  if (secret) {
    collector.add(secretStep(rules, part, secret))
    return collector.judgement(false)
  }
  const rule = `builtin file (${rules.presetName})`
  if (access !== 'write') {
    collector.add({
      rule,
      decision: inside ? 'allow' : rules.preset.outsideRead,
      part,
      reason: inside ? 'reads inside the worktree' : 'reads outside the worktree',
    })
    return collector.judgement(false)
  }
  collector.add({
    rule,
    decision: inside ? rules.preset.fileToolWrite : rules.preset.kinds.write,
    part,
    reason: inside ? 'writes inside the worktree' : 'writes outside the worktree',
  })
  return collector.judgement(inside)
}

interface Searched {
  /** It goes down into folders. */
  readonly deep: boolean
  /** Patterns of names whose contents are shown. */
  readonly names: readonly string[]
  /** Where absolute patterns begin. */
  readonly fixed: readonly string[]
}

/** What the search tools add to their path: patterns, and everything below it. */
function searchedBy({ tool, input }: PermissionRequest, path: string): Searched {
  if (tool !== 'Grep' && tool !== 'Glob') return { deep: false, names: [], fixed: [] }
  const given = tool === 'Glob' ? text(input, 'pattern') : text(input, 'glob')
  const patterns = given === undefined ? [] : (expandBraces(given) ?? [given])
  return {
    deep: tool === 'Grep' || patterns.some(pattern => pattern.includes('**')),
    names: tool === 'Grep' ? patterns.map(pattern => pattern.slice(pattern.lastIndexOf('/') + 1)) : [],
    fixed: patterns.map(pattern => (pattern.startsWith('/') ? pattern : posix.join(path, pattern))),
  }
}

function judgeWeb(context: JudgeContext): PermissionJudgement {
  const url = text(context.request.input, 'url') ?? ''
  let host: string | undefined
  try {
    host = new URL(url).hostname
  } catch {
    host = undefined
  }
  const about: Subject = { ...subject('WebFetch'), text: url, hosts: [host] }
  const address = ownAddress(url, context.guarded)
  if (address) {
    const collector = new JudgementCollector()
    collector.close(url, address)
    return collector.judgement(false)
  }
  if (answersHost([...context.rules.hosts, ...(context.request.hosts ?? [])], url))
    return byRules(context, about, 'allow', `commands and web tools may read from ${host}`)
  return byRules(
    context,
    about,
    host === undefined ? 'undecided' : context.rules.preset.webFetch,
    host === undefined ? 'the address could not be read' : `it fetches from ${host}`,
  )
}

function byRules(
  context: JudgeContext,
  about: Subject,
  otherwise: PermissionDecision,
  reason: string,
): PermissionJudgement {
  const collector = new JudgementCollector()
  const spoken = spokenBy(context.rules, about)
  const part = about.text === '' ? context.request.tool : about.text
  for (const host of about.hosts) if (host !== undefined) collector.hosts.add(host)
  collector.network = about.hosts.length > 0 || context.request.tool === 'WebSearch'
  collector.outside = about.mcp !== undefined
  // What a tool of a server, or one that Baton does not know, does is the tool's own affair.
  collector.understood = otherwise !== 'undecided' || /^Web(Fetch|Search)$/.test(context.request.tool)
  if (spoken) collector.add(ruleStep(spoken, part))
  else collector.add({ rule: `builtin (${context.rules.presetName})`, decision: otherwise, part, reason })
  return collector.judgement(false)
}

function subject(tool: string): Subject {
  return { tool, text: tool, words: [], paths: [], hosts: [], mcp: undefined }
}

function text(input: unknown, key: string): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, key)) return undefined
  const value: unknown = Reflect.get(input, key)
  return typeof value === 'string' ? value : undefined
}
