import { openaiChat } from '../dialects/openai-chat.ts'
import { call } from '../turn.ts'
import type { RealAgent } from './real.ts'

export const copilot: RealAgent = {
  name: 'copilot',
  dialect: openaiChat,
  setUp() {},
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
  shell: command => call('bash', { command, description: 'As asked' }),
}
