import { defineConfig } from 'vitest/config'

/** The suite in real VS Code: `npm run test:vscode`. Its other tests run with everybody's. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['test/editor/*.test.ts'],
    pool: 'forks',
    // One window at a time: VS Code, its extension host, a browser and an agent share two cores.
    maxWorkers: 1,
    testTimeout: 300_000,
    // A wait ends as soon as it may; on a busy machine the one second that is Vitest's default is short.
    expect: { poll: { timeout: 120_000 } },
    hookTimeout: 300_000,
  },
})
