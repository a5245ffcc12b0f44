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
  /** Checks the lease before it does anything; where git cannot log in, it pushes by another way. */
  outside: Pick<FencedActions, 'check' | 'pushBranch'>
  /** The claim of a worktree whose branch Baton itself made. */
  claimOf(project: string): Promise<ClaimRecord | undefined>
  /** Runs the person's own check; gives the end of its output where it fails. */
  validate(command: string, project: string): Promise<string | undefined>
}

/** Hands a claimed branch off: checks it, pushes it, and says so in the signal file. Nothing is pushed that does not hold. */
export async function makeReady(
  ports: ReadyPorts,
  project: string,
  { summary, validate, dryRun }: { summary: string; validate: string; dryRun: boolean },
): Promise<ClaimFile> {
  const found = await ports.signals.read(project)
  if (found.kind !== 'claim')
    throw refused(
      found.kind === 'absent' ? 'No issue is claimed in this worktree' : found.why,
      found.kind === 'absent' ? 'Claim one: baton claim 42' : 'Mend the file, or delete it.',
    )
  const { file } = found
  // With a pull request there already, its title stays unless another one is given.
  const title = (summary || file.summary).replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  if (title === '')
    throw refused('A summary is missing', 'baton claim ready --summary "what changes, in one line"')
  if (file.phase === 'done')
    throw refused(`Issue #${file.issue_number} is done already`, 'There is nothing to hand off.')
  // Agents may run this without a question, and may edit the file: no other branch is pushed by it.
  const record = await ports.claimOf(project)
  const own = record?.branch
  if (!record || own !== file.branch)
    throw refused(
      own === undefined
        ? 'Baton did not make the branch of this claim'
        : `The signal file names the branch ${file.branch}, and the claim's is ${own}`,
      'Push it by hand, then set "summary" and "phase": "ready_for_pr" in .agent-claim.json.',
    )
  await standsWell(ports, project, file)
  // A check of the person's may take half an hour: a claim that is lost already ends here.
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
    // With a pull request there already, the push was all: its checks are followed anew.
    ...(now.pr_number === null ? { phase: 'ready_for_pr' as const } : { last_check_poll: null }),
  }))
  if (!after) throw refused(`${CLAIM_FILE} is gone`, 'Somebody released the claim meanwhile.')
  return after
}

async function standsWell({ git, work }: ReadyPorts, project: string, { branch }: ClaimFile): Promise<void> {
  const standing = await git.readPosition(project)
  if (!standing) throw refused(`${project} is no git repository`, 'Run it inside the worktree of the claim.')
  if (standing.branch === undefined)
    throw refused('HEAD is detached', `Put your commits on the claim's branch: git switch ${branch}`)
  if (standing.branch !== branch)
    throw refused(
      `You are on ${standing.branch}, and the claim's branch is ${branch}`,
      `git switch ${branch}`,
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
    throw refused(`${branch} has no commit that the base has not`, 'Commit the change first.')
}

const refused = (message: string, remedy: string) => new BatonError('claim_refused', message, { remedy })
