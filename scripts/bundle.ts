import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
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
 * `import … from 'node:http'` reads every name the module exports, and some of them load much more of Node: its whole fetch,
 * its web cryptography. This reads only the names that are used.
 */
const readUsedNames: Plugin = {
  name: 'read used names',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(http|crypto|fs)$/ }, ({ kind, path }) =>
      kind === 'import-statement'
        ? { path: path.replace(/^node:/, ''), namespace: 'used names', sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'used names' }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(`node:${path}`)).filter(
        name => name !== 'default',
      )
      // Marked pure, so that the bundler drops the names that nothing imports.
      const reads = names.map(name => `export const ${name} = /* @__PURE__ */ (() => whole.${name})()`)
      return {
        contents: [`const whole = require('node:${path}')`, 'export default whole', ...reads].join('\n'),
      }
    })
  },
}

/** Gives Hono light versions of Request, Response and Headers: Node's own would load its whole fetch into every daemon. */
const honoWithoutFetch: Plugin = {
  name: 'hono without fetch',
  setup({ onLoad }) {
    const classes = JSON.stringify(join(baton, 'src', 'daemon', 'web-classes.ts'))
    onLoad({ filter: /[/\\]node_modules[/\\]hono[/\\]dist[/\\].*\.js$/ }, ({ path }) => ({
      contents: `import { Headers, Request, Response } from ${classes};\n${readFileSync(path, 'utf8')}`,
    }))
  },
}

/** grammY's node-fetch only wants the class URL of this package, which Node has; its tables are 300 kB. */
const urlOfNode: Plugin = {
  name: 'URL of Node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^whatwg-url$/ }, ({ path }) => ({ path, namespace: 'URL of Node' }))
    onLoad({ filter: /./, namespace: 'URL of Node' }, () => ({ contents: 'module.exports = { URL }' }))
  },
}

/** How the programs are bundled. The build writes them; a test checks what each would load. */
export const bundle = {
  absWorkingDir: baton,
  entryPoints: {
    cli: 'src/cli.ts',
    daemon: 'src/daemon/main.ts',
    'find-weakened': 'src/daemon/find-weakened.ts',
  },
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
  plugins: [oneLanguage, readUsedNames, honoWithoutFetch, urlOfNode],
  logLevel: 'warning',
} as const satisfies BuildOptions
