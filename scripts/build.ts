import { chmodSync, copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundle } from './bundle.ts'

const dist = join(bundle.absWorkingDir, bundle.outdir)
const hook = join(bundle.absWorkingDir, 'src', 'hook')

rmSync(dist, { recursive: true, force: true })
await build({ ...bundle })
for (const template of ['launcher.pl', 'launcher.sh'])
  copyFileSync(join(hook, template), join(dist, template))
chmodSync(join(dist, 'cli.js'), 0o755)
