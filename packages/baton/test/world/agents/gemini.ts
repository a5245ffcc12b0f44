import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gemini as dialect } from '../dialects/gemini.ts'
import { call } from '../turn.ts'
import type { RealAgent } from './real.ts'

export const gemini: RealAgent = {
  name: 'gemini',
  dialect,
  setUp({ home }) {
    mkdirSync(join(home, '.gemini'))
    const settings = {
      // A fixed one: with `auto` a classifier is asked first.
      model: { name: 'gemini-2.5-pro' },
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
    }
    writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings, null, 2))
  },
  env: ({ key, url }) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
  headless: ({ prompt, resume }) => [
    '--yolo',
    '--skip-trust',
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...['--prompt', prompt],
  ],
  careful: ({ prompt }) => ['--skip-trust', '--prompt', prompt],
  interactive: ['--model', 'gemini-2.5-pro', '--yolo', '--skip-trust'],
  // Any other 429 it tries again, for many minutes.
  limit: reset => ({
    status: 429,
    type: 'resource_exhausted',
    message: `You exceeded your current quota, resets at ${new Date(reset).toISOString()}`,
    more: {
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
          violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel', quotaMetric: 'requests' }],
        },
      ],
    },
  }),
  shell: command => call('run_shell_command', { command }),
  read: path => call('read_file', { file_path: path }),
}
