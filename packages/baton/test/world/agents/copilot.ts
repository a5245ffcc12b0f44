import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openaiChat } from '../dialects/openai-chat.ts'
import { call } from '../turn.ts'
import type { RealAgent } from './real.ts'

export const copilot: RealAgent = {
  name: 'copilot',
  dialect: openaiChat,
  setUp({ home, project }) {
    mkdirSync(join(home, '.copilot'), { recursive: true })
    writeFileSync(join(home, '.copilot', 'config.json'), JSON.stringify({ trustedFolders: [project] }))
  },
  env: ({ key, url }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: 'fake-model',
  }),
  headless: ({ prompt, resume }) => [
    ...(resume === undefined ? [] : [`--resume=${resume}`]),
    ...['--prompt', prompt],
  ],
  interactive: [],
  shell: command => call('bash', { command, description: 'As asked' }),
  read: path => call('view', { path }),
}
