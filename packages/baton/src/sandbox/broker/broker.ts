import type { BrokerCall } from '../../ports/broker.ts'
import type { Mount } from '../../ports/sandbox.ts'
import { runBaton } from './broker-baton.ts'
import { runGh } from './broker-gh.ts'
import { recordUpstream, runGit } from './broker-git.ts'
import { parseJson, Repositories } from './broker-messages.ts'
import { signCommit } from './broker-sign.ts'
import { type Brokered, type BrokerParts, refuse } from './brokered-call.ts'

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
    const parts = this.#parts
    try {
      const brokered = await this.#sessions.get(session)
      if (!brokered) return await refuse({ parts, session, call }, 'This session is over.')
      const work = { parts, session, brokered, call }
      if (call.program === 'git') return await runGit(work)
      if (call.program === 'upstream') return await recordUpstream(work)
      if (call.program === 'gh') return await runGh(work)
      if (call.program === 'baton') return await runBaton(work)
      if (call.program === 'sign') return await signCommit(work)
      return await refuse(work, `${call.program} does not run outside the sandbox.`)
    } catch (cause) {
      if (call.signal.aborted) return 1
      parts.fault(`${call.program} for a command in the sandbox`, cause)
      call.err(`baton: ${cause instanceof Error ? cause.message : String(cause)}\n`)
      return 1
    }
  }
}
