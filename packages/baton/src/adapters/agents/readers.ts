import { open } from 'node:fs/promises'
import type { TranscriptReader } from '../../ports/transcript.ts'
import { claudeReader } from './claude-code/reader.ts'
import { piReader } from './pi/reader.ts'

const READERS: readonly TranscriptReader[] = [piReader, claudeReader]
const HEAD = 64 * 1024

/** The reader of an agent's transcripts, where Baton has one. */
export const readerOf = (agent: string): TranscriptReader | undefined =>
  READERS.find(reader => reader.agent === agent)

/** The reader for a file, by how it begins; undefined when it is no transcript that Baton knows. */
export async function readerFor(path: string): Promise<TranscriptReader | undefined> {
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
