import type { Grant, GrantKind } from '@batonpass/contract/grant'
import { flagTable, type Parsed } from '@batonpass/shell-verdict/shell/options'
import type { Word } from '@batonpass/shell-verdict/shell/word'
import type { GitFacts } from '../../ports/grant-facts.ts'
import { coverBoard } from './cover-board.ts'
import { isExact, strictOptions } from './cover-git.ts'
import type { Covered } from './grants-in-force.ts'

type Cover = Omit<Covered, 'job'> & { kind: GrantKind }

export interface GhCommand {
  /** The words after `gh`. */
  readonly words: readonly Word[]
  /** It is the whole text: its exit code and its output are its own. */
  readonly isAlone: boolean
  /** Its standard input is a text that the command itself holds. */
  readonly hasInput: boolean
  /** The tables know it as a command that only reads. */
  readonly isRead: boolean
  /** Whether a path names a regular file of the worktree that is not a link. */
  isBodyFile(word: Word): boolean
}

/** `!text` marks a flag whose value is only a text: it may come from a substitution in quotes. */
const TEXT = '-t|--title=!text -b|--body=!text -F|--body-file= -R|--repo='
const TABLES = {
  'pr create': flagTable(
    `${TEXT} -B|--base= -H|--head= -d|--draft -l|--label= -a|--assignee= -f|--fill --fill-first --fill-verbose --dry-run --no-maintainer-edit`,
  ),
  'pr edit': flagTable(`${TEXT} -B|--base= --add-label= --remove-label= --add-assignee= --remove-assignee=`),
  'pr comment': flagTable('-b|--body=!text -F|--body-file= -R|--repo='),
  'pr ready': flagTable('--undo -R|--repo='),
  'issue comment': flagTable('-b|--body=!text -F|--body-file= -R|--repo='),
  'issue edit': flagTable(`${TEXT} --add-label= --remove-label= --add-assignee= --remove-assignee=`),
  'issue create': flagTable(`${TEXT} -l|--label= -a|--assignee=`),
  'label create': flagTable('-f|--force -c|--color= -d|--description=!text -R|--repo='),
} as const
type Known = keyof typeof TABLES

/** Reads of a repository. `gh search` and `gh api` read anything: only a board's own operations are covered. */
const READS =
  /^(issue (list|view|status)|pr (list|view|status|checks|diff)|run (list|view)|repo view|label list|workflow (list|view)|release (list|view))$/

/** Whether a grant covers a gh command. */
export function coverGh(command: GhCommand, grant: Grant, facts: GitFacts): Cover | undefined {
  if (facts.root !== grant.worktree || facts.settings !== grant.settings || !grant.repository)
    return undefined
  const [first, second, ...args] = command.words
  if (!first || !second || !isExact(first) || !isExact(second)) return undefined
  const name = `${first.value} ${second.value}`
  if (READS.test(name)) return grant.may.includes('read') ? read(name, args, command, grant) : undefined
  if (name === 'api graphql') {
    const what = grant.may.includes('board') ? coverBoard(args, grant) : undefined
    return what === undefined ? undefined : { kind: 'board', what }
  }
  if (!isKnown(name)) return undefined
  const parsed = strictOptions(args, TABLES[name])
  if (!parsed || !isOwnUse(parsed, command, grant)) return undefined
  const covers = [COVERS[name]].flat().flatMap(cover => cover(parsed, command, grant, facts) ?? [])
  return covers.find(({ kind }) => grant.may.includes(kind))
}

const isKnown = (name: string): name is Known => Object.hasOwn(TABLES, name)

function read(name: string, args: readonly Word[], { isRead }: GhCommand, grant: Grant): Cover | undefined {
  const texts = args.map(({ value }) => value ?? '')
  if (!isRead || !args.every(isExact)) return undefined
  // -R may be bundled or shortened: every word that could hold a repository has to hold this one.
  const others = texts.some((text, at) => {
    if (/^(-R|--repo)$/.test(text)) return !isOwnRepository(texts[at + 1] ?? '', grant)
    if (text.startsWith('--repo=')) return !isOwnRepository(text.slice(7), grant)
    return /^-[^-]*[Rw]|^--(r|w|host)/.test(text) || /:\/\//.test(text)
  })
  const isOther = name === 'repo view' && texts.some(text => text.includes('/'))
  return others || isOther ? undefined : { kind: 'read', what: `read ${grant.repository}` }
}

/** All values are known, name this repository and its own files, and assign no one else. */
function isOwnUse(parsed: Parsed, command: GhCommand, grant: Grant): boolean {
  if (!parsed.positionals.every(isExact)) return false
  return parsed.flags.every(({ name, flag, value }) => {
    if (flag?.arity === 'none') return value === undefined
    if (!value) return false
    if (flag?.kind === 'text')
      return isExact(value) || (value.value === undefined && !value.many) || isLiteral(value)
    if (!isExact(value)) return false
    if (name === '-R' || name === '--repo') return isOwnRepository(value.value ?? '', grant)
    if (name === '-F' || name === '--body-file')
      return value.value === '-' ? command.hasInput : command.isBodyFile(value)
    return !/assignee$|^-a$/.test(name) || value.value === '@me'
  })
}

/** A text such as `~ 5 %`: gh gets it, and no path is meant. */
const isLiteral = ({ value, glob, many }: Word): boolean => value !== undefined && !glob && !many

/** `owner/name` on github.com, `host/owner/name`, or the address of its page. */
function isOwnRepository(text: string, { repository = '' }: Grant): boolean {
  const named = text
    .toLowerCase()
    .replace(/^https:\/\//, '')
    .replace(/\.git$/, '')
  return named === repository || (!text.includes('://') && `github.com/${named}` === repository)
}

type CoverOf = (parsed: Parsed, command: GhCommand, grant: Grant, facts: GitFacts) => Cover | undefined

const createPull: CoverOf = (parsed, _, grant, facts) => {
  const { branch } = grant
  const [head, ...heads] = valuesOf(parsed, '-H', '--head')
  if (!branch || parsed.positionals.length > 0 || heads.length > 0) return undefined
  if (head === undefined ? facts.branch !== branch : head !== branch) return undefined
  if (!isOwnBase(parsed, grant)) return undefined
  return { kind: 'pull-request', what: `create the pull request of ${branch}` }
}

const changePull: CoverOf = (parsed, _, grant, facts) => {
  const { branch, pullRequest } = grant
  const [which, ...more] = parsed.positionals.map(({ value }) => value ?? '')
  if (!branch || more.length > 0 || !isOwnBase(parsed, grant)) return undefined
  const isOwn =
    which === undefined
      ? facts.branch === branch && valuesOf(parsed, '-R', '--repo').length === 0
      : which === branch || (pullRequest !== undefined && isNumbered(which, pullRequest, 'pull', grant))
  const what = pullRequest === undefined ? `the pull request of ${branch}` : `pull request #${pullRequest}`
  return isOwn ? { kind: 'pull-request', what: `edit and comment on ${what}` } : undefined
}

const changeIssue: CoverOf = (parsed, _, grant) => {
  const [which = '', ...more] = parsed.positionals.map(({ value }) => value ?? '')
  if (more.length > 0) return undefined
  const { issue, created } = grant
  if (issue !== undefined && isNumbered(which, issue, 'issues', grant))
    return { kind: 'issue', what: `comment on and edit issue #${issue}` }
  if (created?.issue !== undefined && isNumbered(which, created.issue, 'issues', grant))
    return { kind: 'new-issue', what: `edit issue #${created.issue}, which it created` }
  return undefined
}

const commentOnIssue: CoverOf = (parsed, command, grant, facts) => {
  const cover = changeIssue(parsed, command, grant, facts)
  return cover?.kind === 'issue'
    ? { kind: 'issue-comment', what: `comment on issue #${grant.issue}` }
    : undefined
}

const createIssue: CoverOf = (parsed, { isAlone }, { created }) =>
  isAlone && !created && parsed.positionals.length === 0
    ? { kind: 'new-issue', what: 'create one issue', once: true }
    : undefined

const createLabel: CoverOf = (parsed, _, { labels }) => {
  const [name = '', ...more] = parsed.positionals.map(({ value }) => value ?? '')
  return more.length === 0 && labels.includes(name)
    ? { kind: 'labels', what: `create the label ${name}` }
    : undefined
}

/** Any of them may cover it. */
const COVERS: Record<Known, CoverOf | readonly CoverOf[]> = {
  'pr create': createPull,
  'pr edit': changePull,
  'pr comment': changePull,
  'pr ready': changePull,
  'issue comment': [changeIssue, commentOnIssue],
  'issue edit': changeIssue,
  'issue create': createIssue,
  'label create': createLabel,
}

const valuesOf = (parsed: Parsed, ...names: string[]): string[] =>
  parsed.flags.flatMap(({ name, value }) => (names.includes(name) ? [value?.value ?? ''] : []))

const isOwnBase = (parsed: Parsed, { bases }: Grant): boolean =>
  valuesOf(parsed, '-B', '--base').every(base => bases.some(own => own.slice(own.indexOf('/') + 1) === base))

function isNumbered(text: string, number: number, path: 'pull' | 'issues', { repository }: Grant): boolean {
  return text === String(number) || text.toLowerCase() === `https://${repository}/${path}/${number}`
}
