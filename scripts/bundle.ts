import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'

const baton = join(import.meta.dirname, '..', 'packages', 'baton')

/** zod ships messages in fifty languages; keep only English to save the daemon's memory. */
const oneLanguage: Plugin = {
  name: 'one language',
  setup({ onResolve }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer, resolveDir }) =>
      /[/\\]zod[/\\]/.test(importer) ? { path: join(resolveDir, '..', 'locales', 'en.js') } : undefined,
    )
  },
}

/**
 * `import … from 'node:http'` reads every name the module exports, and some of them load Node's whole fetch: 40 ms at each start of
 * the command line. `require` does not.
 */
const httpWithoutFetch: Plugin = {
  name: 'http without fetch',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'http', namespace: 'required' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'required' }, () => ({
      contents: "module.exports = require('node:http')",
    }))
  },
}

/** How the two programs are bundled. The build writes them; a test checks what each would load. */
export const bundle = {
  absWorkingDir: baton,
  entryPoints: { cli: 'src/cli.ts', daemon: 'src/daemon/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node22',
  // jsonc-parser's default build calls require in a way that cannot be bundled.
  mainFields: ['module', 'main'],
  format: 'esm',
  chunkNames: '[name]-[hash]',
  // Keep names readable in stack traces; white space would only use the daemon's memory.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // better-sqlite3 is native; pg loads pg-native only if it is installed.
  external: ['better-sqlite3', 'pg-native', 'cloudflare:sockets'],
  // Packages written as CommonJS still call require for Node's own modules.
  banner: {
    js: "import { createRequire as batonRequire } from 'node:module'; const require = batonRequire(import.meta.url);",
  },
  plugins: [oneLanguage, httpWithoutFetch],
  logLevel: 'warning',
} as const satisfies BuildOptions
