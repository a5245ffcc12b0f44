import type { Agent } from '../../../ports/agent.ts'
import { userShell } from '../user-shell.ts'
import { adapter } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { containment } from './containment.ts'
import { launches } from './launch.ts'
import { outsideLogin } from './outside-login.ts'
import { whyOwnText } from './own-rules.ts'
import { opencodeTerminal } from './terminal.ts'
import { reader, transcripts } from './transcript.ts'

export const agent: Agent = {
  adapter,
  capabilities,
  reader,
  transcripts,
  launches,
  outsideLogin,
  containment,
  sandboxing: {
    tool: 'bash',
    modes: 'any',
    freshShell: true,
    mustProve: 'any',
    shellOf: userShell,
    whyOwnText,
  },
  terminal: opencodeTerminal,
}
