import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BoardSeed, Boards, type FakeBoard } from './github/boards.ts'
import { type CallMatch, type Fault, type GateCall, matches, openGate } from './github/gate.ts'
import { type BareRepository, bareRepository } from './github/git.ts'
import {
  type Person,
  people,
  type RestCheckRun,
  type RestIssue,
  type RestPull,
  startRest,
} from './github/rest.ts'
import type { World } from './github/world.ts'
import { scratch } from './scratch.ts'

/**
 * A GitHub on loopback: REST by emulate, GraphQL validated by GitHub's own schema over the same state,
 * boards, git over HTTP into real bare repositories, webhooks, and trouble on demand.
 */
export interface FakeGitHub extends AsyncDisposable {
  url: string
  /** The API's address; `${url}/api/v3` is the same in the form of GitHub Enterprise. */
  apiUrl: string
  /** The token of `dev`; of the others by name. */
  token: string
  tokens: Readonly<Record<Person, string>>
  /** The first repository; more by name. */
  repository: FakeRepository
  repositoryNamed(fullName: string): FakeRepository

  board(seed: BoardSeed): FakeBoardHandle
  /** Whether tokens may see boards; true at first. */
  showBoards(visible: boolean): void

  /** Whether GitHub is still working out if pull requests merge; false at first. */
  stillComputing(yes: boolean): void

  /** Every API call in order; git's own traffic is not among them. */
  calls: readonly GateCall[]
  /** How many calls `work` makes. */
  counting<T>(work: () => Promise<T>): Promise<{ result: T; calls: GateCall[] }>
  /** The next calls that match fail; all calls unless told which. */
  failNext(fault: Fault, options?: { times?: number; match?: CallMatch; retryAfter?: number }): void
  /** Lets everything work again. */
  heal(): void
  /** Acts before a matching call is carried out, or after it and before its answer. For killing things at the worst moment. */
  on(when: 'before' | 'after', match: CallMatch, act: (call: GateCall) => void | Promise<void>): void

  /** The same around a push of git. */
  onPush(when: 'before' | 'after', act: () => void | Promise<void>): void

  /** What the real GitHub would not have served, or the fake cannot. */
  failures: readonly string[]
  /** Throws when there are any. */
  assertClean(): void
  close(): Promise<void>
}

export interface FakeRepository {
  fullName: string
  /** For `git clone` and `git push`, with the token in it as its user is. */
  remote: string
  /** The same without a token. */
  address: string
  git: BareRepository
  issue(seed?: IssueSeed): Promise<number>
  issueNow(number: number): Promise<RestIssue & { comments: string[] }>
  /** As a person does it by hand. */
  closeIssue(number: number): Promise<void>
  /** Moves an issue to another repository; gives its number there. */
  transfer(number: number, to: string, how?: { followed: boolean }): Promise<number>
  blockedBy(number: number, ...others: (number | string)[]): void
  pull(seed: { branch: string; title?: string; body?: string; as?: Person }): Promise<number>
  /** A stranger's fork opens a pull request from a branch of the given name. */
  forkPull(branch: string): Promise<number>
  pullNow(number: number): Promise<RestPull>
  pulls(): Promise<RestPull[]>
  closePull(number: number): Promise<void>
  merge(number: number): Promise<void>
  /** Gives the repository a merge queue; returns the pull requests in it. */
  mergeQueue(): Set<number>
  /** Sets a check of a branch's or pull request's head; the same name again moves it on. */
  check(on: number | string, name: string, state: CheckSeed): Promise<number>
  /** A commit status, as older services send it. */
  status(
    on: number | string,
    context: string,
    state: 'SUCCESS' | 'FAILURE' | 'ERROR' | 'PENDING' | 'EXPECTED',
  ): Promise<void>
  require(...checks: string[]): void
  review(
    number: number,
    event: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT',
    body: string,
    as?: Person,
  ): Promise<void>
  /** Opens a review thread, or answers in one. Gives its id. */
  remark(
    number: number,
    seed: { path: string; line: number; body: string; as?: Person; answers?: number },
  ): Promise<number>
  resolve(thread: number): void
  /** Deliveries carry an HMAC of the secret. */
  webhook(url: string, secret: string, events?: string[]): Promise<void>
}

export interface IssueSeed {
  title?: string
  body?: string
  labels?: string[]
  assignees?: Person[]
  as?: Person
}

export type CheckSeed =
  | 'queued'
  | 'in_progress'
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'
  | {
      state: string
      workflow?: string
      app?: string
      log?: string
      url?: string
      startedAt?: string
      again?: boolean
      output?: object
    }

export interface FakeBoardHandle {
  owner: string
  number: number
  id: string
  /** Puts an issue on the board. */
  add(issue: number, values?: { status?: string; agent?: string }, fullName?: string): string
  draft(title: string): void
  hide(): void
  remove(issue: number): void
  archive(issue: number): void
  /** An issue's Status and Agent, or undefined when it is not on the board. */
  of(issue: number): { status: string | undefined; agent: string | undefined } | undefined
  statuses(): string[]
  fields(): string[]
  close(): void
}

const GH = fileURLToPath(new URL('github/gh.mjs', import.meta.url))

/** Puts a `gh` that knows the fake GitHub into a folder of the PATH. */
export function ghOnPath(bin: string): void {
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\nexec '${process.execPath}' '${GH}' "$@"\n`, { mode: 0o755 })
}

export async function fakeGitHub({
  repositories = ['acme/app'],
}: {
  repositories?: string[]
} = {}): Promise<FakeGitHub> {
  const folder = scratch('bh-')
  const boards = new Boards()
  const gate = await openGate(folder.path, async baseUrl => {
    const rest = await startRest(baseUrl, repositories)
    const bare = await Promise.all(
      repositories.map(async name => [name, await bareRepository(folder.path, name, rest)] as const),
    )
    return {
      baseUrl,
      rest,
      boards,
      repositories: new Map(bare),
      statuses: new Map(),
      runs: new Map(),
      resolved: new Set(),
      required: new Set(),
      blockedBy: new Map(),
      transferred: new Map(),
      nodes: new Map(),
      boardsVisible: true,
      mergeabilityUnknown: false,
      mergeQueues: new Map(),
      failures: [],
    } satisfies World
  })
  const { world, url } = gate
  const handles = new Map(repositories.map(name => [name, repositoryHandle(world, name)]))
  const repositoryNamed = (name: string) => {
    const handle = handles.get(name)
    if (!handle) throw new Error(`no repository ${name} in this world`)
    return handle
  }
  const close = async () => {
    await gate.close()
    await world.rest.close()
    folder.remove()
  }
  return {
    url,
    apiUrl: url,
    token: people.dev,
    tokens: people,
    repository: repositoryNamed(repositories[0] ?? ''),
    repositoryNamed,
    board: seed => boardHandle(boards, boards.add(seed), repositories[0] ?? ''),
    showBoards: visible => {
      world.boardsVisible = visible
    },
    stillComputing: yes => {
      world.mergeabilityUnknown = yes
    },
    calls: gate.calls,
    async counting(work) {
      const before = gate.calls.length
      const result = await work()
      return { result, calls: gate.calls.slice(before) }
    },
    failNext(fault, { times = 1, match = () => true, retryAfter } = {}) {
      gate.faults.push({ match, fault, left: times, ...(retryAfter === undefined ? {} : { retryAfter }) })
    },
    heal() {
      gate.faults.length = 0
      gate.watchers.length = 0
      gate.pushWatchers.length = 0
    },
    on: (when, match, act) => void gate.watchers.push({ when, match, act }),
    onPush: (when, act) => void gate.pushWatchers.push({ when, act }),
    failures: world.failures,
    assertClean() {
      if (world.failures.length === 0) return
      const calls = gate.calls.map(
        ({ method, path, operation, status }) => `${status} ${operation ?? `${method} ${path}`}`,
      )
      throw new Error(`${world.failures.join('\n')}\ncalls:\n${calls.join('\n')}`)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

export { type CallMatch, type GateCall, matches, people }

function repositoryHandle(world: World, fullName: string): FakeRepository {
  const { rest } = world
  const api = `/repos/${fullName}`
  const git = world.repositories.get(fullName)
  if (!git) throw new Error(`no repository ${fullName}`)
  const address = `${world.baseUrl}/${fullName}.git`
  const pullNow = (number: number) => rest.call<RestPull>('GET', `${api}/pulls/${number}`)
  const headOf = async (on: number | string) => {
    await git.sync()
    const branch = typeof on === 'string' ? on : (await pullNow(on)).head.ref
    const sha = (await git.branches()).get(branch)
    if (!sha) throw new Error(`no branch ${branch}`)
    return sha
  }
  return {
    fullName,
    address,
    remote: address.replace('://', `://x-access-token:${people.dev}@`),
    git,
    async issue({ title = 'Something to do', body = '', labels = [], assignees = [], as = 'dev' } = {}) {
      for (const name of labels) {
        await rest.call('POST', `${api}/labels`, { name, color: 'ededed' }).catch(() => {})
      }
      return (await rest.call<RestIssue>('POST', `${api}/issues`, { title, body, labels, assignees }, as))
        .number
    },
    async issueNow(number) {
      const issue = await rest.call<RestIssue>('GET', `${api}/issues/${number}`)
      const comments = await rest.call<{ body: string }[]>(
        'GET',
        `${api}/issues/${number}/comments?per_page=100`,
      )
      return { ...issue, comments: comments.map(({ body }) => body) }
    },
    async closeIssue(number) {
      await rest.call('PATCH', `${api}/issues/${number}`, { state: 'closed' }, 'reviewer')
    },
    async transfer(number, to, { followed } = { followed: false }) {
      const { title, body } = await rest.call<RestIssue>('GET', `${api}/issues/${number}`)
      const made = await rest.call<RestIssue>('POST', `/repos/${to}/issues`, { title, body }, 'dev')
      world.transferred.set(`${fullName}#${number}`, { full: to, number: made.number, followed })
      return made.number
    },
    blockedBy(number, ...others) {
      const named = others.map(other => (typeof other === 'number' ? `${fullName}#${other}` : other))
      world.blockedBy.set(`${fullName}#${number}`, named)
    },
    async pull({ branch, title = 'A change', body = '', as = 'dev' }) {
      await git.sync()
      const made = await rest.call<RestPull>(
        'POST',
        `${api}/pulls`,
        { head: branch, base: 'main', title, body },
        as,
      )
      return made.number
    },
    async forkPull(branch) {
      await rest.call('POST', `${api}/forks`, {}, 'stranger')
      const fork = { head: `stranger:${branch}`, base: 'main', title: 'From a fork', body: '' }
      return (await rest.call<RestPull>('POST', `${api}/pulls`, fork, 'dev')).number
    },
    pullNow,
    pulls: () => rest.call<RestPull[]>('GET', `${api}/pulls?state=all&per_page=100`),
    async closePull(number) {
      await rest.call('PATCH', `${api}/pulls/${number}`, { state: 'closed' }, 'reviewer')
    },
    async merge(number) {
      await git.sync()
      const pull = await pullNow(number)
      if (!(await git.merges(pull.base.ref, pull.head.ref))) throw new Error(`#${number} has conflicts`)
      await rest.call('PUT', `${api}/pulls/${number}/merge`, { merge_method: 'merge' }, 'reviewer')
      await git.merge(pull.base.ref, pull.head.ref, `Merge pull request #${number}`)
    },
    mergeQueue() {
      const queue = world.mergeQueues.get(fullName) ?? new Set()
      world.mergeQueues.set(fullName, queue)
      return queue
    },
    async check(on, name, seed) {
      const facts = typeof seed === 'string' ? { state: seed } : seed
      const head_sha = await headOf(on)
      const isOpen = ['queued', 'in_progress'].includes(facts.state)
      // Words that emulate does not take are laid over what it keeps.
      const isPlain = /^(success|failure|neutral|cancelled|skipped|timed_out|action_required)$/.test(
        facts.state,
      )
      const change = {
        status: isOpen ? facts.state : 'completed',
        ...(isOpen ? {} : { conclusion: isPlain ? facts.state : 'neutral' }),
        ...(facts.url ? { details_url: facts.url } : {}),
        ...(facts.output ? { output: facts.output } : {}),
        started_at: facts.startedAt ?? '2026-01-01T00:00:00Z',
      }
      const list = await rest.call<{ check_runs: RestCheckRun[] }>(
        'GET',
        `${api}/commits/${head_sha}/check-runs?per_page=100`,
      )
      const there = facts.again ? undefined : list.check_runs.find(run => run.name === name)
      const run = there
        ? await rest.call<RestCheckRun>('PATCH', `${api}/check-runs/${there.id}`, change)
        : await rest.call<RestCheckRun>('POST', `${api}/check-runs`, { name, head_sha, ...change })
      world.runs.set(run.id, {
        ...(facts.app ? { app: facts.app } : {}),
        ...(facts.workflow ? { workflow: facts.workflow } : {}),
        ...(facts.log === undefined ? {} : { log: facts.log }),
        ...(isOpen || isPlain ? {} : { conclusion: facts.state }),
      })
      return run.id
    },
    async status(on, context, state) {
      const sha = await headOf(on)
      const others = (world.statuses.get(sha) ?? []).filter(status => status.context !== context)
      const status = {
        id: `SC_${context}`,
        context,
        state,
        targetUrl: null,
        createdAt: '2026-01-01T00:00:00Z',
      }
      world.statuses.set(sha, [...others, status])
    },
    require: (...checks) => {
      for (const check of checks) world.required.add(check)
    },
    async review(number, event, body, as = 'reviewer') {
      // Of the commit that stands there now; who has reviewed is not asked any more.
      const commit_id = await headOf(number)
      await rest.call('POST', `${api}/pulls/${number}/reviews`, { event, body, commit_id }, as)
      await rest.call('DELETE', `${api}/pulls/${number}/requested_reviewers`, { reviewers: [as] })
    },
    async remark(number, { path, line, body, as = 'reviewer', answers }) {
      const comment = { path, line, body, side: 'RIGHT', ...(answers ? { in_reply_to_id: answers } : {}) }
      return (await rest.call<{ id: number }>('POST', `${api}/pulls/${number}/comments`, comment, as)).id
    },
    resolve: thread => void world.resolved.add(thread),
    async webhook(target, secret, events = ['*']) {
      const config = { url: target, secret, content_type: 'json' }
      await rest.call('POST', `${api}/hooks`, { name: 'web', active: true, events, config })
    },
  }
}

function boardHandle(boards: Boards, board: FakeBoard, home: string): FakeBoardHandle {
  const itemOf = (issue: number) =>
    board.items.find(
      ({ content }) => content.kind === 'ISSUE' && content.number === issue && content.repository === home,
    )
  const setByName = (issue: number, name: string, value: string, repository: string) => {
    const item = boards.place(board, { kind: 'ISSUE', repository, number: issue })
    const field = board.fields.find(candidate => candidate.name === name)
    if (!field) throw new Error(`the board has no field ${name}`)
    const option = field.options.find(candidate => candidate.name === value)
    boards.set(board, item, field.id, option ? { singleSelectOptionId: option.id } : { text: value })
  }
  return {
    owner: board.owner,
    number: board.number,
    id: board.id,
    add(issue, { status, agent } = {}, fullName = home) {
      const item = boards.place(board, { kind: 'ISSUE', repository: fullName, number: issue })
      if (status) setByName(issue, 'Status', status, fullName)
      if (agent) setByName(issue, 'Agent', agent, fullName)
      return item.id
    },
    draft: title => void boards.place(board, { kind: 'DRAFT_ISSUE', title }),
    hide: () => void boards.place(board, { kind: 'REDACTED' }),
    remove(issue) {
      board.items = board.items.filter(item => item !== itemOf(issue))
    },
    archive(issue) {
      const item = itemOf(issue)
      if (item) item.archived = true
    },
    of(issue) {
      const item = itemOf(issue)
      return (
        item && { status: boards.value(item, board, 'Status'), agent: boards.value(item, board, 'Agent') }
      )
    },
    statuses: () => board.fields.find(({ name }) => name === 'Status')?.options.map(({ name }) => name) ?? [],
    fields: () => board.fields.map(({ name }) => name),
    close() {
      board.closed = true
    },
  }
}
