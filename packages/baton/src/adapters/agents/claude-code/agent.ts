import type { Agent } from '../../../ports/agent.ts'
import { claudeCode } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { launches } from './launch.ts'
import { claudeReader } from './reader.ts'
import { claudeTerminal } from './terminal.ts'
import { claudeTranscripts } from './transcript.ts'

export const agent: Agent = {
  adapter: claudeCode,
  capabilities,
  reader: claudeReader,
  transcripts: claudeTranscripts,
  launches,
  terminal: claudeTerminal,
}
