import { Grant, type GrantKind } from '@batonpass/contract/grant'
import { SessionId } from '@batonpass/contract/ids'
import { ReviewStrategy, type StageName, WorkId } from '@batonpass/contract/work'
import { z } from 'zod'
import { describeGrant } from '../../permission/grants/grants-in-force.ts'
import { recordGrant } from '../../permission/grants/record-grant.ts'
import type { GrantFacts } from '../../ports/grant-facts.ts'
import type { WorkflowContext } from '../packs/paw/context-file.ts'
import { rowOf } from '../packs/paw/stage-table.ts'
import { WORK, type WorkItem } from './work-items.ts'

/** What the stages of a work item may do by themselves: Baton's own record of how the work was when a person began it. */
export const WorkGrant = z.object({
  project: z.string(),
  workId: WorkId,
  /** The session that works on it now; sessions of earlier stages may do nothing more. */
  session: SessionId,
  /** With the Target Branch as its branch. */
  grant: Grant,
  strategy: ReviewStrategy,
  /** The lines of WorkflowContext.md at the beginning. Another value ends the grant. */
  said: z.object({ branch: z.string(), remote: z.string(), issue: z.string() }),
  /** Pull requests that its stages created, by branch. */
  pulls: z.record(z.string(), z.number().int().positive()).default({}),
  /** Its last stage is over. */
  ended: z.boolean().default(false),
})
export type WorkGrant = z.infer<typeof WorkGrant>

/** Records what the stages may do, when a person begins the work. */
export async function recordWorkGrant(
  grantFacts: GrantFacts,
  { project, workId, session }: Pick<WorkGrant, 'project' | 'workId' | 'session'>,
  { context, facts }: Pick<WorkItem, 'context' | 'facts'>,
): Promise<WorkGrant | undefined> {
  const here = await grantFacts.read(project)
  const isReview = facts.flow === 'pr-review'
  // No branch has an empty name, so it covers none.
  const branch = !isReview && isOwnName(context.branch, workId, here?.branch) ? context.branch : ''
  const grant = await recordGrant(
    {
      job: `work ${workId}`,
      may: isReview ? ['read'] : ['read', 'push', 'rebase', 'pull-request', 'issue-comment'],
      project,
      branch,
      remote: context.remote,
      work: workId,
    },
    grantFacts,
  )
  if (!grant) return undefined
  const issue = isReview ? undefined : issueIn(context.issue, grant)
  return {
    project,
    workId,
    session,
    grant: { ...grant, ...(issue === undefined ? {} : { issue }) },
    strategy: context.strategy,
    said: saidIn(context),
    pulls: {},
    ended: false,
  }
}

/** A file may name any branch. Its own is one with its Work ID, or the one that is checked out when the work begins. */
const isOwnName = (branch: string, workId: string, current: string | undefined): boolean =>
  branch === current || branch.split('/').at(-1) === workId

const saidIn = ({ branch, remote, issue }: WorkflowContext): WorkGrant['said'] => ({ branch, remote, issue })

/** The number of an issue of this repository. */
function issueIn(text: string, { repository }: Grant): number | undefined {
  const [, where, number] = /^(?:https:\/\/(.+)\/issues\/|#?)(\d{1,9})$/i.exec(text.trim()) ?? []
  return where === undefined || where.toLowerCase() === repository ? Number(number) || undefined : undefined
}

/** What a stage is told to do, beyond reading. */
const MAY: Partial<Record<StageName, readonly GrantKind[]>> = {
  spec: ['issue-comment'],
  plan: ['issue-comment'],
  implement: ['rebase'],
  review: ['rebase', 'push', 'pull-request'],
  pr: ['rebase', 'push', 'pull-request', 'issue-comment'],
}
/** The same where the plan and the documentation have pull requests of their own. */
const MAY_WITH_PRS: typeof MAY = {
  ...MAY,
  plan: ['rebase', 'push', 'pull-request', 'issue-comment'],
  docs: ['rebase', 'push', 'pull-request'],
}

/**
 * The grants of a session of staged work, one for each branch that its stage works on. The files of the work item can end
 * them, and never add to them.
 */
export function workGrantsNow(
  record: WorkGrant,
  {
    session,
    stage,
    phase,
  }: { session: SessionId; stage?: StageName | undefined; phase?: number | undefined },
  item: Pick<WorkItem, 'context' | 'facts'> | undefined,
): Grant[] {
  const { grant, said, strategy, pulls, workId } = record
  if (record.ended || record.session !== session || !item) return []
  const { context, facts } = item
  if (facts.complete || facts.blocked !== undefined || context.strategy !== strategy) return []
  const now = saidIn(context)
  if (now.branch !== said.branch || now.remote !== said.remote || now.issue !== said.issue) return []
  // Before its first stage, a session may only hand over.
  if (!stage) return [{ ...grant, may: [], files: [] }]
  const wanted = (strategy === 'prs' ? MAY_WITH_PRS : MAY)[stage] ?? []
  const may = grant.may.filter(kind => kind === 'read' || wanted.includes(kind))
  const made = rowOf(stage).makes ?? (stage === 'implement' || stage === 'review' ? 'ImplementationPlan' : [])
  const files = [made, 'WorkflowContext'].flat().map(name => `${WORK}/${workId}/${name}.md`)
  return branchesOfStage(record, stage, phase).map(branch => {
    const { branch: target, pullRequest, ...rest } = grant
    const pull = branch === undefined ? undefined : pulls[branch]
    const onto = target && branch !== target && grant.remote ? [`${grant.remote}/${target}`] : []
    return {
      ...rest,
      may,
      files,
      bases: [...grant.bases, ...onto],
      ...(branch === undefined ? {} : { branch }),
      ...(pull === undefined ? {} : { pullRequest: pull }),
    }
  })
}

/** The branches of a stage: with the review strategy `prs`, each part has its own next to the Target Branch. */
function branchesOfStage(
  { grant: { branch }, strategy }: WorkGrant,
  stage: StageName,
  phase: number | undefined,
): (string | undefined)[] {
  if (branch === undefined || strategy !== 'prs') return [branch]
  if (stage === 'plan') return [`${branch}_plan`]
  if (stage === 'docs') return [`${branch}_docs`]
  const isPhase = (stage === 'implement' || stage === 'review') && phase !== undefined
  return isPhase ? [`${branch}_phase${phase}`, branch] : [branch]
}

interface Memory {
  grant(project: string, workId: string): Promise<WorkGrant | undefined>
  binding(session: string): Promise<Parameters<typeof workGrantsNow>[1] | undefined>
}

/** What the session that works on an item may do by itself. */
export async function workGrantsOf(memory: Memory, project: string, item: WorkItem): Promise<Grant[]> {
  const record = await memory.grant(project, item.workId)
  const binding = record && (await memory.binding(record.session))
  return binding ? workGrantsNow(record, binding, item) : []
}

/** The same, as people read it. */
export const describeWorkGrants = async (...about: Parameters<typeof workGrantsOf>): Promise<string[]> => [
  ...new Set((await workGrantsOf(...about)).flatMap(describeGrant)),
]
