import { z } from 'zod'
import type { Check, CheckState } from '../../ports/forge.ts'
import { nodes } from './response-schemas.ts'

/** The fields to query for a commit's checks; `$number` selects which of them the pull request requires. */
export const checksFragment = `fragment Rollup on Commit {
  oid
  statusCheckRollup {
    contexts(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes {
        __typename
        ... on CheckRun {
          databaseId name status conclusion startedAt detailsUrl permalink isRequired(pullRequestNumber: $number)
          checkSuite { app { slug } workflowRun { event workflow { name } } }
        }
        ... on StatusContext { id context state targetUrl createdAt isRequired(pullRequestNumber: $number) }
      }
    }
  }
}`

const CheckRun = z.object({
  __typename: z.literal('CheckRun'),
  databaseId: z.number().nullish(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  startedAt: z.string().nullish(),
  detailsUrl: z.string().nullish(),
  permalink: z.string().nullish(),
  isRequired: z.boolean(),
  checkSuite: z
    .object({
      app: z.object({ slug: z.string() }).nullish(),
      workflowRun: z.object({ event: z.string(), workflow: z.object({ name: z.string() }) }).nullish(),
    })
    .nullish(),
})
const StatusContext = z.object({
  __typename: z.literal('StatusContext'),
  id: z.string(),
  context: z.string(),
  state: z.string(),
  targetUrl: z.string().nullish(),
  createdAt: z.string(),
  isRequired: z.boolean(),
})
const Context = z.discriminatedUnion('__typename', [CheckRun, StatusContext])
type Context = z.infer<typeof Context>

export const Rollup = z.object({
  oid: z.string(),
  statusCheckRollup: z
    .object({
      contexts: z
        .object({ pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }) })
        .and(nodes(Context).transform(list => ({ list }))),
    })
    .nullish(),
})
export type Rollup = z.infer<typeof Rollup>

export const contextsOf = (rollup: Rollup | undefined): Context[] =>
  rollup?.statusCheckRollup?.contexts.list ?? []

/** The cursor of the next page, if a commit has more checks than one answer contains. */
export function restOf(rollup: Rollup | undefined): string | undefined {
  const page = rollup?.statusCheckRollup?.contexts.pageInfo
  return page?.hasNextPage ? (page.endCursor ?? undefined) : undefined
}

/** Keeps only the latest run of each check, as GitHub's own page does. */
export function latestChecks(contexts: readonly Context[]): Check[] {
  const latest = new Map<string, { at: string; check: Check }>()
  for (const context of contexts) {
    const { key, at, check } = checkOf(context)
    const known = latest.get(key)
    if (!known || at >= known.at) latest.set(key, { at, check })
  }
  return [...latest.values()].map(({ check }) => check)
}

function checkOf(context: Context): { key: string; at: string; check: Check } {
  if (context.__typename === 'StatusContext') {
    const check: Check = {
      id: `status:${context.id}`,
      name: context.context,
      state: statusStates[context.state] ?? 'unknown',
      detail: context.state.toLowerCase(),
      url: context.targetUrl ?? undefined,
      required: context.isRequired,
    }
    return { key: `status ${context.context}`, at: context.createdAt, check }
  }
  const { workflowRun, app } = context.checkSuite ?? {}
  const isDone = context.status === 'COMPLETED'
  const workflow = workflowRun?.workflow.name
  const check: Check = {
    id: `${app?.slug === 'github-actions' ? 'job' : 'run'}:${context.databaseId ?? ''}`,
    name: workflow && workflow !== context.name ? `${workflow} / ${context.name}` : context.name,
    state: isDone ? (conclusions[context.conclusion ?? ''] ?? 'unknown') : waiting(context.status),
    detail: (isDone ? (context.conclusion ?? 'no conclusion') : context.status).toLowerCase(),
    url: context.detailsUrl ?? context.permalink ?? undefined,
    required: context.isRequired,
  }
  // A queued run has no start time yet: it is the newest.
  const at = context.startedAt ?? (isDone ? '' : '9999')
  return { key: `run ${app?.slug}/${workflow}/${workflowRun?.event}/${context.name}`, at, check }
}

function waiting(status: string): CheckState {
  return ['QUEUED', 'IN_PROGRESS', 'PENDING', 'REQUESTED', 'WAITING'].includes(status) ? 'pending' : 'unknown'
}

const conclusions: Record<string, CheckState> = {
  SUCCESS: 'passed',
  NEUTRAL: 'passed',
  SKIPPED: 'passed',
  FAILURE: 'failed',
  CANCELLED: 'failed',
  TIMED_OUT: 'failed',
  ACTION_REQUIRED: 'failed',
  STARTUP_FAILURE: 'failed',
}

const statusStates: Record<string, CheckState> = {
  SUCCESS: 'passed',
  FAILURE: 'failed',
  ERROR: 'failed',
  PENDING: 'pending',
  EXPECTED: 'pending',
}
