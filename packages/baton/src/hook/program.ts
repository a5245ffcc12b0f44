import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where this installation's own programs are: next to this file when bundled, in `dist` when run from source. */
export function programPaths(): { node: string; cli: string; daemon: string; root: string } {
  const here = dirname(fileURLToPath(import.meta.url))
  const bundled = existsSync(join(here, 'daemon.js'))
  const root = bundled ? dirname(here) : join(here, '..', '..')
  const dist = join(root, 'dist')
  return { node: process.execPath, cli: join(dist, 'cli.js'), daemon: join(dist, 'daemon.js'), root }
}
