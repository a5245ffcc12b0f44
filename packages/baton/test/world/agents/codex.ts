import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openaiResponses } from '../dialects/openai-responses.ts'
import { call } from '../turn.ts'
import type { RealAgent } from './real.ts'

export const codex: RealAgent = {
  name: 'codex',
  dialect: openaiResponses,
  setUp({ home, url, project }) {
    mkdirSync(join(home, '.codex'))
    const config = `model = "fake-model"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"

[projects."${project}"]
trust_level = "trusted"
`
    writeFileSync(join(home, '.codex', 'config.toml'), config)
  },
  env: ({ key }) => ({ OPENAI_API_KEY: key }),
  headless: ({ prompt, resume }) => [
    'exec',
    // It would leave a process behind.
    ...['--disable', 'daemon_auto_start'],
    // Hooks are trusted once in its terminal; a test has none.
    '--dangerously-bypass-hook-trust',
    '--dangerously-bypass-approvals-and-sandbox',
    '--json',
    ...(resume === undefined ? [prompt] : ['resume', resume, prompt]),
  ],
  interactive: [
    ...['--disable', 'daemon_auto_start'],
    '--dangerously-bypass-hook-trust',
    '--dangerously-bypass-approvals-and-sandbox',
  ],
  limit: reset => ({
    status: 429,
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    more: { plan_type: 'plus', resets_at: Math.floor(reset / 1000) },
  }),
  shell: command => call('exec_command', { cmd: command }),
  // What its sandbox does not let it do, its model asks for.
  hostedShell: cmd =>
    call('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'It writes.' }),
}
