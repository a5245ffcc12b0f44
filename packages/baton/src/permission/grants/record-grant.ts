import type { Grant, GrantKind } from '@batonpass/contract/grant'
import type { GitFacts, GrantFacts } from '../../ports/grant-facts.ts'
import { repositoryOf } from '../../ports/remote.ts'

/** What a job asks for; everything else is read from the repository. */
export interface WantedGrant {
  job: string
  may: readonly GrantKind[]
  project: string
  issue?: number | undefined
  /** The job's branch, where its own state names one. */
  branch?: string | undefined
  /** The remote that its own state names. */
  remote?: string | undefined
  pullRequest?: number | undefined
  files?: readonly string[]
  labels?: readonly string[]
  /** The board that the user named. */
  board?: { owner: string; number: number } | undefined
  /** The work item, if the job is staged work. */
  work?: string | undefined
}

/** Records what a job may do, from the repository as it is when the job begins. */
export async function recordGrant(wanted: WantedGrant, facts: GrantFacts): Promise<Grant | undefined> {
  const found = await facts.read(wanted.project)
  if (!found) return undefined
  const names = found.remotes.map(({ name }) => name)
  const order = ['upstream', 'origin'].filter(name => names.includes(name))
  return grantFrom(
    wanted,
    found,
    await facts.bases(wanted.project, order.length > 0 ? order : names.slice(0, 1)),
  )
}

/** The grant of a job, from facts at its start. */
export function grantFrom(wanted: WantedGrant, facts: GitFacts, bases: readonly string[]): Grant {
  const { job, issue, pullRequest, files = [], labels = [], work, board } = wanted
  const remote = pushRemote(facts, wanted.remote)
  const branch = ownBranch(wanted, facts, bases)
  const repository = ghRepository(facts)
  return {
    job: job.slice(0, 200),
    // An issue that exists is the one to write to.
    may: wanted.may.filter(kind => kind !== 'new-issue' || issue === undefined),
    worktree: facts.root,
    bases: bases.filter(isBranchName).slice(0, 20),
    files: files.filter(isPlainPath).slice(0, 50),
    filesIn: facts.root,
    labels: [...labels],
    settings: facts.settings,
    ...(remote ? { remote } : {}),
    ...(branch ? { branch } : {}),
    ...(repository ? { repository } : {}),
    ...(issue === undefined ? {} : { issue }),
    ...(pullRequest === undefined ? {} : { pullRequest }),
    ...(work === undefined ? {} : { work }),
    ...(board ? { board: { wanted: { ...board, owner: board.owner.toLowerCase() } } } : {}),
  }
}

function pushRemote({ remotes }: GitFacts, wanted: string | undefined): string | undefined {
  const names = remotes.map(({ name }) => name)
  if (wanted !== undefined) return names.includes(wanted) ? wanted : undefined
  const found = names.includes('origin') ? 'origin' : names.length === 1 ? names[0] : undefined
  return found !== undefined && isBranchName(found) ? found : undefined
}

/** Branches that belong to no single job. */
const SHARED =
  /^(main|master|trunk|develop|development|dev|next|staging|production|prod|stable|gh-pages|HEAD)$|^(release|hotfix)([-/]|$)/i

function ownBranch(
  { branch, issue }: WantedGrant,
  facts: GitFacts,
  bases: readonly string[],
): string | undefined {
  const isBase = (name: string) =>
    SHARED.test(name) || bases.some(base => base.slice(base.indexOf('/') + 1) === name)
  const current = facts.branch
  const named =
    branch ??
    (issue === undefined
      ? current
      : current !== undefined && new RegExp(`(^|/)issue-${issue}(-|$)`).test(current)
        ? current
        : `issue-${issue}`)
  return named !== undefined && isBranchName(named) && !isBase(named) ? named : undefined
}

/** A name that neither git nor gh reads as an option, a refspec or another account's branch. */
const isBranchName = (name: string): boolean =>
  /^[A-Za-z0-9_][\w./-]{0,249}$/.test(name) && !/\.\.|\/\/|\.lock$|[./]$|^refs\//.test(name)

const isPlainPath = (path: string): boolean =>
  !path.startsWith('/') && path.split('/').every(part => part !== '' && part !== '.' && part !== '..')

/** The repository that gh chooses in this worktree, as `host/owner/name`. */
function ghRepository({ remotes }: GitFacts): string | undefined {
  const chosen = remotes.find(({ resolved }) => resolved !== undefined)
  const byName = (wanted: string) => remotes.find(({ name }) => name === wanted)
  const remote = chosen ?? byName('upstream') ?? byName('github') ?? byName('origin') ?? remotes[0]
  const found = remote && repositoryOf(remote.url)
  if (!found) return undefined
  const other = chosen?.resolved !== undefined && chosen.resolved !== 'base' ? chosen.resolved : undefined
  return `${found.host}/${other ?? `${found.owner}/${found.name}`}`.toLowerCase()
}
