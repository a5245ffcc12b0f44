import { join } from 'node:path'
import type { Agent } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { adapter } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { containment } from './containment.ts'
import { launches } from './launch.ts'
import { outsideLogin } from './outside-login.ts'
import { piReader } from './reader.ts'
import { piTerminal } from './terminal.ts'
import { transcripts } from './transcript.ts'

export const agent: Agent = {
  adapter,
  capabilities,
  reader: piReader,
  transcriptFiles: place => ({
    folder: join(ownFolder(place, 'PI_CODING_AGENT_DIR', '.pi/agent'), 'sessions'),
    levels: 1,
    name: /\.jsonl$/,
  }),
  transcripts,
  launches,
  outsideLogin,
  containment,
  // pi has no rules of its own and runs commands in bash.
  sandboxing: {
    tool: 'bash',
    modes: 'any',
    freshShell: true,
    mustProve: 'any',
    shellOf: () => 'bash',
    whyOwnText: () => undefined,
  },
  terminal: piTerminal,
}
