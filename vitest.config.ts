import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
    // In real VS Code: npm run test:vscode.
    exclude: ['**/node_modules/**', 'apps/vscode/test/editor/**'],
    // The pinned real agent is brought before the first test, so that no test's time contains an installation.
    globalSetup: 'packages/baton/test/world/agents/install.ts',
    // Each file in a process of its own: some change folder, signals or environment.
    pool: 'forks',
    isolate: true,
    // Two cores: real agents, daemons and databases share them.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 120_000,
  },
})
