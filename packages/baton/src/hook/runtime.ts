import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { VERSION } from '../version.ts'
import { programPaths } from './program.ts'

/**
 * Where the launcher finds Baton's programs. An installation that npm may sweep away (`npx`) is copied into
 * the state folder; any other is used where it is.
 */
export function stablePrograms(stateDir: string): { node: string; cli: string; daemon: string } {
  const { node, cli, daemon, root } = programPaths()
  if (!/[/\\]_npx[/\\]/.test(root)) return { node, cli, daemon }
  const home = join(stateDir, 'runtime', `${VERSION}-${fingerprint(dirname(cli))}`)
  if (!existsSync(home)) copyRuntime(root, home)
  return { node, cli: join(home, 'dist', 'cli.js'), daemon: join(home, 'dist', 'daemon.js') }
}

function copyRuntime(root: string, home: string): void {
  const beside = `${home}.new`
  rmSync(beside, { recursive: true, force: true })
  mkdirSync(beside, { recursive: true, mode: 0o700 })
  for (const part of ['dist', 'package.json'])
    cpSync(join(root, part), join(beside, part), { recursive: true })
  const sqlite = dirname(dirname(createRequire(join(root, 'dist', 'cli.js')).resolve('better-sqlite3')))
  cpSync(sqlite, join(beside, 'node_modules', 'better-sqlite3'), { recursive: true })
  renameSync(beside, home)
}

function fingerprint(dist: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(dist).sort())
    if (file.endsWith('.js')) hash.update(readFileSync(join(dist, file)))
  return hash.digest('hex').slice(0, 12)
}
