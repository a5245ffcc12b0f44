import type { Ask } from '@batonpass/contract/ask'
import type { Session } from '@batonpass/contract/session'
import type { PullRequestState, WorkReport, WorkStatus } from '@batonpass/contract/work'
import type { Forge } from '../../ports/forge.ts'
import type { GitPosition, WorktreePosition } from '../../ports/git.ts'
import { rowOf } from '../packs/paw/stage-table.ts'
import { describePosition, offers } from './next-stage.ts'
import { branchesOf, pullRequestsOf } from './pull-requests.ts'
import { renderReport } from './render-status.ts'
import { COMMENT_ROUTES, waitsForAnswer } from './resolve-command.ts'
import type { Binding, StageMemory } from './stage-memory.ts'
import { position } from './work-facts.ts'
import { describeWorkGrants } from './work-grant.ts'
import { checkWorkId } from './work-id.ts'
import { summaryOf, type WorkItem, type WorkItems } from './work-items.ts'

/** Where the status report gets its facts. Everything but the files may be missing and is then left out. */
export interface StatusPorts {
  items: WorkItems
  git: GitPosition
  forgeFor(project: string): Promise<Forge | undefined>
  asks?(project: string): Promise<Pick<Ask, 'id' | 'title'>[]>
  /** One line that says who holds the claim on the issue. */
  claimOf?(project: string): Promise<string | undefined>
  /** Sessions that work on an item, newest first. */
  sessionsOf?(project: string, workId: string): Promise<{ session: Session; binding: Binding }[]>
  /** Where it is recorded what the stages may do by themselves. */
  memory?: Pick<StageMemory, 'grant' | 'binding' | 'proof'>
}

/** Builds the status report ("where am I?") for the CLI, the MCP tool, the plugin and the editor. */
export async function workReport(ports: StatusPorts, project: string, given?: unknown): Promise<WorkReport> {
  const asked = given === undefined || given === null || given === '' ? undefined : checkWorkId(given)
  const git = await ports.git.readPosition(project)
  const all = await ports.items.list(project)
  const items = all.map(summaryOf)
  const item = asked === undefined ? detectWorkItem(all, git) : await ports.items.get(project, asked)
  const status = item && (await statusOf(ports, project, item, git))
  return { text: renderReport({ status, items }), ...(status ? { status } : {}), items }
}

/** The work item that the branch belongs to, or the only one. */
export function detectWorkItem(
  all: readonly WorkItem[],
  git: WorktreePosition | undefined,
): WorkItem | undefined {
  const branch = git?.branch
  const here = branch
    ? all.find(({ context }) => {
        const target = context.branch
        return (
          target !== '' && (branch === target || /^_(?:plan|docs|phase\d+)$/.test(ending(branch, target)))
        )
      })
    : undefined
  return here ?? (all.length === 1 ? all[0] : undefined)
}

const ending = (branch: string, target: string): string =>
  branch.startsWith(target) ? branch.slice(target.length) : ''

async function statusOf(
  ports: StatusPorts,
  project: string,
  item: WorkItem,
  git: WorktreePosition | undefined,
): Promise<WorkStatus> {
  const { workId, context } = item
  const [pulls, asks, claim, sessions, grants, proof] = await Promise.all([
    pullsOf(ports, project, item),
    ports.asks?.(project) ?? [],
    ports.claimOf?.(project),
    ports.sessionsOf?.(project, workId) ?? [],
    ports.memory ? describeWorkGrants(ports.memory, project, item) : [],
    ports.memory?.proof(project, workId),
  ])
  const finalPr = pulls.list.some(
    ({ kind, state }) => kind === 'final' && state !== 'not-found' && state !== 'closed',
  )
  const facts = { ...item.facts, finalPr }
  const comments = pulls.list.findLast(waitsForAnswer)
  const relevant = RELEVANT[facts.flow]
  return {
    project,
    workId,
    title: context.title || workId,
    mode: context.mode,
    strategy: context.strategy,
    workflow: context.workflow,
    stage: describePosition(facts, position(facts)),
    warnings: item.warnings,
    ...(facts.blocked === undefined ? {} : { blocked: facts.blocked }),
    artifacts: relevant.map(name => ({ name: `${name}.md`, present: facts.artifacts.has(name) })),
    phases: [...facts.phases],
    questions: facts.questions,
    // A review is about another author's branch, so it has no target branch here.
    ...(git ? { git: gitOf(git, facts.flow === 'build' ? context.branch : '') } : {}),
    pullRequests: pulls.list,
    ...(pulls.advice ? { pullRequestsAdvice: pulls.advice } : {}),
    ...(proof?.result ? { result: proof.result } : {}),
    asks: asks.map(({ id, title }) => ({ id, title })),
    ...(claim ? { claim } : {}),
    sessions: sessions.map(({ session, binding }) => ({
      session: session.id,
      nativeSession: session.nativeSession,
      ...(binding.stage ? { stage: binding.stage } : {}),
      live: session.endedAt === undefined,
      ...(session.context ? { context: contextOf(session.context) } : {}),
    })),
    ...(grants.length > 0 ? { grants } : {}),
    next: [
      ...(comments && facts.blocked === undefined ? [addressComments(comments)] : []),
      ...offers(undefined, facts),
    ],
    modifiedAt: new Date(item.modifiedMs).toISOString(),
  }
}

const RELEVANT = {
  build: ['Spec', 'SpecResearch', 'CodeResearch', 'ImplementationPlan', 'Docs'],
  'pr-review': ['DerivedSpec', 'CodeResearch', 'ImpactAnalysis', 'GapAnalysis', 'ReviewComments'],
} as const

function addressComments({ kind, number }: PullRequestState): WorkStatus['next'][number] {
  const [stage = 'implement'] = COMMENT_ROUTES[kind]
  return {
    command: 'address comments',
    agent: rowOf(stage).agent,
    what: `Answer the review comments on the ${kind} pull request${number ? ` #${number}` : ''}.`,
  }
}

const FORGE_MS = 8000

async function pullsOf(
  ports: StatusPorts,
  project: string,
  { context, facts }: WorkItem,
): Promise<{ list: PullRequestState[]; advice?: string }> {
  if (facts.flow !== 'build') return { list: [] }
  if (context.branch === '')
    return {
      list: [],
      advice:
        'WorkflowContext.md has no Target Branch, so Baton cannot look for pull requests. Add the line.',
    }
  const branches = branchesOf(context.branch, context.strategy, facts.phases)
  const missing = branches.map(about => ({ ...about, state: 'not-found' as const }))
  const looked = async () => {
    const forge = await ports.forgeFor(project)
    return forge && (await pullRequestsOf(forge, branches))
  }
  const late = new Promise<undefined>(resolve => {
    AbortSignal.timeout(FORGE_MS).addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const list = (await Promise.race([looked().catch(() => undefined), late])) ?? missing
  const none = list.every(({ state }) => state === 'not-found')
  return {
    list,
    ...(none
      ? { advice: 'If you expect one, check the remote, the branch and the token: baton doctor' }
      : {}),
  }
}

function gitOf(git: WorktreePosition, target: string): NonNullable<WorkStatus['git']> {
  const { branch, ahead, behind, dirty } = git
  const known = target === '' ? undefined : target
  const advice =
    branch === undefined
      ? `HEAD is detached. Run: git checkout ${known ?? '<Target Branch>'}`
      : known !== undefined && branch !== known && !branch.startsWith(`${known}_`)
        ? `This is not the work's branch. Run: git checkout ${known} (git checkout -b creates it)`
        : behind
          ? 'The upstream has commits that are missing here. Run: git pull'
          : undefined
  return {
    ...(branch ? { branch } : {}),
    detached: branch === undefined,
    ...(known ? { target: known } : {}),
    ...(ahead === undefined ? {} : { ahead }),
    ...(behind === undefined ? {} : { behind }),
    dirty: dirty.length,
    ...(advice ? { advice } : {}),
  }
}

function contextOf({ percent, zone, used }: NonNullable<Session['context']>): string {
  return percent === undefined ? `${used} tokens` : `${Math.round(percent)} % (${zone})`
}

/** For a handoff document: the last finished stage of the work item that the branch belongs to. */
export async function currentStageText(
  items: Pick<WorkItems, 'list'>,
  git: Pick<GitPosition, 'readPosition'>,
  root: string,
): Promise<string | undefined> {
  const all = await items.list(root)
  if (all.length === 0) return undefined
  const item = detectWorkItem(all, await git.readPosition(root))
  const at = item && position(item.facts)
  if (!item || !at) return undefined
  return `${item.workId}: ${at.stage}${at.phase === undefined ? '' : ` ${at.phase}`} done`
}
