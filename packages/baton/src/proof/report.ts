import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { Proof } from '@batonpass/contract/proof'
import type { Proofs } from './proofs.ts'

/** What an agent says it did, and where that is written. */
export interface Report {
  project: string
  agent: AgentName
  transcript: string | undefined
  issue: number | undefined
  /** The agent's last message. */
  said: string | undefined
  /** The number of its pull request. */
  pullRequest: number | undefined
  /** The text of a pull request that is not open yet. */
  pullRequestText?: string | undefined
}

/** Returns what in a report the evidence certainly contradicts, in one sentence each. */
export type CompareReport = (report: Report, proof: Proof) => Promise<string[]>

interface ReportPorts {
  proofs?: Pick<Proofs, 'addContradictions'> | undefined
  /** Absent: nothing is compared. */
  compareReport?: CompareReport | undefined
  fault(during: string, cause: unknown): void
}

/** How much of the agent's last message is compared with the evidence. */
export const MAX_SAID = 8000

/** Compares a report with an ended proof, once or `again`, and adds what is certainly wrong to the proof. */
export async function addReport(
  { proofs, compareReport, fault }: ReportPorts,
  report: Report,
  proof: Proof,
  { again = false } = {},
): Promise<Proof> {
  if (!proofs || !compareReport || (proof.contradictions !== undefined && !again)) return proof
  const found = await compareReport(report, proof).catch(cause => {
    if (!(cause instanceof BatonError)) fault('comparing a report with the evidence', cause)
    return []
  })
  return proofs.addContradictions(proof.id, found)
}

/** Said after a verdict whose report is not right. */
export const reportDiffers = ({ contradictions = [] }: Proof): string =>
  contradictions.length > 0 ? '; what the agent reported differs, see the proof' : ''

/** What a proven commit shows, in a few words. */
export const passedSummary = ({ commit, results }: Proof): string =>
  `${results.length} ${results.length === 1 ? 'check' : 'checks'} passed on commit ${commit.slice(0, 10)}`
