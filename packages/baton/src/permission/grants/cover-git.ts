import type { Grant } from '@batonpass/contract/grant'
import { flagTable, type Parsed, parseOptions } from '@batonpass/shell-verdict/shell/options'
import type { Word } from '@batonpass/shell-verdict/shell/word'
import type { GitFacts } from '../../ports/grant-facts.ts'
import type { Covered } from './grants-in-force.ts'

type Cover = Omit<Covered, 'job'>

const GNU = { dash: 'gnu', permute: true } as const

const PUSH = flagTable(
  '-u|--set-upstream --force-with-lease? --force-if-includes --no-verify -q|--quiet -v|--verbose --progress --no-progress --porcelain -n|--dry-run --no-tags --no-follow-tags --no-recurse-submodules',
)
const FETCH = flagTable(
  '-p|--prune -q|--quiet -v|--verbose --progress --no-progress --no-tags -n -t|--tags --depth= --deepen= --unshallow --dry-run --no-recurse-submodules',
)
const REBASE = flagTable(
  '--autostash --no-autostash -q|--quiet -v|--verbose --stat --no-stat -f|--force-rebase',
)
const PULL = flagTable('-r|--rebase --autostash --no-autostash -q|--quiet -v|--verbose --no-tags')
const STEP = /^--(continue|abort|skip|quit)$/

/** Whether a grant covers a git command; `words` begin after `git`. */
export function coverGit(words: readonly Word[], grant: Grant, facts: GitFacts): Cover | undefined {
  // Other settings than at the start may lead a push elsewhere or name programs.
  if (facts.root !== grant.worktree || facts.settings !== grant.settings) return undefined
  const rest = words[0]?.value === '--no-pager' ? words.slice(1) : words
  const [sub, ...args] = rest
  if (!args.every(isExact)) return undefined
  switch (sub?.value) {
    case 'push':
      return grant.may.includes('push') ? push(args, grant, facts) : undefined
    case 'fetch':
      return grant.may.includes('read') ? fetch(args, grant, facts) : undefined
    case 'rebase':
      return grant.may.includes('rebase') ? rebase(args, grant, facts) : undefined
    case 'pull':
      return grant.may.includes('rebase') && grant.may.includes('read') ? pull(args, grant, facts) : undefined
    default:
      return undefined
  }
}

/** The shell passes exactly this text. */
export const isExact = (word: Word): boolean =>
  word.value !== undefined && !word.glob && !word.many && !(word.tilde && word.value.startsWith('~'))

/** Flags and arguments, if the table knows every flag. */
export function strictOptions(
  words: readonly Word[],
  table: ReturnType<typeof flagTable>,
): Parsed | undefined {
  const parsed = parseOptions(words, table, GNU)
  const isStrange = parsed.strange.length > 0 || parsed.uncertain.length > 0
  return isStrange || parsed.flags.some(({ flag }) => flag === undefined) ? undefined : parsed
}

const texts = ({ positionals }: Parsed): string[] => positionals.map(({ value }) => value ?? '')

/** Hooks are code of the project or of tools that run it: a push runs these. */
const ON_PUSH = /^(pre-push|reference-transaction)$/
const ON_FETCH = /^(reference-transaction|post-merge)$/

function push(args: readonly Word[], grant: Grant, facts: GitFacts): Cover | undefined {
  const { branch, remote } = grant
  const parsed = strictOptions(args, PUSH)
  if (!branch || !remote || !parsed || facts.push === 'none') return undefined
  if (
    facts.hooks.some(name => ON_PUSH.test(name)) &&
    !parsed.flags.some(({ name }) => name === '--no-verify')
  )
    return undefined
  if (facts.hooks.includes('reference-transaction')) return undefined
  const leases = parsed.flags.filter(({ name }) => name === '--force-with-lease')
  const isOwnLease = (value: string | undefined) =>
    value === undefined || value === branch || new RegExp(`^${escaped(branch)}:[0-9a-f]{7,64}$`).test(value)
  if (!leases.every(({ value }) => isOwnLease(value?.value))) return undefined
  const [to, refspec, ...more] = texts(parsed)
  if (more.length > 0 || (to ?? facts.pushesTo) !== remote) return undefined
  if (!isOwnRefspec(refspec, branch, facts)) return undefined
  const how = leases.length > 0 ? 'force-push (with lease)' : 'push'
  return { kind: 'push', what: `${how} branch ${branch} to ${remote}` }
}

function isOwnRefspec(
  refspec: string | undefined,
  branch: string,
  { push, branch: current }: GitFacts,
): boolean {
  const full = `refs/heads/${branch}`
  const isCurrent = current === branch
  if (refspec === undefined) return isCurrent && push === 'any'
  const [source = '', target, ...more] = refspec.split(':')
  if (more.length > 0) return false
  const isOwnSource = source === branch || source === full || (source === 'HEAD' && isCurrent)
  return isOwnSource && (target === undefined ? push === 'any' : target === branch || target === full)
}

function fetch(args: readonly Word[], grant: Grant, facts: GitFacts): Cover | undefined {
  const parsed = strictOptions(args, FETCH)
  if (!parsed || facts.hooks.some(name => ON_FETCH.test(name))) return undefined
  const [from = facts.fetchesFrom, ...branches] = texts(parsed)
  if (from === undefined || !ownRemotes(grant).includes(from) || !branches.every(isPlainBranch))
    return undefined
  return { kind: 'read', what: `fetch from ${from}` }
}

/** Its remote and those of its bases. */
const ownRemotes = ({ remote, bases }: Grant): string[] => [
  ...(remote ? [remote] : []),
  ...bases.map(base => base.slice(0, base.indexOf('/'))),
]

const isPlainBranch = (name: string): boolean => /^[A-Za-z0-9_][\w./-]*$/.test(name) && !name.includes('..')

function rebase(args: readonly Word[], grant: Grant, facts: GitFacts): Cover | undefined {
  const { branch, bases } = grant
  if (!branch || bases.length === 0 || facts.hooks.some(name => name !== 'pre-push')) return undefined
  const [only] = args
  // In the middle of a rebase no branch is checked out.
  if (args.length === 1 && STEP.test(only?.value ?? ''))
    return facts.branch === undefined ? { kind: 'rebase', what: `rebase ${branch}` } : undefined
  const parsed = strictOptions(args, REBASE)
  const [onto = '', ...more] = parsed ? texts(parsed) : []
  if (more.length > 0 || facts.branch !== branch || !bases.includes(onto)) return undefined
  return { kind: 'rebase', what: `rebase ${branch} onto ${onto}` }
}

function pull(args: readonly Word[], grant: Grant, facts: GitFacts): Cover | undefined {
  const parsed = strictOptions(args, PULL)
  if (!parsed?.flags.some(({ name }) => name === '--rebase' || name === '-r')) return undefined
  const [from = '', name = '', ...more] = texts(parsed)
  const { branch, bases } = grant
  if (!branch || more.length > 0 || facts.branch !== branch || facts.hooks.some(each => each !== 'pre-push'))
    return undefined
  if (!bases.includes(`${from}/${name}`)) return undefined
  return { kind: 'rebase', what: `rebase ${branch} onto ${from}/${name}` }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
