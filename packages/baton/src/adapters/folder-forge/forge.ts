import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  type Board,
  type BoardItem,
  type BoardOutcome,
  checksOf,
  ForgeError,
  type Issue,
  type IssueSummary,
  type PullRequest,
} from '../../ports/forge.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import { type FolderIssue, FolderPeople, type FolderPull, FolderState } from './state.ts'

const run = promisify(execFile)

/**
 * A forge in a folder: `origin.git` and two JSON files, for trying Baton without a network, as the tour does.
 * `forge.json` is Baton's side; `people.json` is what people and CI do (checks, merges).
 */
export function folderForge(folder: string, files: SmallFiles): WritableForge {
  let last: Promise<unknown> = Promise.resolve()
  /** Runs one change at a time: each reads, changes and writes the whole file. */
  function change<T>(work: (state: FolderState) => T | Promise<T>): Promise<T> {
    const next = last.then(async () => {
      const state = await read()
      const result = await work(state)
      await files.write(folder, 'forge.json', `${JSON.stringify(state, null, 2)}\n`)
      return result
    })
    last = next.catch(() => {})
    return next
  }
  const read = async (): Promise<FolderState> => parsed(FolderState, 'forge.json')
  const people = async (): Promise<FolderPeople> => parsed(FolderPeople, 'people.json')

  async function parsed<T>(shape: { parse(value: unknown): T }, name: string): Promise<T> {
    const found = await files.read(folder, name)
    if (found.kind === 'refused') throw new ForgeError('unreachable', found.why)
    try {
      return shape.parse(found.kind === 'absent' ? {} : JSON.parse(found.text))
    } catch (cause) {
      throw new ForgeError('unreachable', `Cannot read ${name} of the folder forge`, { cause })
    }
  }

  const issueIn = (state: FolderState, number: number): FolderIssue => {
    const found = state.issues.find(issue => issue.number === number)
    if (!found) throw new ForgeError('not-found', `There is no issue #${number}`)
    return found
  }
  const url = (kind: 'issues' | 'pull', number: number) =>
    `file://${folder}/forge.json#${kind === 'pull' ? 'pr-' : ''}${number}`

  function summary(issue: FolderIssue): IssueSummary {
    const { number, title, state, labels, assignees, author, createdAt } = issue
    return { number, title, url: url('issues', number), state, labels, assignees, author, createdAt }
  }

  function item(issue: FolderIssue): BoardItem {
    const { title, labels, assignees, state, status, agent } = issue
    const link = url('issues', issue.number)
    const about = { title, url: link, state, status, agent, labels, assignees }
    return { id: `item-${issue.number}`, issue: issue.number, kind: 'issue', ...about }
  }

  async function pullOf(pull: FolderPull): Promise<PullRequest> {
    const { merged, closed } = await people()
    const state =
      (merged[pull.number] ?? pull.mergedAt) ? 'merged' : closed.includes(pull.number) ? 'closed' : 'open'
    const headSha = state === 'open' ? ((await head(pull.branch)) ?? pull.headSha) : pull.headSha
    const { number, title, draft, branch, base } = pull
    return {
      number,
      url: url('pull', number),
      title,
      state,
      draft,
      branch,
      base,
      headSha,
      mergeable: 'yes',
    }
  }

  async function newest(state: FolderState, branch: string): Promise<PullRequest | undefined> {
    const all = await Promise.all(
      state.pulls
        .filter(pull => pull.branch === branch)
        .reverse()
        .map(pullOf),
    )
    return all.find(pull => pull.state === 'open') ?? all[0]
  }

  async function head(branch: string): Promise<string | undefined> {
    // A name from an agent must not be parsed as an option or a range.
    if (!/^[A-Za-z0-9][\w./-]{0,200}$/.test(branch) || branch.includes('..')) return undefined
    const args = ['--git-dir', `${folder}/origin.git`, 'rev-parse', '--verify', '--quiet']
    const found = await run('git', [...args, `refs/heads/${branch}`]).catch(() => undefined)
    return found?.stdout.trim() || undefined
  }

  /** Moves the base from the commit that was read, so that a push at the same moment is not lost. Returns the time. */
  async function mergeBranch(
    { number, base, headSha, title }: FolderPull,
    method: 'merge' | 'squash',
  ): Promise<number> {
    const git = async (...args: string[]) =>
      (
        await run('git', ['--git-dir', `${folder}/origin.git`, '-c', 'user.name=you', ...args], {
          env: { ...process.env, EMAIL: 'you@localhost' },
        })
      ).stdout.trim()
    const onto = await head(base)
    if (!onto) throw new ForgeError('not-found', `There is no branch ${base}`)
    // After a crash the base may have it already.
    const has = await git('merge-base', '--is-ancestor', headSha, onto).then(
      () => true,
      () => false,
    )
    const timeOf = async (commit: string) => Number(await git('show', '-s', '--format=%ct', commit)) * 1000
    if (has) return timeOf(onto)
    const tree = await git('merge-tree', '--write-tree', onto, headSha).catch(() => {
      throw new ForgeError('refused', `#${number} conflicts with ${base}`)
    })
    const parents = method === 'merge' ? ['-p', onto, '-p', headSha] : ['-p', onto]
    const commit = await git('commit-tree', tree, ...parents, '-m', `${title} (#${number})`)
    await git('update-ref', `refs/heads/${base}`, commit, onto)
    return timeOf(commit)
  }

  async function board(): Promise<Board> {
    const { owner, name, statuses } = await read()
    return { id: 'board', owner, number: 1, title: name, url: `file://${folder}`, statuses, hasAgent: true }
  }

  return {
    repository: { host: 'folder', owner: 'you', name: 'project' },
    me: async () => 'you',
    async issue(number): Promise<Issue> {
      const state = await read()
      const issue = issueIn(state, number)
      const blockedBy = issue.blockedBy.filter(other =>
        state.issues.some(({ number, state }) => number === other && state === 'open'),
      )
      return {
        ...summary(issue),
        body: issue.body,
        blockedBy,
        blockedElsewhere: [],
        boardItem: item(issue),
      }
    },
    async findIssue({ titleStart, label, state: wanted = 'open', author, createdSince }) {
      const { issues } = await read()
      const found = issues.findLast(
        issue =>
          (titleStart === undefined || issue.title.toLowerCase().startsWith(titleStart.toLowerCase())) &&
          (label === undefined || issue.labels.includes(label)) &&
          (wanted === 'any' || issue.state === wanted) &&
          (author === undefined || issue.author === author) &&
          (createdSince === undefined || issue.createdAt >= createdSince),
      )
      return found && summary(found)
    },
    assign: (number, logins) =>
      change(state => {
        const issue = issueIn(state, number)
        issue.assignees = [...new Set([...issue.assignees, ...logins])]
        return issue.assignees
      }),
    openIssues: async label => {
      const { issues } = await read()
      const open = issues.filter(issue => issue.state === 'open')
      return open.filter(issue => label === undefined || issue.labels.includes(label)).map(summary)
    },
    unassign: (number, logins) =>
      change(state => {
        const issue = issueIn(state, number)
        issue.assignees = issue.assignees.filter(login => !logins.includes(login))
      }),
    closeIssue: (number, { comment, marker }) =>
      change(state => {
        const issue = issueIn(state, number)
        const closed = issue.state === 'open'
        const commented = !issue.comments.some(known => known.marker === marker)
        if (commented) issue.comments.push({ marker, text: comment })
        issue.state = 'closed'
        return { closed, commented }
      }),

    pullRequestFor: async branch => newest(await read(), branch),
    createPullRequest: ({ branch, base = 'main', title, body, draft = false }) =>
      change(async state => {
        const headSha = await head(branch)
        if (!headSha)
          throw new ForgeError('not-found', `The branch ${branch} is not on the remote`, {
            remedy: `Push it with \`git push -u origin ${branch}\`.`,
          })
        const known = await newest(state, branch)
        if (known && (known.state === 'open' || known.headSha === headSha))
          return { ...known, created: false }
        if (headSha === (await head(base)))
          throw new ForgeError('refused', `No commits between ${base} and ${branch}`)
        const number =
          Math.max(0, ...state.pulls.map(pull => pull.number), ...state.issues.map(i => i.number)) + 1
        const pull = { number, branch, base, headSha, title, body, draft }
        state.pulls.push(pull)
        return { ...(await pullOf(pull)), created: true }
      }),
    async pullRequest(number) {
      const pull = (await read()).pulls.find(pull => pull.number === number)
      if (!pull) throw new ForgeError('not-found', `There is no pull request #${number}`)
      const { checks, merged, approved } = await people()
      const all = (checks[number] ?? []).map(({ name, state }) => ({
        id: name,
        name,
        state,
        detail: state,
        url: undefined,
        required: true,
      }))
      return {
        ...(await pullOf(pull)),
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
      const pull = (await read()).pulls.find(pull => pull.number === number)
      if (!pull) throw new ForgeError('not-found', `There is no pull request #${number}`)
      return pull.body
    },
    rewritePullRequest: (number, rewrite) =>
      change(state => {
        const pull = state.pulls.find(pull => pull.number === number)
        if (!pull) throw new ForgeError('not-found', `There is no pull request #${number}`)
        pull.body = rewrite(pull.body)
      }),
    mergeQueue: async () => 'absent',
    enqueuePullRequest: async () => {
      throw new ForgeError('unsupported', 'A folder forge has no merge queue')
    },
    mergePullRequest: (number, { headSha, method }) =>
      change(async state => {
        const pull = state.pulls.find(pull => pull.number === number)
        if (!pull) throw new ForgeError('not-found', `There is no pull request #${number}`)
        const now = await pullOf(pull)
        if (now.state === 'merged') return
        if (now.state === 'closed' || now.draft) throw new ForgeError('refused', `#${number} is not open`)
        if (now.headSha !== headSha) throw new ForgeError('conflict', `The head of #${number} has moved`)
        pull.headSha = headSha
        pull.mergedAt = await mergeBranch(pull, method)
      }),
    // There are no reviewers in a folder forge.
    requestReviews: async () => {},
    checkLog: async () => undefined,

    board,
    boardItems: async () => (await read()).issues.map(item),
    setOnBoard: (number, { status, agent }) =>
      change((state): BoardOutcome => {
        const issue = issueIn(state, number)
        if (agent !== undefined) issue.agent = agent || undefined
        const option = state.statuses.find(name => name.toLowerCase() === status?.toLowerCase())
        if (status !== undefined && !option)
          return { done: false, why: 'no-such-status', missing: `the Status "${status}"` }
        if (option) issue.status = option
        return { done: true, item: `item-${number}` }
      }),
    ensureBoard: async ({ statuses }) =>
      change(async state => {
        const missing = statuses.filter(status => !state.statuses.includes(status))
        state.statuses.push(...missing)
        return {
          board: { ...(await board()), statuses: state.statuses },
          made: missing.map(status => `the Status "${status}"`),
        }
      }),
  }
}
