import { BatonError } from '@batonpass/contract/errors'
import type { SessionId } from '@batonpass/contract/ids'
import type { Proof } from '@batonpass/contract/proof'
import type { Session } from '@batonpass/contract/session'
import type { StageName, WorkEnd } from '@batonpass/contract/work'
import type { Contribution } from '../../ports/contribution.ts'
import { failedProofPrompt } from '../../proof/failed-proof-prompt.ts'
import { checksOfIssue } from '../../proof/issue-checks.ts'
import { countFailure, problemsOf, reportProblems } from '../../proof/problems.ts'
import { addReport, MAX_SAID, passedSummary, reportDiffers } from '../../proof/report.ts'
import { KeyedQueue } from '../../session/keyed-queue.ts'
import { rowOf } from '../packs/paw/stage-table.ts'
import type { StagePorts } from './ports.ts'
import type { Binding } from './stage-memory.ts'
import type { WorkGrants } from './work-grants.ts'
import type { WorkItem } from './work-items.ts'
import type { WorkProof } from './work-proof.ts'

type Work = Pick<WorkProof, 'project' | 'workId'>
type Running = NonNullable<WorkProof['running']>

/** How often a terminal that is in use is tried, once every few seconds. */
const MAX_TRIES = 600

/** Proves the commit with which the last stage of a work item ends. */
export class WorkProofs {
  readonly #ports: StagePorts
  readonly #grants: Pick<WorkGrants, 'end'>
  readonly #turns = new KeyedQueue()

  constructor(ports: StagePorts, grants: Pick<WorkGrants, 'end'>) {
    this.#ports = ports
    this.#grants = grants
  }

  /** A person begins the work, or continues it: what is recorded of unfinished work stays as it is. */
  async begin(work: Work, issue: number | undefined): Promise<void> {
    const { memory, proofs, fault } = this.#ports
    const known = await memory.proof(work.project, work.workId)
    if (!proofs || (known && !known.result)) return
    const base = await proofs.findBase(work.project).catch(() => undefined)
    await memory.keepProof({ ...work, reportReturned: false, ...(base ? { base } : {}) })
    // The prompt does not wait for the forge.
    if (issue !== undefined)
      void this.#readIssue(work, issue).catch(cause => fault('reading the checks of an issue', cause))
  }

  async #readIssue(work: Work, issue: number): Promise<void> {
    const { forgeFor, config } = this.#ports
    const forge = await forgeFor(work.project)
    if (!forge || !config) return
    const { proof } = await config(work.project)
    const issueChecks = await checksOfIssue(await forge.issue(issue), forge, proof)
    await this.#change(work, known => ({ ...known, issueChecks }))
  }

  /** The last stage is over. Its stop does not wait for the checks; `tick` carries their result out. */
  finish(binding: Binding & { stage: StageName }, session: Session, said = ''): Promise<Contribution> {
    return this.#turns.run(keyOf(binding), () => this.#prove(binding, session, said))
  }

  async #prove(
    binding: Binding & { stage: StageName },
    session: Session,
    said: string,
  ): Promise<Contribution> {
    const { memory, proofs, git, fault } = this.#ports
    const { project, workId, stage } = binding
    const record = (await memory.proof(project, workId)) ?? { project, workId, reportReturned: false }
    const commit = (await git.worktree(project))?.head
    if (record.result && record.result.commit === commit) return {}
    if (record.running && record.running.commit === commit)
      return { notice: `${workId}: Baton still checks commit ${commit.slice(0, 10)}.` }
    if (record.running) await proofs?.cancel(record.running.id).catch(() => {})
    const end = async (reason: string): Promise<Contribution> => {
      const about = { session: session.id, stage, commit: commit ?? '' }
      await this.#end(record, about, { end: 'unproven', reason })
      return {}
    }
    if (!commit) return end('there is no commit to check')
    if (record.base === commit) return end('no commit was made')
    const { base: since, issueChecks } = record
    const order = { project, commit, since, session: session.id, issueChecks }
    const proof = await proofs?.start(order).catch(cause => fault('starting a proof', cause))
    if (!proof) return end('Baton could not start the checks')
    const running = { id: proof.id, commit, session: session.id, stage, said: said.slice(-MAX_SAID) }
    const { sendBack, result, ...kept } = record
    await memory.keepProof({ ...kept, running })
    const names = proof.checks.map(({ name }) => name).join(', ') || 'no checks'
    const detail = `commit ${commit.slice(0, 10)}: ${names}`
    await this.#journal(kept, running, { what: 'proving', detail, proof: proof.id })
    return {
      notice: `${workId}: the last stage is done. Baton now checks commit ${commit.slice(0, 10)} (${proof.id}).`,
    }
  }

  /** Carries out the results of proofs that have ended. Called every few seconds. */
  async tick(): Promise<void> {
    for (const { project, workId, running, sendBack } of await this.#ports.memory.proofs()) {
      if (!(running || sendBack) || this.#ports.paused?.({ project, session: running?.session })) continue
      await this.#turns
        .run(keyOf({ project, workId }), async () => {
          const record = await this.#ports.memory.proof(project, workId)
          if (record?.running) await this.#settle(record, record.running)
        })
        .catch(cause => this.#ports.fault('settling the proof of staged work', cause))
    }
  }

  async #settle(record: WorkProof, running: Running): Promise<void> {
    if (record.sendBack) return this.#type(record, running, record.sendBack)
    const { proofs, items, config } = this.#ports
    const found = await proofs?.get(running.id).catch(() => undefined)
    if (found && found.endedAt === undefined) return
    if (!found)
      return this.#end(record, running, { end: 'unproven', reason: 'the record of the checks is gone' })
    const [session, item] = await Promise.all([
      this.#ports.session(running.session),
      items.find(record.project, record.workId),
    ])
    const proof = await this.#show(record, running, found, session, item)
    const failed = proof.verdict === 'proven' ? [] : problemsOf(proof)
    const max = (await config?.(record.project))?.proof.retries ?? 0
    const next = { ...record, failures: record.failures }
    const mayReturn = !record.reportReturned && (record.failures?.count ?? 0) < max
    const problems = [...failed, ...(mayReturn ? reportProblems(proof.contradictions ?? []) : [])]
    const { count, same, failure, worn } = countFailure(record.failures, problems)
    const isAttended = !item || item.context.mode === 'manual'
    if (problems.length === 0 || worn || count > max || isAttended || !reach(this.#ports, session)) {
      const reason =
        proof.verdict === 'proven' ? passedSummary(proof) : (proof.why ?? 'the checks did not pass')
      return this.#end(next, running, {
        end: proof.verdict === 'proven' ? 'proven' : 'unproven',
        reason: `${reason}${reportDiffers(proof)}`,
        proof: proof.id,
      })
    }
    const prompt = failedProofPrompt(problems, {
      heading: `Work ID: ${record.workId}\n\nThe last stage is done`,
      commit: proof.commit,
      round: count,
      max,
      again: 'end your turn',
      blocked: `add the line \`Blocked: <what is needed>\` to .paw/work/${record.workId}/WorkflowContext.md and end your turn`,
    })
    const reportReturned = record.reportReturned || problems.some(({ isReport }) => isReport)
    const sent: WorkProof = {
      ...record,
      failures: { count, same, failure },
      reportReturned,
      sendBack: { prompt, tries: 0 },
    }
    await this.#ports.memory.keepProof(sent)
    const detail = problems.map(({ what }) => what).join('; ')
    await this.#journal(record, running, { what: 'sent-back', detail, proof: proof.id })
  }

  /** Compares the agent's report with the result, and puts both into the pull request. */
  async #show(
    { project, workId }: WorkProof,
    { said }: Running,
    found: Proof,
    session: Session | undefined,
    item: WorkItem | undefined,
  ): Promise<Proof> {
    const { memory, forgeFor, showProof, fault } = this.#ports
    const grant = await memory.grant(project, workId)
    const branch = item?.context.branch
    const pulled = branch ? grant?.pulls[branch] : undefined
    const pull =
      pulled ??
      (branch
        ? (await (await forgeFor(project))?.pullRequestFor(branch).catch(() => undefined))?.number
        : undefined)
    const report = {
      project,
      issue: grant?.grant.issue,
      said,
      pullRequest: pull,
      transcript: session?.transcript,
    }
    // Without any check there is no evidence of Baton's own.
    const proof =
      session && found.checks.length > 0
        ? await addReport(this.#ports, { ...report, agent: session.agent }, found)
        : found
    if (pull !== undefined)
      await showProof?.(project, pull, proof).catch(cause => {
        // Without a token, or without the forge, the result is still in the journal.
        if (!(cause instanceof BatonError)) fault('showing a proof in its pull request', cause)
      })
    return proof
  }

  /** Types what failed into the agent's terminal. A crash in between loses it, but never sends two. */
  async #type(record: WorkProof, running: Running, due: NonNullable<WorkProof['sendBack']>): Promise<void> {
    const { memory, fault } = this.#ports
    const session = await this.#ports.session(running.session)
    const spot = reach(this.#ports, session)
    const { running: settled, sendBack, ...rest } = record
    await memory.keepProof(rest)
    const outcome = spot
      ? await spot.driver.type(spot.place, due.prompt, spot.agent).catch(cause => {
          fault('typing the result of a proof', cause)
          return 'not-taken' as const
        })
      : 'gone'
    if (outcome === 'taken') return
    if (outcome === 'busy' && due.tries < MAX_TRIES)
      return memory.keepProof({ ...record, sendBack: { ...due, tries: due.tries + 1 } })
    const reason = `the checks failed, and the terminal ${outcome === 'gone' ? 'is gone' : 'did not take the prompt'}`
    await this.#end(rest, running, { end: 'unproven', reason, proof: running.id })
  }

  /** A person takes a work item as it is. `wanted`: its Work ID, or the start of it. */
  async accept(wanted: string, who: string): Promise<{ end: { reason: string } }> {
    const all = await this.#ports.memory.proofs()
    const exact = all.filter(({ workId }) => workId === wanted)
    const found = exact.length > 0 ? exact : all.filter(({ workId }) => workId.startsWith(wanted))
    const [record] = found
    if (!record || found.length > 1)
      throw new BatonError(
        'not_found',
        `${record ? 'Several runs or work items' : 'No run or work item'}: ${wanted}`,
        {
          remedy: 'See `baton history --all` and `baton work`.',
        },
      )
    const { result } = record
    if (result?.end !== 'unproven')
      throw new BatonError('usage', `The work ${record.workId} is ${result?.end ?? 'still running'}`, {
        remedy: 'Only work that ended without a proof can be accepted: baton work',
      })
    const reason = `accepted by ${who}; it was unproven: ${result.reason}`
    const about = { session: undefined, stage: 'pr' as const, commit: result.commit }
    await this.#end(record, about, {
      end: 'accepted',
      reason,
      ...(result.proof ? { proof: result.proof } : {}),
    })
    return { end: { reason } }
  }

  async #end(
    record: WorkProof,
    about: { session: SessionId | undefined; stage: StageName; commit: string },
    { end, reason, proof }: Pick<WorkEnd, 'end' | 'reason' | 'proof'>,
  ): Promise<void> {
    const { memory, announce, items, now } = this.#ports
    const { running, sendBack, failures, ...rest } = record
    const at = new Date(now()).toISOString()
    const decided = proof === undefined ? {} : { proof }
    await memory.keepProof({ ...rest, result: { end, reason, commit: about.commit, at, ...decided } })
    await this.#grants.end(record)
    await this.#journal(record, about, { what: 'ended', end, detail: reason, ...decided })
    const item = await items.find(record.project, record.workId)
    if (item?.context.mode === 'manual') return
    const mark = end === 'unproven' ? '🔔' : '✅'
    const words = end === 'accepted' ? reason : `${end} (${reason})`
    const { title } = rowOf(about.stage)
    await announce(record.project, `${mark} ${record.workId}: ${title}, the last stage, is done, ${words}`)
  }

  #change(work: Work, change: (known: WorkProof) => WorkProof): Promise<void> {
    const { memory } = this.#ports
    return this.#turns.run(keyOf(work), async () => {
      const known = await memory.proof(work.project, work.workId)
      if (known) await memory.keepProof(change(known))
    })
  }

  async #journal(
    { project, workId }: Work,
    { session, stage }: { session: SessionId | undefined; stage: StageName },
    entry: { what: 'proving' | 'sent-back' | 'ended'; detail: string; proof?: string; end?: WorkEnd['end'] },
  ): Promise<void> {
    const known = session && (await this.#ports.session(session))
    await this.#ports.journal(
      { project, session: known || undefined },
      { kind: 'stage', workId, stage, ...entry },
    )
  }
}

const keyOf = ({ project, workId }: Work): string => `${project}\0${workId}`

function reach({ driverAt }: StagePorts, session: Session | undefined) {
  const place = session?.pane
  if (!session || place === undefined || session.endedAt !== undefined) return undefined
  const driver = driverAt(place)
  return driver && { place, driver, agent: session.agent }
}
