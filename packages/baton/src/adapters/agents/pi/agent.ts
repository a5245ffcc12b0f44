import type { Agent } from '../../../ports/agent.ts'
import { adapter } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { launches } from './launch.ts'
import { piReader } from './reader.ts'
import { piTerminal } from './terminal.ts'
import { transcripts } from './transcript.ts'

export const agent: Agent = {
  adapter,
  capabilities,
  reader: piReader,
  transcripts,
  launches,
  terminal: piTerminal,
}
