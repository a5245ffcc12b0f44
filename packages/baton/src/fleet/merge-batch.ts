import type { PullRequestStatus } from '../ports/forge.ts'
import type { MergedBranch } from '../ports/merges.ts'
import type { MergeRecord } from './job-record.ts'
import type { Candidate, MergeAttempts } from './merge-attempt.ts'
import type { MergePorts } from './merge-ports.ts'
import { baseOf, isAgreed, isStopped, readinessOf } from './merge-steps.ts'

const LOOK_MS = 15_000
/** GitHub marks a pull request as merged a moment after its commits are in the base. Then Baton merges it by itself. */
const NOTICE_MS = 10 * 60_000

/** A pull request of a batch whose branch contains the base and all that come before it. */
interface Member extends Candidate {
  merged: MergedBranch
}
/** One that is on its way, as stored. */
type Follower = Candidate & { attempt: NonNullable<MergeRecord['attempt']>; pull: PullRequestStatus }

/** The pull requests that can be tried together with the one whose turn it is, that one first. Pure. */
export function batchOf<C extends Candidate>(
  first: C,
  candidates: readonly C[],
  most: number,
  now: number,
): C[] {
  const size = Math.min(most, first.record.batchLimit ?? most)
  const others = candidates
    .filter(
      ({ record }) =>
        record.data.issue !== first.record.data.issue && baseOf(record) === baseOf(first.record),
    )
    .filter(
      each => !each.record.attempt && each.record.notBefore <= now && readinessOf(each, now).is === 'go',
    )
    .sort(({ record: a }, { record: b }) => a.since - b.since || a.pull - b.pull)
  return [first, ...others].slice(0, Math.max(1, size))
}

/**
 * Several pull requests with one proof (`merge.batch`): each branch gets the one before it merged in, so the last one contains all
 * of them. Baton proves that commit, pushes the branches and merges the last pull request: the base moves once, to what was
 * proven, and the forge sees that the others are merged, too. If the proof fails, the next batch is half as large, down to one,
 * which goes back to its agent.
 */
export class MergeBatches {
  readonly #ports: MergePorts
  readonly #attempts: MergeAttempts

  constructor(ports: MergePorts, attempts: MergeAttempts) {
    this.#ports = ports
    this.#attempts = attempts
  }

  /** Begins with all that merge cleanly one after the other. False: there are not two of them, or the forge has its own queue. */
  async begin(candidates: readonly Candidate[]): Promise<boolean> {
    const [first] = candidates
    if (!first || candidates.length < 2) return false
    const { records, clock, bases, actions, journal } = this.#ports
    const forge = await this.#ports.forgeOf(first.record.data)
    if ((await forge.mergeQueue(first.record.pull)) !== 'absent') return false
    if ((await bases?.takeBase(baseOf(first.record))) !== undefined) return false
    const members = await this.#mergeInOrder(candidates)
    const last = members.at(-1)
    if (!last || members.length < 2) {
      for (const { record } of members) await this.#ports.git.remove(record.data)
      return false
    }
    const { folder, commit, base } = last.merged
    const proof = await actions.startProof(last.claim, { folder, commit, base })
    const batch = members.map(({ record }) => record.data.issue)
    // The last one last: it carries the others, which wait for it.
    for (const member of members) {
      const { head, ...merged } = member.merged
      const isLast = member === last
      await records.put({
        ...member.record,
        attempt: {
          ...{ via: 'baton', head, startedAt: clock.now(), hasChecks: member.seen.verdict !== 'none', batch },
          ...merged,
          ...(isLast && proof ? { proof } : {}),
        },
        note: `Baton proves it together with ${batch.length - 1} other${batch.length > 2 ? 's' : ''} and ${member.record.base}`,
      })
      const { repository, issue } = member.record.data
      await journal({
        what: 'merging',
        repository,
        issue,
        reason: `together with ${batch
          .filter(each => each !== issue)
          .map(each => `#${each}`)
          .join(', ')}`,
      })
    }
    return true
  }

  /** Leaves out what conflicts with those before it: that one has its turn later, alone. */
  async #mergeInOrder(candidates: readonly Candidate[]): Promise<Member[]> {
    const { git, forgeOf, loginFor } = this.#ports
    const members: Member[] = []
    for (const candidate of candidates) {
      const { record, claim } = candidate
      const pull = await (await forgeOf(record.data)).pullRequest(record.pull)
      if (pull.state !== 'open' || !record.lineage.includes(pull.headSha)) continue
      const before = members.at(-1)
      const after = before && { folder: before.merged.folder, branch: before.claim.branch }
      const place = { ...this.#attempts.placeOf(record, claim), after }
      const merged = await git.attempt(place, () => loginFor(record.data.project))
      const isSame = merged.head === pull.headSha && (before?.merged.base ?? merged.base) === merged.base
      if (merged.kind === 'merged' && isSame) members.push({ ...candidate, merged })
      else await git.remove(record.data)
    }
    return members
  }

  /** The next step of a pull request of a batch; the last one does it for all. */
  async follow(candidate: Candidate, all: readonly Candidate[]): Promise<void> {
    const { record, claim } = candidate
    const { attempt, data } = record
    const batch = attempt?.batch
    if (!attempt || !batch) return
    const forge = await this.#ports.forgeOf(data)
    const pull = await forge.pullRequest(record.pull)
    if (pull.state === 'merged') {
      if (isLastOf(record)) await this.#noteMerged(record)
      return this.#attempts.finish(record, claim, pull.url)
    }
    if (attempt.isInBase) return this.#awaitForge(candidate)
    if (isLastOf(record)) return this.#followLast({ ...candidate, attempt, pull }, all)
    const last = await this.#ports.records.of({ ...data, issue: batch.at(-1) ?? data.issue })
    // The batch was given up, also by a daemon that was killed in the middle of it.
    if (String(last?.attempt?.batch) !== String(batch)) await this.#attempts.again(record, claim)
  }

  async #awaitForge({ record, claim }: Candidate): Promise<void> {
    const { records, clock } = this.#ports
    if (clock.now() - (record.attempt?.startedAt ?? 0) > NOTICE_MS) return this.#attempts.again(record, claim)
    const note = 'Its commits are merged; the forge has not noticed it yet'
    await records.put({ ...record, note, notBefore: clock.now() + LOOK_MS })
  }

  async #followLast(last: Follower, all: readonly Candidate[]): Promise<void> {
    const { records, actions, clock, git, bases } = this.#ports
    const { record, attempt } = last
    const members = await this.#membersOf(last, all)
    if (!members) return this.#dissolve(last, all)
    if ((await bases?.takeBase(baseOf(record))) !== undefined) return this.#dissolve(last, all)
    const proof = await actions.proofOf(attempt.proof)
    if (proof === 'running') return
    const login = () => this.#ports.loginFor(record.data.project)
    const tips = await git.tips(this.#attempts.placeOf(record, last.claim), login)
    if (tips.base !== attempt.base) return this.#dissolve(last, all)
    // What the forge or a review has to show after the push is for one pull request alone.
    const isEnough = proof === 'proven' || ('missing' in proof && last.policy !== 'proven')
    if (!isEnough) return this.#halve(last, all)
    const alsoHeld = () => bases?.checkBase(baseOf(record)) ?? Promise.resolve()
    const behind = members.filter(({ pull, attempt: { commit } }) => pull.headSha !== commit)
    for (const each of behind) {
      const { lineage } = each.record
      const commit = each.attempt.commit ?? ''
      // Stored first: the pushed commit is Baton's own, and the person's answer covers it.
      await records.put({ ...each.record, lineage: [...new Set([...lineage, commit])] })
      await actions.push(each.claim, each.attempt.folder ?? '', alsoHeld)
    }
    if (behind.length > 0) return this.#ports.look(last.claim)
    if (members.some(({ pull }) => pull.checks.verdict === 'failed')) return this.#halve(last, all)
    const { verdict } = last.pull.checks
    const isGreen = verdict === 'passed' || (verdict === 'none' && !attempt.hasChecks)
    if (!isGreen || last.pull.mergeable === 'unknown') {
      await records.put({ ...record, note: 'The checks of its batch run', notBefore: clock.now() + LOOK_MS })
      return
    }
    const headSha = attempt.commit ?? ''
    await actions.merge(last.claim, record.pull, { headSha, method: 'merge' }, alsoHeld)
    await this.#noteMerged(record)
    await this.#attempts.finish(record, last.claim, last.pull.url)
  }

  /** All of the batch as the forge has them now; undefined if one of them must not be merged as it is. */
  async #membersOf(last: Follower, all: readonly Candidate[]): Promise<Follower[] | undefined> {
    const found: Follower[] = []
    for (const candidate of this.#stored(last.record, all)) {
      const { record } = candidate
      const { attempt } = record
      const pull = await (await this.#ports.forgeOf(record.data)).pullRequest(record.pull)
      const isOurs = attempt !== undefined && [attempt.head, attempt.commit].includes(pull.headSha)
      const isFree = isAgreed({ ...candidate, approvedCommits: pull.approvedCommits }) && !isStopped(pull)
      if (!isOurs || pull.state !== 'open' || !isFree) return undefined
      found.push({ ...candidate, attempt, pull })
    }
    return found.length === last.attempt.batch?.length ? found : undefined
  }

  #stored({ data, attempt }: MergeRecord, all: readonly Candidate[]): Candidate[] {
    const issues = attempt?.batch ?? []
    return issues.flatMap(issue =>
      all.filter(
        ({ record }) =>
          record.data.repository === data.repository &&
          record.data.issue === issue &&
          String(record.attempt?.batch) === String(issues),
      ),
    )
  }

  /** So that the others know why the base has moved. */
  async #noteMerged({ data, attempt }: MergeRecord): Promise<void> {
    const { records, clock } = this.#ports
    for (const issue of attempt?.batch ?? []) {
      const other = await records.of({ ...data, issue })
      if (issue === data.issue || String(other?.attempt?.batch) !== String(attempt?.batch) || !other?.attempt)
        continue
      await records.put({ ...other, attempt: { ...other.attempt, isInBase: true, startedAt: clock.now() } })
    }
  }

  /** Something has moved: each begins again. */
  async #dissolve(last: Candidate, all: readonly Candidate[]): Promise<void> {
    for (const { record, claim } of this.#stored(last.record, all)) await this.#attempts.again(record, claim)
  }

  /** One of them does not work, alone or with the others: the first half is tried next. */
  async #halve(last: Candidate, all: readonly Candidate[]): Promise<void> {
    const members = this.#stored(last.record, all)
    const batchLimit = Math.max(1, Math.floor(members.length / 2))
    for (const { record, claim } of members) await this.#attempts.again({ ...record, batchLimit }, claim)
    const { repository, issue } = last.record.data
    await this.#ports.journal({
      what: 'not-merged',
      repository,
      issue,
      reason: `${members.map(({ record }) => `#${record.data.issue}`).join(', ')} fail together: Baton tries ${batchLimit} at a time`,
    })
  }
}

const isLastOf = ({ data, attempt }: MergeRecord): boolean => attempt?.batch?.at(-1) === data.issue
