import type { PullRequestState, WorkPhase } from '@batonpass/contract/work'
import type { Forge, PullRequestStatus } from '../../ports/forge.ts'

/** The branches of a work item that may have pull requests. */
export function branchesOf(
  target: string,
  strategy: 'local' | 'prs',
  phases: readonly WorkPhase[],
): Pick<PullRequestState, 'kind' | 'branch' | 'phase'>[] {
  const final = { kind: 'final' as const, branch: target }
  if (strategy === 'local') return [final]
  return [
    { kind: 'planning', branch: `${target}_plan` },
    // Only phases that can have a pull request: each one costs a call.
    ...phases
      .filter(({ state }) => state !== 'open')
      .slice(-MAX_PHASES)
      .map(({ number }) => ({ kind: 'phase' as const, branch: `${target}_phase${number}`, phase: number })),
    { kind: 'docs', branch: `${target}_docs` },
    final,
  ]
}

const MAX_PHASES = 10

/** Finds the pull requests of a work item. One that cannot be read for any reason is `not-found`, not an error. */
export async function pullRequestsOf(
  forge: Forge,
  branches: readonly Pick<PullRequestState, 'kind' | 'branch' | 'phase'>[],
): Promise<PullRequestState[]> {
  return Promise.all(
    branches.map(async about => {
      try {
        const found = await forge.pullRequestFor(about.branch)
        if (!found) return { ...about, state: 'not-found' as const }
        const { number, url, title, state } = found
        const known = { ...about, number, url, title, state }
        // Show the pull request even if its reviews cannot be read.
        const more = state === 'open' ? await forge.pullRequest(number).catch(() => undefined) : undefined
        return more ? { ...known, ...reviewOf(more) } : known
      } catch {
        return { ...about, state: 'not-found' as const }
      }
    }),
  )
}

function reviewOf({ review, checks, threads, reviews }: PullRequestStatus): Partial<PullRequestState> {
  return {
    review,
    checks: checks.verdict,
    comments: {
      unresolved: threads.length,
      outdated: threads.filter(({ outdated }) => outdated).length,
      changesRequested: reviews.flatMap(({ state, author }) =>
        state === 'changes-requested' ? (author ?? 'an unknown reviewer') : [],
      ),
      where: threads
        .slice(-MAX_PLACES)
        .map(({ path, line }) => (line === undefined ? path : `${path}:${line}`)),
    },
  }
}

const MAX_PLACES = 20
