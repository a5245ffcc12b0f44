import { posix } from 'node:path'
import { isInside, pathsOf, unresolvedPaths } from '@batonpass/shell-verdict/paths/resolve'
import { secretPath } from '@batonpass/shell-verdict/paths/secrets'
import type { Assessment } from '@batonpass/shell-verdict/programs/assessment'
import type { Analysis } from '@batonpass/shell-verdict/shell/analysis'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import { literalWord, type Word } from '@batonpass/shell-verdict/shell/word'
import type { JudgeContext } from '../judge-context.ts'
import { foundByListing, holdsProtected } from './listed-names.ts'
import { guardedFolder, guardedPath, runsLater } from './protected.ts'

export interface PathFindings {
  reads: string[]
  writes: string[]
  /** Closed permanently: Baton's own, or the hooks that ask it. */
  closed: string | undefined
  secret: string | undefined
  /** A whole system or home folder would be removed. */
  root: string | undefined
  /** A path only known when it runs. */
  unknownPath: string | undefined
  /** There are written paths, all known and inside the worktree. */
  allInside: boolean
}

export const noFindings = (allInside = false): PathFindings => ({
  reads: [],
  writes: [],
  closed: undefined,
  secret: undefined,
  root: undefined,
  unknownPath: undefined,
  allInside,
})

/** Follows every path a part touches and says which are special. */
export function judgePaths(
  assessment: Assessment,
  command: SimpleCommand,
  analysis: Analysis | undefined,
  context: JudgeContext,
): PathFindings {
  const { request, paths, guarded } = context
  const found = noFindings(
    assessment.inWorktree &&
      command.folders.length > 0 &&
      command.folders.every(folder => isInside(paths.realpath(folder), context.worktree)),
  )
  const { worktree } = context
  for (const word of readBy(assessment, command)) {
    const known = pathsOf(word, command.folders, request.home)
    if (!known) {
      if (word.prefix.startsWith('/dev/fd/')) continue
      if (assessment.shows && !foundByListing(word, command, analysis, context))
        found.unknownPath ??= word.text
      continue
    }
    for (const path of [...known, ...unresolvedPaths(word, command.folders, request.home)]) {
      const real = paths.realpath(path)
      found.reads.push(real)
      found.closed ??= guardedPath(path, 'read', guarded) ?? guardedPath(real, 'read', guarded)
      if (assessment.shows)
        found.secret ??=
          secretPath(path, request.home) ??
          secretPath(real, request.home) ??
          holdsProtected(path, request.home, guarded) ??
          holdsProtected(real, request.home, guarded)
    }
  }
  for (const path of namedByTheWay(assessment, command, request.home)) {
    found.closed ??= guardedPath(path, 'read', guarded) ?? guardedPath(paths.realpath(path), 'read', guarded)
    found.secret ??= secretPath(path, request.home) ?? secretPath(paths.realpath(path), request.home)
  }
  let inside = assessment.writes.length > 0
  for (const word of assessment.writes) {
    const known = pathsOf(word, command.folders, request.home)
    if (!known) {
      inside = false
      found.unknownPath ??= word.text
      continue
    }
    for (const path of [...known, ...unresolvedPaths(word, command.folders, request.home)]) {
      const real = paths.realpath(path)
      found.writes.push(real)
      found.closed ??= guardedPath(path, 'write', guarded) ?? guardedPath(real, 'write', guarded)
      if (!/^g?mkdir$/.test(assessment.program)) {
        const change = assessment.deletes ? 'removed' : 'written'
        found.closed ??= guardedFolder(path, change, guarded) ?? guardedFolder(real, change, guarded)
        // Their word is only how the names begin; or the file itself says what it is called.
        if (
          /^g?(c?split|zip|unzip|un(?:xz|lzma|zstd|lz4)|bunzip2|gunzip|uncompress)$/.test(assessment.program)
        )
          found.closed ??= guardedFolder(posix.dirname(real), change, guarded)
      }
      if (!assessment.deletes)
        found.secret ??= secretPath(path, request.home) ?? secretPath(real, request.home)
      // A move names where its files come from and where they go; both count.
      if (!assessment.deletes || /^g?mv$/.test(assessment.program) || assessment.path[0] === 'mv')
        found.secret ??= runsLater(path, worktree) ?? runsLater(real, worktree)
      if (assessment.deletes && isRoot(real, request.home)) found.root ??= real
      if (!insideWorktree(word, path, real, worktree, assessment)) inside = false
    }
  }
  if (assessment.writes.length > 0) found.allInside = inside
  if (COPIES.test(assessment.program)) found.closed ??= copiedInto(assessment, command, context)
  if (assessment.program === 'git' && assessment.kind === 'write' && !STAGES.test(assessment.path[0] ?? ''))
    found.closed ??= namedToGit(command, assessment, context)
  if (assessment.kind !== 'read' && !/^git$/.test(assessment.program))
    scanWords(command, context, found, assessment)
  return found
}

/** What a part reads: the words that name it, or the whole folder where a search names none. */
function readBy({ reads, program, shows, parsed }: Assessment, { folders }: SimpleCommand): readonly Word[] {
  if (!shows || reads.length > 0 || !SWEEPS.test(program)) return reads
  const recursive =
    !/grep$/.test(program) ||
    /^(rg|ripgrep|ugrep)$/.test(program) ||
    parsed?.flags.some(({ name }) => RECURSES.test(name))
  return recursive ? folders.map(literalWord) : reads
}

const RECURSES = /^(-r|-R|--recursive|--dereference-recursive)$/

/** Paths in values whose role no table tells: `--values=/x`, `key=/x`, `@/x`, `file:///x`. Plain words are no paths. */
function namedByTheWay({ unplaced }: Assessment, { folders }: SimpleCommand, home: string): string[] {
  return unplaced.flatMap(word => {
    const text = word.value
    if (text === undefined || text.length > 4096 || !/[/~.]/.test(text)) return []
    return text
      .split(/[\s,;]+/)
      .flatMap(part => [part, part.slice(part.indexOf('=') + 1)])
      .map(part => part.replace(/^@/, ''))
      .filter(part => /^(?:[~/.]|file:)|\//i.test(part) && !/^(?!file:)[a-z][\w+.-]*:\/\//i.test(part))
      .flatMap(part => pathsOf({ ...word, value: part, tilde: part.startsWith('~') }, folders, home) ?? [])
  })
}

/** All paths of a part, as rules see them: undefined among them means one that is unknown. */
export function touched({ reads, writes, unknownPath }: PathFindings): (string | undefined)[] {
  return [...reads, ...writes, ...(unknownPath ? [undefined] : [])]
}

/** These write to the index and to history only. */
const STAGES = /^(add|stage|commit|tag|notes|branch|config)$/

/** A word that names a guarded file or folder to git, as a path, as the part of a commit, or as where it works. */
function namedToGit(
  command: SimpleCommand,
  { path: [sub = ''] }: Assessment,
  { request: { home }, guarded, paths }: JudgeContext,
): string | undefined {
  const change = /^(rm|mv|clean|stash)$/.test(sub) ? 'removed' : 'written'
  return command.words
    .slice(1)
    .flatMap(word => {
      const text = word.value?.replace(/^--?[\w-]+=|^:\([^)]*\)|^:[/!^]*|^[^:/]+:/, '')
      return text === undefined ? [] : (pathsOf({ ...word, value: text }, command.folders, home) ?? [])
    })
    .flatMap(path => [path, paths.realpath(path)])
    .map(path => guardedPath(path, 'write', guarded, false) ?? guardedFolder(path, change, guarded))
    .find(reason => reason !== undefined)
}

const COPIES = /^g?(cp|mv|install)$/
/** Programs whose words are folders that they fill or empty. */
const SWEEPS_INTO = /^(rsync|g?find)$/

/** What is copied into a folder keeps its name there. */
function copiedInto(
  { reads, writes }: Assessment,
  { folders }: SimpleCommand,
  { request: { home }, guarded, paths }: JudgeContext,
): string | undefined {
  const known = (words: readonly Word[]) => words.flatMap(word => pathsOf(word, folders, home) ?? [])
  const sources = [...new Set(known([...reads, ...writes]).map(path => posix.basename(path)))]
  return known(writes)
    .flatMap(target => [target, paths.realpath(target)])
    .flatMap(target => sources.map(name => posix.join(target, name)))
    .map(path => guardedPath(path, 'write', guarded) ?? guardedFolder(path, 'written', guarded))
    .find(reason => reason !== undefined)
}

/** A program the tables do not know may do anything with the paths it is given. */
function scanWords(
  command: SimpleCommand,
  context: JudgeContext,
  found: PathFindings,
  assessment: Assessment,
): void {
  if (assessment.wrapper) return
  const access = /^(project|fetch|credential)$/.test(assessment.kind) ? 'read' : 'write'
  for (const word of command.words.slice(1)) {
    const text = word.value?.replace(/^-{1,2}[\w-]+=|^\w+=/, '')
    // A bare name without a dot is no guarded file, and a link to one cannot be made.
    if (text === undefined || text.length > 4096 || /^[\w:=@,+-]*$/.test(text)) continue
    const known = pathsOf(
      { ...word, value: text, tilde: text.startsWith('~') },
      command.folders,
      context.request.home,
    )
    for (const path of known ?? []) {
      if (!assessment.deletes && !USES_KEYS.test(assessment.program) && !/\s/.test(text))
        found.secret ??= secretPath(path, context.request.home) ?? packed(path, assessment, context)
      found.closed ??=
        guardedPath(path, access, context.guarded, false) ??
        guardedPath(context.paths.realpath(path), access, context.guarded, false) ??
        (SWEEPS_INTO.test(assessment.program) ? guardedFolder(path, 'written', context.guarded) : undefined)
    }
  }
}

/** Programs that are given a key to use, not to show. */
const USES_KEYS = /^(ssh|autossh|mosh|ssh-add|ssh-keygen|ssh-copy-id)$/
/** Programs that take whole folders along. */
const PACKS = /^(g?tar|bsdtar|zip|7z[arsz]{0,2}|cpio|rsync|scp|sftp|rclone)$/

const packed = (
  path: string,
  { program }: Assessment,
  { request, guarded }: JudgeContext,
): string | undefined => (PACKS.test(program) ? holdsProtected(path, request.home, guarded) : undefined)

function insideWorktree(
  word: Word,
  path: string,
  real: string,
  worktree: string,
  assessment: Assessment,
): boolean {
  if (!isInside(real, worktree) || real === worktree || isInside(real, `${worktree}/.git`)) return false
  if (!word.glob) return true
  // What a pattern matches is only safe to follow where the last name alone is matched and links are not followed.
  const pattern = path.search(/[*?[]/)
  return !path.slice(pattern).includes('/') && (assessment.deletes || assessment.program === 'sed')
}

/** Programs that go down into folders. */
const SWEEPS = /^(find|gfind|fd|fdfind|grep|egrep|fgrep|ggrep|rg|ag|ack|ug|ugrep|diff)$/

function isRoot(path: string, home: string): boolean {
  const plain = path.replace(/\/\*$/, '') || '/'
  if (plain === home || isInside(home, plain)) return true
  return /^\/(bin|boot|dev|etc|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|home|Users|System|Library|Applications|private|Volumes)$/.test(
    plain,
  )
}

/** A text that names Baton's own folder inside code that is not shell: the name, or undefined. */
export function guardedMention(source: string, context: JudgeContext): string | undefined {
  const { guarded, request } = context
  for (const folder of guarded.folders) {
    const short = isInside(folder, request.home) ? folder.slice(request.home.length + 1) : undefined
    if (source.includes(folder)) return folder
    if (
      short &&
      new RegExp(
        `(~|\\$HOME|\\$\\{HOME\\}|expanduser|homedir)[^;&|]{0,40}${short.replace(/[.\\+*?[^\]$(){}=!<>|:#-]/g, '\\$&')}(?![\\w.-])`,
      ).test(source)
    )
      return folder
  }
  return /\$\{?BATON_HOME\b|BATON_HOME['"\]]/.test(source) ? '$BATON_HOME' : undefined
}
