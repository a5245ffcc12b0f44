import { chmodSync, copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const baton = join(root, 'packages', 'baton')
const dist = join(baton, 'dist')

rmSync(dist, { recursive: true, force: true })
await build({
  entryPoints: { cli: join(baton, 'src/cli.ts'), daemon: join(baton, 'src/daemon/main.ts') },
  outdir: dist,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node22',
  // jsonc-parser's default build calls require in a way that cannot be bundled.
  mainFields: ['module', 'main'],
  format: 'esm',
  chunkNames: '[name]-[hash]',
  minifySyntax: true,
  legalComments: 'none',
  // better-sqlite3 is native; pg asks for pg-native only where somebody installed it.
  external: ['better-sqlite3', 'pg-native', 'cloudflare:sockets'],
  // Packages written as CommonJS still call require for Node's own modules.
  banner: { js: "import { createRequire as batonRequire } from 'node:module'; const require = batonRequire(import.meta.url);" },
  logLevel: 'warning',
})
for (const template of ['launcher.pl', 'launcher.sh']) copyFileSync(join(baton, 'src/hook', template), join(dist, template))
chmodSync(join(dist, 'cli.js'), 0o755)
