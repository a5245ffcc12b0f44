import { globSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { type TestKind, testKind } from './packages/baton/test/test-kinds.ts'

// In real VS Code: npm run test:vscode.
const files = globSync('{packages,apps}/*/test/**/*.test.ts', { cwd: import.meta.dirname }).filter(
  file => !file.includes('node_modules') && !file.startsWith('apps/vscode/test/editor/'),
)
const filesOf = (kind: TestKind) => files.filter(file => testKind(join(import.meta.dirname, file)) === kind)

const build = 'packages/baton/test/world/build.ts'
/** Agents are installed before the first test that needs one, so that no test's time contains an installation. */
const installAgents = 'packages/baton/test/world/agents/install.ts'

export default defineConfig({
  test: {
    // Journeys run in a process of their own each: some change folder, signals or environment.
    pool: 'forks',
    isolate: true,
    // Two cores: real agents, daemons and databases share them.
    maxWorkers: 2,
    testTimeout: 300_000,
    // A wait ends as soon as it may; on a busy machine the one second that is Vitest's default is short.
    expect: { poll: { timeout: 120_000 } },
    hookTimeout: 240_000,
    projects: [
      // Unit tests share two processes: importing the source again for each file would take most of their time.
      {
        extends: true,
        test: {
          name: 'unit',
          include: filesOf('unit'),
          isolate: false,
          unstubEnvs: true,
          unstubGlobals: true,
        },
      },
      { extends: true, test: { name: 'journeys', include: filesOf('journeys'), globalSetup: build } },
      {
        extends: true,
        test: { name: 'agents', include: filesOf('agents'), globalSetup: [build, installAgents] },
      },
    ],
  },
})
