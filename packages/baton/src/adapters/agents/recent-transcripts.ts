import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentName } from '@batonpass/contract/event'
import type { InstallTarget, TranscriptFiles } from '../../ports/agent.ts'
import { agents } from './agent-list.ts'

export interface RecentTranscript {
  agent: AgentName
  path: string
  changedAt: number
}

/** A folder with more entries is not looked into further: this only estimates. */
const MAX_ENTRIES = 20_000

/** The user's newest transcripts of all agents, newest first. Folders that cannot be read count as empty. */
export async function recentTranscripts(
  place: Pick<InstallTarget, 'home' | 'env'>,
  most: number,
  signal: AbortSignal,
): Promise<RecentTranscript[]> {
  const found: RecentTranscript[] = []
  for (const { adapter, reader, transcriptFiles } of agents) {
    if (!reader || !transcriptFiles) continue
    for (const path of await filesIn(transcriptFiles(place), signal)) {
      const facts = await stat(path).catch(() => undefined)
      if (facts?.isFile()) found.push({ agent: adapter.name, path, changedAt: facts.mtimeMs })
    }
  }
  return found.sort((a, b) => b.changedAt - a.changedAt).slice(0, most)
}

/** The files `levels` folders below, by their name. */
async function filesIn(
  { folder, levels, name }: TranscriptFiles,
  signal: AbortSignal,
  left = { entries: MAX_ENTRIES },
): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found: string[] = []
  // Names of days and folders with a time in them sort by age: the newest come first when entries run out.
  for (const entry of entries.sort((a, b) => (a.name < b.name ? 1 : -1))) {
    if (signal.aborted || --left.entries < 0) break
    const path = join(folder, entry.name)
    if (levels > 0 && entry.isDirectory())
      found.push(...(await filesIn({ folder: path, levels: levels - 1, name }, signal, left)))
    else if (levels === 0 && name.test(entry.name)) found.push(path)
  }
  return found
}
