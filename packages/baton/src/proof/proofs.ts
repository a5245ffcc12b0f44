import { BatonError } from '@batonpass/contract/errors'
import { type CheckList, type CheckResult, Proof, type ProofEntry, ProofId } from '@batonpass/contract/proof'
import type { Ids } from '../ports/ids.ts'
import { readJsonFile, readJsonFiles } from '../ports/json-files.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import { type ChoicePorts, chooseChecks, findCommit, isOnForge, type ProofOrder } from './choose-checks.ts'
import { judgeProof } from './judge-proof.ts'
import { type OutsidePorts, runOutsideChecks } from './outside-checks.ts'
import { noteOnReview } from './review-check.ts'
import type { Reviewers } from './review-session.ts'
import { type CheckPorts, removeCheckouts, runChecks } from './run-checks.ts'

export interface ProofsParts extends CheckPorts, ChoicePorts {
  /** The forge and people. Absent: such checks do not run. */
  outside?: OutsidePorts | undefined
  /** Agents that can review. Absent: such checks do not run. */
  reviewers?: Reviewers | undefined
  files: SmallFiles
  stateDir: string
  ids: Pick<Ids, 'id'>
  journal(proof: Proof, entry: ProofEntry): Promise<void>
}

const FOLDER = 'proof'
const MAX_KEPT = 300
/** Proofs that run at the same time; others wait. */
const MAX_RUNNING = 2

/** All proofs of this machine. A running one is on disk, so that the next daemon runs it again after a crash. */
export class Proofs {
  readonly #parts: ProofsParts
  readonly #running = new Map<string, { end: Promise<Proof>; stop: AbortController }>()
  readonly #waiting: (() => void)[] = []
  /** Proofs that this daemon launched: `resume` leaves them alone, also if it read their record before they ended. */
  readonly #launched = new Set<string>()
  #places = MAX_RUNNING

  constructor(parts: ProofsParts) {
    this.#parts = parts
  }

  /** The checks that a proof would run, and why these. */
  checksOf(order: ProofOrder): Promise<CheckList & Pick<Proof, 'later'>> {
    return chooseChecks(this.#parts, order)
  }

  /** The same for a person: also which reviews could not run here, or not in the sandbox. */
  async describeChecks(order: ProofOrder): Promise<CheckList> {
    const list = await this.checksOf(order)
    const notes: NonNullable<CheckList['notes']> = []
    for (const check of list.checks) {
      const note = check.kind === 'review' ? await noteOnReview(this.#parts.reviewers, check) : undefined
      if (note !== undefined) notes.push({ check: check.name, note })
    }
    return { ...list, ...(notes.length > 0 ? { notes } : {}) }
  }

  /** The full id of a commit. */
  resolve(project: string, name: string): Promise<string> {
    return findCommit(this.#parts, project, name)
  }

  /** Where work that begins now starts from. */
  async findBase(project: string): Promise<string | undefined> {
    const { checkouts } = this.#parts
    const head = await checkouts.resolve(project, 'HEAD')
    return head && checkouts.findBase(project, head)
  }

  /** Starts a proof, or returns the one that runs for the same commit. */
  async start(order: ProofOrder): Promise<Proof> {
    const { checks, setup, commit, base, later } = await this.checksOf(order)
    const { project, session, again, issueChecks } = order
    const opensPullRequest = order.opensPullRequest === true && checks.some(isOnForge)
    // With the keys in the order of the records on disk.
    const inOrder = Proof.shape.checks.parse(checks)
    const same = (await this.list()).find(
      proof =>
        this.#running.has(proof.id) &&
        proof.project === project &&
        proof.commit === commit &&
        // Otherwise an agent could choose by what the proof of its own run is measured.
        proof.base === base &&
        // And who waits for a pull request that only another caller opens would wait in vain.
        Boolean(proof.opensPullRequest) === opensPullRequest &&
        JSON.stringify([proof.checks, proof.setup, proof.later]) === JSON.stringify([inOrder, setup, later]),
    )
    if (same) return same
    const proof: Proof = {
      version: 1,
      id: ProofId.parse(`prf_${this.#parts.ids.id(20)}`),
      project,
      commit,
      base,
      checks,
      startedAt: this.#now(),
      results: [],
      ...(setup === undefined ? {} : { setup }),
      ...(session === undefined ? {} : { session }),
      ...(issueChecks?.text ? { issue: { number: issueChecks.issue, text: issueChecks.text } } : {}),
      ...(again ? { again } : {}),
      ...(opensPullRequest ? { opensPullRequest } : {}),
      ...(later ? { later } : {}),
    }
    this.#launched.add(proof.id)
    const recorded = this.#put(proof).then(() => this.#parts.journal(proof, entryOf(proof, 'started')))
    // At once: a caller that reads the record can cancel it.
    this.#launch(proof, recorded)
    await recorded
    void this.#prune()
    return proof
  }

  /** Newest first. */
  async list(project?: string): Promise<Proof[]> {
    const all = await readJsonFiles(this.#parts.files, this.#parts.stateDir, FOLDER, Proof)
    return all
      .filter(proof => project === undefined || proof.project === project)
      .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
  }

  async get(id: string): Promise<Proof> {
    const exact = ProofId.safeParse(id)
    const { files, stateDir } = this.#parts
    const name = exact.success ? `${FOLDER}/${exact.data}.json` : undefined
    const found = name && (await readJsonFile(files, stateDir, name, Proof))
    if (found) return found
    const file = name && (await files.read(stateDir, name))
    // As when this process has too many files open: the proof is not gone.
    if (file && file.kind === 'refused')
      throw new BatonError('internal', `The record of the proof cannot be read: ${file.why}`)
    throw new BatonError('not_found', `There is no proof ${id}`, { remedy: 'See `baton proof`.' })
  }

  /** Records what the agent reported although the evidence contradicts it. Only for a proof that has ended. */
  async addContradictions(id: string, found: readonly string[]): Promise<Proof> {
    const contradictions = found.map(each => this.#parts.redact(each))
    const proof = { ...(await this.get(id)), contradictions }
    if (proof.endedAt !== undefined) await this.#put(proof)
    return proof
  }

  /** Resolves when the proof has ended. */
  async wait(id: string): Promise<Proof> {
    return (await this.#running.get(id)?.end) ?? this.get(id)
  }

  async cancel(id: string): Promise<Proof> {
    const proof = await this.get(id)
    const running = this.#running.get(id)
    if (running) {
      running.stop.abort()
      return running.end
    }
    // It may have ended since it was read.
    if (proof.endedAt !== undefined || this.#launched.has(id)) return this.get(id)
    // A killed daemon left it, and this one has not resumed it yet.
    this.#launched.add(id)
    const end = removeCheckouts(this.#parts, proof)
      .catch(cause => this.#parts.fault('removing checkouts', cause))
      .then(() => this.#finish(proof, { verdict: 'unproven', why: 'cancelled' }))
      .catch(cause => {
        this.#launched.delete(id)
        throw cause
      })
      .finally(() => this.#running.delete(id))
    this.#running.set(id, { end, stop: new AbortController() })
    return end
  }

  /** Once, when the daemon starts: runs again what a killed daemon left. */
  async resume(): Promise<void> {
    for (const proof of await this.list()) {
      if (proof.endedAt !== undefined || this.#launched.has(proof.id)) continue
      this.#launched.add(proof.id)
      const { running, setupResult, ...rest } = proof
      // What was finished comes back from the cache.
      this.#launch({ ...rest, results: [], again: false }, removeCheckouts(this.#parts, proof))
      await this.#parts.journal(proof, entryOf(proof, 'restarted'))
    }
  }

  /** Stops all runs without ending them: the next daemon runs them again. */
  async close(): Promise<void> {
    const ends = [...this.#running.values()].map(({ stop, end }) => {
      stop.abort(CLOSING)
      return end
    })
    await Promise.all(ends)
  }

  #launch(first: Proof, prepared: Promise<void>): void {
    const stop = new AbortController()
    const end = prepared
      .then(() => this.#run(first, stop.signal))
      .catch(async cause => {
        this.#parts.fault('proving', cause)
        const why = cause instanceof BatonError ? cause.message : 'Baton could not run the checks'
        return this.#finish(first, { verdict: 'unproven', why })
      })
      .finally(() => this.#running.delete(first.id))
    // The caller, if there is one, receives the error of a record that could not be written.
    end.catch(() => undefined)
    this.#running.set(first.id, { end, stop })
  }

  async #run(first: Proof, signal: AbortSignal): Promise<Proof> {
    let proof = first
    let saved: Promise<void> = Promise.resolve()
    let isOver = false
    // One write at a time, always of the newest record: checks run in parallel, and an older write that ends last would
    // replace the result of a check on disk.
    const change = (news: Partial<Proof>): Promise<void> => {
      // It would put a record that runs over the one that has ended.
      if (isOver) return saved
      proof = { ...proof, ...news }
      saved = saved.catch(() => undefined).then(() => this.#put(proof))
      return saved
    }
    const progress = {
      running: (running: string) => change({ running }),
      setup: (setupResult: CheckResult) => change({ setupResult }),
      result: (result: CheckResult) => change({ results: [...proof.results, result] }),
    }
    try {
      const leave = await this.#enter()
      try {
        if (!signal.aborted) await runChecks(this.#parts, proof, progress, signal)
      } finally {
        leave()
      }
      // CI and people take their time: other proofs may run meanwhile.
      if (!signal.aborted) await runOutsideChecks(this.#parts, proof, progress, signal)
    } finally {
      isOver = true
      await saved.catch(() => undefined)
    }
    if (signal.aborted && signal.reason === CLOSING) return proof
    if (signal.aborted) return this.#finish(proof, { verdict: 'unproven', why: 'cancelled' })
    return this.#finish(proof, judgeProof(proof.checks, proof.results, proof.setupResult))
  }

  async #finish(proof: Proof, verdict: Pick<Proof, 'verdict' | 'why'>): Promise<Proof> {
    const { running, ...rest } = proof
    const ended: Proof = { ...rest, ...verdict, endedAt: this.#now() }
    await this.#put(ended)
    await this.#parts.journal(ended, entryOf(ended, verdict.why === 'cancelled' ? 'cancelled' : 'ended'))
    return ended
  }

  /** Waits until fewer than the allowed number run. */
  async #enter(): Promise<() => void> {
    if (this.#places > 0) this.#places -= 1
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    return () => {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#places += 1
    }
  }

  #put(proof: Proof): Promise<void> {
    return this.#parts.files.write(this.#parts.stateDir, `${FOLDER}/${proof.id}.json`, JSON.stringify(proof))
  }

  async #prune(): Promise<void> {
    const old = (await this.list()).filter(({ endedAt }) => endedAt !== undefined).slice(MAX_KEPT)
    for (const { id } of old) await this.#parts.files.remove(this.#parts.stateDir, `${FOLDER}/${id}.json`)
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}

const CLOSING = 'the daemon stops'

/** Whether a proof waits only for the forge, which has to see the commit in a pull request first. */
export const awaitsPullRequest = ({
  opensPullRequest,
  endedAt,
  checks,
  results,
  setupResult,
}: Proof): boolean =>
  opensPullRequest === true &&
  endedAt === undefined &&
  (setupResult === undefined || setupResult.status === 'passed') &&
  checks
    .filter(check => !isOnForge(check))
    .every(({ name }) => results.some(result => result.name === name && result.status === 'passed'))

function entryOf(proof: Proof, what: ProofEntry['what']): ProofEntry {
  const { id, commit, verdict, why, results } = proof
  return {
    kind: 'proof',
    what,
    proof: id,
    commit,
    ...(verdict ? { verdict } : {}),
    ...(why ? { why } : {}),
    ...(results.length > 0
      ? { checks: results.map(({ name, status, seconds }) => ({ name, status, seconds })) }
      : {}),
  }
}
