import type { AgentName } from '@batonpass/contract/event'
import type { HandoffEntry } from '@batonpass/contract/handoff'
import type { SessionId } from '@batonpass/contract/ids'
import type { TranscriptReader } from '../../ports/transcript.ts'
import type { EvidencePorts } from '../evidence.ts'
import type { HandoffFiles } from '../handoff-files.ts'
import type { UserAnswer } from '../journal-answers.ts'
import type { HandoffMemory, Request } from './handoff-memory.ts'

/** What writing and delivering a handoff document depends on. */
export interface GenerationPorts {
  evidence: EvidencePorts
  files: HandoffFiles
  memory: HandoffMemory
  readerOf(agent: AgentName): TranscriptReader | undefined
  /** Issue, pull request and stage of a session's work, from the workflow's files. */
  workOf(
    project: string,
    nativeSession: string,
  ): Promise<{ issue?: number | undefined; pr?: number | undefined; stage?: string | undefined }>
  /** The prompts that a session received, oldest first, from Baton's journal. */
  promptsOf?(session: SessionId): Promise<readonly string[]>
  /** What the user answered the session through Baton's channels, oldest first, from Baton's journal. */
  answersOf?(session: SessionId): Promise<readonly UserAnswer[]>
  /** Records that a session continues the work of another. */
  continues?(session: SessionId, parent: SessionId): Promise<void>
  journal(
    about: Pick<Request, 'session' | 'nativeSession' | 'agent' | 'project'>,
    entry: HandoffEntry,
  ): Promise<void>
}
