import type { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { SessionId } from '@batonpass/contract/ids'
import type { Check, CheckList, IssueChecks, Proof, WorkflowChecks } from '@batonpass/contract/proof'
import type { Checkouts } from '../ports/checkouts.ts'
import { checksFrom, withKeptTests } from './declared-checks.ts'
import { deriveChecks, deriveSetup } from './derive-checks.ts'
import { withIssueChecks } from './issue-checks.ts'

export interface ProofOrder {
  project: string
  /** HEAD by default. */
  commit?: string | undefined
  /** Where the work began; by default where it left the default branch. */
  base?: string | undefined
  /** Where the work began according to Baton's own record: the agent has since been able to move branches. */
  since?: string | undefined
  session?: SessionId | undefined
  /** What the issue of the work adds. */
  issueChecks?: IssueChecks | undefined
  /** What the workflow of the work declares, in place of the project's checks. */
  workflowChecks?: WorkflowChecks | undefined
  /** The forge is asked later, because the commit is not there yet; people were asked about the branch. */
  isUnpushed?: boolean | undefined
  /** The caller opens the pull request as soon as only the forge is missing (`awaitsPullRequest`). */
  opensPullRequest?: boolean | undefined
  again?: boolean | undefined
}

export interface ChoicePorts {
  checkouts: Checkouts
  /** Where the work that led to a commit left the default branch of the remote; undefined if the remote does not say. */
  remoteBase(project: string, commit: string): Promise<string | undefined>
  configFor(project: string): Promise<Config>
  fault(during: string, cause: unknown): void
}

/** The checks that a proof of a commit runs, the commit, and where its work began. */
export async function chooseChecks(
  ports: ChoicePorts,
  order: ProofOrder,
): Promise<CheckList & Pick<Proof, 'later'>> {
  const { project, commit: wanted = 'HEAD', base: from, since, issueChecks, workflowChecks } = order
  const { checkouts, configFor } = ports
  const commit = await findCommit(ports, project, wanted)
  const base =
    from === undefined ? await baseOf(ports, project, commit, since) : await findCommit(ports, project, from)
  const { proof } = await configFor(project)
  const declared = workflowChecks
    ? checksFrom(
        workflowChecks.done_when,
        'workflow',
        `the workflow ${workflowChecks.workflow}`,
        proof.minutes,
      )
    : proof.done_when.length > 0
      ? checksFrom(proof.done_when, 'settings', 'proof.done_when', proof.minutes)
      : await deriveChecks(checkouts.tree(project, base), proof.minutes)
  const wantedChecks = withIssueChecks(declared, issueChecks, proof.minutes)
  const all = await withDefinitions(ports, wantedChecks, project, base)
  const complete = commit === base ? all : withKeptTests(all)
  const checks = order.isUnpushed
    ? complete.filter(check => !isOnForge(check) && check.kind !== 'person')
    : complete
  const onForge = complete.filter(isOnForge)
  const later =
    order.isUnpushed && onForge.length > 0
      ? { checks: onForge.some(check => check.checks), review: onForge.some(check => check.review) }
      : undefined
  const needed = checks.some(({ kind }) => kind === 'run')
  const setup =
    proof.setup === 'none' || !needed
      ? undefined
      : proof.setup || (await deriveSetup(checkouts.tree(project, commit)))
  return { checks, commit, base, ...(setup ? { setup } : {}), ...(later ? { later } : {}) }
}

export const isOnForge = (check: Check): check is Extract<Check, { kind: 'forge' }> => check.kind === 'forge'

/** A declared command that the repository defines, such as `npm test`, must still do what it did before the work. */
async function withDefinitions(
  { checkouts }: ChoicePorts,
  checks: Check[],
  project: string,
  base: string,
): Promise<Check[]> {
  if (!checks.some(check => check.kind === 'run' && check.definition === undefined)) return checks
  const known = await deriveChecks(checkouts.tree(project, base), 1)
  return checks.map(check => {
    const found = check.kind === 'run' && known.find(({ command }) => command === check.command)
    return found ? { ...check, definition: found.definition, definedIn: found.where } : check
  })
}

/** The full id of a commit. */
export async function findCommit(
  { checkouts }: Pick<ChoicePorts, 'checkouts'>,
  project: string,
  name: string,
): Promise<string> {
  const found = await checkouts.resolve(project, name)
  if (found !== undefined) return found
  throw new BatonError('not_found', `There is no commit ${name} in ${project}`, {
    remedy: 'Name a commit or branch, in a git repository with at least one commit.',
  })
}

/**
 * An agent can move local branches, also the copies of the remote ones. After a rebase the work starts from a newer commit
 * than the recorded one, so the remote itself is asked.
 */
async function baseOf(
  { checkouts, remoteBase, fault }: ChoicePorts,
  project: string,
  commit: string,
  since: string | undefined,
): Promise<string> {
  const found = await checkouts.findBase(project, commit)
  const recorded = since === undefined ? undefined : await checkouts.resolve(project, since)
  if (recorded === undefined || found === recorded) return found
  const confirmed = await remoteBase(project, commit).catch(cause => {
    fault('asking the remote for its default branch', cause)
    return undefined
  })
  // Work that is already merged is measured against where it began.
  return confirmed === undefined || confirmed === commit ? recorded : confirmed
}
