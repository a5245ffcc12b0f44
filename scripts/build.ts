import {
  chmodSync,
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { buildDashboard } from './build-dashboard.ts'
import { bundle } from './bundle.ts'

const dist = join(bundle.absWorkingDir, bundle.outdir)
// Built next to its place and then swapped in, so that a failed build leaves the working programs.
const fresh = `${dist}.new-${process.pid}`

rmSync(fresh, { recursive: true, force: true })
await build({ ...bundle, outdir: fresh })
escapeNonAscii(fresh)
// The sandbox shows this program to commands: one file that needs no other.
await build({
  absWorkingDir: bundle.absWorkingDir,
  entryPoints: ['src/adapters/broker/client.ts'],
  outfile: join(fresh, 'broker-client.mjs'),
  bundle: true,
  platform: 'node',
  target: bundle.target,
  format: 'esm',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
})
await buildDashboard(join(fresh, 'dashboard'))
for (const template of ['launcher.c', 'launcher.pl', 'launcher.sh', 'status-line.sh'])
  copyFileSync(join(bundle.absWorkingDir, 'src', 'hook', template), join(fresh, template))
// The published package contains the plugin for Claude Code.
cpSync(join(bundle.absWorkingDir, '..', '..', 'plugin'), join(fresh, 'plugin'), { recursive: true })
chmodSync(join(fresh, 'cli.js'), 0o755)
rmSync(dist, { recursive: true, force: true })
renameSync(fresh, dist)

/**
 * Writes letters beyond ASCII as escapes, as esbuild does everywhere but in regular expressions. A file with one such
 * letter takes twice the memory: V8 then keeps two bytes for each letter of it, as long as the daemon runs.
 */
function escapeNonAscii(folder: string): void {
  for (const name of readdirSync(folder).filter(each => each.endsWith('.js'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    const escaped = text.replace(
      /[^\0-\x7f]/g,
      unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    if (escaped !== text) writeFileSync(join(folder, name), escaped)
  }
}
