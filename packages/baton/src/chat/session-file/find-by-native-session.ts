import { join, relative } from 'node:path'
import type { SessionPorts } from './session-file.ts'
import { isSessionFileName, sessionFolder } from './session-paths.ts'

const PIECE = 1 << 20

/** Finds the session files that contain an agent's conversation, as paths relative to `home`. Searches each file completely. */
export async function findByNativeSession(
  { files, home }: Pick<SessionPorts, 'files' | 'home'>,
  cwd: string,
  nativeSession: string,
): Promise<string[]> {
  const folder = sessionFolder(home, cwd)
  // Inside a message's text the quotation marks would be escaped, so this matches only a field.
  const mark = Buffer.from(`"nativeSession":${JSON.stringify(nativeSession)}`)
  const names = (await files.list(folder)).map(({ name }) => name).filter(isSessionFileName)
  const found: string[] = []
  for (const name of names)
    if (await fileContains(files, join(folder, name), mark)) found.push(relative(home, join(folder, name)))
  return found
}

async function fileContains(files: SessionPorts['files'], path: string, mark: Buffer): Promise<boolean> {
  const file = await files.open(path).catch(() => undefined)
  if (!file) return false
  try {
    for (let at = 0; ; at += PIECE - mark.length) {
      const piece = Buffer.from(await file.read(at, at + PIECE))
      if (piece.includes(mark)) return true
      if (piece.length < PIECE) return false
    }
  } finally {
    await file.close()
  }
}
