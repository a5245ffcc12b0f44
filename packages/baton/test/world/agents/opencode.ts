import { openaiChat } from '../dialects/openai-chat.ts'
import { call } from '../turn.ts'
import type { RealAgent } from './real.ts'

export const opencode: RealAgent = {
  name: 'opencode',
  dialect: openaiChat,
  setUp() {},
  env: ({ key, url }) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'fake/fake-model',
      small_model: 'fake/fake-model',
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Fake',
          options: { baseURL: `${url}/v1`, apiKey: key },
          models: {
            'fake-model': { name: 'Fake', limit: { context: 200_000, output: 8192 }, tool_call: true },
          },
        },
      },
    }),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  headless: ({ prompt, resume }) => [
    'run',
    ...(resume === undefined ? [] : ['--session', resume]),
    '--',
    prompt,
  ],
  shell: command => call('bash', { command, description: 'As asked' }),
}
