import { copyFileSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { bundle } from '../../../../scripts/bundle.ts'

/** Builds this very Baton under another version number, into `folder`. */
export async function buildAs(
  version: string,
  folder: string,
): Promise<{ node: string; cli: string; daemon: string }> {
  const outdir = join(folder, 'dist')
  await build({
    ...bundle,
    outdir,
    plugins: [
      ...bundle.plugins,
      {
        name: 'other version',
        setup({ onLoad }) {
          onLoad({ filter: /packages[/\\]baton[/\\]package\.json$/ }, ({ path }) => ({
            contents: JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), version }),
            loader: 'json',
          }))
        },
      },
    ],
  })
  for (const template of ['launcher.c', 'launcher.pl', 'launcher.sh', 'status-line.sh'])
    copyFileSync(join(bundle.absWorkingDir, 'src/hook', template), join(outdir, template))
  const sqlite = new URL(import.meta.resolve('better-sqlite3')).pathname
  symlinkSync(dirname(dirname(dirname(sqlite))), join(folder, 'node_modules'))
  return { node: process.execPath, cli: join(outdir, 'cli.js'), daemon: join(outdir, 'daemon.js') }
}
