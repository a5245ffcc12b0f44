import type { HandoffDocument, HandoffFinding, HandoffLedger } from '@batonpass/contract/handoff'
import type { ReadHandoff } from '../document/parse.ts'
import type { Evidence } from '../evidence.ts'
import { completeDocument, handoffFromEvidence } from '../from-evidence.ts'
import type { HandoffFiles } from '../handoff-files.ts'
import { ledgerOfDocument, updateLedger } from '../ledger.ts'
import { namedFiles } from '../ticked-items.ts'
import { documentErrors } from '../verify.ts'

/** The agent's document, if it wrote one, the evidence, and where the two disagree. */
export interface CheckedDocument {
  /** `name`: the file that the agent wrote; without it the document comes from a reply. */
  written: (ReadHandoff & { name?: string }) | undefined
  evidence: Evidence
  findings: readonly HandoffFinding[]
}

/** How to gather the evidence, including whether the named files exist. */
export type GatherEvidence = (named: readonly string[]) => Promise<Evidence>

/** Checks an agent's document against git and the transcript; without findings it may be used. */
export async function checkWritten(
  written: CheckedDocument['written'],
  gather: GatherEvidence,
  readTest: Parameters<typeof documentErrors>[2],
): Promise<CheckedDocument> {
  const evidence = await gather(written ? namedFiles(written.document) : [])
  return { written, evidence, findings: written ? documentErrors(written, evidence, readTest) : [ABSENT] }
}

/** Facts about the handoff that neither the document nor the evidence contains. */
export interface WritingFacts {
  root: string
  now: number
  focus?: string | undefined
  /** Name of the document that the session started with. */
  parent?: string | undefined
  /** Percent of the context window in use, if known. */
  contextUsage?: number | undefined
}

export interface PreparedDocument {
  /** Both without secrets. */
  document: HandoffDocument
  ledger: HandoffLedger
  writtenBy: 'agent' | 'baton'
}

/** The agent's document with its facts completed, or one from evidence if the agent's failed the check; and the ledger. */
export async function prepareDocument(
  files: HandoffFiles,
  { written, evidence, findings }: CheckedDocument,
  { root, ...writing }: WritingFacts,
): Promise<PreparedDocument> {
  const usable = findings.length === 0 ? written : undefined
  const before = writing.parent === undefined ? undefined : await ledgerBefore(files, root, writing.parent)
  const ledger = updateLedger(before, evidence, usable?.document ?? unverified(written?.document))
  const document = usable
    ? completeDocument(
        withContextUsage(usable.document, writing.contextUsage),
        evidence,
        writing,
        usable.findings,
        ledger,
      )
    : handoffFromEvidence(evidence, writing, ledger)
  const hidden = await files.hideSecrets(root, { document, ledger }, evidence.transcript?.facts?.secrets)
  return { ...hidden, writtenBy: usable ? 'agent' : 'baton' }
}

/** Stores the document and its ledger under one name. */
export async function storeChecked(
  files: HandoffFiles,
  checked: CheckedDocument,
  facts: WritingFacts,
): Promise<PreparedDocument & { name: string }> {
  const { root, now } = facts
  const prepared = await prepareDocument(files, checked, facts)
  const own = prepared.writtenBy === 'agent' ? checked.written?.name : undefined
  const name =
    own === undefined
      ? await files.store(root, prepared.document, now)
      : await files.rewrite(root, own, prepared.document)
  await files.storeLedger(root, name, prepared.ledger)
  return { ...prepared, name }
}

/** A checked document without the agent's part. */
export const fromEvidenceAlone = (evidence: Evidence): CheckedDocument => ({
  written: undefined,
  evidence,
  findings: [ABSENT],
})

async function ledgerBefore(
  files: HandoffFiles,
  root: string,
  parent: string,
): Promise<HandoffLedger | undefined> {
  const known = await files.ledger(root, parent)
  if (known) return known
  const read = await files.read(root, parent).catch(() => undefined)
  return read && ledgerOfDocument(read.document)
}

/** A document that failed the check twice may still hold decisions that no one else wrote down. */
function unverified(document: HandoffDocument | undefined): HandoffDocument | undefined {
  const mark = (texts: readonly string[]) => texts.map(text => `${text} (unverified)`)
  return (
    document && {
      ...document,
      completed: [],
      nextSteps: [],
      decisions: mark(document.decisions),
      notes: mark(document.notes),
      criticalState: [],
      blockers: [],
      constraints: [],
    }
  )
}

const withContextUsage = (document: HandoffDocument, contextUsage: number | undefined): HandoffDocument =>
  contextUsage === undefined || document.contextUsage !== undefined ? document : { ...document, contextUsage }

const ABSENT: HandoffFinding = {
  code: 'unreadable',
  weight: 'wrong',
  where: 'document',
  message: 'The agent did not write a handoff document',
}
