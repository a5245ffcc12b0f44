import { join } from 'node:path'
import type { Agent } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { adapter } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { containment } from './containment.ts'
import { launches } from './launch.ts'
import { outsideLogin } from './outside-login.ts'
import { whyOwnText } from './own-rules.ts'
import { geminiTerminal } from './terminal.ts'
import { reader, transcripts } from './transcript.ts'

export const agent: Agent = {
  adapter,
  capabilities,
  reader,
  transcriptFiles: place => ({
    folder: join(ownFolder(place, 'GEMINI_CLI_HOME', ''), '.gemini', 'tmp'),
    levels: 2,
    name: /^session-.*\.jsonl$/,
  }),
  transcripts,
  launches,
  outsideLogin,
  containment,
  sandboxing: {
    tool: 'run_shell_command',
    modes: 'any',
    freshShell: true,
    mustProve: 'any',
    shellOf: () => 'bash',
    whyOwnText,
  },
  terminal: geminiTerminal,
}
