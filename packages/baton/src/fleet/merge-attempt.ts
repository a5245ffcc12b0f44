import { BatonError } from '@batonpass/contract/errors'
import type { ClaimRecord } from '../claim/record.ts'
import { isPassing } from '../claim/retry-schedule.ts'
import { ForgeError } from '../ports/forge.ts'
import type { BranchPlace } from '../ports/merges.ts'
import type { MergeRecord } from './job-record.ts'
import type { MergePorts } from './merge-ports.ts'
import { attemptStep, baseOf, isAgreed, type MergeCandidate } from './merge-steps.ts'

/** How often a pull request is looked at while its checks run. */
const LOOK_MS = 15_000
/** How long one waits that the forge refused, or that let others go first. */
const LATER_MS = 10 * 60_000

/** A pull request of this machine, with the claim that holds its issue. */
export interface Candidate extends MergeCandidate {
  claim: ClaimRecord
}

/** Carries one pull request from its turn to the merge. Looks at the forge before each step, and at its leases before each action. */
export class MergeAttempts {
  readonly #ports: MergePorts

  constructor(ports: MergePorts) {
    this.#ports = ports
  }

  /** Gives a pull request its turn. */
  async begin({ record, claim, seen }: Candidate): Promise<void> {
    const { records, clock, git } = this.#ports
    const forge = await this.#ports.forgeOf(record.data)
    const pull = await forge.pullRequest(record.pull)
    // The claim looked at it a while ago.
    if (pull.state !== 'open' || !record.lineage.includes(pull.headSha)) return this.#ports.look(claim)
    const started = { head: pull.headSha, startedAt: clock.now(), hasChecks: seen.verdict !== 'none' }
    if ((await forge.mergeQueue(record.pull)) !== 'absent') {
      await records.put({ ...record, attempt: { via: 'forge', ...started }, note: undefined })
      return
    }
    const other = await this.#ports.bases?.takeBase(baseOf(record))
    if (other !== undefined) {
      await records.put({
        ...record,
        note: `The machine ${other} merges into ${record.base}`,
        notBefore: clock.now() + LOOK_MS,
      })
      return
    }
    const next = await records.put({
      ...record,
      attempt: { via: 'baton', ...started },
      note: `Baton merges ${record.base} into it`,
    })
    await this.#ports.journal({ what: 'merging', ...about(record) })
    const place = this.#placeOf(record, claim)
    const merged = await git.attempt(place, () => this.#ports.loginFor(record.data.project))
    if (merged.head !== pull.headSha) return this.#again(next, claim)
    if (merged.kind === 'conflict')
      return this.#sendBack(next, claim, merged.head, conflictText(claim, record.base, merged.files))
    const { folder, commit, base } = merged
    const proof = await this.#ports.actions.startProof(claim, { folder, commit, base })
    await records.put({
      ...next,
      attempt: { via: 'baton', ...started, folder, base, commit, ...(proof ? { proof } : {}) },
      note: `Baton proves it together with ${record.base}`,
    })
  }

  async follow(candidate: Candidate): Promise<void> {
    const { record, claim, policy } = candidate
    const { records, actions, clock, git } = this.#ports
    const { attempt, data } = record
    if (!attempt) return
    if (attempt.via === 'forge') return this.#followForge(record, claim)
    // The daemon was killed before the merge was written down.
    if (!attempt.commit) return this.#leave(record, undefined)
    // Also after a crash, when this machine only remembers the attempt. If another machine has the base, it has moved on.
    if ((await this.#ports.bases?.takeBase(baseOf(record))) !== undefined) return this.#again(record, claim)
    const alsoHeld = () => this.#ports.bases?.checkBase(baseOf(record)) ?? Promise.resolve()
    const proof = await actions.proofOf(attempt.proof)
    if (proof === 'running') return
    const place = this.#placeOf(record, claim)
    const login = () => this.#ports.loginFor(data.project)
    const forge = await this.#ports.forgeOf(data)
    const [pull, tips] = await Promise.all([forge.pullRequest(record.pull), git.tips(place, login)])
    // What the forge shows may be older than what git shows.
    if (pull.state === 'open' && tips.head !== pull.headSha && tips.head === attempt.commit) return
    const mayMerge = isAgreed({ ...candidate, approvedCommits: pull.approvedCommits })
    const step = attemptStep(attempt, { pull, baseTip: tips.base, proof, mayMerge, policy, now: clock.now() })
    switch (step.do) {
      case 'finish':
        return this.#finish(record, claim, pull.url)
      case 'leave':
        return step.note === undefined ? this.#again(record, claim) : this.#leave(record, step.note)
      case 'again':
        return this.#again(record, claim)
      case 'wait':
        return void (await records.put({ ...record, note: step.note, notBefore: clock.now() + LOOK_MS }))
      case 'send-back':
        return this.#sendBack(record, claim, attempt.head, proofText(claim, record.base, step.why))
      case 'push':
        // Stored first: the pushed commit is Baton's own, and the person's answer covers it.
        await records.put({ ...record, lineage: [...new Set([...record.lineage, attempt.commit])] })
        try {
          await actions.push(claim, attempt.folder ?? '', alsoHeld)
        } catch (cause) {
          const { head } = await git.tips(place, login)
          if (head !== attempt.head) return this.#again(record, claim)
          throw cause
        }
        return this.#ports.look(claim)
      case 'merge': {
        const { method } = await this.#ports.configOf(data.project)
        await actions.merge(claim, record.pull, { headSha: attempt.commit, method }, alsoHeld)
        return this.#finish(record, claim, pull.url)
      }
    }
  }

  /** On a forge with a merge queue of its own, that one updates, checks and merges. */
  async #followForge(record: MergeRecord, claim: ClaimRecord): Promise<void> {
    const { records, actions, clock } = this.#ports
    const { attempt } = record
    if (!attempt) return
    const forge = await this.#ports.forgeOf(record.data)
    const pull = await forge.pullRequest(record.pull)
    if (pull.state === 'merged') return this.#finish(record, claim, pull.url)
    if (pull.state === 'closed' || pull.headSha !== attempt.head) return this.#again(record, claim)
    const notBefore = clock.now() + LOOK_MS
    const isThere = (await forge.mergeQueue(record.pull)) === 'queued'
    if (isThere || !attempt.isQueued) {
      if (!isThere) await actions.enqueue(claim, record.pull, attempt.head)
      const note = "It is in the forge's own merge queue"
      await records.put({ ...record, attempt: { ...attempt, isQueued: true }, note, notBefore })
      return
    }
    const why = pull.mergeable === 'conflict' ? `It conflicts with ${record.base}.` : 'A check failed there.'
    await this.#sendBack(
      record,
      claim,
      attempt.head,
      `The forge's merge queue did not merge ${pull.url}. ${why} ${mergeFirst(claim, record.base)}`,
    )
  }

  async #finish(record: MergeRecord, claim: ClaimRecord, url: string): Promise<void> {
    await this.#ports.agreeToClose(claim)
    await this.forget(record)
    await this.#ports.journal({ what: 'merged', ...about(record), pullRequest: url })
  }

  /** Ends the turn; the place in the queue stays. */
  async #leave({ attempt, note: _, ...record }: MergeRecord, note: string | undefined): Promise<void> {
    const notBefore = note === undefined ? 0 : this.#ports.clock.now() + LATER_MS
    await this.#ports.records.put({ ...record, notBefore, ...(note ? { note } : {}) })
    await this.#ports.bases?.leaveBase(baseOf(record))
    await this.#ports.git.remove(record.data)
  }

  /** Something has moved, or is missing again: what the claim last saw is out of date. */
  async #again(record: MergeRecord, claim: ClaimRecord): Promise<void> {
    await this.#leave(record, undefined)
    await this.#ports.look(claim)
  }

  async #sendBack(record: MergeRecord, claim: ClaimRecord, head: string, text: string): Promise<void> {
    const { records, clock, actions } = this.#ports
    await actions.sendBack(claim, text)
    const [line = ''] = text.split('\n')
    const sentBack = { head, at: clock.now(), count: (record.sentBack?.count ?? 0) + 1 }
    const { attempt: _, ...rest } = record
    await records.put({ ...rest, sentBack, note: this.#ports.redact(line) })
    await this.#ports.bases?.leaveBase(baseOf(record))
    await this.#ports.git.remove(record.data)
    await this.#ports.journal({ what: 'sent-back', ...about(record), reason: this.#ports.redact(line) })
  }

  /** A failure that may pass is tried again; another one ends the turn, so that the next pull request can go. */
  async safely(candidate: Candidate, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (cause) {
      const record = (await this.#ports.records.of(candidate.record.data)) ?? candidate.record
      const said = this.#ports.redact(cause instanceof Error ? cause.message : String(cause)).slice(0, 500)
      if (isPassing(cause) || (cause instanceof ForgeError && cause.trouble === 'conflict')) {
        const notBefore = this.#ports.clock.now() + LOOK_MS
        await this.#ports.records.put({ ...record, note: said, notBefore })
        return
      }
      if (!(cause instanceof BatonError)) this.#ports.fault('merging a pull request', cause)
      const isNews = record.note !== said
      await this.#leave(record, said)
      if (!isNews) return
      await this.#ports.journal({ what: 'not-merged', ...about(record), reason: said })
      await this.#ports.announce(
        record.data.project,
        `⚠️ issue #${record.data.issue}: its pull request could not be merged: ${said}`,
      )
    }
  }

  async forget(record: MergeRecord): Promise<void> {
    await this.#ports.git.remove(record.data)
    await this.#ports.answers.remove(record)
    await this.#ports.records.remove(record)
    // Without a turn of its own, another pull request of this machine may have the base branch.
    if (record.attempt?.via === 'baton') await this.#ports.bases?.leaveBase(baseOf(record))
  }

  #placeOf({ data, base }: MergeRecord, { branch }: ClaimRecord): BranchPlace {
    return { project: data.project, issue: data.issue, branch, base }
  }
}

const about = ({ data: { repository, issue } }: MergeRecord) => ({ repository, issue })

const mergeFirst = ({ branch }: ClaimRecord, base: string): string =>
  `First get the newest commits: git fetch, then git merge origin/${branch}, then git merge origin/${base}. Do not rebase: Baton learns from how you solve a conflict in a merge.`

const conflictText = (claim: ClaimRecord, base: string, files: readonly string[]): string =>
  `PR #${claim.pr?.number} conflicts with ${base}, and neither earlier solutions nor a structural merge solve it.\n${files
    .slice(0, 30)
    .map(file => `- ${file}`)
    .join('\n')}\n${mergeFirst(claim, base)}`

const proofText = (claim: ClaimRecord, base: string, why: string): string =>
  `PR #${claim.pr?.number} fails its checks together with the newest ${base}.\n${why}\n${mergeFirst(claim, base)}`
