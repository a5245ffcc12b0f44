import { BatonError } from '@batonpass/contract/errors'
import { type CheckResult, Proof } from '@batonpass/contract/proof'
import type { ProofOrder } from '../../src/proof/choose-checks.ts'
import type { Proofs } from '../../src/proof/proofs.ts'

export const BASE = '0'.repeat(40)

export const PASSED: CheckResult = { name: 'npm test', status: 'passed', seconds: 1 }

export const failedCheck = (output: string): CheckResult => ({
  name: 'npm test',
  status: 'failed',
  why: 'failed with exit code 1',
  seconds: 1,
  output,
})

export const unproven = (result: CheckResult): Partial<Proof> => ({
  verdict: 'unproven',
  why: `${result.name} ${result.why}`,
  results: [result],
})

export interface FakeProofs
  extends Pick<Proofs, 'start' | 'get' | 'wait' | 'cancel' | 'findBase' | 'resolve' | 'addContradictions'> {
  started: { commit: string; since: string | undefined }[]
  ordered: ProofOrder[]
  cancelled: string[]
  /** The commits that names such as branches point to. */
  commits: Map<string, string>
  /** Whether a person is one of the checks. */
  asks: boolean
  isUnreadable: boolean
  /** Ends the newest proof. */
  end(verdict: Partial<Proof>): void
}

/** Proofs that end when and how a test says. */
export function fakeProofs(checks = 1): FakeProofs {
  const proofs = new Map<string, Proof>()
  const at = '2026-11-15T12:00:00.000Z'
  const get = async (id: string) => {
    const found = proofs.get(id)
    if (!found) throw new BatonError('not_found', 'no such proof')
    if (made.isUnreadable) throw new Error('too many open files')
    return found
  }
  const made: FakeProofs = {
    started: [],
    ordered: [],
    cancelled: [],
    asks: false,
    isUnreadable: false,
    commits: new Map(),
    findBase: async () => BASE,
    resolve: async (_, name) => made.commits.get(name) ?? name,
    async start(order) {
      const { project, commit = '', since } = order
      made.ordered.push(order)
      made.started.push({ commit, since })
      const check = { kind: 'run', name: 'npm test', source: 'derived', where: 'package.json' }
      const proof = Proof.parse({
        version: 1,
        id: `prf_${String(proofs.size).padStart(20, '0')}`,
        project,
        commit,
        base: BASE,
        checks: [
          ...Array.from({ length: checks }, () => ({ ...check, command: 'npm test', exit: 0, minutes: 15 })),
          ...(made.asks ? [{ ...check, kind: 'person', name: 'Look?', question: 'Look?', minutes: 9 }] : []),
        ],
        startedAt: at,
        ...(checks === 0 ? { endedAt: at, verdict: 'unproven', why: 'no checks' } : {}),
      })
      proofs.set(proof.id, proof)
      return proof
    },
    get,
    wait: get,
    async addContradictions(id, found) {
      const proof = { ...(await get(id)), contradictions: [...found] }
      proofs.set(id, proof)
      return proof
    },
    async cancel(id) {
      made.cancelled.push(id)
      return get(id)
    },
    end(verdict) {
      const last = [...proofs.values()].at(-1)
      if (last) proofs.set(last.id, { ...last, endedAt: at, ...verdict })
    },
  }
  return made
}
