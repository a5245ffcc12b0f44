import { chmodSync, copyFileSync, cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { buildDashboard } from './build-dashboard.ts'
import { bundle } from './bundle.ts'

const dist = join(bundle.absWorkingDir, bundle.outdir)
// Made beside its place and swapped in: a build that fails leaves the programs that work.
const fresh = `${dist}.new-${process.pid}`

rmSync(fresh, { recursive: true, force: true })
await build({ ...bundle, outdir: fresh })
await buildDashboard(join(fresh, 'dashboard'))
for (const template of ['launcher.c', 'launcher.pl', 'launcher.sh', 'status-line.sh'])
  copyFileSync(join(bundle.absWorkingDir, 'src', 'hook', template), join(fresh, template))
// The published package brings Claude Code's plugin along.
cpSync(join(bundle.absWorkingDir, '..', '..', 'plugin'), join(fresh, 'plugin'), { recursive: true })
chmodSync(join(fresh, 'cli.js'), 0o755)
rmSync(dist, { recursive: true, force: true })
renameSync(fresh, dist)
