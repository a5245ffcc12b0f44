import type { HandoffDocument, HandoffFinding } from '@batonpass/contract/handoff'
import type { ReadHandoff } from '../document/parse.ts'
import type { Evidence } from '../evidence.ts'
import { completeDocument, handoffFromEvidence } from '../from-evidence.ts'
import type { HandoffFiles } from '../handoff-files.ts'
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

export interface StoredDocument {
  name: string
  /** The stored document, with secrets removed. */
  document: HandoffDocument
  writtenBy: 'agent' | 'baton'
}

/** Stores the agent's document with its facts completed, or one from evidence if the agent's failed the check. */
export async function storeChecked(
  files: HandoffFiles,
  { written, evidence, findings }: CheckedDocument,
  { root, ...facts }: WritingFacts,
): Promise<StoredDocument> {
  const { now, parent, contextUsage } = facts
  const before =
    parent === undefined ? undefined : (await files.read(root, parent).catch(() => undefined))?.document
  const writing = { ...facts, before }
  const usable = findings.length === 0 ? written : undefined
  const document = files.clean(
    usable
      ? completeDocument(withContextUsage(usable.document, contextUsage), evidence, writing, usable.findings)
      : handoffFromEvidence(evidence, writing),
  )
  const name =
    usable?.name === undefined
      ? await files.store(root, document, now)
      : await files.rewrite(root, usable.name, document)
  return { name, document, writtenBy: usable ? 'agent' : 'baton' }
}

const withContextUsage = (document: HandoffDocument, contextUsage: number | undefined): HandoffDocument =>
  contextUsage === undefined || document.contextUsage !== undefined ? document : { ...document, contextUsage }

const ABSENT: HandoffFinding = {
  code: 'unreadable',
  weight: 'wrong',
  where: 'document',
  message: 'The agent did not write a handoff document',
}
