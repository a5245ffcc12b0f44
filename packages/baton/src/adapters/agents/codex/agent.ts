import { join } from 'node:path'
import type { Agent } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { userShell } from '../user-shell.ts'
import { adapter } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { containment } from './containment.ts'
import { launches } from './launch.ts'
import { outsideLogin } from './outside-login.ts'
import { ownSandbox, whyOwnText } from './own-rules.ts'
import { callMark } from './shell-call.ts'
import { codexTerminal } from './terminal.ts'
import { reader, transcripts } from './transcript.ts'
import { untrustedHooks } from './trust.ts'

export const agent: Agent = {
  adapter,
  capabilities,
  reader,
  transcriptFiles: place => ({
    folder: join(ownFolder(place, 'CODEX_HOME', '.codex'), 'sessions'),
    levels: 3,
    name: /^rollout-.*\.jsonl$/,
  }),
  transcripts,
  launches,
  outsideLogin,
  containment,
  callMark,
  sandboxing: {
    tool: 'Bash',
    modes: ['default', 'accept-edits', 'bypass', 'never-ask'],
    freshShell: true,
    mustProve: 'any',
    shellOf: userShell,
    whyOwnText,
    ownSandbox,
  },
  terminal: codexTerminal,
  obstacles: untrustedHooks,
}
