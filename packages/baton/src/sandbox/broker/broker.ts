import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type {
  BrokerCall,
  BrokerListener,
  BrokerSockets,
  Mirror,
  OutsideWork,
  RecordedRepository,
} from '../../ports/broker.ts'
import type { Mount } from '../../ports/sandbox.ts'
import { Exit, Facts, parseJson, Repositories, TextAnswer } from './broker-messages.ts'
import { commandText } from './command-text.ts'
import { planGh } from './plan-gh.ts'
import { type GitWork, isRefName, planGit } from './plan-git.ts'

export interface BrokerParts {
  sockets: BrokerSockets
  outside: OutsideWork
  /** What the permission chain makes of a command that shall run outside: undefined lets it run. */
  whyNot(session: string, request: BrokerRequest, signal: AbortSignal): Promise<string | undefined>
  /** Reports what became of a gh command that `whyNot` let run: its output, or undefined if it failed or did not run. */
  ended(session: string, request: BrokerRequest, output: string | undefined): Promise<void>
  newCall(): string
  /** Records what the broker did. */
  record(session: string, entry: BrokerRecord): Promise<void>
  fault(during: string, cause: unknown): void
}

export interface BrokerRequest {
  /** Names this call among all of the session. */
  call: string
  words: readonly string[]
  cwd: string
}

export interface BrokerRecord {
  command: string
  cwd: string
  /** Undefined if it did not run. */
  exit?: number
  /** Why it did not run. */
  refused?: string
  /** What was pushed: the commit and the branch. */
  pushed?: readonly { commit: string; target: string }[]
}

interface Brokered {
  listener: BrokerListener
  repositories: Map<string, RecordedRepository>
  /** The session's project. */
  worktree: string
  /** Folders outside the project that commands of this session may change. */
  writable: readonly string[]
}

/** Does outside what commands in the sandbox cannot do themselves, after the permission chain has allowed it. */
export class Broker {
  readonly #parts: BrokerParts
  readonly #sessions = new Map<string, Promise<Brokered>>()

  constructor(parts: BrokerParts) {
    this.#parts = parts
  }

  /** What a session's sandbox shows of the broker. Records the repository, if this is the first command in it. */
  async open(session: string, worktree: string, writable: readonly string[]): Promise<readonly Mount[]> {
    const opening = this.#sessions.get(session) ?? this.#listen(session)
    this.#sessions.set(session, opening)
    opening.catch(() => this.#sessions.delete(session))
    const brokered = await opening
    brokered.writable = writable
    brokered.worktree = worktree
    if (!brokered.repositories.has(worktree)) {
      const recorded = await this.#parts.outside.recordRepository(worktree)
      if (recorded) {
        brokered.repositories.set(worktree, recorded)
        await this.#parts.sockets.remember(session, JSON.stringify([...brokered.repositories.values()]))
      }
    }
    return brokered.listener.mounts
  }

  async end(session: string): Promise<void> {
    const opening = this.#sessions.get(session)
    this.#sessions.delete(session)
    await (await opening)?.listener.close()
    await this.#parts.sockets.forget(session)
  }

  /** Once, when the daemon starts: commands of live sessions reach this daemon, and nothing is left of others. */
  async start(live: ReadonlySet<string>): Promise<void> {
    await this.#parts.sockets.forgetAllExcept(live)
    for (const session of live) {
      if ((await this.#parts.sockets.remembered(session)) === undefined || this.#sessions.has(session))
        continue
      this.#sessions.set(session, this.#listen(session))
    }
  }

  async close(): Promise<void> {
    for (const opening of this.#sessions.values())
      await (await opening.catch(() => undefined))?.listener.close()
  }

  async #listen(session: string): Promise<Brokered> {
    const kept = Repositories.safeParse(parseJson(await this.#parts.sockets.remembered(session)))
    const repositories = new Map((kept.success ? kept.data : []).map(each => [each.worktree, each]))
    const listener = await this.#parts.sockets.listen(session, call => this.#answer(session, call))
    const [first = '/'] = repositories.keys()
    return { listener, repositories, worktree: first, writable: [] }
  }

  async #answer(session: string, call: BrokerCall): Promise<number> {
    try {
      if (call.program === 'git') return await this.#git(session, call)
      if (call.program === 'gh') return await this.#gh(session, call)
      return await this.#refuse(session, call, `${call.program} does not run outside the sandbox.`)
    } catch (cause) {
      if (call.signal.aborted) return 1
      this.#parts.fault(`${call.program} for a command in the sandbox`, cause)
      call.err(`baton: ${cause instanceof Error ? cause.message : String(cause)}\n`)
      return 1
    }
  }

  async #refuse(
    session: string,
    call: BrokerCall,
    reason: string,
    words?: readonly string[],
  ): Promise<number> {
    const command = commandText(words ?? [call.program, ...call.argv])
    await this.#parts.record(session, { command, cwd: call.cwd, refused: reason })
    call.err(`baton: ${reason}\n`)
    return 1
  }

  async #gh(session: string, call: BrokerCall): Promise<number> {
    const brokered = await this.#sessions.get(session)
    if (!brokered) return this.#refuse(session, call, 'This session is over.')
    const facts = Facts.parse(await call.order({ do: 'describe' }))
    const recorded = [...brokered.repositories.values()].find(({ worktree }) => worktree === facts.top)
    const plan = planGh(call.argv, facts.head, recorded ?? { remotes: [] })
    if (plan.kind === 'refused') return this.#refuse(session, call, plan.reason)
    let input = ''
    if (plan.input !== undefined) {
      const read = TextAnswer.parse(await call.order({ do: 'read', path: plan.input }))
      if ('error' in read) return this.#refuse(session, call, `gh: ${read.error}.`, plan.shown)
      input = read.text
    }
    const request = { call: this.#parts.newCall(), words: plan.shown, cwd: brokered.worktree }
    const why = await this.#parts.whyNot(session, request, call.signal)
    if (why !== undefined) return call.signal.aborted ? 1 : this.#refuse(session, call, why, plan.shown)
    const printed: Uint8Array[] = []
    let exit = 1
    try {
      if (call.signal.aborted) return exit
      exit = await this.#parts.outside.runGh(session, plan.args, input, {
        signal: call.signal,
        err: text => call.err(text),
        out(chunk) {
          printed.push(chunk)
          call.out(chunk)
        },
      })
      await this.#parts.record(session, { command: commandText(plan.shown), cwd: call.cwd, exit })
      return exit
    } finally {
      const output = exit === 0 ? Buffer.concat(printed).toString().slice(-KEPT_OUTPUT) : undefined
      await this.#parts.ended(session, request, output)
    }
  }

  async #git(session: string, call: BrokerCall): Promise<number> {
    const brokered = await this.#sessions.get(session)
    const facts = Facts.parse(await call.order({ do: 'describe' }))
    const recorded = [...(brokered?.repositories.values() ?? [])].find(
      ({ worktree }) => worktree === facts.top,
    )
    // Another repository: what it can reach is inside.
    if (!brokered || !recorded) return Exit.parse(await call.order({ do: 'own' }))
    const visible = [recorded.worktree, ...brokered.writable]
    const plan = planGit(call.argv, facts, recorded, url => isVisible(url, visible))
    if (plan.kind === 'inside') return Exit.parse(await call.order({ do: 'own' }))
    if (plan.kind === 'refused') return this.#refuse(session, call, plan.reason)
    const mirror = await this.#parts.outside.mirror(session, {
      repository: recorded,
      refs: facts.refs,
      head: facts.head,
      shallow: facts.shallow,
      settings: facts.settings.filter(
        ([key, value]) => /^branch\..+\.(remote|merge)$/.test(key) && isRefName(value),
      ),
    })
    try {
      return await this.#work(session, call, plan, recorded, mirror, facts)
    } finally {
      await mirror.remove()
    }
  }

  async #work(
    session: string,
    call: BrokerCall,
    plan: GitWork,
    recorded: RecordedRepository,
    mirror: Mirror,
    facts: Facts,
  ): Promise<number> {
    const command = commandText(plan.shown)
    const pushed: { commit: string; source: string; target: string }[] = []
    for (const { source, target } of plan.pushed) {
      const commit = await mirror.resolve(source)
      if (commit === undefined)
        return this.#refuse(
          session,
          call,
          `git push: ${source} is not a commit of this repository.`,
          plan.shown,
        )
      pushed.push({ commit, source, target })
    }
    if (plan.kind === 'push' && !plan.skipHook) {
      const remote = recorded.remotes.find(({ name }) => name === plan.remotes[0])
      const ids = new Map(facts.refs.map(({ ref, id }) => [ref, id]))
      const updates = pushed.map(({ commit, source, target }) => ({
        source,
        sourceId: commit,
        target,
        targetId: ids.get(trackingRef(remote?.name ?? '', target)) ?? '0'.repeat(commit.length),
      }))
      const order = {
        do: 'pre-push',
        remote: remote?.name ?? '',
        url: withoutLogin(remote?.pushUrl ?? ''),
        updates,
      } as const
      const code = Exit.parse(await call.order(order))
      if (code !== 0) {
        call.err('error: the pre-push hook failed; nothing was pushed\n')
        return code
      }
    }
    const request = { call: this.#parts.newCall(), words: plan.shown, cwd: recorded.worktree }
    const why = await this.#parts.whyNot(session, request, call.signal)
    if (call.signal.aborted) return 1
    if (why !== undefined) return this.#refuse(session, call, why, plan.shown)
    const exit = await mirror.run(plan.args, call)
    await this.#parts.record(session, {
      command,
      cwd: call.cwd,
      exit,
      ...(pushed.length > 0 ? { pushed: pushed.map(({ commit, target }) => ({ commit, target })) } : {}),
    })
    const taken = await this.#handBack(call, plan, mirror, facts)
    if (plan.kind === 'push' && exit === 0 && plan.upstream && !plan.args.includes('--dry-run')) {
      const { branch, merge } = plan.upstream
      const problem = await this.#parts.outside.setUpstream(recorded, branch, plan.remotes[0] ?? '', merge)
      call.err(problem ?? `branch '${branch}' set up to track '${plan.remotes[0]}/${shortened(merge)}'.\n`)
    }
    if (exit !== 0 || taken !== 0) return exit || taken
    return plan.afterwards ? Exit.parse(await call.order({ do: 'git', args: plan.afterwards })) : 0
  }

  /** The objects and refs that the mirror has now and the program's repository has not. */
  async #handBack(call: BrokerCall, plan: GitWork, mirror: Mirror, facts: Facts): Promise<number> {
    if (plan.kind === 'ls-remote') return 0
    const before = new Map(facts.refs.map(({ ref, id }) => [ref, id]))
    const after = new Map((await mirror.refs()).map(({ ref, id }) => [ref, id]))
    const updates = [
      ...[...after].flatMap(([ref, id]) => (before.get(ref) === id ? [] : [{ ref, id }])),
      ...[...before.keys()].flatMap(ref => (after.has(ref) ? [] : [{ ref, id: undefined }])),
    ]
    const packs = plan.kind === 'fetch' ? await mirror.packs() : []
    const fetchHead = plan.kind === 'fetch' ? await mirror.fetchHead() : undefined
    if (updates.length === 0 && packs.length === 0 && fetchHead === undefined) return 0
    const answer = call.order({ do: 'take', packs: packs.length, updates, fetchHead })
    for (const pack of packs) await call.send(pack)
    return Exit.parse(await answer)
  }
}

/** The link that gh prints is at the end. */
const KEPT_OUTPUT = 10_000

/** Whether a remote is a folder that commands in the sandbox reach, and whose hooks they could have changed. */
function isVisible(url: string, visible: readonly string[]): boolean {
  const path = url.startsWith('file://') ? url.slice('file://'.length) : url
  return path.startsWith('/') && visible.some(folder => isInside(path, folder))
}

const trackingRef = (remote: string, target: string): string => `refs/remotes/${remote}/${shortened(target)}`
const shortened = (ref: string): string => ref.replace(/^refs\/heads\//, '')
const withoutLogin = (url: string): string => url.replace(/\/\/[^@/]*@/, '//')
