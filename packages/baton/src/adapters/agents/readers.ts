import { open } from 'node:fs/promises'
import type { TranscriptReader, Transcripts } from '../../ports/transcript.ts'
import { agents } from './agent-list.ts'

// What Claude Code's files begin with is the least particular, so it is tried last.
const READERS: readonly TranscriptReader[] = agents
  .flatMap(({ reader }) => reader ?? [])
  .sort((a, b) => Number(a.agent === 'claude-code') - Number(b.agent === 'claude-code'))
const HEAD = 64 * 1024

/** The reader of an agent's transcripts, where Baton has one. */
export const readerOf = (agent: string): TranscriptReader | undefined =>
  READERS.find(reader => reader.agent === agent)

/** What each reply of an agent used, where its transcripts tell. */
export const transcriptsOf = (agent: string): Transcripts | undefined =>
  agents.find(({ adapter }) => adapter.name === agent)?.transcripts

/** The reader for a file, by how it begins; undefined when it is no transcript that Baton knows. */
export async function readerFor(path: string): Promise<TranscriptReader | undefined> {
  const named = READERS.find(reader => reader.names?.(path))
  if (named) return named
  const file = await open(path)
  try {
    if (!(await file.stat()).isFile()) return undefined
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0)
    const head = buffer.toString('utf8', 0, bytesRead)
    return READERS.find(reader => reader.knows(head))
  } finally {
    await file.close()
  }
}
