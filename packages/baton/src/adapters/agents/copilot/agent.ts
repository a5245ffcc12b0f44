import type { Agent } from '../../../ports/agent.ts'
import { adapter } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { launches } from './launch.ts'
import { copilotTerminal } from './terminal.ts'
import { reader, transcripts } from './transcript.ts'

export const agent: Agent = {
  adapter,
  capabilities,
  reader,
  transcripts,
  launches,
  terminal: copilotTerminal,
}
