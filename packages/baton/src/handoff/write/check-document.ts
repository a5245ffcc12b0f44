import { userPromptText } from '../../session/transcript/collect-facts.ts'
import { extractDocument, parseHandoff } from '../document/parse.ts'
import { type Evidence, gatherEvidence } from '../evidence.ts'
import type { Lookups } from '../statements/lookups.ts'
import { type CheckedDocument, checkWritten, storeChecked } from './document-writer.ts'
import type { Request } from './handoff-memory.ts'
import type { GenerationPorts } from './ports.ts'

/** Checks the document of a request against git and the transcript. */
export function checkDocument(
  ports: GenerationPorts,
  request: Request,
  written: CheckedDocument['written'],
): Promise<CheckedDocument> {
  return checkWritten(written, lookups => evidenceFor(ports, request, lookups), ports.evidence.readTest)
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

/** Stores the document of a request for the next session and returns its name. */
export async function storeDocument(
  { files, memory, journal }: GenerationPorts,
  request: Request,
  checked: CheckedDocument,
  now: number,
): Promise<string> {
  const { session, project: root, focus, nativeSession: from, agent: fromAgent, place } = request
  const parent = (await memory.received(session))?.document
  const { name, writtenBy } = await storeChecked(files, checked, { root, now, focus, parent })
  await memory.await(root, { document: name, from, fromAgent, writtenBy }, place)
  await memory.drop(session)
  const wrong = checked.findings.map(({ message }) => message)
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
  { readerOf, workOf, promptsOf, answersOf, evidence }: GenerationPorts,
  { project, session, agent, nativeSession, transcript }: Request,
  lookups: Lookups | undefined,
): Promise<Evidence> {
  const reader = readerOf(agent)
  const work = await workOf(project, nativeSession)
  const answers = (await answersOf?.(session).catch(() => [])) ?? []
  const subject = { root: project, agent, session: nativeSession, ...work, lookups, answers }
  const from = transcript && reader ? { path: transcript, reader } : undefined
  try {
    if (from) return await gatherEvidence(evidence, { ...subject, transcript: from })
  } catch {
    // The transcript cannot be read.
  }
  // Without a transcript the document is still written from what git shows and what Baton saw the session receive.
  const prompts = (await promptsOf?.(session).catch(() => [])) ?? []
  return gatherEvidence(evidence, { ...subject, prompts: prompts.map(userPromptText).filter(Boolean) })
}

/** A message that lacks more sections than this is not a document. */
const MAX_MISSING = 3
