import { CLAIM_FILE, type ClaimFile } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import type { GitPosition } from '../ports/git.ts'
import type { GitWork } from '../ports/git-work.ts'
import type { FencedActions } from './fenced-actions.ts'
import type { ClaimRecord } from './record.ts'
import type { SignalFiles } from './signal-file.ts'

export interface ReadyPorts {
  signals: SignalFiles
  git: GitPosition
  work: GitWork
  /** Checks the lease before each action. If git cannot log in, it pushes through the daemon. */
  outside: Pick<FencedActions, 'check' | 'pushBranch'>
  /** The claim of a worktree, if Baton created its branch. */
  claimOf(project: string): Promise<ClaimRecord | undefined>
  /** Runs the user's own check command. Returns the end of its output if it fails. */
  validate(command: string, project: string): Promise<string | undefined>
}

/** Hands off a claimed branch: checks it, pushes it, and sets the claim phase. A branch that fails a check is not pushed. */
export async function makeReady(
  ports: ReadyPorts,
  project: string,
  { summary, validate, dryRun }: { summary: string; validate: string; dryRun: boolean },
): Promise<ClaimFile> {
  const found = await ports.signals.read(project)
  if (found.kind !== 'claim')
    throw refused(
      found.kind === 'absent' ? 'No issue is claimed in this worktree' : found.why,
      found.kind === 'absent'
        ? 'Claim one: baton claim 42'
        : 'Fix the file, or delete it to release the claim.',
    )
  const { file } = found
  // If a pull request already exists, its title stays unless a new summary is given.
  const title = (summary || file.summary).replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  if (title === '')
    throw refused('A summary is missing', 'Run: baton claim ready --summary "what changes, in one line"')
  if (file.phase === 'done')
    throw refused(`Issue #${file.issue_number} is already done`, 'There is nothing to hand off.')
  // Agents may run this without approval and may edit the signal file, so it pushes only the branch of the claim.
  const record = await ports.claimOf(project)
  const own = record?.branch
  if (!record || own !== file.branch)
    throw refused(
      own === undefined
        ? 'Baton did not create the branch of this claim'
        : `The signal file names the branch ${file.branch}, but the claim's branch is ${own}`,
      'Push it by hand, then set "summary" and "phase": "ready_for_pr" in .agent-claim.json.',
    )
  await requireCleanBranch(ports, project, file)
  // The user's check may take half an hour, so a claim that is already lost fails before it.
  await ports.outside.check(record, 'push the branch')
  if (validate !== '') {
    const wrong = await ports.validate(validate, project)
    if (wrong !== undefined) throw refused(`\`${validate}\` fails`, wrong)
  }
  if (dryRun) return { ...file, summary: title.slice(0, 2000) }
  await ports.outside.pushBranch(record)
  const after = await ports.signals.change(project, now => ({
    ...now,
    summary: title.slice(0, 2000),
    // If a pull request already exists, the push was enough: Baton polls its checks again.
    ...(now.pr_number === null ? { phase: 'ready_for_pr' as const } : { last_check_poll: null }),
  }))
  if (!after)
    throw refused(
      `${CLAIM_FILE} is gone`,
      'The claim was released while this command ran. See `baton claim list`.',
    )
  return after
}

/** Throws unless the worktree is on the claim's branch, clean, and ahead of the base. */
async function requireCleanBranch(
  { git, work }: ReadyPorts,
  project: string,
  { branch }: ClaimFile,
): Promise<void> {
  const standing = await git.readPosition(project)
  if (!standing)
    throw refused(`${project} is not a git repository`, 'Run this inside the worktree of the claim.')
  if (standing.branch === undefined)
    throw refused('HEAD is detached', `Put your commits on the claim's branch: git switch ${branch}`)
  if (standing.branch !== branch)
    throw refused(
      `You are on ${standing.branch}, but the claim's branch is ${branch}`,
      `Run: git switch ${branch}`,
    )
  const dirty = standing.dirty.filter(path => path !== CLAIM_FILE)
  if (dirty.length > 0) {
    const shown = `${dirty.slice(0, 5).join(', ')}${dirty.length > 5 ? ', …' : ''}`
    throw refused(
      `There are uncommitted changes: ${shown}`,
      'Commit what belongs to the issue, and remove or ignore the rest.',
    )
  }
  if ((await work.ahead(project, await work.base(project))) === 0)
    throw refused(`${branch} has no commits of its own`, 'Commit the change first.')
}

const refused = (message: string, remedy: string) => new BatonError('claim_refused', message, { remedy })
