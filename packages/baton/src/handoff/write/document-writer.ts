import type { HandoffDocument, HandoffFinding, HandoffLedger } from '@batonpass/contract/handoff'
import type { ReadHandoff } from '../document/parse.ts'
import type { Evidence } from '../evidence.ts'
import { addOrigins } from '../fact-origins.ts'
import { completeDocument, handoffFromEvidence } from '../from-evidence.ts'
import type { HandoffFiles, HeardWords } from '../handoff-files.ts'
import { ledgerOfDocument, updateLedger } from '../ledger.ts'
import { findUnverified, markUnverified } from '../statements/check-statements.ts'
import { markLine, withoutMark } from '../statements/lines.ts'
import { type Lookups, lookupsOf } from '../statements/lookups.ts'
import { documentErrors } from '../verify.ts'

/** The agent's document, if it wrote one, the evidence, and where the two disagree. */
export interface CheckedDocument {
  /** `name`: the file that the agent wrote; without it the document comes from a reply. */
  written: (ReadHandoff & { name?: string }) | undefined
  evidence: Evidence
  findings: readonly HandoffFinding[]
  /** The evidence that includes what the document names, if it is not `evidence`. */
  shown?: Evidence | undefined
}

/** How to gather the evidence, including what the document names. */
export type GatherEvidence = (lookups: Lookups | undefined) => Promise<Evidence>

/** Checks an agent's document against git and the transcript; without findings it may be used. */
export async function checkWritten(
  written: CheckedDocument['written'],
  gather: GatherEvidence,
  readTest: Parameters<typeof documentErrors>[2],
): Promise<CheckedDocument> {
  const evidence = await gather(written && lookupsOf(written.document))
  const findings = written ? documentErrors(written, evidence, readTest) : [ABSENT]
  return { written, evidence, findings, shown: evidence }
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
  { written, evidence, findings, shown = evidence }: CheckedDocument,
  { root, ...writing }: WritingFacts,
): Promise<PreparedDocument> {
  const usable = findings.length === 0 ? written : undefined
  const before =
    (await correctedLedger(files, root, evidence.session)) ??
    (writing.parent === undefined ? undefined : await ledgerBefore(files, root, writing.parent))
  const marked = usable && markUnverified(usable.document, findUnverified(usable.document, shown, before))
  const ledger = updateLedger(before, evidence, marked ?? unverified(written?.document))
  const document =
    usable && marked
      ? completeDocument(
          withContextUsage(marked, writing.contextUsage),
          evidence,
          writing,
          usable.findings,
          ledger,
        )
      : handoffFromEvidence(evidence, writing, ledger)
  const hidden = await files.hideSecrets(root, { document, ledger }, heardWords(evidence))
  // Ids are made from the words, so secrets have to be gone first.
  const origin = { session: evidence.session, at: evidence.transcript?.lastAt ?? writing.now }
  return {
    ...hidden,
    ledger: addOrigins(hidden.ledger, before, origin),
    writtenBy: usable ? 'agent' : 'baton',
  }
}

function heardWords({ transcript, prompts = [] }: Evidence): HeardWords {
  const { secrets: read, instructions = [], summarized = [], pasted = [] } = transcript?.facts ?? {}
  return {
    read,
    user: [...prompts, ...(transcript?.instructions ?? []), ...instructions, ...summarized, ...pasted],
  }
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

/** How many of the newest documents are looked at. */
const MOST_LOOKED_AT = 20

/** The ledger of the session's own last document, if the user removed or changed a fact in it. */
async function correctedLedger(
  files: HandoffFiles,
  root: string,
  session: string | undefined,
): Promise<HandoffLedger | undefined> {
  if (session === undefined) return undefined
  const names = await files.list(root).catch(() => [])
  for (const name of names.toReversed().slice(0, MOST_LOOKED_AT)) {
    const ledger = await files.ledger(root, name)
    if (!ledger) continue
    const read = await files.read(root, name).catch(() => undefined)
    if (read?.document.facts.session === session) return ledger.removed.length > 0 ? ledger : undefined
  }
  return undefined
}

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

/** A document that failed the check twice may still hold what no one else wrote down. */
function unverified(document: HandoffDocument | undefined): HandoffDocument | undefined {
  if (!document) return undefined
  const mark = (texts: readonly string[]) =>
    texts.map(text => markLine(withoutMark(text), 'its document failed the check'))
  const { decisions, notes, criticalState, blockers, nextSteps } = document
  return {
    ...document,
    completed: [],
    nextSteps: [],
    decisions: mark(decisions),
    notes: mark([...notes, ...criticalState, ...blockers, ...nextSteps]),
    criticalState: [],
    blockers: [],
    constraints: [],
  }
}

const withContextUsage = (document: HandoffDocument, contextUsage: number | undefined): HandoffDocument =>
  contextUsage === undefined || document.contextUsage !== undefined ? document : { ...document, contextUsage }

const ABSENT: HandoffFinding = {
  code: 'unreadable',
  weight: 'wrong',
  where: 'document',
  message: 'The agent did not write a handoff document',
}
