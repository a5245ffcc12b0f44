import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Where Claude Code keeps the transcripts of a folder's sessions. */
export const folderFor = (home: string, cwd: string): string =>
  join(home, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'))

/** The newest transcript of a folder's sessions. */
export async function newestTranscript(home: string, cwd: string): Promise<string | undefined> {
  const folder = folderFor(home, cwd)
  const names = (await readdir(folder).catch(() => [])).filter(name => name.endsWith('.jsonl'))
  const found = await Promise.all(
    names.map(async name => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  )
  return found.sort((a, b) => b.at - a.at)[0]?.path
}

/** The transcript of a session, by the start of its id; undefined unless exactly one fits. */
export async function transcriptOf(home: string, session: string): Promise<string | undefined> {
  if (!/^[A-Za-z0-9-]{4,64}$/.test(session)) return undefined
  const projects = join(home, 'projects')
  const folders = await readdir(projects).catch(() => [])
  const found = await Promise.all(
    folders.map(async folder =>
      (await readdir(join(projects, folder)).catch(() => []))
        .filter(name => name.startsWith(session) && name.endsWith('.jsonl'))
        .map(name => join(projects, folder, name)),
    ),
  )
  const [only, second] = found.flat()
  return second === undefined ? only : undefined
}
