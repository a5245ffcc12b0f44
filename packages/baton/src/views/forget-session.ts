import { existsSync } from 'node:fs'
import type { Session } from '@batonpass/contract/session'
import { systemAppendFiles } from '../adapters/system/append-files.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { findByNativeSession } from '../chat/session-file/find-by-native-session.ts'
import { parseHandoff } from '../handoff/document/parse.ts'
import { HANDOFFS_FOLDER, isHandoffName } from '../handoff/document-name.ts'

export interface Forgotten {
  /** Baton's own files that were deleted. */
  removed: string[]
  /** Files about the session that belong to a person or to the agent. */
  kept: string[]
}

/** Deletes Baton's files about a session, except the journal, and reports what is left. */
export async function forgetSessionFiles(stateDir: string, session: Session): Promise<Forgotten> {
  const { id, nativeSession, transcript, endedAt } = session
  const places = [...new Set([session.cwd, session.project].flatMap(place => place ?? []))]
  const ports = { files: systemAppendFiles, home: stateDir }
  const sessionFiles = await Promise.all(places.map(cwd => findByNativeSession(ports, cwd, nativeSession)))
  const names = [
    ...new Set(sessionFiles.flat()),
    `handoff/asked/${id}.json`,
    `handoff/received/${id}.json`,
    ...(await waitingFrom(stateDir, nativeSession)),
    // A running session still needs these.
    ...(endedAt === undefined ? [] : [`workflow/${id}.json`, `stage/sessions/${id}.json`]),
  ]
  const removed: string[] = []
  for (const name of names)
    if (await systemSmallFiles.remove(stateDir, name)) removed.push(`${stateDir}/${name}`)
  const documents = await Promise.all(places.map(place => documentsOf(place, nativeSession)))
  const kept = [...documents.flat(), ...(transcript && existsSync(transcript) ? [transcript] : [])]
  return { removed, kept: [...new Set(kept)] }
}

/** Records of its documents that wait for the next session: a forgotten session must not return through them. */
async function waitingFrom(stateDir: string, nativeSession: string): Promise<string[]> {
  const found: string[] = []
  for (const { name } of await systemSmallFiles.list(stateDir, 'handoff/waiting')) {
    const file = await systemSmallFiles.read(stateDir, `handoff/waiting/${name}`)
    if (file.kind === 'text' && file.text.includes(`"from":${JSON.stringify(nativeSession)}`))
      found.push(`handoff/waiting/${name}`)
  }
  return found
}

/** Its handoff documents. They are kept: a person may have edited them, and the next session may need them. */
async function documentsOf(project: string, nativeSession: string): Promise<string[]> {
  const found: string[] = []
  for (const { name } of await systemSmallFiles.list(project, HANDOFFS_FOLDER)) {
    if (!isHandoffName(name)) continue
    const file = await systemSmallFiles.read(project, `${HANDOFFS_FOLDER}/${name}`)
    if (file.kind === 'text' && parseHandoff(file.text).document.facts?.session === nativeSession)
      found.push(`${project}/${HANDOFFS_FOLDER}/${name}`)
  }
  return found
}
