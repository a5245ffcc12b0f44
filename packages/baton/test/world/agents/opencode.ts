import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openaiChat } from '../dialects/openai-chat.ts'
import { call } from '../turn.ts'
import { until } from '../wait.ts'
import { cacheFolder, installAgent } from './install.ts'
import { pinned } from './pinned.ts'
import type { RealAgent } from './real.ts'

export const opencode: RealAgent = {
  name: 'opencode',
  dialect: openaiChat,
  patience: 240_000,
  setUp({ home }) {
    // A fresh home would fetch this by itself, for 10 to 60 seconds.
    const config = join(home, '.config', 'opencode')
    mkdirSync(config, { recursive: true })
    writeFileSync(join(config, 'package.json'), JSON.stringify({ dependencies: LIBRARY }))
    symlinkSync(join(libraryFolder(), 'node_modules'), join(config, 'node_modules'))
  },
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
  headless: ({ prompt, resume, attach }) => [
    'run',
    ...(attach === undefined ? [] : ['--attach', attach]),
    ...(resume === undefined ? [] : ['--session', resume]),
    '--',
    prompt,
  ],
  interactive: [],
  shell: command => call('bash', { command, description: 'As asked' }),
  read: path => call('read', { filePath: path }),
  async serve(home, order, done) {
    const program = await installAgent('opencode')
    const child = spawn(program, ['serve', '--hostname', '127.0.0.1', '--port', '0'], {
      cwd: home.project,
      env: { ...home.env(), ...order.env },
      detached: true,
    })
    const end = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGTERM')
      } catch {
        // Already gone.
      }
    }
    process.once('exit', end)
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk))
    try {
      const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0], {
        what: 'the address of opencode serve',
        timeout: 120_000,
        evidence: () => said,
      })
      await home.run({ ...order, attach: url })
      await done()
    } finally {
      end()
      process.off('exit', end)
    }
  },
}

const LIBRARY = { '@opencode-ai/plugin': pinned.opencode.version }

/** The library that opencode installs for plugins, brought once into the test cache. */
function libraryFolder(): string {
  const folder = join(cacheFolder(), `opencode-plugin-${pinned.opencode.version}`)
  if (!existsSync(join(folder, 'node_modules', '@opencode-ai', 'plugin'))) {
    const fresh = `${folder}.${process.pid}`
    mkdirSync(fresh, { recursive: true })
    writeFileSync(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies: LIBRARY }))
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: fresh,
      stdio: 'ignore',
    })
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  }
  return folder
}
