import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openaiChat } from '../dialects/openai-chat.ts'
import { call } from '../turn.ts'
import type { RealAgent } from './real.ts'

export const pi: RealAgent = {
  name: 'pi',
  dialect: openaiChat,
  setUp({ home, key, url }) {
    const folder = join(home, '.pi', 'agent')
    mkdirSync(folder, { recursive: true })
    const model = { id: 'fake-model', name: 'Fake', contextWindow: 200_000, maxTokens: 8192, input: ['text'] }
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const fake = {
      baseUrl: `${url}/v1`,
      api: 'openai-completions',
      apiKey: key,
      models: [{ ...model, reasoning: false, cost }],
    }
    writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers: { fake } }))
    const settings = { defaultProvider: 'fake', defaultModel: 'fake-model' }
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  },
  env: () => ({ PI_OFFLINE: '1' }),
  headless: ({ prompt, resume }) => [
    '--print',
    ...(resume === undefined ? [] : ['--session', resume]),
    prompt,
  ],
  interactive: [],
  shell: command => call('bash', { command }),
  read: path => call('read', { path }),
}
