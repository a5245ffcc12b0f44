import { z } from 'zod'
import { ForgeError, type MergeRequest, type PullRequestStatus } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import type { Connection } from './connection.ts'
import { enqueueDocument, QueueAnswer, queueDocument } from './pull-documents.ts'

type Merging = Pick<WritableForge, 'mergeQueue' | 'mergePullRequest' | 'enqueuePullRequest'>

/** Merges pull requests, at once or through GitHub's own merge queue. */
export function pullMerges(
  connection: Connection,
  { owner, name: repo }: RepositoryRef,
  pullRequest: (number: number) => Promise<PullRequestStatus>,
): Merging {
  async function queueState(number: number) {
    try {
      const answer = await connection.query(queueDocument, { owner, repo, number }, QueueAnswer)
      const pull = answer.repository?.pullRequest
      if (!pull) throw new ForgeError('not-found', `There is no pull request #${number} in ${owner}/${repo}`)
      return pull
    } catch (error) {
      // An older GitHub Enterprise has no merge queue.
      if (error instanceof ForgeError && error.trouble === 'unsupported') return undefined
      throw error
    }
  }

  async function mergeQueue(number: number): Promise<'absent' | 'queued' | 'not-queued'> {
    const state = await queueState(number)
    return !state?.isMergeQueueEnabled ? 'absent' : state.isInMergeQueue ? 'queued' : 'not-queued'
  }

  async function mergePullRequest(number: number, { headSha, method }: MergeRequest): Promise<void> {
    try {
      await connection.send(
        'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
        { owner, repo, pull_number: number, sha: headSha, merge_method: method },
        z.object({ merged: z.literal(true) }),
      )
    } catch (error) {
      // The answer of an earlier call may have been lost.
      if (!(error instanceof ForgeError)) throw error
      if ((await pullRequest(number)).state === 'merged') return
      // GitHub says 405 for this, too, but it passes.
      throw /base branch was modified/i.test(error.message)
        ? new ForgeError('conflict', error.message, { cause: error })
        : error
    }
  }

  async function enqueuePullRequest(number: number, headSha: string): Promise<void> {
    const state = await queueState(number)
    if (!state) throw new ForgeError('unsupported', 'This GitHub server has no merge queue')
    if (state.isInMergeQueue) return
    await connection.query(enqueueDocument, { id: state.id, head: headSha }, z.unknown())
  }

  return { mergeQueue, mergePullRequest, enqueuePullRequest }
}
