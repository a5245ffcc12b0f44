import { type Proof, ProofId } from '@batonpass/contract/proof'
import { z } from 'zod'
import type { Clock } from '../ports/clock.ts'
import { readJsonFiles } from '../ports/json-files.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import { KeyedQueue } from '../session/keyed-queue.ts'

interface Parts {
  /** Puts the block about a proof into the text of a pull request. */
  show(project: string, pullRequest: number, proof: Proof): Promise<void>
  proofOf(id: string): Promise<Proof>
  /** Whether a failure may end by itself, such as a forge that does not answer. */
  mayPass(cause: unknown): boolean
  files: Pick<SmallFiles, 'read' | 'write' | 'remove' | 'list'>
  stateDir: string
  clock: Clock
  fault(during: string, cause: unknown): void
}

/** A pull request whose text does not show the newest proof yet. */
const Unshown = z.object({
  project: z.string(),
  pullRequest: z.number().int(),
  proof: ProofId,
  since: z.number(),
  tries: z.number().int(),
  notBefore: z.number(),
})
type Unshown = z.infer<typeof Unshown>

const FOLDER = 'proof-unshown'
const FIRST_MS = 15_000
const MAX_PAUSE_MS = 15 * 60_000
const GIVE_UP_MS = 24 * 60 * 60_000

/** Keeps the block in pull requests up to date: what the forge did not take is tried again, also by the next daemon. */
export class ShownProofs {
  readonly #parts: Parts
  /** One write at a time into a pull request, so that an older proof never replaces a newer one. */
  readonly #turns = new KeyedQueue()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Shows a proof now, or later if the forge does not answer. Fails only if trying again would not help. */
  show(project: string, pullRequest: number, proof: Proof): Promise<void> {
    return this.#turns.run(`${project} ${pullRequest}`, () => this.#show(project, pullRequest, proof))
  }

  async #show(project: string, pullRequest: number, proof: Proof): Promise<void> {
    const { clock, mayPass } = this.#parts
    const now = clock.now()
    try {
      await this.#parts.show(project, pullRequest, proof)
    } catch (cause) {
      if (!mayPass(cause)) throw cause
      await this.#forget(project, pullRequest)
      await this.#put({
        project,
        pullRequest,
        proof: proof.id,
        since: now,
        tries: 1,
        notBefore: now + FIRST_MS,
      })
      return
    }
    await this.#forget(project, pullRequest)
  }

  /** Tries again what is due. Called every few seconds. */
  async tick(): Promise<void> {
    const now = this.#parts.clock.now()
    for (const record of await this.#all()) {
      if (record.notBefore > now) continue
      await this.#turns.run(`${record.project} ${record.pullRequest}`, async () => {
        // A newer proof may have been shown meanwhile.
        const isLeft = (await this.#all()).some(each => nameOf(each) === nameOf(record))
        if (isLeft) await this.#tryAgain(record, now)
      })
    }
  }

  async #tryAgain(record: Unshown, now: number): Promise<void> {
    const { mayPass, proofOf, fault } = this.#parts
    const { project, pullRequest, since, tries } = record
    try {
      await this.#parts.show(project, pullRequest, await proofOf(record.proof))
    } catch (cause) {
      const pause = Math.min(FIRST_MS * 2 ** Math.min(tries, 10), MAX_PAUSE_MS)
      if (mayPass(cause) && now - since < GIVE_UP_MS)
        return this.#put({ ...record, tries: tries + 1, notBefore: now + pause })
      fault('showing a proof in its pull request', cause)
    }
    await this.#remove(record)
  }

  #all(): Promise<Unshown[]> {
    return readJsonFiles(this.#parts.files, this.#parts.stateDir, FOLDER, Unshown)
  }

  /** A newer proof of the same pull request takes the place of an older one. */
  async #forget(project: string, pullRequest: number): Promise<void> {
    for (const record of await this.#all())
      if (record.project === project && record.pullRequest === pullRequest) await this.#remove(record)
  }

  #put(record: Unshown): Promise<void> {
    return this.#parts.files.write(this.#parts.stateDir, nameOf(record), JSON.stringify(record))
  }

  async #remove(record: Unshown): Promise<void> {
    await this.#parts.files.remove(this.#parts.stateDir, nameOf(record))
  }
}

const nameOf = ({ proof }: Unshown): string => `${FOLDER}/${proof}.json`
