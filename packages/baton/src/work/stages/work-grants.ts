import type { EventOf } from '@batonpass/contract/event'
import type { Grant } from '@batonpass/contract/grant'
import type { SessionId } from '@batonpass/contract/ids'
import { KeyedQueue } from '../../session/keyed-queue.ts'
import { textOf } from '../../session/transcript/test-runs.ts'
import { type BrokeredCommand, grantAfter, grantAfterBroker } from '../workflows/run-grant.ts'
import type { StagePorts } from './ports.ts'
import { recordWorkGrant, type WorkGrant, workGrantsNow } from './work-grant.ts'
import type { WorkItem } from './work-items.ts'

type Ports = Pick<StagePorts, 'memory' | 'items' | 'grantFacts' | 'fault'>
type Work = Pick<WorkGrant, 'project' | 'workId'>

/** Keeps what the stages of each work item may do by themselves. */
export class WorkGrants {
  readonly #ports: Ports
  readonly #turns = new KeyedQueue()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** A person begins the work, or continues it: a record that is not over stays as it is, whatever the files now say. */
  begin(work: Work, session: SessionId, item: WorkItem): Promise<void> {
    const { grantFacts, fault } = this.#ports
    return this.#inTurn(work, async known => {
      if (known && !known.ended) return { ...known, session }
      if (!grantFacts) return known
      return await recordWorkGrant(grantFacts, { ...work, session }, item).catch(cause => {
        fault('recording what staged work may do', cause)
        return known
      })
    })
  }

  /** Another session works on it now; if no person has begun the work, there is nothing to move. */
  moveTo(work: Work, session: SessionId): Promise<void> {
    return this.#inTurn(work, async known => known && { ...known, session })
  }

  /** Its last stage is over. */
  end(work: Work): Promise<void> {
    return this.#inTurn(work, async known => known && { ...known, ended: true })
  }

  /** What a session may do by itself because it works on a stage. */
  async of(session: SessionId): Promise<Grant[]> {
    const { memory, items } = this.#ports
    const binding = await memory.binding(session)
    const record = binding && (await memory.grant(binding.project, binding.workId))
    return record && !record.ended
      ? workGrantsNow(record, binding, await items.find(binding.project, binding.workId))
      : []
  }

  /** The pull request that a call of the session created joins the grant. */
  async finished(session: SessionId, done: EventOf<'ToolFinished'> | BrokeredCommand): Promise<void> {
    if (!mayCreate(done)) return
    const after = (grant: Grant) =>
      'words' in done ? grantAfterBroker(grant, done) : grantAfter(grant, done, textOf(done.response))
    const grants = await this.of(session)
    const binding = await this.#ports.memory.binding(session)
    if (grants.length === 0 || !binding) return
    const here = (await this.#ports.grantFacts?.read(binding.project))?.branch
    // Without --head, gh opens it for the branch that is checked out.
    const named = 'words' in done ? headIn(done.words) : undefined
    const grant = grants.find(({ branch }) => branch !== undefined && branch === (named ?? here))
    const { branch, pullRequest } = grant ? after(grant) : {}
    if (branch === undefined || pullRequest === undefined) return
    await this.#inTurn(
      binding,
      async known => known && { ...known, pulls: { [branch]: pullRequest, ...known.pulls } },
    )
  }

  #inTurn(
    { project, workId }: Work,
    change: (known: WorkGrant | undefined) => Promise<WorkGrant | undefined>,
  ): Promise<void> {
    const { memory } = this.#ports
    return this.#turns.run(`${project}\0${workId}`, async () => {
      const known = await memory.grant(project, workId)
      const next = await change(known)
      if (next && next !== known) await memory.keepGrant(next)
    })
  }
}

const mayCreate = (done: EventOf<'ToolFinished'> | BrokeredCommand): boolean =>
  'words' in done
    ? done.words[0] === 'gh' && done.words[1] === 'pr'
    : done.action.kind === 'shell' && /\bgh\b/.test(done.action.command)

function headIn(words: readonly string[]): string | undefined {
  const at = words.findIndex(word => word === '-H' || word === '--head')
  return at >= 0 ? words[at + 1] : words.find(word => word.startsWith('--head='))?.slice('--head='.length)
}
