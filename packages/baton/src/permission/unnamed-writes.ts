import { posix } from 'node:path'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type { Assessment } from '@batonpass/shell-verdict/programs/assessment'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import type { PathFindings } from './paths/judge-paths.ts'

/**
 * A command that writes files which its words do not name: a branch, a patch or an archive says which. Its program (for git: the
 * sub-command) and words, for one who looks into what it brings; undefined where the words say everything.
 */
export function unnamedWrites(
  { words, folders }: SimpleCommand,
  assessment: Assessment,
  { writes }: Pick<PathFindings, 'writes'>,
  worktree: string,
): string[] | undefined {
  const { program, path, kind } = assessment
  if (kind === 'read') return undefined
  if (program === 'git') {
    const [sub = ''] = path
    if (kind !== 'write') return words.some(word => word.value === undefined) ? [UNKNOWN, sub] : undefined
    if (NAMES_ALL.test(sub)) return undefined
    if (sub === 'config') return words.some(word => RUNS.test(word.value ?? 'alias.')) ? [sub] : undefined
    const at = words.findIndex(word => word.value === sub)
    const rest = words.slice(at + 1).flatMap(({ value }) => (value === undefined ? [] : [value]))
    const [folder, another] = folders
    if (rest.length < words.length - at - 1 || folder === undefined || another) return [UNKNOWN, sub]
    const isPath = (word: string) => TAKES_PATHS.test(sub) && /^[^-:]/.test(word)
    return [sub, ...rest.map(word => (isPath(word) ? posix.resolve(folder, word) : word))]
  }
  if (UNPACKS.test(program)) return [program]
  // A whole folder that is poured into the worktree, or over it.
  return POURS.test(program) && writes.some(target => isInside(worktree, target)) ? [program] : undefined
}

/** Whether it may write files of the worktree that Baton has not seen yet. */
export const hasUnnamedWrites = ({ program, kind, path: [sub = ''] }: Assessment): boolean =>
  program === 'git' && kind === 'write' && !/^(commit|config)$/.test(sub) && !NAMES_ALL.test(sub)

/** Followed by the sub-command. */
const UNKNOWN = 'unknown'
const TAKES_PATHS = /^(rm|clean|apply)$/
/** What they touch is named in their words, or is not a file of the worktree. */
const NAMES_ALL =
  /^(add|stage|mv|branch|tag|remote|notes|fetch|init|gc|prune|repack|maintenance|pack-.*|multi-pack-index|commit-graph|bisect|bundle|hash-object|rerere|write-tree|commit-tree|update-ref|symbolic-ref)$/
/** Settings that name programs for git to run, or further settings. */
const RUNS =
  /^(?:alias|filter|include|includeif|pager|interactive|sendemail|credential|protocol|browser|man|merge|mergetool|difftool|gpg|remote|url|uploadpack|submodule|trailer)\.|^(?:core\.(?:hookspath|fsmonitor|editor|pager|sshcommand|askpass|gitproxy|attributesfile|worktree|alternaterefscommand)|sequence\.editor|diff\.(?:external|.*\.(?:textconv|command)))$/i
const UNPACKS = /^(g?tar|bsdtar|unzip|7z[arsz]{0,2}|cpio|unrar|patch|gpatch)$/
const POURS = /^(g?cp|rsync|g?mv|g?install)$/
