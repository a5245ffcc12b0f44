import { analyse } from '@batonpass/shell-verdict/shell/analysis'
import type { Reach } from '@batonpass/shell-verdict/shell/simple-command'
import type { RulePlace } from '../../../ports/agent.ts'

/** Tells whether a rule of Claude Code's surely applies to a command: to all of them, or to a part that runs by itself. */
export function sureRules(
  command: string,
  { cwd, home }: Pick<RulePlace, 'cwd' | 'home'>,
): (rule: unknown) => boolean {
  let texts: readonly string[] | undefined
  return rule => {
    const found = typeof rule === 'string' ? /^\s*Bash\s*(?:\(([\s\S]*)\))?\s*$/.exec(rule) : null
    if (!found) return false
    const pattern = found[1]?.trim() ?? ''
    if (/^(?::?\*)?$/.test(pattern)) return true
    // What a backslash means there is not the same in all versions.
    if (pattern.includes('\\')) return false
    texts ??= partsOf(command, { cwd, home })
    return texts.some(text => matches(pattern, text))
  }
}

/** The parts that run by themselves, as written and without quotes; none if they are not surely all of them. */
function partsOf(command: string, place: { cwd: string; home: string }): string[] {
  const { commands, unknowns } = analyse(command, place)
  if (unknowns.some(({ code }) => code === 'syntax' || code === 'count')) return []
  return commands
    .filter(({ via }) => via.every(reach => AS_WRITTEN.has(reach)))
    .flatMap(({ words }) => [
      words.map(({ text }) => text).join(' '),
      words.map(({ text, value }) => value ?? text).join(' '),
    ])
}

/** What Claude Code, too, takes apart; a function may never be called. */
const AS_WRITTEN: ReadonlySet<Reach> = new Set<Reach>([
  'pipe',
  'subshell',
  'background',
  'wrapper:timeout',
  'wrapper:time',
  'wrapper:nice',
  'wrapper:nohup',
  'wrapper:stdbuf',
])

/** `git push:*` and `git push *` mean the words before the `*`, alone or followed by others; any other `*` means any text. */
function matches(pattern: string, text: string): boolean {
  const glob = pattern.replace(/:\*$/, ' *')
  const pieces = glob.split('*')
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return text === glob
  if (pieces.length === 2 && glob.endsWith(' *') && text === glob.slice(0, -2)) return true
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
