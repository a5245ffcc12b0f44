import { dirname, isAbsolute, join } from 'node:path'
import { withoutComments } from '@batonpass/shell-verdict/shell/comments'
import type { RulePlace } from '../../../ports/agent.ts'
import { parseSettings, settingAt, withoutQuotes } from '../command-rules.ts'
import { ownFolder } from '../own-folder.ts'
import { sureRules } from './sure-rules.ts'

/**
 * Why Claude Code itself must see a command's own text: its deny and ask rules would not match the text that runs the
 * sandbox. Matches too much rather than too little: Claude Code then applies its own rule to the command as it is.
 */
export function whyOwnText(command: string, place: RulePlace): string | undefined {
  const text = withoutComments(command)
  const mayApply = (rule: unknown) => mayMatch(rule, text, place)
  const surely = sureRules(command, place)
  const found = [...settingsOf(place)]
  for (const { name, settings } of found) {
    if (settings === undefined) return `${name} cannot be read`
    if (settingAt(settings, 'sandbox', 'enabled') === true)
      return "Claude Code's own sandbox is on (sandbox.enabled)"
    const denies = rulesIn(settings, 'deny').find(mayApply)
    if (denies !== undefined) return `Claude Code's own settings may deny it (${String(denies)})`
  }
  const asks = found.flatMap(({ settings }) => rulesIn(settings, 'ask')).filter(mayApply)
  return asks.length === 0 || asks.some(surely)
    ? undefined
    : `Claude Code's own settings may ask about it (${String(asks[0])})`
}

/** An ask rule that surely applies: Baton asks in its place, and the dialog shows the command and what replaces it. */
export function whyAsk(command: string, place: RulePlace): string | undefined {
  const rule = [...settingsOf(place)]
    .flatMap(({ settings }) => rulesIn(settings, 'ask'))
    .find(sureRules(command, place))
  return rule === undefined ? undefined : `Claude Code's own settings ask about it (${String(rule)})`
}

function rulesIn(settings: unknown, kind: 'deny' | 'ask'): readonly unknown[] {
  const rules: unknown = settingAt(settings, 'permissions', kind)
  return Array.isArray(rules) ? rules : []
}

interface Found {
  name: string
  /** Undefined if the file is there, but is not valid. */
  settings: unknown
}

const MANAGED = '/etc/claude-code'

/** All settings that may hold rules, from files and from the command line with which Claude Code was started. */
function* settingsOf({ home, env, project, cwd, args, read, names }: RulePlace): Generator<Found> {
  const own = ownFolder({ home, env }, 'CLAUDE_CONFIG_DIR', '.claude')
  const managed = join(MANAGED, 'managed-settings.d')
  const files = [
    join(MANAGED, 'managed-settings.json'),
    ...names(managed)
      .filter(name => name.endsWith('.json'))
      .map(name => join(managed, name)),
    ...['settings.json', 'settings.local.json', 'remote-settings.json'].map(name => join(own, name)),
    ...foldersBetween(cwd, project).flatMap(folder => [
      join(folder, '.claude/settings.json'),
      join(folder, '.claude/settings.local.json'),
    ]),
  ]
  for (const name of files) {
    const text = read(name)
    if (text !== undefined && text.trim() !== '') yield { name, settings: parseSettings(text) }
  }
  for (const value of flagValues(args, ['--settings'])) {
    const text = value.trimStart().startsWith('{')
      ? value
      : read(isAbsolute(value) ? value : join(project, value))
    yield { name: '--settings', settings: text === undefined ? undefined : parseSettings(text) }
  }
  // A list with commas or blanks; blanks inside a rule's brackets belong to it.
  const denied = flagValues(args, ['--disallowedTools', '--disallowed-tools']).flatMap(
    value => value.match(/[\w*]+(?:\([^)]*\))?/g) ?? [],
  )
  if (denied.length > 0) yield { name: '--disallowedTools', settings: { permissions: { deny: denied } } }
}

/** The values after a flag, up to the next flag. */
function flagValues(args: readonly string[], flags: readonly string[]): string[] {
  return args.flatMap((word, at) => {
    const flag = flags.find(name => word === name || word.startsWith(`${name}=`))
    if (!flag) return []
    if (word !== flag) return [word.slice(flag.length + 1)]
    const rest = args.slice(at + 1)
    const end = rest.findIndex(value => value.startsWith('-'))
    return end === -1 ? rest : rest.slice(0, end)
  })
}

function foldersBetween(from: string, to: string): string[] {
  const folders = [to]
  for (let folder = from; folder.startsWith(`${to}/`); folder = dirname(folder)) folders.push(folder)
  return folders
}

/** Whether a rule such as `Bash(git push:*)` or `Read(./secrets/**)` may apply to a command. */
function mayMatch(
  rule: unknown,
  command: string,
  { cwd, project }: Pick<RulePlace, 'cwd' | 'project'>,
): boolean {
  if (typeof rule !== 'string') return true
  const [, tool = '', , specifier = ''] = /^\s*([\w*]+)\s*(\(([\s\S]*)\))?\s*$/.exec(rule) ?? []
  if (tool === '') return true
  const text = withoutQuotes(command)
  if (tool === 'Bash' || tool === '*') {
    const parts = withoutQuotes(specifier.replace(/:\*$/, '*')).split('*')
    return occurs(text, parts)
  }
  if (!/^(Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep)$/.test(tool)) return false
  if (specifier === '') return false
  const pieces = specifier.split(/(?<=[*?[\]{}/])|(?=[*?[\]{}/])/)
  const at = pieces.findLastIndex(piece => !/^[*?[\]{}/.~]*$/.test(piece))
  const last = pieces[at]
  if (last === undefined) return true
  const isEnd = (piece: string | undefined) => piece === undefined || piece === '/'
  const ends = { before: isEnd(pieces[at - 1]), behind: isEnd(pieces[at + 1]) }
  // A rule for the project's files does not speak about where the project is.
  const isBelow = cwd === project || cwd.startsWith(`${project}/`)
  const folder = isBelow && !/^(?:~|\/\/)/.test(specifier) ? cwd.slice(project.length) : cwd
  return isNamed(last, text, ends) || isNamed(last, folder, ends)
}

/** `.env` is named in `cat a/.env` and `$DIR.env`, but not in `process.env`, `.envrc` or `.env.example`. */
function isNamed(name: string, text: string, ends: { before: boolean; behind: boolean }): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.slice(Math.max(0, at - 100), at)
    const isStart = !ends.before || !/[\w.-]$/.test(before) || /\$\{?\w+$/.test(before)
    const end = at + name.length
    if (isStart && (!ends.behind || !/^(?:[\w-]|\.\w)/.test(text.slice(end, end + 2)))) return true
  }
  return false
}

/** Whether the parts follow each other in the text, the first one at the start of a word. */
function occurs(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts.map(part => part.trim()).filter(part => part !== '')
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    const isWordStart = at === 0 || /[^\w.-]/.test(text[at - 1] ?? '')
    if (first === '' || isWordStart) {
      let end = at + first.length
      if (
        rest.every(part => {
          const next = text.indexOf(part, end)
          end = next + part.length
          return next !== -1
        })
      )
        return true
    }
    if (first === '') return false
  }
  return false
}
