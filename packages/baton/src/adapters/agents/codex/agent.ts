import type { Agent } from '../../../ports/agent.ts'
import { adapter } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { launches } from './launch.ts'
import { codexTerminal } from './terminal.ts'
import { reader, transcripts } from './transcript.ts'
import { untrustedHooks } from './trust.ts'

export const agent: Agent = {
  adapter,
  capabilities,
  reader,
  transcripts,
  launches,
  terminal: codexTerminal,
  obstacles: untrustedHooks,
}
