import { posix } from 'node:path'
import { compilePattern, type Pattern } from '@batonpass/contract/pattern'
import type { CommandRuleMatch, PermissionRule, RuleMatch } from '@batonpass/contract/permission'
import { programName } from '@batonpass/shell-verdict/shell/program'
import type { Word } from '@batonpass/shell-verdict/shell/word'
import type { ExactCommand } from './exact-command.ts'

/** What a rule is held against: one simple command, or one use of another tool. */
export interface Subject {
  readonly tool: string
  /** The part's own text, in one normal form. */
  readonly text: string
  readonly words: readonly Word[]
  /** Absolute paths it reads or writes; undefined among them means one that is unknown. */
  readonly paths: readonly (string | undefined)[]
  readonly hosts: readonly (string | undefined)[]
  readonly mcp: string | undefined
  /** The command, if its words and its folder say all that it does. */
  readonly exact?: ExactCommand | undefined
}

export interface CompiledRule {
  readonly decision: 'allow' | 'deny' | 'ask'
  readonly name: string
  readonly reason: string | undefined
  /** Patterns are also held against the whole text when they deny. */
  readonly pattern: Pattern | undefined
  /** It names one command, and vouches for nothing that reaches it in another way. */
  readonly isExact?: boolean
  readonly namesPaths: boolean
  /** A person lets what it allows out of the sandbox. */
  readonly isOutside?: boolean
  readonly matches: (subject: Subject) => boolean
}

/** Where the rules of one source stand, for relative paths. */
export interface RulePlace {
  readonly worktree: string
  readonly home: string
}

export function compileRule(
  rule: PermissionRule,
  decision: 'allow' | 'deny' | 'ask',
  name: string,
  place: RulePlace,
): CompiledRule {
  if (typeof rule === 'string') return patternRule(rule, 'Bash', decision, name, undefined)
  const isOutside = rule.outside === true
  if ('pattern' in rule)
    return { ...patternRule(rule.pattern, rule.tool ?? 'Bash', decision, name, rule.reason), isOutside }
  if ('command' in rule) return { ...commandRule(rule, decision, name, place), isOutside }
  return {
    isOutside,
    decision,
    name,
    reason: rule.reason,
    pattern: undefined,
    namesPaths: rule.paths !== undefined,
    matches: matcher(rule, place, decision),
  }
}

/** A command written out, as workflows name theirs: `gh label create --force`. */
export function commandMatch(text: string): RuleMatch {
  const words = text.trim().split(/\s+/)
  const rest = words.slice(1)
  const flag = rest.findIndex(word => word.startsWith('-'))
  const sub = rest.slice(0, flag === -1 ? rest.length : flag).join(' ')
  const flags = rest.filter(word => word.startsWith('-'))
  return {
    tool: 'Bash',
    program: words[0] ?? text,
    ...(sub === '' ? {} : { subcommand: sub }),
    ...(flags.length > 0 ? { flags } : {}),
  }
}

function patternRule(
  source: string,
  tool: string,
  decision: 'allow' | 'deny' | 'ask',
  name: string,
  reason: string | undefined,
): CompiledRule {
  const pattern = compilePattern(source)
  return {
    decision,
    name,
    reason,
    pattern,
    namesPaths: false,
    matches: subject => sameTool(tool, subject.tool) && pattern.test(subject.text),
  }
}

/** An allow covers exactly this command in exactly this folder; a deny or ask also what may be it. */
function commandRule(
  { command, folder, reason }: CommandRuleMatch & { reason?: string | undefined },
  decision: 'allow' | 'deny' | 'ask',
  name: string,
  place: RulePlace,
): CompiledRule {
  const wanted = folder === undefined ? undefined : absolutePath(folder, place)
  const isThere = (found: string | undefined) =>
    wanted === undefined || found === wanted || (found === undefined && decision !== 'allow')
  return {
    decision,
    name,
    reason,
    pattern: undefined,
    isExact: true,
    namesPaths: false,
    matches: ({ tool, text, exact }) => {
      if (tool !== 'Bash') return false
      if (decision !== 'allow' && !exact) return text === command
      return exact?.text === command && isThere(exact.folder)
    },
  }
}

function matcher(rule: RuleMatch, place: RulePlace, decision: string): (subject: Subject) => boolean {
  const tools = list(rule.tool)
  const programs = list(rule.program)
  const subs = list(rule.subcommand)
  const flags = list(rule.flags)
  const without = list(rule.without)
  const paths = list(rule.paths).map(text => globTest(absoluteGlob(text, place)))
  const hosts = list(rule.hosts)
  const mcp = list(rule.mcp).map(text => globTest(text.includes('/') ? text : `${text}/*`))
  // An allow must hold for everything the part touches; a deny or ask for anything it touches.
  const every = decision === 'allow'
  return subject => {
    if (
      tools.length > 0
        ? !tools.some(tool => sameTool(tool, subject.tool))
        : programs.length > 0 && subject.tool !== 'Bash'
    )
      return false
    if (programs.length > 0 && !programs.includes(programName(subject.words[0]?.value ?? ''))) return false
    if (subs.length > 0 && !subs.some(sub => startsWithWords(subject.words, sub))) return false
    if (flags.length > 0 && !flags.every(flag => hasFlag(subject.words, flag))) return false
    if (
      without.length > 0 &&
      (without.some(flag => hasFlag(subject.words, flag)) || (every && hasUnknown(subject.words)))
    )
      return false
    if (paths.length > 0 && !covers(subject.paths, every, path => paths.some(test => test(path))))
      return false
    if (
      hosts.length > 0 &&
      !covers(subject.hosts, every, host => hosts.some(pattern => hostFits(pattern, host)))
    )
      return false
    if (mcp.length > 0 && !(subject.mcp !== undefined && mcp.some(test => test(subject.mcp ?? ''))))
      return false
    return true
  }
}

function list(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

function sameTool(rule: string, tool: string): boolean {
  return rule === '*' || rule === tool || (rule === 'Shell' && tool === 'Bash')
}

function startsWithWords(words: readonly Word[], sub: string): boolean {
  const wanted = sub.split(/\s+/)
  const plain = words.slice(1).filter(word => !(word.value ?? word.prefix).startsWith('-'))
  return wanted.every((want, index) => plain[index]?.value === want)
}

function hasFlag(words: readonly Word[], flag: string): boolean {
  const short = /^-[^-]$/.test(flag) ? flag.charAt(1) : undefined
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(flag) ?? []
  return words.slice(1).some((word, index) => {
    const text = word.value ?? word.prefix
    return (
      text === flag ||
      text.startsWith(`${flag}=`) ||
      // `--json=owner` is also written `--json owner`.
      (name !== undefined && text === name && words[index + 2]?.value === value) ||
      (short !== undefined && /^-[A-Za-z0-9]+$/.test(text) && text.includes(short))
    )
  })
}

function hasUnknown(words: readonly Word[]): boolean {
  return words.some(word => word.value === undefined)
}

function covers(
  values: readonly (string | undefined)[],
  every: boolean,
  test: (value: string) => boolean,
): boolean {
  if (every) return values.length > 0 && values.every(value => value !== undefined && test(value))
  return values.some(value => value !== undefined && test(value))
}

function hostFits(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  const lower = host.toLowerCase()
  if (pattern.startsWith('*.')) return lower.endsWith(pattern.slice(1).toLowerCase())
  return lower === pattern.toLowerCase()
}

const absolutePath = (text: string, { home, worktree }: RulePlace): string =>
  text === '~' || text.startsWith('~/') ? posix.join(home, text.slice(1)) : posix.resolve(worktree, text)

function absoluteGlob(text: string, place: RulePlace): string {
  if (text.startsWith('~/') || text === '~') return posix.join(place.home, text.slice(1))
  return text.startsWith('/') || text.startsWith('**') ? text : posix.join(place.worktree, text)
}

/** `*` within a name, `**` across folders. Compiled to a linear pattern. */
function globTest(glob: string): (path: string) => boolean {
  const source = glob
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map(part => {
      if (part === '**/') return '(?:.*/)?'
      if (part === '**') return '.*'
      if (part === '*') return '[^/]*'
      if (part === '?') return '[^/]'
      return part.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
    })
    .join('')
  const pattern = compilePattern(`^${source}$`)
  return path => pattern.test(path)
}
