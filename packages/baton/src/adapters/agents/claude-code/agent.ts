import { join } from 'node:path'
import type { Agent } from '../../../ports/agent.ts'
import { foreignHooksIn } from '../foreign-hooks.ts'
import { ownFolder } from '../own-folder.ts'
import { claudeCode } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { containment } from './containment.ts'
import { settingsPath } from './install.ts'
import { launches } from './launch.ts'
import { REPLACED_WITH_ALLOW } from './modes.ts'
import { outsideLogin } from './outside-login.ts'
import { whyAsk, whyOwnText } from './own-rules.ts'
import { claudeReader } from './reader.ts'
import { rewriteTrial } from './rewrite-trial.ts'
import { claudeTerminal } from './terminal.ts'
import { claudeTranscripts } from './transcript.ts'

export const agent: Agent = {
  adapter: claudeCode,
  capabilities,
  reader: claudeReader,
  transcriptFiles: place => ({
    folder: join(ownFolder(place, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects'),
    levels: 1,
    name: /^[\w-]+\.jsonl$/,
  }),
  transcripts: claudeTranscripts,
  launches,
  outsideLogin,
  // In `plan` a hook's allow counts for nothing: its classifier or a person would be shown the replacement.
  sandboxing: {
    tool: 'Bash',
    modes: ['default', 'accept-edits', 'bypass', ...REPLACED_WITH_ALLOW],
    mustProve: REPLACED_WITH_ALLOW,
    trial: rewriteTrial,
    ownJudge: REPLACED_WITH_ALLOW,
    shellOf: ({ CLAUDE_CODE_SHELL, SHELL = '' }, has) =>
      /bash/.test(CLAUDE_CODE_SHELL ?? SHELL) || !has('zsh') ? 'bash' : 'zsh',
    whyOwnText,
    whyAsk,
  },
  containment,
  terminal: claudeTerminal,
  foreignHooks: (place, read) =>
    (['user', 'project', 'local'] as const).flatMap(scope => {
      const path = settingsPath({ ...place, scope })
      return foreignHooksIn(path, read(path), 'groups')
    }),
}
