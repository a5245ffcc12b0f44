import { checksOf, ForgeError, type PullRequest } from '../../ports/forge.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import { headOf, mergeBranch } from './branches.ts'
import type { ForgeFolder } from './folder.ts'
import type { FolderPull, FolderState } from './state.ts'

type PullRequests = Pick<
  WritableForge,
  | 'pullRequestFor'
  | 'createPullRequest'
  | 'pullRequest'
  | 'pullRequestText'
  | 'requestReviews'
  | 'rewritePullRequest'
  | 'mergeQueue'
  | 'mergePullRequest'
  | 'enqueuePullRequest'
>

export const folderPullRequests = (folder: ForgeFolder): PullRequests => ({
  pullRequestFor: async branch => newestPull(await folder.read(), branch, folder),
  createPullRequest: ({ branch, base = 'main', title, body, draft = false }) =>
    folder.change(async state => {
      const headSha = await headOf(folder.path, branch)
      if (!headSha)
        throw new ForgeError('not-found', `The branch ${branch} is not on the remote`, {
          remedy: `Push it with \`git push -u origin ${branch}\`.`,
        })
      const known = await newestPull(state, branch, folder)
      if (known && (known.state === 'open' || known.headSha === headSha)) return { ...known, created: false }
      if (headSha === (await headOf(folder.path, base)))
        throw new ForgeError('refused', `No commits between ${base} and ${branch}`)
      const number =
        Math.max(0, ...state.pulls.map(pull => pull.number), ...state.issues.map(i => i.number)) + 1
      const pull = { number, branch, base, headSha, title, body, draft }
      state.pulls.push(pull)
      return { ...(await pullOf(pull, folder)), created: true }
    }),
  async pullRequest(number) {
    const pull = pullIn(await folder.read(), number)
    const { checks, merged, approved } = await folder.people()
    const all = (checks[number] ?? []).map(({ name, state }) => ({
      id: name,
      name,
      state,
      detail: state,
      url: undefined,
      required: true,
    }))
    return {
      ...(await pullOf(pull, folder)),
      review: approved[number] ? 'approved' : 'none',
      reviews: [],
      threads: [],
      requested: [],
      approvedCommits: approved[number] ?? [],
      checks: checksOf(all),
      mergedAt: merged[number] ?? pull.mergedAt,
    }
  },
  async pullRequestText(number) {
    const pull = pullIn(await folder.read(), number)
    return pull.body
  },
  rewritePullRequest: (number, rewrite) =>
    folder.change(state => {
      const pull = pullIn(state, number)
      pull.body = rewrite(pull.body)
    }),
  mergeQueue: async () => 'absent',
  enqueuePullRequest: async () => {
    throw new ForgeError('unsupported', 'A folder forge has no merge queue')
  },
  mergePullRequest: (number, { headSha, method }) =>
    folder.change(async state => {
      const pull = pullIn(state, number)
      const now = await pullOf(pull, folder)
      if (now.state === 'merged') return
      if (now.state === 'closed' || now.draft) throw new ForgeError('refused', `#${number} is not open`)
      if (now.headSha !== headSha) throw new ForgeError('conflict', `The head of #${number} has moved`)
      pull.headSha = headSha
      pull.mergedAt = await mergeBranch(folder.path, pull, method)
    }),
  // There are no reviewers in a folder forge.
  requestReviews: async () => {},
})

function pullIn({ pulls }: FolderState, number: number): FolderPull {
  const found = pulls.find(pull => pull.number === number)
  if (!found) throw new ForgeError('not-found', `There is no pull request #${number}`)
  return found
}

async function pullOf(pull: FolderPull, folder: ForgeFolder): Promise<PullRequest> {
  const { merged, closed } = await folder.people()
  const state =
    (merged[pull.number] ?? pull.mergedAt) ? 'merged' : closed.includes(pull.number) ? 'closed' : 'open'
  const headSha = state === 'open' ? ((await headOf(folder.path, pull.branch)) ?? pull.headSha) : pull.headSha
  const { number, title, draft, branch, base } = pull
  return {
    number,
    url: `file://${folder.path}/forge.json#pr-${number}`,
    title,
    state,
    draft,
    branch,
    base,
    headSha,
    mergeable: 'yes',
  }
}

async function newestPull(
  state: FolderState,
  branch: string,
  folder: ForgeFolder,
): Promise<PullRequest | undefined> {
  const all = await Promise.all(
    state.pulls
      .filter(pull => pull.branch === branch)
      .reverse()
      .map(pull => pullOf(pull, folder)),
  )
  return all.find(pull => pull.state === 'open') ?? all[0]
}
