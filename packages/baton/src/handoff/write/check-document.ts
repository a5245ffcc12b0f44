import type { HandoffDocument, HandoffFinding } from '@batonpass/contract/handoff'
import { extractDocument, parseHandoff, type ReadHandoff } from '../document/parse.ts'
import { type Evidence, gatherEvidence } from '../evidence.ts'
import { completeDocument, handoffFromEvidence } from '../from-evidence.ts'
import { namedFiles } from '../ticked-items.ts'
import { documentErrors } from '../verify.ts'
import type { Request } from './handoff-memory.ts'
import type { GenerationPorts } from './ports.ts'

/** The agent's document, if it wrote one, the evidence, and where the two disagree. */
export interface CheckedDocument {
  written: (ReadHandoff & { name?: string }) | undefined
  evidence: Evidence
  findings: readonly HandoffFinding[]
}

/** Checks the document of a request against git and the transcript. */
export async function checkDocument(
  ports: GenerationPorts,
  request: Request,
  written: CheckedDocument['written'],
): Promise<CheckedDocument> {
  const evidence = await evidenceFor(ports, request, written ? namedFiles(written.document) : [])
  const findings = written ? documentErrors(written, evidence, ports.evidence.readTest) : [ABSENT]
  return { written, evidence, findings }
}

/** Finds the agent's document: a new file, or its last message if that is a document. */
export async function findDocument(
  { files }: GenerationPorts,
  request: Request,
  message: string | undefined,
): Promise<CheckedDocument['written']> {
  const names = await files.list(request.project)
  const fresh = names.filter(name => !request.before.includes(name))
  const name = fresh.includes(request.name) ? request.name : fresh.at(-1)
  if (name !== undefined) {
    const read = await files.read(request.project, name).catch(() => undefined)
    if (read) return { ...read, name }
  }
  const read = message === undefined ? undefined : parseHandoff(extractDocument(message))
  const missing = read?.findings.filter(({ code }) => code === 'missing-section').length ?? 0
  return read && missing <= MAX_MISSING ? read : undefined
}

/** Stores the agent's document, or one from evidence if that failed the check, for the next session. Returns its name. */
export async function storeDocument(
  { files, memory, journal }: GenerationPorts,
  request: Request,
  { written, evidence, findings }: CheckedDocument,
  now: number,
): Promise<string> {
  const received = await memory.received(request.session)
  const before =
    received && (await files.read(request.project, received.document).catch(() => undefined))?.document
  const writing = { now, focus: request.focus, parent: received?.document, before }
  const good = written && findings.length === 0
  const document: HandoffDocument = good
    ? completeDocument(written.document, evidence, writing, written.findings)
    : handoffFromEvidence(evidence, writing)
  const name =
    good && written.name !== undefined
      ? await files.rewrite(request.project, written.name, document)
      : await files.store(request.project, document, now)
  const writtenBy = good ? 'agent' : 'baton'
  const { nativeSession: from, agent: fromAgent } = request
  const waiting = { document: name, from, fromAgent, writtenBy } as const
  await memory.await(request.project, waiting, request.place)
  await memory.drop(request.session)
  const wrong = findings.map(({ message }) => message)
  await journal(request, {
    kind: 'handoff',
    what: 'written',
    document: name,
    writtenBy,
    ...(wrong.length > 0 ? { findings: wrong } : {}),
  })
  return name
}

async function evidenceFor(
  { readerOf, workOf, evidence }: GenerationPorts,
  { project, agent, nativeSession, transcript }: Request,
  named: readonly string[],
): Promise<Evidence> {
  const reader = readerOf(agent)
  const work = await workOf(project, nativeSession)
  const subject = { root: project, agent, session: nativeSession, ...work, named }
  const from = transcript && reader ? { path: transcript, reader } : undefined
  try {
    return await gatherEvidence(evidence, { ...subject, transcript: from })
  } catch {
    // Without a readable transcript the document is still written from what git shows.
    return gatherEvidence(evidence, subject)
  }
}

/** A message that lacks more sections than this is not a document. */
const MAX_MISSING = 3

const ABSENT: HandoffFinding = {
  code: 'unreadable',
  weight: 'wrong',
  where: 'document',
  message: 'The agent did not write a handoff document',
}
