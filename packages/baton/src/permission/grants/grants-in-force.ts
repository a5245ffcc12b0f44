import type { Grant, GrantKind } from '@batonpass/contract/grant'
import type { PermissionJudgement, PermissionStep } from '@batonpass/contract/permission'
import type { GitFacts, GrantFacts } from '../../ports/grant-facts.ts'

/** The grants of a session, and what they are checked against. */
export interface GrantsInForce {
  readonly grants: readonly Grant[]
  /** By folder, without links; a folder that is missing is covered by no grant of git or gh. */
  readonly facts: ReadonlyMap<string, GitFacts>
  /** The broker performs the command, so no hook of the project runs outside. */
  readonly isBrokered?: boolean | undefined
  /** What is at a path below a folder; `other` if a name on the way is a link. */
  fileKind(root: string, path: string): 'file' | 'missing' | 'other'
}

export interface GrantFactPorts {
  facts: Pick<GrantFacts, 'read'>
  realpath(path: string): string
  fileKind: GrantsInForce['fileKind']
}

/** Grants with the repository as it is now. `command` is undefined for tools other than a shell. */
export async function readGrantsInForce(
  grants: readonly Grant[],
  {
    folder,
    command,
    isBrokered,
  }: { folder: string; command: string | undefined; isBrokered?: boolean | undefined },
  { facts, realpath, fileKind }: GrantFactPorts,
): Promise<GrantsInForce | undefined> {
  if (grants.length === 0) return undefined
  const isAsked = command !== undefined && /\b(git|gh)\b/.test(command)
  const folders = new Set(isAsked ? [realpath(folder), ...grants.map(({ worktree }) => worktree)] : [])
  const read = [...folders].map(async each => [each, await facts.read(each)] as const)
  const known = (await Promise.all(read)).flatMap(([each, found]) => (found ? [[each, found] as const] : []))
  return { grants, facts: new Map(known), fileKind, isBrokered }
}

/** Why a command is covered. */
export interface Covered {
  readonly job: string
  readonly kind: GrantKind | 'files' | 'work'
  /** Completes «JOB may …». */
  readonly what: string
  /** The grant covers it only once. */
  readonly once?: true
}

/** The grant as people read it, one line for each thing. */
export function describeGrant(grant: Grant): string[] {
  const { branch, remote, bases, issue, pullRequest, repository, labels, files, created, work } = grant
  const lines: Record<GrantKind, string | undefined> = {
    read: repository ? `fetch and read ${repository}` : 'fetch',
    push: branch && remote ? `push branch ${branch} to ${remote}` : undefined,
    rebase: branch && bases.length > 0 ? `rebase ${branch} onto ${bases.join(' or ')}` : undefined,
    'pull-request':
      branch && repository
        ? `create and edit ${pullRequest ? `pull request #${pullRequest}` : `the pull request of ${branch}`}`
        : undefined,
    issue: issue && repository ? `comment on and edit issue #${issue}` : undefined,
    'issue-comment': issue && repository ? `comment on issue #${issue}` : undefined,
    'new-issue': repository
      ? created?.issue
        ? `edit issue #${created.issue}, which it created`
        : created
          ? undefined
          : 'create one issue'
      : undefined,
    board: repository ? `set up the board of ${repository}` : undefined,
    labels: labels.length > 0 && repository ? `create the labels ${labels.join(', ')}` : undefined,
  }
  const written = files.length > 0 ? [`write ${files.join(', ')}`] : []
  const handsOver = work ? [`hand over to the stages of ${work}`] : []
  return [...grant.may.flatMap(kind => lines[kind] ?? []), ...written, ...handsOver]
}

const ONCE = ' once'

/** Whether a judgement uses up a grant. */
export const usesUp = ({ decision, trail }: Pick<PermissionJudgement, 'decision' | 'trail'>): boolean =>
  decision === 'allow' && trail.some(({ rule }) => rule.startsWith('grant ') && rule.endsWith(ONCE))

/** What the trail says about a part that a grant covers. */
export const grantStep = (covered: Covered, part: string): PermissionStep => ({
  rule: `grant ${covered.kind}${covered.once ? ONCE : ''}`,
  decision: 'allow',
  part: part.slice(0, 500),
  reason: `${covered.job} may ${covered.what}`,
})
