import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'

const baton = join(import.meta.dirname, '..', 'packages', 'baton')

/** zod brings its messages in fifty languages; ours are the English ones, and the daemon's memory is counted. */
const oneLanguage: Plugin = {
  name: 'one language',
  setup({ onResolve }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer, resolveDir }) =>
      /[/\\]zod[/\\]/.test(importer) ? { path: join(resolveDir, '..', 'locales', 'en.js') } : undefined,
    )
  },
}

/** How the two programs are bundled; the build writes them, a test looks at what each would load. */
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
  // Names stay readable in a stack; blanks would only be held in the daemon's memory.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // better-sqlite3 is native; pg asks for pg-native only where somebody installed it.
  external: ['better-sqlite3', 'pg-native', 'cloudflare:sockets'],
  // Packages written as CommonJS still call require for Node's own modules.
  banner: {
    js: "import { createRequire as batonRequire } from 'node:module'; const require = batonRequire(import.meta.url);",
  },
  plugins: [oneLanguage],
  logLevel: 'warning',
} as const satisfies BuildOptions
