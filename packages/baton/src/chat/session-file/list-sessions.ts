import { join } from 'node:path'
import { asEntry, asHeader, messageOf, parseLine, textOfMessage } from './entries.ts'
import type { SessionPorts } from './session-file.ts'
import { isSessionFileName, sessionFolder } from './session-paths.ts'

export interface ListedSession {
  path: string
  id: string
  modifiedMs: number
  /** The start of the first prompt, in one line. */
  title: string
  parentSession: string | undefined
}

const HEAD_BYTES = 64 * 1024
const MAX_ITEMS = 50

/** Lists the sessions of a folder, newest first. Reads only the start of each file. */
export async function listSessions(
  ports: Pick<SessionPorts, 'files' | 'home'>,
  cwd: string,
): Promise<ListedSession[]> {
  const folder = sessionFolder(ports.home, cwd)
  const found = (await ports.files.list(folder)).filter(({ name }) => isSessionFileName(name))
  const newest = found.sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, MAX_ITEMS)
  const all = await Promise.all(
    newest.map(({ name, modifiedMs }) => readSummary(ports, join(folder, name), modifiedMs)),
  )
  return all.flatMap(session => {
    if (session?.cwd !== cwd) return []
    const { cwd: _, ...listed } = session
    return [listed]
  })
}

async function readSummary(ports: Pick<SessionPorts, 'files'>, path: string, modifiedMs: number) {
  const file = await ports.files.open(path).catch(() => undefined)
  if (!file) return undefined
  try {
    const lines = Buffer.from(await file.read(0, HEAD_BYTES))
      .toString('utf8')
      .split('\n')
      .map(line => parseLine(line))
    const header = asHeader(lines[0])
    if (!header) return undefined
    const first = lines.flatMap(row => {
      const entry = asEntry(row)
      const message = entry && messageOf(entry)
      if (message?.role === 'user') return [textOfMessage(message)]
      return entry?.customType === 'handoff' ? ['(started with a handoff)'] : []
    })[0]
    const title = header.title ?? (first ?? '').replaceAll(/\s+/g, ' ').slice(0, 80)
    return { path, id: header.id, modifiedMs, title, parentSession: header.parentSession, cwd: header.cwd }
  } finally {
    await file.close()
  }
}
