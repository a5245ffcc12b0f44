import type { PermissionRule } from '@batonpass/contract/permission'
import { assess } from '@batonpass/shell-verdict/programs/assess'
import { builtinPrograms } from '@batonpass/shell-verdict/programs/builtin'
import { analyse } from '@batonpass/shell-verdict/shell/analysis'
import { exactCommand } from '../permission/rules/exact-command.ts'
import { escapePattern } from '../permission/rules/rule-text.ts'

export type ListDecision = 'allow' | 'deny' | 'ask'
export type Rule = Exclude<PermissionRule, string>

/** How an agent's own list names a command: exactly, by its first words, or with `*` anywhere. */
export type ListedCommand = { exact: string } | { prefix: string } | { wildcard: string }

/**
 * A command of an agent's list as a rule of Baton. An allow never covers more than the list did: undefined where that
 * cannot be said. A deny or an ask may cover more.
 */
export function commandRule(decision: ListDecision, listed: ListedCommand): Rule | undefined {
  if (decision !== 'allow') return strictRule(listed)
  if ('wildcard' in listed) return undefined
  const text = 'exact' in listed ? listed.exact : listed.prefix
  const [command, ...others] = PLAIN.test(text) ? analyse(text, { cwd: '/', home: '/' }).commands : []
  const exact = command && others.length === 0 ? exactCommand(command, path => path) : undefined
  // A pattern for a shell or an interpreter would also cover code that comes through a pipe.
  if (!command || exact?.text !== text || NEVER.test(assess(command, builtinPrograms()).kind))
    return undefined
  return 'exact' in listed ? { command: text } : { pattern: `^${escapePattern(text)}( |$)` }
}

/** Words without quotes, variables, patterns or anything else that a shell reads. */
const PLAIN = /^[\w@%+=:,./-]+( [\w@%+=:,./-]+)*$/
const NEVER = /^(exec|credential|demolish|destroy)$/

function strictRule(listed: ListedCommand): Rule {
  const text = (
    'exact' in listed ? listed.exact : 'prefix' in listed ? listed.prefix : listed.wildcard
  ).trim()
  const words = text.split('*').map(escapePattern)
  const end = 'prefix' in listed ? '( |$)' : text.endsWith('*') ? '' : '$'
  return /^\**$/.test(text) ? { tool: 'Bash' } : { pattern: `^${words.join('.*')}${end}` }
}

/** A rule of Claude Code's settings, such as `Bash(npm run test:*)`, `Read(~/.ssh/**)` or `mcp__github`. */
export function claudeRule(decision: ListDecision, text: string): Rule | undefined {
  const [, tool = '', specifier = ''] = /^([\w-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? []
  if (tool === 'Bash') return commandRule(decision, claudeCommand(specifier))
  const [, server, name] = /^mcp__([\w-]+?)(?:__([\w*-]+))?$/.exec(tool) ?? []
  if (server) return { mcp: name && name !== '*' ? `${server}/${name}` : server }
  if (tool === 'WebFetch') {
    const [, host] = /^domain:([\w.-]+)$/.exec(specifier) ?? []
    return host ? { tool, hosts: host } : specifier === '' ? { tool } : undefined
  }
  const tools = FILE_TOOLS[tool]
  if (tools) {
    const path = filePattern(specifier)
    return path ? { tool: decision === 'allow' ? tools.allow : tools.other, paths: path } : undefined
  }
  return decision !== 'allow' && tool !== '' && specifier === '' ? { tool } : undefined
}

function claudeCommand(specifier: string): ListedCommand {
  const [, prefix] = /^(.+?)(?::\*| \*)$/s.exec(specifier) ?? []
  if (prefix !== undefined && !prefix.includes('*')) return { prefix }
  return specifier === '' || specifier.includes('*') ? { wildcard: specifier || '*' } : { exact: specifier }
}

const READS = ['Read', 'Grep', 'Glob']
const WRITES = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit']
const FILE_TOOLS: Readonly<Record<string, { allow: string[]; other: string[] }>> = {
  Read: { allow: READS, other: [...READS, 'Bash'] },
  Edit: { allow: WRITES, other: WRITES },
  Write: { allow: ['Write'], other: WRITES },
}

/** A path that means the same everywhere: `~/…`, or `//…` for an absolute one. */
function filePattern(specifier: string): string | undefined {
  if (/[[\]{}!\\]/.test(specifier)) return undefined
  if (specifier.startsWith('~/')) return specifier
  return specifier.startsWith('//') ? specifier.slice(1) : undefined
}

/** A pattern with `*`, as opencode writes them. */
export const wildcardCommand = (pattern: string): ListedCommand => {
  const [, prefix] = /^([^*?]+) \*$/.exec(pattern) ?? []
  if (prefix) return { prefix }
  return /[*?]/.test(pattern) ? { wildcard: pattern.replaceAll('?', '*') } : { exact: pattern }
}
